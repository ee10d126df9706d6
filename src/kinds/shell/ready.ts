import { connect } from "node:net";
import type { ReadyCondition } from "./input.ts";

/** Whether the port or the URL of a condition answers; a pattern is looked for in the output instead. */
export async function isAnswering(ready: ReadyCondition): Promise<boolean> {
  if (ready.port !== undefined) return isPortOpen(ready.port);
  if (ready.url === undefined) return false;
  const response = await fetch(ready.url, { signal: AbortSignal.timeout(2_000), redirect: "manual" }).catch(
    () => undefined,
  );
  await response?.body?.cancel();
  return response !== undefined && response.status < 500;
}

function isPortOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", timeout: 1_000 });
    const answer = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", () => answer(true));
    socket.once("error", () => answer(false));
    socket.once("timeout", () => answer(false));
  });
}
