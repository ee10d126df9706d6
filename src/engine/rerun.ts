import type { ClientDefaults } from "../job/client-defaults.ts";
import { defined } from "../job/defined.ts";
import { LonghaulError } from "../job/error.ts";
import { isRecord } from "../job/is-record.ts";
import { nameTarget } from "../job/notify.ts";
import type { Job } from "../job/job.ts";
import type { Json } from "../job/json.ts";
import type { Kind } from "../job/kind.ts";
import { isTerminal } from "../job/state.ts";
import { sayStatus } from "../job/status-words.ts";
import type { EngineParts } from "./settings.ts";
import type { SubmitRequest } from "./submit.ts";

interface Rerun {
  readonly request: SubmitRequest;
  /** As the first job got it: where it is run again from makes no difference. */
  readonly client: ClientDefaults;
}

/**
 * What makes a job like a finished one. What had to come before it has come, so it waits for nothing; it has no parent, because nobody waits for it.
 */
export async function toRerun(
  job: Job,
  changes: Json | undefined,
  { store, kinds }: Pick<EngineParts, "store" | "kinds">,
): Promise<Rerun> {
  if (!isTerminal(job.state)) {
    const status = sayStatus(job.state.status);
    throw new LonghaulError("conflict", `Job ${job.id} ${status}; only a job that has ended can be run again.`);
  }
  const source = await store.source(job.id);
  if (source === undefined) throw new LonghaulError("not_found", `There is no job ${job.id}.`);
  const before = JSON.parse(source.input) as Json;
  const { kind, owner, name, batch, priority, limits, retention, isConfined, key, place } = job;
  const to = (source.notify ?? []).map(nameTarget);
  const webhook = source.webhook && { ...source.webhook, on: [...(job.webhook?.on ?? [])] };
  const request: SubmitRequest = {
    kind,
    input: changes === undefined ? before : patch(before, changes),
    tags: ownTags(job, before, kinds.get(kind)),
    owner,
    priority,
    limits,
    retention,
    notify: { to, ...(to.length === 0 ? {} : { on: [...(job.notify?.on ?? [])] }) },
    ...defined({ name, batch, webhook, isConfined, place }),
    // Which jobs share a limit may follow from the input.
    ...(changes === undefined && key !== undefined && key !== "" ? { key } : {}),
  };
  const client = JSON.parse(source.client ?? "{}") as ClientDefaults;
  return { request, client: { ...client, ...defined({ cwd: job.cwd }) } };
}

/** Without those that the kind adds by itself. */
function ownTags({ tags }: Job, input: Json, kind: Kind | undefined): string[] {
  const parsed = kind?.input.safeParse(input);
  const added = kind !== undefined && parsed?.success === true ? kind.tagsOf(parsed.data) : [];
  return tags.filter((tag) => !added.includes(tag));
}

/** RFC 7396: what is an object changes field by field, null takes a field away, anything else takes the place of what was there. */
function patch(before: Json, changes: Json): Json {
  if (!isRecord(changes)) return changes;
  const patched: Record<string, Json> = isRecord(before) ? { ...before } : {};
  for (const [name, change] of Object.entries(changes)) {
    if (change === null) delete patched[name];
    else patched[name] = patch(patched[name] ?? null, change);
  }
  return patched;
}
