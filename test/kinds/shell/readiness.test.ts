import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ReadyCondition } from "../../../src/kinds/shell/contract.ts";
import { until } from "../../until.ts";
import { useShell } from "./world.ts";
import { refusal } from "../../engine/world.ts";

const world = useShell();
const isReady = { phase: "ready", message: "ready" };

async function startWith(command: string, ready: ReadyCondition): Promise<string> {
  return (await world().submit({ command, ready })).id;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await listen(server, 0);
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve) => {
    server.listen(port, "127.0.0.1", resolve);
  });
}

describe("a command is ready", () => {
  it("when a line of either stream matches, and not before", async () => {
    const engine = await world().open();
    const id = await startWith("echo starting; read -r go; echo 'Listening on :80' >&2; read -r go", {
      pattern: "^Listening on :\\d+$",
    });
    await world().untilOutput(id, "starting");
    await world().live(id);
    expect(await world().progress(id)).toBeUndefined();
    await engine.send(id, "\n");
    expect(await engine.wait(id, { until: { phase: "ready" }, timeoutMs: 10_000 })).toMatchObject({ isReached: true });
    expect(await world().progress(id)).toEqual(isReady);
  });

  it("when a line that has not ended matches: a prompt never does", async () => {
    const engine = await world().open();
    const id = await startWith("printf 'login: '; read -r go", { pattern: "login: $" });
    expect(await engine.wait(id, { until: { phase: "ready" }, timeoutMs: 10_000 })).toMatchObject({ isReached: true });
  });

  it("when its port accepts connections", async () => {
    const engine = await world().open();
    const port = await freePort();
    const serve = `require("net").createServer().listen(${port}, "127.0.0.1")`;
    const job = await world().submit({ command: `read -r go; exec node -e '${serve}'`, ready: { port } });
    await world().pid(job.id);
    expect(await world().progress(job.id)).toBeUndefined();
    await engine.send(job.id, "\n");
    expect(await engine.wait(job.id, { until: { phase: "ready" }, timeoutMs: 20_000 })).toMatchObject({
      isReached: true,
    });
    expect((await world().live(job.id)).ports).toEqual([port]);
  });

  it("when its URL answers without a server error", async () => {
    const engine = await world().open();
    let status = 503;
    let asked = 0;
    const server = createServer((_request, response) => {
      asked += 1;
      response.writeHead(status).end();
    });
    await listen(server, 0);
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/health`;
    const id = await startWith("read -r go", { url });
    await until(() => asked >= 2);
    expect(await world().progress(id)).toBeUndefined();
    status = 404;
    expect(await engine.wait(id, { until: { phase: "ready" }, timeoutMs: 10_000 })).toMatchObject({ isReached: true });
  });

  it("also after its main process has left the work to a child", async () => {
    const engine = await world().open();
    const id = await startWith("(read -r go; echo up; read -r go) <&0 & echo begun", { pattern: "^up$" });
    await until(async () => JSON.stringify((await world().progress(id)) ?? null).includes("still running"));
    await engine.send(id, "\n");
    expect(await engine.wait(id, { until: { phase: "ready" }, timeoutMs: 10_000 })).toMatchObject({ isReached: true });
  });
});

describe("readiness", () => {
  it("that never comes keeps nothing up: the job ends with its command", async () => {
    await world().open();
    const job = await world().submit({ command: "echo no", ready: { pattern: "yes" } });
    const { state } = await world().end(job.id);
    expect(state).toMatchObject({ status: "succeeded" });
    expect(Object.entries(state)).not.toContainEqual(["progress", expect.anything()]);
  });

  it("of a URL that does not answer does not delay the end, nor the capping of output", async () => {
    await world().open({ engine: { outputCapBytes: 1_000_000 } });
    let probes = 0;
    const server = createServer(() => (probes += 1));
    await listen(server, 0);
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const command = "read -r go; head -c 20000000 /dev/zero; read -r go";
    const job = await world().submit({ command, ready: { url } });
    await until(() => probes > 0);
    await world().engine.send(job.id, "go\n");
    await until(async () => ((await world().engine.outputSizes(job.id))["stdout"]?.dropped ?? 0) > 15_000_000);
    const before = probes;
    await world().engine.send(job.id, "go\n");
    expect((await world().end(job.id)).state.status).toBe("succeeded");
    // Each takes two seconds: none was waited for.
    expect(probes - before).toBeLessThanOrEqual(1);
  });

  it("is looked for in bounded time, however fast the command writes", async () => {
    await world().open({ engine: { outputCapBytes: 1_000_000 } });
    const id = await startWith("yes", { pattern: "never" });
    await until(async () => ((await world().engine.outputSizes(id))["stdout"]?.dropped ?? 0) > 50_000_000);
    expect((await world().engine.get(id)).state.status).toBe("running");
  });

  it("by a pattern that is no regular expression, or one that could take for ever, is refused or harmless", async () => {
    const engine = await world().open();
    await expect(startWith("true", { pattern: "(" })).rejects.toMatchObject(refusal("invalid_input", /RE2/));
    await expect(startWith("true", { pattern: "(a)\\1" })).rejects.toMatchObject(refusal("invalid_input", /RE2/));
    expect((await engine.list()).jobs).toEqual([]);
    const hostile = await world().submit({
      command: `printf '%050000d!' 0 | tr 0 a; read -r go`,
      ready: { pattern: "^(a+)+$" },
    });
    await until(async () => ((await engine.outputSizes(hostile.id))["stdout"]?.size ?? 0) === 50_001);
    const lookedAt = performance.now();
    await world().live(hostile.id);
    expect(performance.now() - lookedAt).toBeLessThan(5_000);
  });
});
