// The splitter between list and code, moved with the pointer or the arrow keys.

import { useEffect, useState } from "preact/hooks";

const STORAGE_KEY = "kitbag.split";
/** Width of the code in percent. */
const [MIN, DEFAULT, MAX] = [30, 60, 75];

export function Splitter() {
  const [position, setPosition] = useState(storedPosition);
  const moveTo = (percentage: number) => setPosition(Math.round(Math.min(MAX, Math.max(MIN, percentage))));
  useEffect(() => {
    localStorage.setItem(STORAGE_KEY, String(position));
    document.documentElement.style.setProperty("--code-share", `${position}%`);
  }, [position]);
  const onKeyDown = (event: KeyboardEvent) => {
    const target = { ArrowLeft: position + 2, ArrowRight: position - 2, Home: MAX, End: MIN }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    moveTo(target);
  };
  const onPointerMove = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    const bar = event.currentTarget;
    const bounds = bar.parentElement?.getBoundingClientRect();
    if (!bounds || !bar.hasPointerCapture(event.pointerId)) return;
    moveTo((100 * (bounds.right - event.clientX - bar.clientWidth / 2)) / bounds.width);
  };
  return (
    <div
      class="splitter" role="separator" tabIndex={0} aria-orientation="vertical" aria-label="Width of the code" aria-valuemin={MIN} aria-valuemax={MAX}
      aria-valuenow={position} title="Drag to resize the code" onDblClick={() => moveTo(DEFAULT)} onKeyDown={onKeyDown} onPointerMove={onPointerMove}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
    />
  );
}

function storedPosition(): number {
  const stored = Number(localStorage.getItem(STORAGE_KEY));
  return stored >= MIN && stored <= MAX ? stored : DEFAULT;
}
