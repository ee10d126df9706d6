import { fork, type Serializable } from "node:child_process";
import { once } from "node:events";

/** Runs a file that calls `answerParent` in a fresh process, whose heap nothing else has touched. */
export async function runInChild<Answer>(file: URL, request: Serializable, longestMs = 300_000): Promise<Answer> {
  const child = fork(file, { execArgv: ["--expose-gc"], serialization: "advanced", timeout: longestMs });
  let answer: { readonly value: Answer } | undefined;
  child.on("message", (value) => {
    answer = { value: value as Answer };
  });
  const exited = once(child, "exit");
  child.send(request);
  const [code] = (await exited) as [number | null];
  if (answer === undefined || code !== 0) throw new Error(`A measuring process ended with ${code ?? "a signal"}.`);
  return answer.value;
}

/** The child's side: takes one request, answers it, and ends when nothing is left to do. */
export function answerParent(measure: (request: never) => Promise<Serializable>): void {
  process.once("message", (request: unknown) => {
    void measure(request as never).then(
      (answer) => process.send?.(answer, () => process.disconnect()),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
}
