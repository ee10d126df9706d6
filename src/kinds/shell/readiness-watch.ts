import type { JobContext } from "../../job/kind.ts";
import type { ReadyCondition } from "./input.ts";
import { LineScanner } from "./line-scanner.ts";
import { compilePattern } from "../../text/pattern.ts";
import { isAnswering } from "./ready.ts";

/** Says once, in the job's progress, that the command is ready for use. */
export class ReadinessWatch {
  readonly #ready: ReadyCondition | undefined;
  readonly #context: JobContext;
  readonly #scanners: LineScanner[];
  #isReady = false;

  constructor(ready: ReadyCondition | undefined, context: JobContext) {
    this.#ready = ready;
    this.#context = context;
    const test = ready?.pattern === undefined ? undefined : compilePattern(ready.pattern);
    this.#scanners =
      test === undefined
        ? []
        : ["stdout", "stderr"].map((name) => new LineScanner(context.outputFile(name).path, test));
  }

  async look(): Promise<void> {
    if (this.#ready === undefined || this.#isReady) return;
    if (!(await this.#isMet(this.#ready))) return;
    this.#isReady = true;
    this.#context.progress({ phase: "ready", message: "ready" });
  }

  async #isMet(ready: ReadyCondition): Promise<boolean> {
    const found = await Promise.all(this.#scanners.map((scanner) => scanner.look()));
    return found.some(Boolean) || (await isAnswering(ready));
  }
}
