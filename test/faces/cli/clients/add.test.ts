import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeLaunch } from "../../../../src/faces/cli/clients/launch.ts";
import type { CliContext } from "../../../../src/faces/cli/cli-context.ts";
import { bin } from "../cli.ts";
import { makeClientHome } from "./client-home.ts";

const { path: at, run, put, read, plain, typed } = makeClientHome();
const { args, env } = plain;

describe("what is in a file already", () => {
  it.each([
    ["an empty file", ""],
    ["an empty object", "{}"],
    ["tabs and CRLF", `{\r\n\t"mcpServers": {}\r\n}`],
    ["a byte order mark", `\uFEFF{ }\n`],
    ["one line", `{"a":"b"}`],
  ])("is the same after a round: %s", async (_what, before) => {
    put(".cursor/mcp.json", before);
    expect((await run(["add", "cursor"])).code).toBe(0);
    expect(read(".cursor/mcp.json")).not.toBe(before);
    await run(["add", "cursor", "--profile", "background-job"]);
    expect((await run(["remove", "cursor"])).code).toBe(0);
    expect(read(".cursor/mcp.json")).toBe(before);
  });

  it("stays if it was changed since: only the entry is taken out", async () => {
    put(".cursor/mcp.json", `{\n  "mcpServers": {}\n}\n`);
    await run(["add", "cursor"]);
    put(".cursor/mcp.json", read(".cursor/mcp.json").replace("{\n", `{\n  "mine": 1, // new\n`));
    await run(["remove", "cursor"]);
    expect(read(".cursor/mcp.json")).toBe(`{\n  "mine": 1, // new\n  "mcpServers": {}\n}\n`);
    expect(read(".cursor/mcp.json.longhaul-backup")).toContain("longhaul");
  });

  it("stays in our own entry when that is updated", async () => {
    const mine = { ...typed, args: ["/old/dist/server/main.js", "mcp"], env: { ...env, MINE: "1" }, timeout: 5 };
    put(".cursor/mcp.json", JSON.stringify({ mcpServers: { longhaul: mine } }, null, 2));
    const { stdout } = await run(["add", "cursor"]);
    expect(stdout).toContain(`-         "/old/dist/server/main.js",\n+         "${bin}",`);
    expect(stdout).not.toContain(`"1"`);
    expect(JSON.parse(read(".cursor/mcp.json"))).toEqual({ mcpServers: { longhaul: { ...mine, args } } });
  });

  it("under our name but not ours is kept, unless told otherwise", async () => {
    const before = `{"mcpServers":{"longhaul":{"command":"other","env":{"A":"s3cret-value"}}}}`;
    put(".cursor/mcp.json", before);
    const refused = await run(["add", "cursor"]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/not Longhaul's.*--name.*--force/)]);
    expect((await run(["remove", "cursor"])).code).toBe(2);
    expect(read(".cursor/mcp.json")).toBe(before);
    const forced = await run(["add", "cursor", "--force"]);
    expect(forced.stdout).not.toContain("s3cret-value");
    expect(JSON.parse(read(".cursor/mcp.json"))).toEqual({ mcpServers: { longhaul: typed } });
    expect(read(".cursor/mcp.json.longhaul-backup")).toBe(before);
  });

  it("is not touched if it is broken, is no text, or is a folder", async () => {
    put(".cursor/mcp.json", `{\n  "mcpServers": {,}\n}`);
    const broken = await run(["add", "cursor"]);
    expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining("line 2, column 18")]);
    expect(broken.stderr.trim().split("\n")).toHaveLength(1);
    writeFileSync(at(".cursor/mcp.json"), Buffer.from([0x7b, 0xff, 0x7d]));
    expect((await run(["add", "cursor"])).stderr).toContain("not UTF-8");
    mkdirSync(at(".gemini/settings.json"), { recursive: true });
    expect((await run(["add", "gemini"])).stderr).toContain("it is a folder");
    expect(readdirSync(at(".cursor"))).toEqual(["mcp.json"]);
  });

  it("behind a link is written there, and the link stays", async () => {
    const target = put("dotfiles/mcp.json", "{}\n");
    mkdirSync(at(".cursor"));
    symlinkSync(target, at(".cursor/mcp.json"));
    expect((await run(["add", "cursor"])).stdout).toContain(`${target}.longhaul-backup`);
    expect(lstatSync(at(".cursor/mcp.json")).isSymbolicLink()).toBe(true);
    expect(JSON.parse(read("dotfiles/mcp.json"))).toEqual({ mcpServers: { longhaul: typed } });
    await run(["remove", "cursor"]);
    expect(read("dotfiles/mcp.json")).toBe("{}\n");
    rmSync(target);
    expect((await run(["add", "cursor"])).stderr).toContain("a link to a file that does not exist");
  });

  it("cannot be written in a place that forbids it, and is said so", async () => {
    put(".codeium", "a file where a folder should be");
    const { code, stderr } = await run(["add", "windsurf"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("cannot be ")]);
  });

  it.skipIf(process.getuid?.() === 0)("stays as it is in a read-only folder", async () => {
    const path = put(".cursor/mcp.json", "{}");
    chmodSync(dirname(path), 0o500);
    onTestFinished(() => chmodSync(dirname(path), 0o700));
    expect((await run(["add", "cursor"])).stderr).toContain("permission denied");
    expect(readdirSync(dirname(path))).toEqual(["mcp.json"]);
    expect(readFileSync(path, "utf8")).toBe("{}");
  });
});

describe("options", () => {
  it("--print writes nothing and prints what would be written", async () => {
    const { stdout, stderr } = await run(["add", "cursor", "--print", "--name", "jobs", "--profile", "core"]);
    const entry = { ...typed, args: [...args, "--profile", "core"] };
    expect(JSON.parse(stdout)).toEqual({ mcpServers: { jobs: entry } });
    expect(stderr).toContain(at(".cursor/mcp.json"));
    expect(readdirSync(at())).toEqual([]);
    put(".cursor/mcp.json", stdout);
    await run(["remove", "cursor", "--name", "jobs", "--print"]);
    expect(read(".cursor/mcp.json")).toBe(stdout);
  });

  it("--project writes what the project has installed, else what is on the PATH, else the path here", async () => {
    const written = async (path: string): Promise<[entry: object, note: string]> => {
      const { stderr } = await run(["add", "--project", "claude-code"], { PATH: path });
      return [(JSON.parse(read(".mcp.json")) as { mcpServers: { longhaul: object } }).mcpServers.longhaul, stderr];
    };
    const { command } = plain;
    const here = { type: "stdio", command, args: plain.args };
    expect(await written("/nowhere")).toEqual([here, expect.stringContaining("a path on this machine")]);
    put("bin/longhaul", "", 0o755);
    expect(await written(at("bin"))).toEqual([{ type: "stdio", command: "longhaul", args: ["mcp"] }, ""]);
    put("node_modules/.bin/longhaul", "", 0o755);
    const installed = { type: "stdio", command: "npx", args: ["--no", "longhaul", "mcp"] };
    expect(await written(at("bin"))).toEqual([installed, ""]);
    expect((await run(["remove", "claude-code", "--project"])).stdout).toContain("it was deleted");
  });

  it("--project leaves no folder behind, and is refused where there is no such file", async () => {
    mkdirSync(at("project"));
    await run(["add", "vscode", "--project", "project"]);
    expect(readdirSync(at("project"))).toEqual([".vscode"]);
    await run(["remove", "vscode", "--project", "project"]);
    expect(readdirSync(at("project"))).toEqual([]);
    const { code, stderr } = await run(["add", "windsurf", "--project"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("Windsurf has no file for a project")]);
    expect((await run(["add", "cursor", "--project", "nowhere"])).stderr).toContain("existing folder");
  });

  it("--json tells what became of the file", async () => {
    const path = put(".cursor/mcp.json", "{}");
    const facts = { client: "cursor", name: "longhaul", file: path };
    const ask = async (...words: string[]): Promise<unknown> => JSON.parse((await run([...words, "--json"])).stdout);
    expect(await ask("remove", "cursor")).toEqual({ ...facts, change: "absent", written: false });
    expect(await ask("add", "cursor", "--print")).toMatchObject({ change: "added", written: false });
    expect(await ask("add", "cursor")).toMatchObject({
      ...facts,
      change: "added",
      written: true,
      backup: `${path}.longhaul-backup`,
    });
    expect(await ask("add", "cursor")).toMatchObject({ ...facts, change: "unchanged", written: false });
    expect(await ask("add")).toEqual({
      clients: expect.arrayContaining([
        { client: "cursor", title: "Cursor", installed: true, configured: "yes", file: path },
        expect.objectContaining({ client: "gemini", configured: "no" }),
      ]),
    });
  });

  it("may be missing, and the client too: then add lists what is there", async () => {
    put(".gemini/settings.json", "{");
    put(".cursor/mcp.json", `{"mcpServers":{"longhaul":{"command":"other"}}}`);
    const { code, stdout } = await run(["add"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^gemini +yes +unreadable/m);
    expect(stdout).toMatch(/^cursor +yes +other/m);
    expect((await run(["remove"])).stderr).toContain("claude-code, claude-desktop, cursor");
  });

  it.each([
    [["add", "emacs"], "claude-code, claude-desktop, cursor, vscode, windsurf, codex, opencode, gemini"],
    [["add", "cursor", "--name", "__proto__"], "letters, digits"],
    [["add", "cursor", "--profile", "none"], "core, background-job"],
    [["add", "cursor", "--profile", "core,none"], 'got "none"'],
    [["add", "cursor", "--profile", "core,"], 'got ""'],
  ])("%j is refused", async (words, reason) => {
    const { code, stderr } = await run(words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
    expect(readdirSync(at())).toEqual([]);
  });
});

it.each(["background-job,runpod", "all"])("the profiles are written as they were named: %s", async (profile) => {
  const { stdout } = await run(["add", "cursor", "--print", "--profile", profile]);
  expect(stdout).toMatch(new RegExp(`"--profile",\\s*"${profile}"`));
});

describe("a file that add made", () => {
  it("goes with its folders even if the client has written it anew", async () => {
    await run(["add", "vscode"]);
    put(".config/Code/User/mcp.json", JSON.stringify(JSON.parse(read(".config/Code/User/mcp.json"))));
    expect((await run(["remove", "vscode"])).stdout).toContain("it was deleted");
    expect(readdirSync(at())).toEqual([]);
  });

  it("stays, and so does its folder, where something else is there by now", async () => {
    await run(["add", "cursor"]);
    put(".cursor/other.json", "{}");
    await run(["remove", "cursor"]);
    expect(readdirSync(at(".cursor"))).toEqual(["other.json"]);
    await run(["add", "gemini"]);
    put(".gemini/settings.json", read(".gemini/settings.json").replace("{\n", `{\n  "mine": 1,\n`));
    await run(["remove", "gemini"]);
    expect(JSON.parse(read(".gemini/settings.json"))).toEqual({ mine: 1, mcpServers: {} });
  });
});

describe("variables that lead to the server", () => {
  it("are passed on where they are set, and taken out again where they are not", async () => {
    const variables = { LONGHAUL_HOME: at("state"), LONGHAUL_CONFIG: at("config.json"), LONGHAUL_PORT: "7467" };
    const added = await run(["add", "cursor"], variables);
    const entry = (): unknown =>
      (JSON.parse(read(".cursor/mcp.json")) as { mcpServers: { longhaul: { env?: object } } }).mcpServers.longhaul.env;
    expect(entry()).toEqual(variables);
    expect(added.stdout).toContain(`"LONGHAUL_PORT": "7467"`);
    await run(["add", "cursor"], { LONGHAUL_HOME: "", LONGHAUL_PORT: "", XDG_STATE_HOME: at("xdg") });
    expect(entry()).toEqual({ LONGHAUL_HOME: at("xdg/longhaul") });
    await run(["add", "cursor"], { LONGHAUL_HOME: "", LONGHAUL_PORT: "", XDG_STATE_HOME: "" });
    expect(entry()).toBeUndefined();
  });
});

describe("the command that is written", () => {
  const launch = (file: string): unknown => {
    const front = { program: { executable: "/usr/bin/node", file }, environment: { variable: () => undefined } };
    return makeLaunch(front as unknown as CliContext, { profile: undefined, project: undefined });
  };

  it("leaves a copy that will be cleaned up to npx", () => {
    const npx = { command: "npx", args: ["-y", "longhaul", "mcp"], env: {} };
    expect(launch("/u/.npm/_npx/abc/node_modules/longhaul/dist/server/main.js")).toEqual(npx);
    expect(launch("/tmp/dlx-12/node_modules/longhaul/dist/server/main.js")).toEqual(npx);
    expect(launch("/usr/lib/node_modules/longhaul/dist/server/main.js")).toMatchObject({ command: "/usr/bin/node" });
  });

  it("starts Longhaul for a client that has next to no environment", async () => {
    await run(["add", "cursor"]);
    const written = JSON.parse(read(".cursor/mcp.json")) as { mcpServers: { longhaul: typeof plain } };
    const client = new Client({ name: "test", version: "0.0.0" });
    const { longhaul } = written.mcpServers;
    await client.connect(
      new StdioClientTransport({
        ...longhaul,
        env: { ...longhaul.env, PATH: "/usr/bin:/bin", LONGHAUL_PORT: "0" },
        cwd: "/",
      }),
    );
    expect(client.getServerVersion()?.name).toBe("longhaul");
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("run_command");
    await client.close();
  });
});
