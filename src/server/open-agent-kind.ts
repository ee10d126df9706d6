import { maxAgentSteps, readProviders } from "../config/agent.ts";
import type { LoadedConfig } from "../config/config.ts";
import type { Kind } from "../job/kind.ts";
import { createAgentKind } from "../kinds/agent/agent.ts";
import type { ReadData } from "../job/read-data.ts";
import type { WebAccess } from "../kinds/agent/tools/web-tools.ts";
import { findProgram } from "../text/find-program.ts";
import type { Isolation } from "../kinds/shell/isolation.ts";
import { resolveCwd } from "../kinds/shell/policy.ts";
import type { ShellSettings } from "../kinds/shell/shell.ts";
import type { Agents } from "../operations/agents.ts";
import { hideValues } from "../text/known-values.ts";

export interface OpenedAgents {
  readonly kind: Kind;
  readonly agents: Agents;
  /** For crawl jobs. */
  readonly readData: ReadData | undefined;
  readonly close: () => Promise<void>;
}

/** How long a task of the profile mcp-task may run unless somebody says otherwise: five hours. */
export const defaultTaskMs = 18_000_000;
const defaultSteps = 100;

interface AgentParts extends Pick<ShellSettings, "policy" | "isolation" | "redactor" | "patterns"> {
  readonly web: WebAccess;
}

/** The kind `agent` as a configuration gives it. */
export function openAgentKind(config: LoadedConfig, parts: AgentParts): OpenedAgents {
  const { policy, isolation, redactor, patterns, web } = parts;
  const { agent } = config;
  const roots = agent.roots.length > 0 ? agent.roots : policy.roots;
  const places = { ...policy, roots, defaultCwd: roots[0] ?? policy.defaultCwd };
  const { kind, check, createReadData, close } = createAgentKind({
    providers: agent.providers,
    readProviders,
    classes: agent.classes,
    prices: agent.prices,
    concurrency: agent.concurrency,
    maxSteps: agent.max_steps ?? defaultSteps,
    termGraceMs: config.shell.term_grace_ms,
    secretFiles: agent.secret_files,
    compaction: agent.compaction,
    mcpServers: agent.mcp_servers,
    redactor,
    patterns,
    resolveCwd: (wanted, callersCwd) => resolveCwd(places, wanted, { callersCwd, hidden: isolation.hidden() }),
    hidden: isolation.hidden,
    hasRoots: roots.length > 0,
    confines: isolation.type !== "none",
    confinesCommands: () => agent.isolate && canConfine(isolation),
    hasProgram: (name, path = config.env["PATH"] ?? "") => findProgram(name, path) !== undefined,
    web,
  });
  const { runMs = defaultTaskMs, idleMs } = agent.taskLimits;
  return {
    kind,
    agents: {
      providers: Object.keys(agent.providers),
      taskLimits: { runMs, idleMs, maxSteps: agent.max_steps ?? maxAgentSteps },
      check: async (references, signal, client) => {
        const checked = await check(references, signal, client);
        const hide = hideValues(Object.values(client?.keys ?? {}));
        const conceal = (error: string | undefined): string | undefined => error && redactor.text(hide(error));
        return checked.map(({ error, ...row }) => ({ ...row, error: conceal(error) }));
      },
    },
    readData: createReadData({ model: config.crawl.model }),
    close,
  };
}

/** Another account might not be able to work on the files of this machine's user, so only a place of its own will do. */
function canConfine(isolation: Isolation): boolean {
  if (isolation.type !== "bubblewrap") return false;
  try {
    isolation.demand();
    return true;
  } catch {
    return false;
  }
}
