/** The same bytes; `onEnd` is called once when the stream has ended, however it ends. */
export function trackStream(
  source: ReadableStream<Uint8Array>,
  gone: AbortSignal,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let hasEnded = false;
  const end = (): void => {
    if (hasEnded) return;
    hasEnded = true;
    gone.removeEventListener("abort", abandon);
    onEnd();
  };
  const abandon = (): void => {
    end();
    void reader.cancel().catch(() => undefined);
  };
  gone.addEventListener("abort", abandon);
  if (gone.aborted) abandon();
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { value, done } = await reader.read();
      if (!done) {
        controller.enqueue(value);
        return;
      }
      end();
      controller.close();
    },
    cancel: (reason) => {
      end();
      return reader.cancel(reason);
    },
  });
}
