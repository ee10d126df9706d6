import type { Member } from "../member.ts";
import type { Store } from "../store.ts";

/** In memory: only one engine at a time can have the file open, and it says again that it is there when it opens it. */
export function memberVerbs(): Pick<Store, "join" | "members" | "leave"> {
  const byMachine = new Map<string, Member>();
  return {
    join: async (member) => void byMachine.set(member.machine, member),
    members: async (now) =>
      [...byMachine.values()]
        .filter(({ expiresAt }) => expiresAt > now)
        .toSorted((a, b) => (a.machine < b.machine ? -1 : 1)),
    leave: async (worker) => {
      for (const member of byMachine.values()) if (member.worker === worker) byMachine.delete(member.machine);
    },
  };
}
