import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { LoadedConfig } from "../config/config.ts";
import { defined } from "../job/defined.ts";
import type { Kind } from "../job/kind.ts";
import { createAgentKind } from "../kinds/agent/agent.ts";
import type { ReadData } from "../job/read-data.ts";
import type { WebAccess } from "../kinds/agent/tools/web-tools.ts";
import { resolveCwd, type ShellPolicy } from "../kinds/shell/policy.ts";
import type { Agents } from "../operations/agents.ts";
import type { Redactor } from "../text/redact.ts";

export interface OpenedAgents {
  readonly kind: Kind;
  readonly agents: Agents;
  /** For crawl jobs. */
  readonly readData: ReadData | undefined;
  readonly close: () => Promise<void>;
}

/** The kind `agent` as a configuration gives it. */
export function openAgentKind(
  config: LoadedConfig,
  { policy, redactor, web }: { policy: ShellPolicy; redactor: Redactor; web: WebAccess },
): OpenedAgents {
  const { agent } = config;
  const roots = agent.roots.length > 0 ? agent.roots : policy.roots;
  const places = { ...policy, roots, defaultCwd: roots[0] ?? policy.defaultCwd };
  const { kind, check, createReadData, close } = createAgentKind({
    providers: agent.providers,
    classes: agent.classes,
    prices: agent.prices,
    concurrency: agent.concurrency,
    maxSteps: agent.max_steps,
    termGraceMs: config.shell.term_grace_ms,
    secretFiles: agent.secret_files,
    mcpServers: agent.mcp_servers,
    redactor,
    resolveCwd: (wanted) => resolveCwd(places, wanted),
    hasProgram: (name) => isOnPath(name, config.env["PATH"] ?? ""),
    web,
  });
  const { taskTimeoutMs: runMs, taskStuckMs: idleMs } = agent;
  return {
    kind,
    agents: {
      providers: Object.keys(agent.providers),
      taskLimits: { runMs, ...defined({ idleMs }) },
      check: async (references, signal) => {
        const checked = await check(references, signal);
        return checked.map(({ error, ...row }) => ({ ...row, ...defined({ error: error && redactor.text(error) }) }));
      },
    },
    readData: createReadData({ model: config.crawl.model }),
    close,
  };
}

function isOnPath(name: string, path: string): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      const file = join(folder, name);
      accessSync(file, constants.X_OK);
      return statSync(file).isFile();
    } catch {
      return false;
    }
  });
}
