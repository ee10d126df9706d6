import { z } from "zod";
import type { ClientDefaults } from "../job/client-defaults.ts";
import { defined } from "../job/defined.ts";
import { LonghaulError } from "../job/error.ts";
import { messageOf } from "../job/failure.ts";
import { createIdSource, isJobId, type JobId } from "../job/id.ts";
import { parseInput } from "../job/issue.ts";
import { isConfined, localOwner, type JobSpec } from "../job/job.ts";
import { canonicalJson } from "../job/json.ts";
import type { Kind } from "../job/kind.ts";
import { placeSchema } from "../job/place.ts";
import { notifyOccasions } from "../job/notify.ts";
import { webhookSchema } from "../job/webhook.ts";
import type { Created, JobDraft, Store } from "../store/store.ts";
import { createPacer } from "../text/pacer.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Settings } from "./settings.ts";

const durationMs = z
  .int()
  .min(0)
  .max(366 * 24 * 3_600_000);
const positiveMs = durationMs.min(1);
/** Postgres keeps no text with NUL in it. */
const label = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => !text.includes("\0"), "must not contain the character NUL");

const limitsSchema = z.strictObject({
  queueMs: positiveMs.optional(),
  runMs: positiveMs.optional(),
  idleMs: positiveMs.optional(),
  totalMs: positiveMs.optional(),
  graceMs: durationMs.optional(),
  attempts: z.int().min(1).max(100).optional(),
  backoff: z
    .strictObject({
      initialMs: durationMs,
      factor: z.number().min(1).max(10),
      maxMs: durationMs,
      jitter: z.number().min(0).max(1),
    })
    .optional(),
});

const requestSchema = z.strictObject({
  kind: z.string(),
  input: z.unknown(),
  owner: label.optional(),
  name: label.optional(),
  tags: z.array(label).max(50).optional(),
  batch: label.optional(),
  parent: z.string().refine(isJobId, "expected a job id").optional(),
  dependsOn: z.array(z.string()).max(1_000).optional(),
  ref: label.optional(),
  key: label.optional(),
  priority: z.int().min(-1_000).max(1_000).optional(),
  idempotencyKey: label.optional(),
  delayMs: durationMs.optional(),
  limits: limitsSchema.optional(),
  retention: z.strictObject({ succeededMs: durationMs.optional(), failedMs: durationMs.optional() }).optional(),
  by: label.optional(),
  webhook: webhookSchema.optional(),
  notify: z
    .strictObject({
      to: z.array(z.string()).max(10).optional(),
      on: z.array(z.enum(notifyOccasions)).min(1).optional(),
    })
    .optional(),
  isConfined: z.boolean().optional(),
  place: placeSchema.optional(),
  placeOfFolder: placeSchema.optional(),
});

/**
 * What to run. `dependsOn` names jobs by id, or by the `ref` of another request in the same call; the job runs after
 * all of them have succeeded. `key` groups jobs that share a kind's per-key concurrency. `webhook` is told of the job's
 * end and of its questions, and those in `notify.to` in a line for people: "desktop" or addresses. `place` is the only machine
 * that may run it, or a label that its machine must have; `placeOfFolder` is that for a job which works in a folder. `isConfined` keeps its commands from the server's own files, as those of all owners but "local" are.
 */
export type SubmitRequest = z.input<typeof requestSchema>;

export interface Submitter {
  /** Checks all requests; `ids` are in their order, `drafts` in one in which dependencies come first. */
  readonly draft: (
    requests: readonly SubmitRequest[],
    client?: ClientDefaults,
  ) => Promise<{ ids: JobId[]; drafts: JobDraft[] }>;
}

export function createSubmitter(kinds: ReadonlyMap<string, Kind>, settings: Settings): Submitter {
  const newId = createIdSource(settings.clock.now);
  return {
    draft: async (requests, client = {}) => {
      const parsed = requests.map((request) => parseInput(requestSchema, request, "The request"));
      const ids = parsed.map(() => newId());
      const refs = mapRefs(parsed, ids);
      const drafts: JobDraft[] = [];
      const pace = createPacer();
      for (const [index, request] of parsed.entries()) {
        const id = ids[index] ?? newId();
        await pace();
        drafts.push(await toDraft({ request, id, refs, kind: findKind(kinds, request.kind), client }, settings));
      }
      return { ids, drafts: refs.size === 0 ? drafts : inDependencyOrder(drafts) };
    },
  };
}

/** Stores the jobs and claims what there is room for, in one commit. */
export async function submitAll(
  requests: readonly SubmitRequest[],
  { submitter, store, dispatcher }: { submitter: Submitter; store: Store; dispatcher: Dispatcher },
  client?: ClientDefaults,
): Promise<Created[]> {
  const { drafts, ids } = await submitter.draft(requests, client);
  const creating = store.create(drafts);
  dispatcher.wake();
  const created = await creating;
  const byDraft = new Map(drafts.map(({ spec }, index) => [spec.id, created[index]]));
  return ids.map((id) => byDraft.get(id) as Created);
}

type ParsedRequest = z.output<typeof requestSchema>;

export function findKind(kinds: ReadonlyMap<string, Kind>, name: string): Kind {
  const kind = kinds.get(name);
  if (kind !== undefined) return kind;
  const known = [...kinds.keys()].join(", ");
  throw new LonghaulError("unknown_kind", `There is no kind "${name}"; known kinds: ${known}.`);
}

interface DraftParts {
  readonly request: ParsedRequest;
  readonly id: JobId;
  readonly refs: ReadonlyMap<string, JobId>;
  readonly kind: Kind;
  readonly client: ClientDefaults;
}

async function toDraft({ request, id, refs, kind, client }: DraftParts, settings: Settings): Promise<JobDraft> {
  const parsedInput = parseInput(kind.input, request.input, "The input");
  const whose = {
    owner: request.owner ?? localOwner,
    ...(request.isConfined === true ? { isConfined: true as const } : {}),
  };
  const facts = { client, isConfined: isConfined(whose) };
  await kind.check(parsedInput, facts);
  const cwd = kind.cwdOf(parsedInput, facts);
  const input = toInputText(request.input, kind, settings);
  const shownInput = kind.conceal === undefined ? undefined : canonicalJson(kind.conceal(parsedInput));
  const key = request.key ?? kind.key(parsedInput) ?? (kind.perKey === undefined ? undefined : "");
  const createdAt = settings.clock.now();
  const { name, batch, parent, idempotencyKey, by } = request;
  const place = request.place ?? (cwd === undefined ? undefined : request.placeOfFolder);
  const webhook = settings.webhookRules.choose(request.webhook, { isChild: parent !== undefined });
  const notify = settings.notifyRules.choose(request.notify, { ...facts, isChild: parent !== undefined });
  const spec: JobSpec = {
    id,
    kind: kind.name,
    ...whose,
    tags: joinTags(kind.tagsOf(parsedInput), request.tags),
    dependsOn: [...new Set(request.dependsOn)].map((text) => toDependency(text, refs)),
    priority: request.priority ?? kind.priorityOf(parsedInput) ?? 0,
    limits: { ...settings.limits, ...kind.limits, ...kind.limitsOf(parsedInput), ...defined(request.limits ?? {}) },
    retention: { ...settings.retention, ...defined(request.retention ?? {}) },
    createdAt,
    // Kept in memory for as long as the job is active: fields without a value would take room there.
    ...defined({
      name,
      batch,
      parent,
      idempotencyKey,
      key,
      cwd,
      place,
      webhook: webhook?.shown,
      notify: notify?.shown,
    }),
  };
  const runAt = createdAt + (request.delayMs ?? 0);
  const kept = { by, shownInput, client: toClientText(client, kind), webhook: webhook?.kept, notify: notify?.kept };
  return { spec, input, runAt, ...defined(kept) };
}

function joinTags(ofKind: readonly string[], given: readonly string[] = []): readonly string[] {
  return ofKind.length === 0 ? given : [...new Set([...ofKind, ...given])];
}

function toClientText(client: ClientDefaults, { keeps = [] }: Kind): string | undefined {
  const kept = keeps.flatMap((field) => (client[field] === undefined ? [] : [[field, client[field]]]));
  return kept.length === 0 ? undefined : JSON.stringify(Object.fromEntries(kept));
}

/** The input is kept as it came: it is parsed again when it runs, by the schema of the version that runs it. */
function toInputText(input: unknown, kind: Kind, settings: Settings): string {
  const text = toJsonText(input);
  const bytes = Buffer.byteLength(text);
  const maxBytes = kind.maxInputBytes ?? settings.maxInputBytes;
  if (bytes <= maxBytes) return text;
  throw new LonghaulError(
    "too_large",
    `The input has ${bytes} bytes; at most ${maxBytes} are allowed. Pass large data by reference (a path or a URL).`,
    { details: { bytes, limit: maxBytes } },
  );
}

function toJsonText(input: unknown): string {
  try {
    const text: string | undefined = canonicalJson(input ?? null);
    if (text !== undefined) return text;
    throw new TypeError(`it is a ${typeof input}`);
  } catch (cause) {
    throw new LonghaulError("invalid_input", `The input is not JSON: ${messageOf(cause)}.`, {
      cause,
    });
  }
}

function mapRefs(requests: readonly ParsedRequest[], ids: readonly JobId[]): Map<string, JobId> {
  const refs = new Map<string, JobId>();
  requests.forEach(({ ref }, index) => {
    const id = ids[index];
    if (ref === undefined || id === undefined) return;
    if (refs.has(ref)) throw new LonghaulError("invalid_input", `Two requests have the ref "${ref}".`);
    refs.set(ref, id);
  });
  return refs;
}

function toDependency(text: string, refs: ReadonlyMap<string, JobId>): JobId {
  const id = refs.get(text) ?? text;
  if (isJobId(id)) return id;
  throw new LonghaulError(
    "invalid_input",
    `dependsOn names "${text}", which is neither a job id nor the ref of a request in this call.`,
  );
}

function inDependencyOrder(drafts: readonly JobDraft[]): JobDraft[] {
  const waiting = new Map(drafts.map((draft) => [draft.spec.id, draft]));
  const ordered: JobDraft[] = [];
  while (waiting.size > 0) {
    const free = [...waiting.values()].filter(({ spec }) => !spec.dependsOn.some((id) => waiting.has(id)));
    if (free.length === 0) {
      const ring = [...waiting.values()].map(({ spec }) => spec.name ?? spec.kind).join(", ");
      throw new LonghaulError(
        "invalid_input",
        `The jobs depend on each other in a circle (${ring}); nothing was created.`,
      );
    }
    for (const draft of free) {
      waiting.delete(draft.spec.id);
      ordered.push(draft);
    }
  }
  return ordered;
}
