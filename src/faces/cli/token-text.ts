import type { TokenView } from "../../operations/token-verbs.ts";

/** A token in a few words: `token "ci" (0a1b2c3d4e5f): run, for the jobs of local`. */
export function tokenText({ id, name, scope, owner, kinds }: TokenView): string {
  const whose = owner === undefined ? "all jobs" : `the jobs of ${owner}`;
  return `token "${name}" (${id}): ${scope}, for ${whose}${kinds === undefined ? "" : ` of kind ${kinds.join(", ")}`}`;
}
