import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { isAbort } from "../../core/api.ts";

interface Part<Item> {
  readonly items: readonly Item[];
  readonly next: number;
}

/** A list that only grows: what came since the last look is read when something says that there is more. */
export function useGrowing<Item>(
  read: (from: number, signal: AbortSignal) => Promise<Part<Item>>,
  on: readonly unknown[],
): Signal<readonly Item[]> {
  const items = useSignal<readonly Item[]>([]);
  const next = useRef(0);
  useEffect(() => {
    const stop = new AbortController();
    const readOn = async (): Promise<void> => {
      for (;;) {
        const from = next.current;
        const part = await read(from, stop.signal);
        if (stop.signal.aborted || part.next <= from) return;
        next.current = part.next;
        items.value = [...items.value, ...part.items];
      }
    };
    readOn().catch((error: unknown) => {
      if (!isAbort(error)) throw error;
    });
    return () => stop.abort();
  }, on);
  return items;
}
