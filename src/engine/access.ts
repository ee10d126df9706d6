import { LonghaulError } from "../job/error.ts";

/** What somebody may do: see jobs; start and steer them too; look after the whole server too. Each contains the one before. */
export const scopes = ["read", "run", "admin"] as const;

export type Scope = (typeof scopes)[number];

/** Who asks, and what they may. What is absent does not limit. */
export interface Access {
  /** Jobs of other owners look as if they did not exist. */
  readonly owner?: string;
  readonly scope?: Scope;
  /** The kinds whose jobs may be started. */
  readonly kinds?: readonly string[];
}

/** As `Access`, with a name for the record of who did it, and through which door: "ada (http)". */
export interface Actor extends Access {
  readonly by?: string;
}

/** Throws unless the caller may. */
export function demand({ scope: held }: Access, scope: Scope): void {
  if (held === undefined || scopes.indexOf(held) >= scopes.indexOf(scope)) return;
  throw new LonghaulError("not_allowed", `This needs the scope "${scope}"; the token has "${held}".`);
}
