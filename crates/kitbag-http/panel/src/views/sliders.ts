// Sliders. Browsers fire `change` only if the value differs from before, so releases are detected by pointer events.

import { useEffect, useRef } from "preact/hooks";

/** Delay before a move by keys counts as finished, so that several key presses make one pack. */
const KEY_DELAY_MS = 600;

/** Returns listeners that call `onRelease` once a slider that was moved is released. */
export function useRelease(onRelease: () => void) {
  const moving = useRef({ isPressed: false, isMoved: false, timer: 0 });
  const latest = useRef(onRelease);
  latest.current = onRelease;
  const finish = (delayMs: number) => {
    clearTimeout(moving.current.timer);
    moving.current.timer = window.setTimeout(() => {
      if (!moving.current.isMoved || moving.current.isPressed) return;
      moving.current.isMoved = false;
      latest.current();
    }, delayMs);
  };
  useEffect(() => {
    const end = () => {
      if (!moving.current.isPressed) return;
      moving.current.isPressed = false;
      // The last `input` event can follow the release.
      finish(0);
    };
    window.addEventListener("pointerup", end);
    window.addEventListener("pointercancel", end);
    return () => {
      clearTimeout(moving.current.timer);
      window.removeEventListener("pointerup", end);
      window.removeEventListener("pointercancel", end);
    };
  }, []);
  return {
    onMove: () => {
      moving.current.isMoved = true;
      clearTimeout(moving.current.timer);
    },
    listeners: {
      onPointerDown: () => void (moving.current.isPressed = true),
      onChange: () => void (moving.current.isPressed || finish(KEY_DELAY_MS)),
    },
  };
}
