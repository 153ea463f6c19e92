// Buttons that pin, expand or exclude a chunk, a file or a folder. Each packs again; going back undoes it.

import { exclude, expand, isOfFile, pin, pinOf, unpin, type Target } from "../edits";
import type { Form } from "../form";
import { fromRequest } from "../form";
import { submit } from "../session";
import type { Shown, State } from "../store";
import { visible } from "../visible";
import { IconButton } from "./parts";

interface Props {
  target: Target;
  state: State;
  shown: Shown;
  isTabStop?: boolean;
}

export function EditButtons({ target, state, shown, isTabStop = true }: Props) {
  if ("chunk" in target && !isOfFile(target.chunk)) return null;
  const { report } = shown.pack;
  const name = visible("chunk" in target ? target.chunk.path : target.path);
  const what = "chunk" in target ? `this chunk of ${name}` : name;
  const pinned = "chunk" in target ? pinOf(state.form, target.chunk) : undefined;
  const act = (edit: (form: Form) => Form) => (event: Event) => {
    event.stopPropagation();
    void submit(edit(formOf(state, shown)));
  };
  const more = { tabIndex: isTabStop ? 0 : -1 };
  return (
    <span class="edit-buttons">
      {pinned === undefined
        ? <IconButton icon="pin" label={`Pin ${what}`} data-edit="pin" onClick={act((form) => pin(form, target, report))} {...more} />
        : <IconButton icon="pin" label={`Unpin ${what}`} data-edit="unpin" aria-pressed="true" onClick={act((form) => unpin(form, pinned))} {...more} />}
      <IconButton icon="expand" label={"chunk" in target ? `Expand to all of ${name}` : `Expand ${name}`} data-edit="expand" onClick={act((form) => expand(form, target, report))} {...more} />
      <IconButton icon="exclude" label={`Exclude ${what}`} data-edit="exclude" onClick={act((form) => exclude(form, target))} {...more} />
    </span>
  );
}

/** Returns the form that an edit applies to: that of the pack on screen, if it was opened from the history. */
export function formOf(state: State, shown: Shown): Form {
  return shown.summary ? { ...fromRequest(shown.pack.request, state.baseWeights), repo: shown.pack.request.repo ?? state.form.repo } : state.form;
}
