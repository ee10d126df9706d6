import { exitCodes } from "../exit-code.ts";

/** Acts until the first Ctrl-C, which aborts the signal; `leave` then says that the work goes on. A second one ends the program as usual. */
export async function untilInterrupted(
  act: (signal: AbortSignal) => Promise<number>,
  leave: () => void = () => undefined,
): Promise<number> {
  const controller = new AbortController();
  const onInterrupt = (): void => controller.abort();
  process.once("SIGINT", onInterrupt);
  try {
    return await act(controller.signal);
  } catch (error) {
    if (!controller.signal.aborted) throw error;
    leave();
    return exitCodes.interrupted;
  } finally {
    process.off("SIGINT", onInterrupt);
  }
}
