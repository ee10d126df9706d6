/** Turns the first Ctrl-C into a signal that ends waiting; a second one ends the program as usual. */
export function listenForInterrupt(): { readonly signal: AbortSignal; readonly stop: () => void } {
  const controller = new AbortController();
  const onInterrupt = (): void => controller.abort();
  process.once("SIGINT", onInterrupt);
  return { signal: controller.signal, stop: () => process.off("SIGINT", onInterrupt) };
}
