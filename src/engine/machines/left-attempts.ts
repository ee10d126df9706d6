import { isJobId, type JobId } from "../../job/id.ts";
import type { LeftJob } from "../../job/kind.ts";
import { isTerminal } from "../../job/state.ts";
import type { EngineParts } from "../settings.ts";

/**
 * Lets the kinds end what runs on this machine though its job was given up while the machine was not heard from: it may run elsewhere by
 * now. Never rejects.
 */
export async function endLeft(
  { store, kinds, settings }: EngineParts,
  isHeldHere: (id: JobId) => boolean,
): Promise<void> {
  const find = async (id: string): Promise<LeftJob | undefined> => {
    const job = isJobId(id) && !isHeldHere(id) ? await store.get(id) : undefined;
    if (job === undefined) return undefined;
    const attempts = Array.from({ length: job.state.attempt }, (_, index) => ({
      attempt: index + 1,
      folder: store.output.folder(job.id, index + 1),
    }));
    return { id: job.id, isEnded: isTerminal(job.state), attempts };
  };
  for (const kind of kinds.values()) {
    await kind.endLeft?.({ find }).catch((error: unknown) => {
      settings.log({ level: "error", message: "what was left running could not be ended", error });
    });
  }
}
