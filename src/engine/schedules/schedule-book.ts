import { randomBytes } from "node:crypto";
import type { ClientDefaults } from "../../job/client-defaults.ts";
import { defined } from "../../job/defined.ts";
import { LonghaulError } from "../../job/error.ts";
import { parseInput } from "../../job/issue.ts";
import { localOwner } from "../../job/job.ts";
import type { Json } from "../../job/json.ts";
import type { Kind } from "../../job/kind.ts";
import type {
  Schedule,
  ScheduleBounds,
  ScheduleFilter,
  SchedulePlan,
  ScheduleRun,
} from "../../store/schedule-store.ts";
import type { Created } from "../../store/store.ts";
import { demand, narrow, type Access, type Actor } from "../access.ts";
import { demandStart } from "../actions.ts";
import type { Dispatcher } from "../dispatcher.ts";
import { findKind, type SubmitRequest } from "../submit.ts";
import { draftRun, type RunParts } from "./make-runs.ts";
import { readPlan } from "./plan.ts";
import { scheduleRequestSchema, type ScheduleRequest } from "./schedule-request.ts";

/** Starts jobs by the clock. A schedule is named by its name, or by its id where several owners have one of that name. */
export interface ScheduleBook {
  /** Resolves when it is stored for good. Its jobs are its maker's, in what they may as well. */
  readonly add: (request: ScheduleRequest, actor?: Actor) => Promise<Schedule>;
  readonly list: (access?: Access) => Promise<Schedule[]>;
  readonly get: (reference: string, access?: Access) => Promise<Schedule>;
  /** The planned times to come; none while it is paused. */
  readonly nextTimes: (schedule: Schedule, count: number) => number[];
  /** What came of its newest times, the newest first. */
  readonly runs: (reference: string, limit: number, access?: Access) => Promise<ScheduleRun[]>;
  /** Times that pass meanwhile are not missed. */
  readonly pause: (reference: string, actor?: Actor) => Promise<Schedule>;
  /** Goes on with the next time from now; its jobs may from now on what the actor may. */
  readonly resume: (reference: string, actor?: Actor) => Promise<Schedule>;
  /** Starts its job now; the plan stays as it is. */
  readonly run: (reference: string, actor?: Actor, idempotencyKey?: string) => Promise<Created>;
  /** Jobs that it has started stay as they are. */
  readonly remove: (reference: string, actor?: Actor) => Promise<Schedule>;
}

interface BookParts extends RunParts {
  readonly dispatcher: Pick<Dispatcher, "wake">;
  /** Called when there may be a nearer time than before. */
  readonly onPlanned: () => void;
}

const maxPerOwner = 500;

export function createScheduleBook(parts: BookParts): ScheduleBook {
  const { store, kinds, settings, dispatcher } = parts;
  const { schedules } = store;
  const { clock } = settings;
  const get = async (reference: string, access: Access = {}): Promise<Schedule> =>
    pickOne(await schedules.list(narrow<ScheduleFilter>({ reference }, access)), reference);
  const getToChange = async (reference: string, actor: Actor): Promise<Schedule> => {
    demand(actor, "run");
    return get(reference, actor);
  };
  const getToStart = async (reference: string, actor: Actor): Promise<Schedule> => {
    const schedule = await getToChange(reference, actor);
    demandSteering(actor, schedule, kinds.get(schedule.kind));
    const { request = "{}" } = (await schedules.work(schedule.id)) ?? {};
    demandStart(actor, schedule.kind, (JSON.parse(request) as SubmitRequest).input, kinds);
    return schedule;
  };
  return {
    get,
    list: (access = {}) => schedules.list(narrow({}, access)),
    nextTimes: ({ plan, nextAt }, count) => listTimes(plan, nextAt, count),
    runs: async (reference, limit, access) => schedules.runs((await get(reference, access)).id, limit),
    add: async (request, actor = {}) => {
      const schedule = await addSchedule(request, actor, parts);
      parts.onPlanned();
      return schedule;
    },
    pause: async (reference, actor = {}) => {
      const { id } = await getToChange(reference, actor);
      return (await schedules.pause(id, { at: clock.now() })) ?? get(reference, actor);
    },
    resume: async (reference, actor = {}) => {
      const { id, plan, bounds } = await getToStart(reference, actor);
      const at = clock.now();
      const held = { ...defined({ kinds: bounds.kinds }), ...toBounds(actor) };
      const resumed = await schedules.resume(id, { at, nextAt: readPlan(plan).next(at), bounds: held });
      parts.onPlanned();
      return resumed ?? get(reference, actor);
    },
    run: async (reference, actor = {}, idempotencyKey) => {
      const schedule = await getToStart(reference, actor);
      const { spec, ...draft } = await draftRun(schedule, await schedules.work(schedule.id), parts, actor.by);
      const key = idempotencyKey === undefined ? {} : { idempotencyKey: `schedule ${schedule.id} ${idempotencyKey}` };
      const creating = schedules.run(schedule.id, { ...draft, spec: { ...spec, ...key } }, clock.now());
      dispatcher.wake();
      const created = await creating;
      if (created === undefined) throw notFound(reference);
      return created;
    },
    remove: async (reference, actor = {}) => {
      const schedule = await getToChange(reference, actor);
      if (await schedules.remove(schedule.id)) return schedule;
      throw notFound(reference);
    },
  };
}

async function addSchedule(request: ScheduleRequest, actor: Actor, parts: BookParts): Promise<Schedule> {
  const { kinds, settings, store } = parts;
  demand(actor, "run");
  const {
    name,
    missed = "once",
    overlap = false,
    job,
    ...when
  } = parseInput(scheduleRequestSchema, request, "The schedule");
  const kind = findKind(kinds, job.kind);
  demandStart(actor, kind.name, job.input, kinds);
  demandPlainJob(job);
  const createdAt = settings.clock.now();
  const plan = toPlan(when, createdAt);
  const owner = actor.owner ?? job.owner ?? localOwner;
  const schedule: Schedule = {
    id: randomBytes(6).toString("hex"),
    name,
    owner,
    kind: kind.name,
    input: null,
    plan,
    missed,
    overlap,
    isConfined: actor.owner !== undefined || job.isConfined === true,
    createdAt,
    ...defined({ createdBy: actor.by }),
    bounds: toBounds(actor),
    nextAt: readPlan(plan).next(createdAt),
    revision: 1,
    plannedAt: createdAt,
    counts: { runs: 0, missed: 0, overlap: 0, refused: 0 },
  };
  const work = { request: JSON.stringify(job), ...defined({ client: toClientText(actor.client, kind) }) };
  // What would be refused at its time is refused now.
  const { input, shownInput = input } = await draftRun(schedule, work, parts);
  const shown = { ...schedule, input: JSON.parse(shownInput) as Json };
  await store.schedules.add(shown, work, maxPerOwner);
  return shown;
}

function toPlan({ cron, tz, everyMs }: Pick<ScheduleRequest, "cron" | "tz" | "everyMs">, from: number): SchedulePlan {
  if (cron === undefined) return { everyMs: everyMs ?? 0, from };
  return { cron, tz: tz ?? Intl.DateTimeFormat().resolvedOptions().timeZone };
}

function toBounds({ kinds, token }: Actor): ScheduleBounds {
  return defined({ kinds, token });
}

/** All that its jobs will take from the client, which is long gone by then. */
function toClientText({ cwd, env, keys }: ClientDefaults = {}, { keeps = [] }: Kind): string | undefined {
  const kept = defined({ cwd, ...(keeps.includes("env") ? { env } : {}), ...(keeps.includes("keys") ? { keys } : {}) });
  return Object.keys(kept).length === 0 ? undefined : JSON.stringify(kept);
}

function demandPlainJob({ dependsOn = [], parent, ref, delayMs, idempotencyKey }: SubmitRequest): void {
  const others = [parent, ref, delayMs, idempotencyKey];
  if (dependsOn.length === 0 && others.every((value) => value === undefined)) return;
  throw new LonghaulError(
    "invalid_input",
    "The job of a schedule cannot wait for other jobs, be delayed, or have a key of its own: the schedule says when it starts.",
  );
}

/** What this machine's user has planned may do more than who is bound to an owner. */
function demandSteering({ owner }: Access, { name, isConfined }: Schedule, kind: Kind | undefined): void {
  if (owner === undefined || kind?.confines !== true || isConfined) return;
  throw new LonghaulError(
    "not_allowed",
    `The schedule "${name}" was made by this machine's user: with a token for one owner it can be seen, paused and deleted, not run.`,
  );
}

function notFound(reference: string): LonghaulError {
  return new LonghaulError("not_found", `There is no schedule "${reference}": \`longhaul schedule list\` shows them.`);
}

function pickOne(found: readonly Schedule[], reference: string): Schedule {
  const [first] = found;
  if (first === undefined) throw notFound(reference);
  if (found.length === 1) return first;
  const ids = found.map(({ id, owner }) => `${id} (${owner})`).join(", ");
  throw new LonghaulError("conflict", `More than one schedule is named "${reference}": give an id, of ${ids}.`);
}

export function listTimes(plan: SchedulePlan, nextAt: number | undefined, count: number): number[] {
  const times: number[] = [];
  for (let at = nextAt; at !== undefined && times.length < count; at = readPlan(plan).next(at)) times.push(at);
  return times;
}
