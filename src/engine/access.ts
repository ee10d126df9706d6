import type { ClientDefaults } from "../job/client-defaults.ts";
import { LonghaulError } from "../job/error.ts";
import { isConfined, type Job } from "../job/job.ts";
import type { Kind } from "../job/kind.ts";
import type { JobFilter } from "../store/store.ts";

/** What somebody may do: see jobs; start and steer them too; look after the whole server too. Each contains the one before. */
export const scopes = ["read", "run", "admin"] as const;

export type Scope = (typeof scopes)[number];

/** Who asks, and what they may. What is absent does not limit. */
export interface Access {
  /** Jobs of other owners look as if they did not exist. */
  readonly owner?: string;
  readonly scope?: Scope;
  /** The kinds whose jobs may be started; jobs of other kinds look as if they did not exist. */
  readonly kinds?: readonly string[];
  /** Kinds whose jobs may be seen and cancelled from where the caller is, but not started, run again or sent anything. */
  readonly barredKinds?: readonly string[];
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
export function demand({ scope: held }: Access, scope: Scope): void {
  if (held === undefined || scopes.indexOf(held) >= scopes.indexOf(scope)) return;
  throw new LonghaulError("not_allowed", `This needs the scope "${scope}"; the token has "${held}".`);
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

/** The filter, narrowed to what the caller may see. */
export function narrow<Filter extends Pick<JobFilter, "owner" | "kinds">>(
  filter: Filter,
  { owner, kinds }: Access,
): Filter {
  if (owner === undefined && kinds === undefined) return filter;
  const seen = filter.kinds === undefined ? kinds : filter.kinds.filter((kind) => kinds?.includes(kind) ?? true);
  return { ...filter, ...(owner === undefined ? {} : { owner }), ...(seen === undefined ? {} : { kinds: seen }) };
}
