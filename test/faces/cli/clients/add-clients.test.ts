import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { mcpClients } from "../../../../src/faces/cli/clients/client-table.ts";
import { bin } from "../cli.ts";
import { makeClientHome } from "./client-home.ts";

const { path: at, run, put, read, plain, typed } = makeClientHome();
const { command: node, args, env } = plain;

function indent(value: unknown, by: number): string {
  return JSON.stringify(value, null, 2).replaceAll("\n", `\n${" ".repeat(by)}`);
}

/** Where each client keeps its servers, and how. */
const files: readonly [client: string, file: string, key: string, entry: object][] = [
  ["claude-code", ".claude.json", "mcpServers", typed],
  ["claude-desktop", ".config/Claude/claude_desktop_config.json", "mcpServers", plain],
  ["cursor", ".cursor/mcp.json", "mcpServers", typed],
  ["vscode", ".config/Code/User/mcp.json", "servers", typed],
  ["windsurf", ".codeium/windsurf/mcp_config.json", "mcpServers", plain],
  [
    "opencode",
    ".config/opencode/opencode.json",
    "mcp",
    { type: "local", command: [node, ...args], environment: env, enabled: true },
  ],
  ["gemini", ".gemini/settings.json", "mcpServers", plain],
];

describe.runIf(process.platform === "linux").each(files)("%s", (client, file, key, entry) => {
  it("is added to a new file, found there, and removed with it", async () => {
    const added = await run(["add", client]);
    expect(added).toMatchObject({ code: 0, stderr: "" });
    expect(added.stdout.split("\n")[0]).toBe(at(file));
    expect(read(file)).toBe(`${JSON.stringify({ [key]: { longhaul: entry } }, null, 2)}\n`);
    expect(statSync(at(file)).mode & 0o777).toBe(0o600);
    expect((await run(["add", client])).stdout).toContain("Already there, unchanged");
    expect((await run(["remove", client])).stdout).toContain("it was deleted");
    expect(readdirSync(at())).toEqual([]);
  });

  it("is added to a file with comments and removed without a trace", async () => {
    const before = `{\n  // mine\n  "${key}": {\n    "x": { "command": "y" }, // about x\n  },\n}\n`;
    const path = put(file, before, 0o640);
    expect((await run(["add", client])).stdout).toContain(`${path}.longhaul-backup`);
    const after = `{\n  // mine\n  "${key}": {\n    "x": { "command": "y" }, // about x\n    "longhaul": ${indent(entry, 4)},\n  },\n}\n`;
    expect(readFileSync(path, "utf8")).toBe(after);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readFileSync(`${path}.longhaul-backup`, "utf8")).toBe(before);
    expect((await run(["remove", client])).code).toBe(0);
    expect(readFileSync(path, "utf8")).toBe(before);
    expect(existsSync(`${path}.longhaul-backup`)).toBe(false);
  });
});

describe("codex", () => {
  const table = `[mcp_servers.longhaul]\ncommand = "${node}"\nargs = [ "${bin}", "mcp" ]\n\n[mcp_servers.longhaul.env]\nLONGHAUL_HOME = "${env["LONGHAUL_HOME"]}"\nLONGHAUL_PORT = "0"\n`;

  it("is added as a table of its own and removed without a trace", async () => {
    const before = `model = "x" # mine\r\n\r\n[mcp_servers.y]\r\ncommand = 'z'`;
    put(".codex/config.toml", before);
    expect((await run(["add", "codex"])).code).toBe(0);
    expect(read(".codex/config.toml")).toBe(`${before}\r\n\r\n${table.replaceAll("\n", "\r\n")}`);
    expect((await run(["add", "codex"])).stdout).toContain("unchanged");
    await run(["remove", "codex"]);
    expect(read(".codex/config.toml")).toBe(before);
  });

  it("is looked for where CODEX_HOME says, and its file goes again", async () => {
    const where = { CODEX_HOME: at("other") };
    await run(["add", "codex"], where);
    expect(read("other/config.toml")).toBe(table);
    await run(["remove", "codex"], where);
    expect(existsSync(at("other"))).toBe(false);
  });

  it("says that nobody approves calls of `codex exec`, unless they are approved beforehand", async () => {
    expect((await run(["add", "codex"])).stdout).toContain("`longhaul add codex --approve`");
    const approved = await run(["add", "codex", "--approve"]);
    expect(approved.stdout).not.toContain("--approve`");
    expect(read(".codex/config.toml")).toContain(`default_tools_approval_mode = "approve"\n`);
    expect((await run(["add", "codex"])).stdout).toContain("Already there, unchanged");
    put(".codex/config.toml", read(".codex/config.toml").replace(`"approve"`, `"prompt"`));
    await run(["add", "codex", "--approve"]);
    expect(read(".codex/config.toml")).toContain(`default_tools_approval_mode = "approve"\n`);
    expect((await run(["remove", "codex"])).stdout).toContain("it was deleted");
  });

  it("with a file that is broken says where, and leaves it alone", async () => {
    put(".codex/config.toml", "a = 1\nb = = 2\n");
    const { code, stderr } = await run(["add", "codex"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("line 2, column 5")]);
    expect(read(".codex/config.toml")).toBe("a = 1\nb = = 2\n");
  });
});

describe("gemini", () => {
  it("is said to start servers in folders that it trusts only", async () => {
    expect((await run(["add", "gemini"])).stdout).toContain("in a folder that it trusts");
  });

  it("has no tools where nobody can be asked, and says so, unless they are approved beforehand", async () => {
    expect((await run(["add", "gemini"])).stdout).toContain("`longhaul add gemini --approve`");
    expect((await run(["add", "gemini", "--approve"])).stdout).not.toContain("--approve`");
    expect(JSON.parse(read(".gemini/settings.json"))).toEqual({ mcpServers: { longhaul: { ...plain, trust: true } } });
  });
});

describe("claude-code", () => {
  it.each([".claude.json", ".claude/settings.json"])("is found by its own %s", async (file) => {
    put(file, "{}");
    expect((await run(["add"], { PATH: "/nowhere" })).stdout).toMatch(/^claude-code +yes +no/m);
  });

  it("has no setting for --approve, and nothing is written", async () => {
    const { code, stderr } = await run(["add", "claude-code", "--approve"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("leave out --approve")]);
    expect(readdirSync(at())).toEqual([]);
  });
});

describe("opencode", () => {
  it("is written as the file has it: with comments, or one level deeper", async () => {
    put(".config/opencode/opencode.jsonc", `{"mcp":{"servers":{}}}`);
    await run(["add", "opencode"]);
    expect(JSON.parse(read(".config/opencode/opencode.jsonc"))).toEqual({
      mcp: { servers: { longhaul: { type: "local", command: [node, ...args], environment: env } } },
    });
  });
});

describe("files on macOS", () => {
  it.each([
    ["claude-desktop", "/u/Library/Application Support/Claude/claude_desktop_config.json"],
    ["vscode", "/u/Library/Application Support/Code/User/mcp.json"],
    ["opencode", "/u/.config/opencode/opencode.json"],
  ])("are where the client looks for them: %s", (name, file) => {
    const places = { home: "/u", isMac: true, variable: () => undefined };
    expect(mcpClients.find((client) => client.name === name)?.userFile(places)).toBe(file);
  });
});
