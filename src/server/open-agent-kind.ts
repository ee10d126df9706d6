import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { LoadedConfig } from "../config/config.ts";
import { createAgentKind, type AgentKind } from "../kinds/agent/agent.ts";
import { resolveCwd, type ShellPolicy } from "../kinds/shell/policy.ts";
import { createAddressRules } from "../net/address-rules.ts";
import { createGuardedFetch } from "../net/guarded-fetch.ts";
import type { Redactor } from "../text/redact.ts";
import { createWebAccess } from "./agent-web.ts";
import { readVersion } from "./version.ts";

/** The kind `agent` as a configuration gives it. */
export function openAgentKind(config: LoadedConfig, policy: ShellPolicy, redactor: Redactor): AgentKind {
  const { agent, net } = config;
  const guarded = createGuardedFetch({
    rules: createAddressRules(net.allow),
    userAgent: net.user_agent ?? `Longhaul/${readVersion()}`,
    limits: { timeoutMs: net.timeout_ms, maxBodyBytes: net.max_body_mb * 1_000_000 },
  });
  const roots = agent.roots.length > 0 ? agent.roots : policy.roots;
  const places = { ...policy, roots, defaultCwd: roots[0] ?? policy.defaultCwd };
  const { kind, close } = createAgentKind({
    providers: agent.providers,
    classes: agent.classes,
    prices: agent.prices,
    concurrency: agent.concurrency,
    maxSteps: agent.max_steps,
    secretFiles: agent.secret_files,
    mcpServers: agent.mcp_servers,
    redactor,
    resolveCwd: (wanted) => resolveCwd(places, wanted),
    hasProgram: (name) => isOnPath(name, config.env["PATH"] ?? ""),
    web: createWebAccess(guarded, agent.search),
  });
  return {
    kind,
    close: async () => {
      await Promise.all([close(), guarded.close()]);
    },
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
