import type { Job } from "../../job/job.ts";
import { isTerminal } from "../../job/state.ts";
import type { TaskOutcome } from "./project.ts";

const mostOutcomes = 500;
const mostCharacters = 16_000;

/**
 * What finished jobs came to, for clients that ask again. A finished job does not change but by a retry, which gives it new
 * events, so an entry is good for as long as its number of events is. Large outcomes are read anew each time.
 */
export class OutcomeCache {
  readonly #outcomes = new Map<string, TaskOutcome | undefined>();

  async get(job: Job, read: () => Promise<TaskOutcome | undefined>): Promise<TaskOutcome | undefined> {
    if (!isTerminal(job.state)) return undefined;
    const key = `${job.id}/${job.lastSeq}`;
    if (this.#outcomes.has(key)) return this.#outcomes.get(key);
    const outcome = await read();
    if (JSON.stringify(outcome ?? null).length <= mostCharacters) this.#keep(key, outcome);
    return outcome;
  }

  #keep(key: string, outcome: TaskOutcome | undefined): void {
    this.#outcomes.set(key, outcome);
    if (this.#outcomes.size <= mostOutcomes) return;
    const [oldest] = this.#outcomes.keys();
    if (oldest !== undefined) this.#outcomes.delete(oldest);
  }
}
