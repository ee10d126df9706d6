import { setTimeout as delay } from "node:timers/promises";
import type { Cluster, Member } from "./cluster.ts";

interface TroubleParts {
  readonly cluster: Cluster;
  readonly random: () => number;
  readonly log: (line: string) => void;
  /** Ends the troubles; everything runs again when they have ended. */
  readonly signal: AbortSignal;
  /** Nothing needs to run again. */
  readonly giveUp: AbortSignal;
}

interface Troubles extends TroubleParts {
  /** Those to whom something is being done. */
  readonly busy: Set<Member>;
}

/** What was done to processes, by what it was. */
export type TroubleCounts = Record<string, number>;

const lease = 6_000;

/** Does harm, one after the other and some at once, until the signal comes. */
export async function makeTroubles(parts: TroubleParts): Promise<TroubleCounts> {
  const counts: TroubleCounts = {};
  const all: Troubles = { ...parts, busy: new Set() };
  const once = async (name: keyof typeof troubles): Promise<void> => {
    counts[name] = (counts[name] ?? 0) + 1;
    await troubles[name](all);
  };
  const members = async (): Promise<void> => {
    const names = ["kill", "kill", "kill", "stop", "upgrade", "cut", "pause"] as const;
    while (!parts.signal.aborted) {
      await wait(parts, 500 + parts.random() * 2_500);
      if (!parts.signal.aborted) await once(names[Math.floor(parts.random() * names.length)] ?? "kill");
    }
  };
  // Each of them once before any of them again.
  const database = async (): Promise<void> => {
    for (let round = 0; !parts.signal.aborted; round++) {
      await wait(parts, 5_000 + parts.random() * 5_000);
      if (!parts.signal.aborted)
        await once((["restartFast", "restartImmediate", "outage"] as const)[round % 3] ?? "outage");
    }
  };
  await Promise.all([members(), members(), database()]);
  return counts;
}

const troubles = {
  /** As a power cut, of one process. */
  kill: (parts: Troubles) =>
    withMember(parts, async (member) => {
      parts.log(`SIGKILL ${member.name}`);
      await restart(parts, member, "SIGKILL");
    }),
  /** Longer than its lease: others take over meanwhile. */
  stop: (parts: Troubles) =>
    withMember(parts, async (member) => {
      parts.log(`SIGSTOP ${member.name}`);
      member.signal("SIGSTOP");
      await delay(lease + 1_500 + parts.random() * 2_000);
      member.signal("SIGCONT");
    }),
  /** Shorter than that. */
  pause: (parts: Troubles) =>
    withMember(parts, async (member) => {
      member.signal("SIGSTOP");
      await delay(500 + parts.random() * 1_500);
      member.signal("SIGCONT");
    }),
  upgrade: (parts: Troubles) =>
    withMember(parts, async (member) => {
      parts.log(`SIGTERM ${member.name}`);
      await restart(parts, member, "SIGTERM");
    }),
  cut: async ({ cluster, log }: TroubleParts) => {
    log("cut all connections to Postgres");
    cluster.database.cut();
  },
  restartFast: async ({ cluster, log }: TroubleParts) => {
    log("restart Postgres, fast");
    await cluster.postgres.stop("fast");
    await cluster.postgres.start();
  },
  restartImmediate: async ({ cluster, log }: TroubleParts) => {
    log("restart Postgres, immediate");
    await cluster.postgres.stop("immediate");
    await cluster.postgres.start();
  },
  outage: async ({ cluster, log }: TroubleParts) => {
    log("stop Postgres for 13 s");
    await cluster.postgres.stop("fast");
    await delay(13_000);
    await cluster.postgres.start();
  },
};

/** Nobody is troubled twice at once, and one server and one worker are left alone. */
async function withMember({ cluster, random, busy }: Troubles, act: (member: Member) => Promise<void>): Promise<void> {
  const free = [cluster.servers, cluster.workers].flatMap((members) => {
    const idle = members.filter((member) => !busy.has(member));
    return idle.length > 1 ? idle : [];
  });
  const member = free[Math.floor(random() * free.length)];
  if (member === undefined) return;
  busy.add(member);
  try {
    await act(member);
  } finally {
    busy.delete(member);
  }
}

async function restart(
  { cluster, random, giveUp }: TroubleParts,
  member: Member,
  name: "SIGKILL" | "SIGTERM",
): Promise<void> {
  await member.end(name);
  cluster.route();
  await delay(random() * 2_000);
  member.setSkew(Math.round((random() - 0.5) * 10_000));
  await member.start(giveUp);
  cluster.route();
}

async function wait({ signal }: TroubleParts, ms: number): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
