import { signal } from "@preact/signals";
import type { ComponentType, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Problem, Skeleton } from "./parts.tsx";

/** A part that is loaded when it is first shown. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const loaded = signal<{ readonly View?: ComponentType<Props>; readonly error?: unknown }>({});
  return function Lazy(props: Props): JSX.Element {
    useEffect(() => {
      if (loaded.peek().View !== undefined) return;
      load().then(
        (View) => (loaded.value = { View }),
        (error: unknown) => (loaded.value = { error }),
      );
    }, []);
    const { View, error } = loaded.value;
    if (View !== undefined) return <View {...props} />;
    return error === undefined ? <Skeleton /> : <Problem error={error} onRetry={() => location.reload()} />;
  };
}
