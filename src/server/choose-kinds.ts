import type { WorkerConfig } from "../config/worker.ts";
import { LonghaulError } from "../job/error.ts";
import type { Kind } from "../job/kind.ts";

/** The kinds with the slots that they have in this process: those that do not run here have none, and are still known to submit and read. */
export function chooseKinds(
  kinds: readonly Kind[],
  { kinds: wanted, concurrency }: Pick<WorkerConfig, "kinds" | "concurrency">,
): Kind[] {
  const known = kinds.map(({ name }) => name);
  const slots = typeof concurrency === "object" ? concurrency : {};
  const odd = [...(wanted ?? []), ...Object.keys(slots)].find((name) => !known.includes(name));
  if (odd !== undefined) {
    throw new LonghaulError(
      "invalid_input",
      `There is no kind of job called "${odd}": this program has ${known.join(", ")}.`,
    );
  }
  const forAll = typeof concurrency === "number" ? concurrency : undefined;
  return kinds.map((kind) => {
    const own = wanted === undefined || wanted.includes(kind.name) ? (slots[kind.name] ?? forAll) : 0;
    return own === undefined ? kind : { ...kind, concurrency: own };
  });
}
