import { useEffect, useRef } from "preact/hooks";

export type Keys = Readonly<Record<string, (() => unknown) | undefined>>;

const chordMs = 1_000;

/** Whether what is typed goes into a field. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Keys such as `j`, `Shift+A`, `mod+k` and chords such as `g j`, while nobody types and no dialog is open. */
export function useKeys(keys: Keys): void {
  const before = useRef({ key: "", at: 0 });
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { key } = event;
      const isMod = event.ctrlKey || event.metaKey;
      if (event.altKey || event.defaultPrevented) return;
      if (!isMod && (isTyping(event.target) || document.querySelector("dialog[open]") !== null)) return;
      const name = isMod ? `mod+${key}` : event.shiftKey && /^[A-Z]$/.test(key) ? `Shift+${key}` : key;
      const isChord = before.current.key === "g" && event.timeStamp - before.current.at < chordMs;
      before.current = { key: name, at: event.timeStamp };
      const act = isChord ? keys[`g ${name}`] : keys[name];
      if (act === undefined) return;
      event.preventDefault();
      void act();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
}
