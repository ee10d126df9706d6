import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { findProgram } from "../../src/text/find-program.ts";
import type { JobView } from "../../src/operations/job-view.ts";
import { call } from "../faces/door/access-world.ts";
import { makeHome, serveHere, type ServerHere } from "./server-here.ts";

const hasBubblewrap = findProgram("bwrap", process.env["PATH"] ?? "") !== undefined;
const models = { providers: { fake: { type: "openai-compatible", base_url: "http://127.0.0.1:9/v1" } } };
const task = { task: "read the token", model: "fake/m", read_only: true };

function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "longhaul-work-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function outcome(server: ServerHere, token: string, command: string): Promise<string> {
  const body = { command, cwd: makeFolder() };
  const started = await call(server.url, "run_command", { token, body });
  expect(started.body).toHaveProperty("id");
  const { id } = started.body as JobView;
  await server.local.call("job_wait", { ids: [id], timeout_ms: 30_000 });
  const { text } = await server.local.call("job_output", { id });
  return text;
}

describe.skipIf(!hasBubblewrap)("a token that may run commands", () => {
  it.each(["ada", "local"])("for the owner %s gives itself no other by the server's sockets", async (owner) => {
    const server = await serveHere(makeHome());
    const token = await server.give({ name: "runs", owner, kinds: ["shell"] });
    const post = (at: string): string =>
      `curl -s ${at}/call/token_create -H 'content-type: application/json' -d '{"name":"mine","all_owners":true,"scope":"admin"}'`;
    const attack = `${post(`--unix-socket ${server.socket} http://localhost`)}; ${post(server.url)}; cat ${server.home}/token; echo end`;
    const text = await outcome(server, token, attack);
    expect(text).toContain("end");
    expect(text).not.toContain(server.token);
    expect(await server.local.call("token_list", {})).toMatchObject({ tokens: [{ name: "runs" }] });
  });

  it("runs none where the server's files cannot be hidden, unless the configuration trusts all owners", async () => {
    const user = { shell: { user: "no-such-account" } };
    const strict = await serveHere(makeHome(user));
    const body = { command: "true" };
    const refused = await call(strict.url, "run_command", { token: await strict.give({ name: "a" }), body });
    expect(refused).toMatchObject({ status: 403 });
    expect(JSON.stringify(refused.body)).toContain("runs commands only for this machine's user");
    await strict.local.call("run_command", body);
    await strict.stop();
    const trusting = await serveHere(makeHome({ shell: { ...user.shell, trust_owners: true } }));
    const token = await trusting.give({ name: "a" });
    expect(await outcome(trusting, token, `cat ${trusting.home}/token`)).toContain(trusting.token);
  });
});

describe("agents", () => {
  it("may not work in the server's folder, whoever starts them", async () => {
    const server = await serveHere(makeHome({ agent: models }));
    await expect(server.local.call("run_agent", { ...task, cwd: server.home })).rejects.toThrow(
      /cwd must not be in one of the server's own folders/,
    );
  });

  it("of others than this machine's user need agent.roots", async () => {
    const work = makeFolder();
    const body = { ...task, cwd: work };
    const server = await serveHere(makeHome({ agent: models }));
    const refused = await call(server.url, "run_agent", {
      token: await server.give({ name: "a", owner: "ada" }),
      body,
    });
    expect(refused).toMatchObject({ status: 403 });
    expect(JSON.stringify(refused.body)).toContain(
      "until agent.roots in its configuration says where those of others may work",
    );
    await server.local.call("run_agent", body);
    await server.stop();
    const open = await serveHere(makeHome({ agent: { ...models, roots: [work] } }));
    const token = await open.give({ name: "a", owner: "ada" });
    expect(await call(open.url, "run_agent", { token, body })).toMatchObject({ status: 200 });
  });
});
