// The first visit: tasks of this repository to click.

import { submit } from "../session";
import { updateForm, type State } from "../store";
import { visible } from "../visible";

const MAX_RECENT = 3;

export function Welcome({ state }: { state: State }) {
  const { repo } = state.form;
  const recent = state.feed.filter((it) => it.has_task && it.task !== "" && it.repo === repo).map(({ task }) => task);
  const tasks = [...new Set([...recent.slice(0, MAX_RECENT), ...state.examples])];
  const run = (task: string) => {
    updateForm({ task });
    void submit();
  };
  return (
    <div class="welcome">
      <h2>See what the model will see</h2>
      <p class="lead">Enter a task, and Kitbag finds the code of {repo ? <b>{visible(repo)}</b> : "the repository"} that matters for it, within a budget of tokens. Then pin, exclude and tune until it is right.</p>
      <h3 id="examples-title">{tasks.length > 0 ? "Try one of these" : "Reading the repository…"}</h3>
      <ul class="examples" aria-labelledby="examples-title">
        {tasks.map((task) => <li key={task}><button type="button" class="example" onClick={() => run(task)}>{visible(task)}</button></li>)}
      </ul>
      <p class="muted">Press <kbd>T</kbd> to edit the task, <kbd>?</kbd> for all shortcuts.</p>
    </div>
  );
}
