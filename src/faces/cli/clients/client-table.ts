import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Entry, Launch, McpClient, Places } from "./mcp-client.ts";

const json = { format: "json", keys: ["mcpServers"], envKey: "env" } as const;

/** Every client that can be configured, in the order in which lists show them. */
export const mcpClients: readonly McpClient[] = [
  {
    ...json,
    name: "claude-code",
    title: "Claude Code",
    userFile: ({ home, variable }) => join(variable("CLAUDE_CONFIG_DIR") ?? home, ".claude.json"),
    projectFile: (folder) => join(folder, ".mcp.json"),
    toEntry: (launch) => ({ type: "stdio", ...toFields(launch) }),
    program: "claude",
    signs: ({ home, variable }) => [
      variable("CLAUDE_CONFIG_DIR") ?? join(home, ".claude"),
      join(variable("CLAUDE_CONFIG_DIR") ?? home, ".claude.json"),
    ],
    next: "Start a new session of Claude Code; `claude mcp list` shows its servers.",
  },
  {
    ...json,
    name: "claude-desktop",
    title: "Claude Desktop",
    userFile: (places) => join(applicationFolder(places), "Claude", "claude_desktop_config.json"),
    toEntry: toFields,
    program: "claude-desktop",
    signs: (places) => [join(applicationFolder(places), "Claude"), "/Applications/Claude.app"],
    next: "Quit Claude Desktop and start it again; Settings, Developer shows its servers.",
  },
  {
    ...json,
    name: "cursor",
    title: "Cursor",
    userFile: ({ home }) => join(home, ".cursor", "mcp.json"),
    projectFile: (folder) => join(folder, ".cursor", "mcp.json"),
    toEntry: (launch) => ({ type: "stdio", ...toFields(launch) }),
    program: "cursor",
    signs: ({ home }) => [join(home, ".cursor"), "/Applications/Cursor.app"],
    next: "Restart Cursor; the MCP page of its settings shows its servers.",
  },
  {
    ...json,
    name: "vscode",
    title: "VS Code",
    keys: ["servers"],
    userFile: (places) => join(codeFolder(places), "User", "mcp.json"),
    projectFile: (folder) => join(folder, ".vscode", "mcp.json"),
    toEntry: (launch) => ({ type: "stdio", ...toFields(launch) }),
    program: "code",
    signs: (places) => [codeFolder(places), "/Applications/Visual Studio Code.app"],
    next: "Run `MCP: List Servers` from VS Code's command palette and start the server there.",
  },
  {
    ...json,
    name: "windsurf",
    title: "Windsurf",
    userFile: ({ home }) => join(home, ".codeium", "windsurf", "mcp_config.json"),
    toEntry: toFields,
    program: "windsurf",
    signs: ({ home }) => [join(home, ".codeium", "windsurf"), "/Applications/Windsurf.app"],
    next: "Restart Windsurf, or refresh the MCP servers in its Cascade panel.",
  },
  {
    name: "codex",
    title: "Codex",
    format: "toml",
    keys: ["mcp_servers"],
    envKey: "env",
    userFile: (places) => join(codexFolder(places), "config.toml"),
    projectFile: (folder) => join(folder, ".codex", "config.toml"),
    toEntry: toFields,
    program: "codex",
    signs: (places) => [codexFolder(places)],
    approval: {
      fields: { default_tools_approval_mode: "approve" },
      without: "`codex exec` refuses every tool that starts something; `longhaul add codex --approve` allows them.",
    },
    next: "Start a new session of Codex; `codex mcp list` shows its servers (those of a project only if it is trusted).",
  },
  {
    name: "opencode",
    title: "opencode",
    format: "json",
    keys: ["mcp"],
    envKey: "environment",
    userFile: (places) => commentedIfThere(join(configFolder(places), "opencode", "opencode.json")),
    projectFile: (folder) => commentedIfThere(join(folder, "opencode.json")),
    toEntry: ({ command, args, env }, keys) => ({
      type: "local",
      command: [command, ...args],
      ...(Object.keys(env).length === 0 ? {} : { environment: env }),
      // The form of version 2, one level deeper, has no such field.
      ...(keys.length > 2 ? {} : { enabled: true }),
    }),
    program: "opencode",
    signs: (places) => [join(configFolder(places), "opencode")],
    next: "Restart opencode; `opencode mcp list` shows its servers.",
  },
  {
    ...json,
    name: "gemini",
    title: "Gemini CLI",
    userFile: (places) => join(geminiFolder(places), "settings.json"),
    projectFile: (folder) => join(folder, ".gemini", "settings.json"),
    toEntry: toFields,
    program: "gemini",
    signs: (places) => [geminiFolder(places)],
    approval: {
      fields: { trust: true },
      without:
        "`gemini -p` uses no MCP tools that are not approved; `longhaul add gemini --approve` approves Longhaul's.",
    },
    next: "Start a new session of Gemini CLI, in a folder that it trusts (`/permissions`): elsewhere it starts no servers. `gemini mcp list` shows them.",
  },
];

export const clientNames: readonly string[] = mcpClients.map(({ name }) => name);

function toFields({ command, args, env }: Launch): Entry {
  return { command, args, ...(Object.keys(env).length === 0 ? {} : { env }) };
}

function configFolder({ home, variable }: Places): string {
  return variable("XDG_CONFIG_HOME") ?? join(home, ".config");
}

/** Where applications with a window keep their settings. */
function applicationFolder(places: Places): string {
  return places.isMac ? join(places.home, "Library", "Application Support") : configFolder(places);
}

function codeFolder(places: Places): string {
  const portable = places.variable("VSCODE_PORTABLE");
  return portable === undefined ? join(applicationFolder(places), "Code") : join(portable, "user-data");
}

function codexFolder({ home, variable }: Places): string {
  return variable("CODEX_HOME") ?? join(home, ".codex");
}

function geminiFolder({ home, variable }: Places): string {
  return join(variable("GEMINI_CLI_HOME") ?? home, ".gemini");
}

/** Opencode reads both names; the user's own choice is kept. */
function commentedIfThere(path: string): string {
  return !existsSync(path) && existsSync(`${path}c`) ? `${path}c` : path;
}
