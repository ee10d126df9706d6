import type { JobContext } from "../../job/kind.ts";
import { compilePattern } from "../../text/pattern.ts";
import type { AttemptFiles } from "./attempt-files.ts";
import type { ReadyCondition } from "./input.ts";
import { LineScanner } from "./line-scanner.ts";
import { isAnswering } from "./ready.ts";

/** Says once, in the job's progress, that the command is ready for use. */
export class ReadinessWatch {
  readonly #ready: ReadyCondition | undefined;
  readonly #context: JobContext;
  readonly #scanners: LineScanner[];
  #isLooking = false;
  #isReady = false;

  constructor(ready: ReadyCondition | undefined, context: JobContext, { stdout, stderr }: AttemptFiles) {
    this.#ready = ready;
    this.#context = context;
    const test = ready?.pattern === undefined ? undefined : compilePattern(ready.pattern);
    this.#scanners = test === undefined ? [] : [stdout, stderr].map(({ path }) => new LineScanner(path, test));
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Begins to look, unless it does already: nobody waits for a service that takes its time to answer. */
  look(): void {
    if (this.#ready === undefined || this.#isReady || this.#isLooking) return;
    this.#isLooking = true;
    this.#look(this.#ready)
      // A look that fails is made up for by the next one.
      .catch(() => undefined)
      .finally(() => {
        this.#isLooking = false;
      });
  }

  async #look(ready: ReadyCondition): Promise<void> {
    const found = await Promise.all([...this.#scanners.map((scanner) => scanner.look()), isAnswering(ready)]);
    if (!found.some(Boolean)) return;
    this.#isReady = true;
    this.#context.progress({ phase: "ready", message: "ready" });
  }
}
