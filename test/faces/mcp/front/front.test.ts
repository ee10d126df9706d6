import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../../../until.ts";
import { endProcess, listServers } from "../../cli/cli.ts";
import { RawFront, textOf, type Revision } from "./raw-front.ts";
import { frontIn, startServer } from "../server-process.ts";

const revisions: Revision[] = ["2026-07-28", "2025-11-25", "2025-06-18"];

let home = "";
const fronts: RawFront[] = [];

function open(revision: Revision = "2026-07-28", front = frontIn(home)): RawFront {
  const opened = new RawFront(front, revision);
  fronts.push(opened);
  return opened;
}

/** The one server of this home, once it has written down who it is. */
async function serverPid(): Promise<number> {
  await until(async () => listServers(home).length === 1);
  return listServers(home)[0] as number;
}

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "longhaul-front-"));
});

afterEach(async () => {
  await Promise.all(fronts.splice(0).map((front) => front.end()));
  await until(async () => {
    await Promise.all(listServers(home).map((pid) => endProcess(pid)));
    return listServers(home).length === 0;
  });
  await rm(home, { recursive: true, force: true });
});

describe("the front before a server is up", () => {
  const unusable = (): ReturnType<typeof frontIn> => {
    const file = join(home, "a-file");
    writeFileSync(file, "");
    return frontIn(join(file, "home"));
  };

  it("answers a client's first questions by itself, and calls with the reason why no server can be started", async () => {
    const front = open("2026-07-28", unusable());
    front.send(1, "server/discover");
    front.send(2, "tools/list");
    expect((await front.answer(1)).result).toMatchObject({
      supportedVersions: ["2026-07-28"],
      capabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } },
      resultType: "complete",
    });
    expect((await front.answer(2)).result?.tools).toContainEqual(expect.objectContaining({ name: "run_command" }));
    for (const id of [3, 4]) {
      front.send(id, "tools/call", { name: "run_command", arguments: { command: "true" } });
      const answer = await front.answer(id);
      expect(answer.result).toMatchObject({ isError: true, resultType: "complete" });
      expect(textOf(answer)).toMatch(/^The server could not be started: .*LONGHAUL_HOME.*\.$/);
    }
    front.send(5, "resources/list");
    expect((await front.answer(5)).error?.message).toMatch(/^The server could not be started/);
    expect(front.isAlive).toBe(true);
  });

  it.each(["2025-11-25", "2025-06-18", "2024-11-05"])("begins a session of revision %s", async (revision) => {
    const front = open("2025-06-18", unusable());
    const clientInfo = { name: "raw", version: "0.0.0" };
    front.send(1, "initialize", { protocolVersion: revision, capabilities: {}, clientInfo });
    expect((await front.answer(1)).result).toMatchObject({
      protocolVersion: revision,
      serverInfo: { name: "longhaul" },
    });
    front.message({ method: "notifications/initialized" });
    front.send(2, "ping");
    expect((await front.answer(2)).result).toEqual({});
    front.send(3, "tools/list");
    expect((await front.answer(3)).result?.tools).toContainEqual(expect.objectContaining({ name: "run_command" }));
  });

  it("tells the client when the server offers other tools than it was told of", async () => {
    const endpoints = { greeter: { type: "local", command: "true" } };
    writeFileSync(join(home, "config.json"), JSON.stringify({ endpoints }));
    const [modern, legacy] = [open("2026-07-28"), open("2025-06-18")];
    modern.send(1, "subscriptions/listen", { notifications: { toolsListChanged: true } });
    modern.send(2, "tools/list");
    await legacy.initialize();
    legacy.send(2, "tools/list");
    for (const front of [modern, legacy]) {
      const changed = (): boolean => front.answers().some((each) => each.method === "notifications/tools/list_changed");
      await until(async () => changed());
      front.send(3, "tools/list");
      const names = (await front.answer(3)).result?.tools?.map((tool) => (tool as { name: string }).name);
      expect(names).toContain("run_endpoint");
    }
    const note = modern.answers().find((each) => each.method === "notifications/tools/list_changed");
    expect(note?.params?._meta).toEqual({ "io.modelcontextprotocol/subscriptionId": 1 });
  });
});

describe("sessions of every revision whose server dies", () => {
  /** They share the server, so that one death is each one's. */
  const openAll = async (): Promise<RawFront[]> => {
    const opened = revisions.map((revision) => open(revision));
    await Promise.all(opened.map((front) => front.initialize()));
    return opened;
  };

  it("go on with the next server, which the fronts start", async () => {
    const opened = await openAll();
    const say = (id: number, word: string): Promise<string[]> =>
      Promise.all(opened.map((front) => front.call(id, "run_command", { command: `echo ${word}` })));
    for (const text of await say(1, "one")) expect(text).toContain("one");
    await endProcess(await serverPid(), "SIGKILL");
    for (const text of await say(2, "two")) expect(text).toContain("two");
    for (const front of opened) expect(front.answers().filter(({ id }) => id === 1 || id === 2)).toHaveLength(2);
  });

  it("get their answers from the next server, and what the calls had started was started once", async () => {
    const opened = await openAll();
    const done = join(home, "done");
    const marks = opened.map((_front, index) => join(home, `mark-${index}`));
    for (const [index, front] of opened.entries()) {
      const command = `echo started >> ${marks[index]}; until [ -e ${done} ]; do sleep 0.05; done; cat ${marks[index]}`;
      front.send(1, "tools/call", { name: "run_command", arguments: { command, wait_s: 45 } });
    }
    await until(() => marks.every((mark) => existsSync(mark)));
    await endProcess(await serverPid(), "SIGKILL");
    writeFileSync(done, "");
    for (const front of opened) expect(textOf(await front.answer(1)).match(/^started$/gm)).toEqual(["started"]);
    expect((await (opened[0] as RawFront).call(2, "job_list")).match(/succeeded/g)).toHaveLength(opened.length);
  });

  it("are told that nobody knows what came of a call that must not be repeated", async () => {
    const opened = await openAll();
    const catOf = (front: RawFront): string => `cat-${opened.indexOf(front)}`;
    for (const front of opened) {
      const started = await front.call(1, "run_command", { command: "cat", wait_s: 0, name: catOf(front) });
      expect(started).toContain("running");
    }
    const pid = await serverPid();
    process.kill(pid, "SIGSTOP");
    for (const front of opened) {
      front.send(2, "tools/call", { name: "job_send", arguments: { id: catOf(front), text: "hello\n" } });
      front.send(3, "tools/call", { name: "job_get", arguments: { id: catOf(front) } });
      front.message({ method: "notifications/roots/list_changed" });
    }
    await until(() => opened.every((front) => front.child.stdin?.writableLength === 0));
    await endProcess(pid, "SIGKILL");
    for (const front of opened) {
      const answer = await front.answer(2);
      expect(answer.result?.isError).toBe(true);
      expect(textOf(answer)).toContain("not known whether job_send took effect");
      expect(textOf(await front.answer(3))).toContain("running");
      await front.call(4, "job_cancel", { ids: [catOf(front)] });
    }
  });
});

describe("what a server was told before it died", () => {
  it("is told to the next one: subscriptions to resources of the older revisions", async () => {
    const front = open("2025-06-18");
    await front.initialize();
    const go = join(home, "go");
    const command = `until [ -e ${go} ]; do sleep 0.05; done`;
    const id = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(await front.call(1, "run_command", { command, wait_s: 0 }))?.[0];
    front.send(2, "resources/subscribe", { uri: `job://${id}` });
    await front.answer(2);
    await endProcess(await serverPid(), "SIGKILL");
    await front.call(3, "job_list");
    writeFileSync(go, "");
    const told = (): unknown[] => front.answers().filter(({ method }) => method === "notifications/resources/updated");
    await until(() => told().length > 0);
    expect(told()).toContainEqual(expect.objectContaining({ params: expect.objectContaining({ uri: `job://${id}` }) }));
  });

  it("is asked of the next one: listening goes on under its name, acknowledged once", async () => {
    const front = open();
    const tasks = {
      "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
    };
    const go = join(home, "go");
    const command = `until [ -e ${go} ]; do sleep 0.05; done`;
    const id = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(await front.call(1, "run_command", { command, wait_s: 0 }))?.[0] ?? "";
    const request = { jsonrpc: "2.0", id: "sub", method: "subscriptions/listen" };
    const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", ...tasks };
    const clientInfo = { "io.modelcontextprotocol/clientInfo": { name: "raw", version: "0.0.0" } };
    front.message({ ...request, params: { notifications: { taskIds: [id] }, _meta: { ...meta, ...clientInfo } } });
    const heard = (method: string): number => front.answers().filter((each) => each.method === method).length;
    await until(async () => heard("notifications/tasks") > 0);
    await endProcess(await serverPid(), "SIGKILL");
    await front.call(3, "job_list");
    writeFileSync(go, "");
    await until(async () =>
      front
        .answers()
        .some(({ method, params }) => method === "notifications/tasks" && params?.["status"] === "completed"),
    );
    expect(heard("notifications/subscriptions/acknowledged")).toBe(1);
  });
});

describe("a server that is stopped", () => {
  it("is not started again while nobody needs it, and is when somebody does", async () => {
    const server = await startServer(home);
    const front = open();
    await front.call(1, "job_list");
    await server.kill("SIGTERM");
    expect(listServers(home)).toEqual([]);
    expect(await front.call(2, "run_command", { command: "echo back" })).toContain("back");
  });

  it("hands what waits over to the one that takes its place", async () => {
    const server = await startServer(home);
    const front = open();
    const go = join(home, "go");
    const command = `until [ -e ${go} ]; do sleep 0.05; done; echo gone`;
    const text = await front.call(1, "run_command", { command, wait_s: 0, name: "long" });
    expect(text).toMatch(/ queued| running/);
    front.send(2, "tools/call", { name: "job_wait", arguments: { ids: ["long"], timeout_s: 30 } });
    front.send(3, "tools/call", { name: "job_list", arguments: {} });
    await front.answer(3);
    await server.kill("SIGTERM");
    await until(() => listServers(home).length > 0);
    writeFileSync(go, "");
    expect(textOf(await front.answer(2))).toContain("succeeded");
  });
});
