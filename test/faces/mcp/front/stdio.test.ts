import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../../../until.ts";
import { endProcess, listServers } from "../../cli/cli.ts";
import { RawFront, modernMeta, type Answer } from "./raw-front.ts";
import { frontIn, serveBuilt, type TestServer } from "../server-process.ts";
import { program } from "../world.ts";

describe("the front on stdio", () => {
  let home = "";
  let server: TestServer | undefined;
  const fronts: RawFront[] = [];
  const open = (front = frontIn(home)): RawFront => {
    const opened = new RawFront(front, "2026-07-28");
    fronts.push(opened);
    return opened;
  };
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "longhaul-stdio-"));
  });
  afterEach(async () => {
    await Promise.all(fronts.splice(0).map((front) => front.end()));
    await server?.stop();
    server = undefined;
    // One that came too late to be the first may have taken its place.
    await Promise.all(listServers(home).map((pid) => endProcess(pid)));
    await rm(home, { recursive: true, force: true });
  });

  it("starts one server when five start at once, and all are served", async () => {
    const five = Array.from({ length: 5 }, () => open());
    five.forEach((front) => front.send(1, "tools/call", { name: "job_list", arguments: {} }));
    const answers = await Promise.all(five.map((front) => front.answer(1)));
    expect(answers.map(({ result }) => result?.content?.[0]?.text)).toEqual(Array(5).fill("There are no such jobs."));
    await until(async () => listServers(home).length === 1);
  });

  it("ends with 0 when its client hangs up", async () => {
    server = await serveBuilt(home);
    const front = open();
    front.send(1, "tools/call", { name: "job_list", arguments: {} });
    await front.answer(1);
    expect(await front.end()).toBe(0);
  });

  it.each([
    ["background-job", ["execute_command"]],
    ["runpod,background-job", ["execute_command", "run-endpoint"]],
    ["all", ["execute_command", "run-endpoint", "run_command"]],
  ])("offers the tools of %s if they are asked for, with and without a server that runs", async (profile, names) => {
    const args = [program, "mcp", "--profile", profile];
    const first = open({ ...frontIn(home), args });
    first.send(1, "tools/list");
    expect(toolNames(await first.answer(1))).toEqual(expect.arrayContaining(names));
    first.send(2, "tools/call", { name: "list_jobs", arguments: {} });
    expect((await first.answer(2)).result?.content?.[0]?.text).toBe('{"jobs":[]}');
    const second = open({ ...frontIn(home), args });
    second.send(1, "tools/list");
    expect(toolNames(await second.answer(1))).toEqual(expect.arrayContaining(names));
  });

  it("says in one line on stderr what is wrong with its own call, and nothing on stdout", async () => {
    const front = open({ ...frontIn(home), args: [program, "mcp", "--profile", "nonsense"] });
    const errors: Buffer[] = [];
    front.child.stderr?.on("data", (chunk: Buffer) => errors.push(chunk));
    expect((await once(front.child, "exit"))[0]).toBe(2);
    expect(Buffer.concat(errors).toString()).toMatch(/^error: .*nonsense.*core.*\n$/);
    expect(front.lines).toEqual([]);
  });

  it("survives garbage, half lines, a line of 10 MB and methods that do not exist", async () => {
    server = await serveBuilt(home);
    const front = open();
    front.write("this is no JSON\n\n{}\n[1,2]\n\u0000\u0001\n");
    const [first, second] = [
      `{"jsonrpc":"2.0","id":1,"method":"tools`,
      `/list","params":{"_meta":${JSON.stringify(modernMeta)}}}\n`,
    ];
    front.write(first);
    await new Promise((resolve) => setImmediate(resolve));
    front.write(second);
    expect((await front.answer(1)).result?.tools).toHaveLength(11);
    front.send(2, "tools/call", { name: "job_get", arguments: { id: "x".repeat(10_000_000) } });
    expect((await front.answer(2)).result).toMatchObject({ isError: true });
    front.send(3, "no/such/method");
    expect((await front.answer(3)).error?.code).toBe(-32_601);
  });

  it("stops waiting for a request that was cancelled, and serves the next", async () => {
    server = await serveBuilt(home);
    const front = open();
    front.send(1, "tools/call", { name: "run_command", arguments: { command: "sleep 30", wait_s: 45 } });
    front.send(2, "tools/call", { name: "job_list", arguments: {} });
    await front.answer(2);
    front.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } })}\n`);
    front.send(3, "tools/call", { name: "job_list", arguments: {} });
    // The caller gave up; the job did not.
    expect((await front.answer(3)).result?.content?.[0]?.text).toContain("running");
    expect(front.answers().some(({ id }) => id === 1)).toBe(false);
    front.send(4, "tools/call", { name: "job_list", arguments: { state: ["running"] } });
    const listed = (await front.answer(4)).result?.content?.[0]?.text ?? "";
    front.send(5, "tools/call", { name: "job_cancel", arguments: { ids: [listed.split(" ")[0]] } });
    expect((await front.answer(5)).result).not.toMatchObject({ isError: true });
  });

  it("is not needed in process: the engine runs in the process that the client started", async () => {
    const front = open({ ...frontIn(home), args: [program, "mcp", "--in-process"] });
    front.send(1, "tools/call", { name: "run_command", arguments: { command: "echo in process" } });
    expect((await front.answer(1)).result?.content?.[0]?.text).toContain("in process");
    expect(await front.end()).toBe(0);
  });
});

function toolNames({ result }: Answer): string[] {
  return ((result?.tools ?? []) as { name: string }[]).map(({ name }) => name);
}
