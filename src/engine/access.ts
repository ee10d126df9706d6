import type { ClientDefaults } from "../job/client-defaults.ts";
import { LonghaulError } from "../job/error.ts";
import type { JobId } from "../job/id.ts";
import { isConfined, type Job } from "../job/job.ts";
import type { Kind } from "../job/kind.ts";
import type { JobFilter } from "../store/store.ts";

/** What somebody may do: see jobs; start and steer them too; look after the whole server too. Each contains the one before. */
export const scopes = ["read", "run", "admin"] as const;

export type Scope = (typeof scopes)[number];

/** What an operation demands: a scope, or the token of a running attempt, which opens nothing else. */
export type Demand = Scope | "attempt";

/** One attempt of one job. */
export interface AttemptReference {
  readonly job: JobId;
  readonly attempt: number;
}

/** Who asks, and what they may. What is absent does not limit. */
export interface Access {
  /** Jobs of other owners look as if they did not exist. */
  readonly owner?: string;
  readonly scope?: Scope;
  /** The kinds whose jobs may be started; jobs of other kinds look as if they did not exist. */
  readonly kinds?: readonly string[];
  /** Kinds whose jobs may be seen and cancelled from where the caller is, but not started, run again or sent anything. */
  readonly barredKinds?: readonly string[];
  /** A command that runs in a job: may do to that job what `Inside` says, and nothing else, to no other job. */
  readonly attempt?: AttemptReference;
}

/** As `Access`, with a name for the record of who did it, and through which door: "ada (http)". */
export interface Actor extends Access {
  readonly by?: string;
  /** The id of the token that was shown, if one was. */
  readonly token?: string;
  /** Of the program that asks, if it is on this machine. */
  readonly client?: ClientDefaults;
}

/** Throws unless the caller may. */
export function demand(access: Access, scope: Demand): void {
  if (scope === "attempt") return void demandAttempt(access);
  const { scope: held, attempt } = access;
  if (attempt !== undefined) {
    throw new LonghaulError(
      "not_allowed",
      "The token of a running command lets it tell its progress, ask, and keep files for its own job, and nothing else.",
    );
  }
  if (held === undefined || scopes.indexOf(held) >= scopes.indexOf(scope)) return;
  throw new LonghaulError("not_allowed", `This needs the scope "${scope}"; the token has "${held}".`);
}

/** The attempt that the caller runs in; throws if they run in none. */
export function demandAttempt({ attempt }: Access): AttemptReference {
  if (attempt !== undefined) return attempt;
  throw new LonghaulError(
    "not_allowed",
    "Only a command that runs in a job can do this, with the token in its variable LONGHAUL_JOB_TOKEN.",
  );
}

/** Throws unless the caller may make jobs of the kind do something. */
export function demandKind({ kinds, barredKinds }: Access, kind: string): void {
  if (kinds !== undefined && !kinds.includes(kind)) {
    throw new LonghaulError("not_allowed", `The token is not for kind "${kind}", only for: ${kinds.join(", ")}.`);
  }
  if (barredKinds?.includes(kind) === true) {
    throw new LonghaulError(
      "not_allowed",
      `Kind "${kind}" is not served to other machines. Allow it with ${kind}.allow_remote in the configuration.`,
    );
  }
}

/** Throws unless the caller may do what concerns the jobs of all owners. */
export function demandAllOwners({ owner }: Access): void {
  if (owner === undefined) return;
  throw new LonghaulError("not_allowed", `This concerns the jobs of all owners; the token is for owner "${owner}".`);
}

/** Throws unless the caller may make this very job do something: what this machine's user has started may do more than they. */
export function demandSteering({ owner }: Access, job: Job, kind: Kind | undefined): void {
  if (owner === undefined || kind?.confines !== true || isConfined(job)) return;
  throw new LonghaulError(
    "not_allowed",
    `Job ${job.id} was started by this machine's user: with a token for one owner it can be seen and cancelled, not steered.`,
  );
}

/** Whether the caller looks after the whole server. */
export function isServerAdmin({ owner, scope = "admin" }: Access): boolean {
  return owner === undefined && scope === "admin";
}

/** Whether nothing of what the server does is hidden from the caller. */
export function seesAll({ owner, kinds }: Access): boolean {
  return owner === undefined && kinds === undefined;
}

export function maySee({ owner, kinds }: Access, job: Pick<Job, "owner" | "kind">): boolean {
  return (owner === undefined || job.owner === owner) && (kinds === undefined || kinds.includes(job.kind));
}

/** The filter, narrowed to what the caller may see; somebody else's jobs are none. */
export function narrow<Filter extends Pick<JobFilter, "owner" | "kinds">>(
  filter: Filter,
  { owner, kinds }: Access,
): Filter {
  refuseNul(filter);
  if (owner === undefined && kinds === undefined) return filter;
  if (owner !== undefined && filter.owner !== undefined && filter.owner !== owner) return { ...filter, kinds: [] };
  const seen = filter.kinds === undefined ? kinds : filter.kinds.filter((kind) => kinds?.includes(kind) ?? true);
  return { ...filter, ...(owner === undefined ? {} : { owner }), ...(seen === undefined ? {} : { kinds: seen }) };
}

/** No name has it, and stores differ in what they make of it. Of a text to search for only the words count. */
function refuseNul(filter: object): void {
  for (const [field, value] of Object.entries(filter) as [string, unknown][]) {
    if (field === "text" || typeof value !== "string" || !value.includes("\0")) continue;
    throw new LonghaulError("invalid_input", `${field} must not contain the character NUL.`);
  }
}
