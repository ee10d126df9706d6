import { Client, type CallToolResult } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient } from "../../../src/faces/door/local-client.ts";
import type { Json } from "../../../src/job/json.ts";
import type { JobView } from "../../../src/operations/job-view.ts";
import { endProcess, listServers } from "../cli/cli.ts";
import { openTransport } from "./official-client.ts";
import { frontIn, serveBuilt, startServer, type TestServer } from "./server-process.ts";
import { program } from "./world.ts";

interface Standing {
  readonly cwd: string;
  readonly env?: Record<string, string>;
}

describe("a client's context", () => {
  let base = "";
  let home = "";
  let server: TestServer | undefined;
  const clients: Client[] = [];
  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), "longhaul-context-")));
    home = join(base, "home");
    for (const folder of ["home", "one", "two"]) mkdirSync(join(base, folder));
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await server?.stop();
    await Promise.all(listServers(home).map((pid) => endProcess(pid)));
    await rm(base, { recursive: true, force: true });
  });

  const serve = async (config: object = {}, variables: Record<string, string> = {}): Promise<void> => {
    writeFileSync(join(home, "config.json"), JSON.stringify(config));
    server = await serveBuilt(home, { VIRTUAL_ENV: "/the/servers", ...variables });
  };
  const front = async ({ cwd, env = {} }: Standing, profile = "core"): Promise<Client> => {
    const client = new Client({ name: "two-places", version: "0.0.0" });
    const variables = { PATH: process.env["PATH"] ?? "", LONGHAUL_HOME: home, ...env };
    const args = [program, "mcp", "--profile", profile];
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, env: variables, cwd, stderr: "pipe" }),
    );
    clients.push(client);
    return client;
  };
  const call = (client: Client, name: string, args: Record<string, unknown>): Promise<CallToolResult> =>
    client.callTool({ name, arguments: args });
  const textOf = ({ content }: CallToolResult): string =>
    content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const local = (): ReturnType<typeof createClient> => createClient(join(home, "longhaul.sock"));
  const newestJob = async (): Promise<JobView> => {
    const { jobs } = await local().call("job_list", { limit: 1 });
    return jobs[0] as JobView;
  };
  const outputOf = async ({ id }: JobView): Promise<string> => {
    await local().call("job_wait", { ids: [id], timeout_ms: 30_000 });
    return (await local().call("job_output", { id })).text;
  };
  /** What the server answers to a front that stands there. */
  const greet = (profile: string, { cwd, env = {} }: Standing): Promise<Record<string, Json>> =>
    new Promise((resolve, reject) => {
      const socket = connect(join(home, profile === "core" ? "mcp.sock" : `mcp-${profile}.sock`));
      socket.once("error", reject);
      createInterface({ input: socket }).once("line", (line) => {
        socket.destroy();
        resolve(JSON.parse(line) as Record<string, Json>);
      });
      socket.write(`${JSON.stringify({ hello: { version: "0.1.0", cwd, env } })}\n`);
    });

  it("is where its commands run, with its own environment, while another client of the server has its own", async () => {
    await serve();
    const one = await front({ cwd: join(base, "one"), env: { VIRTUAL_ENV: "/venvs/one", SECRET_OF_ONE: "hush" } });
    const two = await front({ cwd: join(base, "two") });
    const command = 'echo "$PWD $(pwd) ${VIRTUAL_ENV-none} ${SECRET_OF_ONE-none} ${LONGHAUL_HOME-none}"';
    const shown = await call(one, "run_command", { command });
    expect(textOf(shown)).toContain(`folder: "${base}/one"`);
    expect(await outputOf(await newestJob())).toBe(`${base}/one ${base}/one /venvs/one none none\n`);
    await call(two, "run_command", { command });
    expect(await outputOf(await newestJob())).toBe(`${base}/two ${base}/two none none none\n`);
  });

  it("stays with a job that runs later, under another server", async () => {
    const killed = await startServer(home);
    const client = await front({ cwd: join(base, "one"), env: { VIRTUAL_ENV: "/venvs/one" } });
    await local().call("kind_pause", { kind: "shell" });
    await call(client, "run_command", { command: 'echo "$PWD $VIRTUAL_ENV"', wait_s: 0 });
    await client.close();
    await killed.kill("SIGKILL");
    await serve();
    await local().call("kind_resume", { kind: "shell" });
    expect(await outputOf(await newestJob())).toBe(`${base}/one /venvs/one\n`);
  });

  it("is not shown, but for the folder", async () => {
    await serve();
    const env = {
      HTTPS_PROXY: "http://ada:open-sesame@proxy:1",
      LANG: "xx_YY.UTF-8",
      OPENROUTER_API_KEY: "key-in-env",
    };
    const client = await front({ cwd: join(base, "one"), env });
    await call(client, "run_command", { command: "true" });
    const { id, cwd } = await newestJob();
    expect(cwd).toBe(join(base, "one"));
    const shown = await Promise.all([
      local().call("job_get", { id }),
      local().call("job_events", { id }),
      local().call("job_output", { id }),
      local().call("job_list", {}),
    ]);
    expect(JSON.stringify(shown)).not.toMatch(/open-sesame|xx_YY|key-in-env|PATH/);
    expect(JSON.stringify(shown[0])).toContain(join(base, "one"));
  });

  it("outside the roots is refused at the call, and a folder within them is taken", async () => {
    await serve({ shell: { roots: [join(base, "two")] } });
    const client = await front({ cwd: join(base, "one") });
    const refused = await call(client, "run_command", { command: "pwd" });
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toContain(`cwd must be in ${base}/two, but you are in "${base}/one": name another.`);
    expect(await newestJob()).toBeUndefined();
    await call(client, "run_command", { command: "pwd", cwd: join(base, "two") });
    expect(await outputOf(await newestJob())).toBe(`${base}/two\n`);
  });

  it("brings no PATH along where the server allows only some commands", async () => {
    await serve({ shell: { allow: ["^echo "] } });
    const client = await front({ cwd: join(base, "one"), env: { VIRTUAL_ENV: "/venvs/one" } });
    await call(client, "run_command", { command: 'echo "$PWD $VIRTUAL_ENV"' });
    expect(await outputOf(await newestJob())).toBe(`${base}/one /the/servers\n`);
  });

  describe("of the profile background-job", () => {
    const refusal = async (client: Client, command: string): Promise<string> =>
      textOf(await call(client, "execute_command", { command }));

    it("has an allow-list of its own that holds though the server was running before", async () => {
      await serve();
      const client = await front(
        { cwd: join(base, "one"), env: { MCP_BG_ALLOWED_COMMANDS: "^echo " } },
        "background-job",
      );
      expect(await refusal(client, "ls")).toBe("Invalid command: Command not in allowed patterns: ls");
      expect(await newestJob()).toBeUndefined();
      await call(client, "execute_command", { command: "echo $PWD" });
      expect(await outputOf(await newestJob())).toBe(`${base}/one\n`);
    });

    it("can narrow what the server allows, and not widen it", async () => {
      await serve({}, { MCP_BG_ALLOWED_COMMANDS: "^echo ,^ls", MCP_BG_JOB_TIMEOUT: "100" });
      const env = { MCP_BG_ALLOWED_COMMANDS: "^ls,^rm", MCP_BG_JOB_TIMEOUT: "200" };
      const client = await front({ cwd: join(base, "one"), env }, "background-job");
      expect(await refusal(client, "echo hi")).toContain("not in allowed patterns");
      expect(await refusal(client, "rm x")).toContain("not in allowed patterns");
      expect(await refusal(client, "ls")).toContain("job_id");
    });

    it("has a limit of its own, which counts the jobs of the profile alone", async () => {
      await serve();
      await local().call("run_command", { command: "sleep 600" });
      const client = await front({ cwd: join(base, "one"), env: { MCP_BG_MAX_JOBS: "1" } }, "background-job");
      expect(await refusal(client, "sleep 600")).toContain("job_id");
      expect(await refusal(client, "sleep 600")).toContain("Maximum concurrent jobs limit (1) reached");
      await local().call("job_cancel", { filter: { state: ["queued", "running"] } });
    });

    it("works in the folder that it names, relative to its own", async () => {
      await serve();
      const client = await front({ cwd: base, env: { MCP_BG_WORKING_DIR: "two" } }, "background-job");
      await call(client, "execute_command", { command: "pwd" });
      expect(await outputOf(await newestJob())).toBe(`${base}/two\n`);
    });
  });

  it.each([
    [
      "background-job",
      { MCP_BG_MAX_JOBS: "lots" },
      'MCP_BG_MAX_JOBS must be a whole number from 1 to 100, got "lots".',
    ],
    ["mcp-task", { TASK_TIMEOUT: "soon" }, 'TASK_TIMEOUT must be a whole number of milliseconds above 0, got "soon".'],
    ["core", { ENV_FILE: "none.env" }, "ENV_FILE names /none.env, which cannot be read"],
  ])("with a setting that cannot be honoured is refused at once: %s %o", async (profile, env, sentence) => {
    await serve();
    const answer = await greet(profile, { cwd: "/", env });
    expect(answer["refused"]).toContain(sentence);
    expect(await greet(profile, { cwd: "/" })).toHaveProperty("welcome");
  });

  it("that is refused hears so in the answer to its calls", async () => {
    await serve();
    const client = await front({ cwd: base, env: { MCP_BG_MAX_JOBS: "lots" } }, "background-job");
    const refused = await call(client, "execute_command", { command: "true" });
    expect(textOf(refused)).toBe('MCP_BG_MAX_JOBS must be a whole number from 1 to 100, got "lots".');
    expect(refused.isError).toBe(true);
  });

  it("binds nobody else, though the client has started the server", async () => {
    const env = { LONGHAUL_PORT: "0", MCP_BG_ALLOWED_COMMANDS: "^echo ", MCP_BG_MAX_JOBS: "1" };
    const first = await front({ cwd: base, env }, "background-job");
    expect(textOf(await call(first, "execute_command", { command: "ls" }))).toContain("not in allowed patterns");
    const second = await front({ cwd: base }, "background-job");
    expect(textOf(await call(second, "execute_command", { command: "ls" }))).toContain("job_id");
  });

  it("of another profile may have whatever it likes set", async () => {
    await serve();
    expect(await greet("core", { cwd: "/", env: { MCP_BG_MAX_JOBS: "lots" } })).toHaveProperty("welcome");
  });

  describe("over HTTP", () => {
    /** A client of an older revision with these roots, and how often it was asked for them. */
    const remote = async (roots: readonly string[], path = "mcp"): Promise<{ client: Client; asked: () => number }> => {
      const client = new Client({ name: "with-roots", version: "0.0.0" }, { capabilities: { roots: {} } });
      let asked = 0;
      client.setRequestHandler("roots/list", () => {
        asked += 1;
        return { roots: roots.map((folder) => ({ uri: pathToFileURL(folder).href })) };
      });
      const url = `${server?.url.replace(/mcp$/, path)}`;
      await client.connect(openTransport({ url, front: frontIn(home) }, "http", server?.token ?? ""));
      clients.push(client);
      return { client, asked: () => asked };
    };

    it("is the first of its roots, which it is asked for once", async () => {
      await serve();
      const { client, asked } = await remote([join(base, "one"), join(base, "two")]);
      await call(client, "run_command", { command: "pwd", cwd: join(base, "two") });
      expect(asked()).toBe(0);
      for (const _ of [1, 2]) {
        await call(client, "run_command", { command: 'echo "$PWD $VIRTUAL_ENV"' });
        expect(await outputOf(await newestJob())).toBe(`${base}/one /the/servers\n`);
      }
      expect(asked()).toBe(1);
    });

    it("is refused where there is no such folder here", async () => {
      await serve();
      const { client } = await remote([join(base, "elsewhere")]);
      const refused = await call(client, "run_command", { command: "pwd" });
      expect(textOf(refused)).toContain(`cwd must be an existing directory, but you are in "${base}/elsewhere"`);
    });

    it("holds for the commands of the profile background-job too", async () => {
      await serve();
      const { client } = await remote([join(base, "one")], "mcp/background-job");
      await call(client, "execute_command", { command: "pwd" });
      expect(await outputOf(await newestJob())).toBe(`${base}/one\n`);
    });
  });

  it("over HTTP is nobody's to tell", async () => {
    await serve();
    const answer = await fetch(`${server?.url.replace(/\/mcp$/, "")}/call/run_command?client`, {
      method: "POST",
      headers: { authorization: `Bearer ${server?.token}`, "content-type": "application/json" },
      body: JSON.stringify({ input: { command: "pwd" }, client: { cwd: join(base, "one"), env: {} } }),
    });
    expect(answer.status).toBe(404);
  });
});
