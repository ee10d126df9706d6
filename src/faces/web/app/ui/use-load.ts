import { useSignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { isAbort } from "../core/api.ts";

export interface Loaded<Data> {
  readonly data: Signal<Data | undefined>;
  readonly error: Signal<unknown>;
  readonly reload: () => Promise<void>;
}

/** Loads when what it depends on changes; what was loaded stays until something newer is there. */
export function useLoad<Data>(load: (signal: AbortSignal) => Promise<Data>, on: readonly unknown[]): Loaded<Data> {
  const data = useSignal<Data | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const run = async (signal: AbortSignal): Promise<void> => {
    try {
      const loaded = await load(signal);
      if (signal.aborted) return;
      data.value = loaded;
      error.value = undefined;
    } catch (problem) {
      if (!signal.aborted && !isAbort(problem)) error.value = problem;
    }
  };
  useEffect(() => {
    const stop = new AbortController();
    void run(stop.signal);
    return () => stop.abort();
  }, on);
  return { data, error, reload: () => run(new AbortController().signal) };
}
