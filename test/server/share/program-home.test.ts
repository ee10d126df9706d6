import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineKind, openSharedEngine, type SharedEngine } from "../../../src/index.ts";
import { bin } from "../../faces/cli/cli.ts";
import { useEach } from "../../use-each.ts";

const greet = defineKind({
  name: "greet",
  onInterrupt: "restart",
  input: z.object({ name: z.string() }),
  result: z.object({ greeting: z.string() }),
  run: async ({ name }, job) => {
    job.output().write(`greeting ${name}\n`);
    return { greeting: `Hello, ${name}!` };
  },
});

const world = useEach(
  async () => {
    const home = await mkdtemp(join(tmpdir(), "longhaul-program-"));
    const engines: SharedEngine[] = [];
    const open = async (): Promise<SharedEngine> => {
      const engine = await openSharedEngine({ home, kinds: [greet], program: "greeter" });
      engines.push(engine);
      return engine;
    };
    return { home, engines, open };
  },
  async ({ home, engines }) => {
    for (const engine of engines) await engine.stop();
    await rm(home, { recursive: true });
  },
);

async function longhaul(...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { ...process.env, LONGHAUL_HOME: world().home };
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, [bin, ...words], { env })) };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

describe("a home that the processes of a program share", () => {
  it("has one owner; the others work through it, and one of them takes over when it stops", async () => {
    const first = await world().open();
    const second = await world().open();
    expect([first.isOwner(), second.isOwner()]).toEqual([true, false]);
    const job = await second.submit(greet, { name: "Ada" });
    expect(await second.wait(job)).toMatchObject({ status: "succeeded", result: { greeting: "Hello, Ada!" } });
    const { bytes } = await second.readOutput(job.id);
    expect(Buffer.from(bytes).toString()).toBe("greeting Ada\n");
    const seen: string[] = [];
    for await (const { type } of second.follow(job.id)) seen.push(type);
    expect(seen).toEqual(["job-submitted", "attempt-started", "job-finished"]);
    await expect(second.get("01a1f5d5-26eb-7000-82a0-6f72de32d0ac")).rejects.toMatchObject({ code: "not_found" });
    await first.stop();
    const next = await second.submit(greet, { name: "Bob" });
    expect(await second.wait(next)).toMatchObject({ status: "succeeded" });
    expect(second.isOwner()).toBe(true);
    expect(await second.result(job)).toEqual({ greeting: "Hello, Ada!" });
  });

  it("waits through another process by a function and by a pattern of its output", async () => {
    await world().open();
    const member = await world().open();
    const { id } = await member.submit(greet, { name: "Cyd" });
    const byPattern = await member.wait(id, { until: { pattern: /greeting C/ }, timeoutMs: 10_000 });
    const byFunction = await member.wait(id, { until: (job) => job.state.status === "succeeded", timeoutMs: 10_000 });
    expect([byPattern.isReached, byFunction.isReached]).toEqual([true, true]);
  });

  it("is seen by the command line, which starts and stops no server there", async () => {
    const engine = await world().open();
    const job = await engine.submit(greet, { name: "Ada" });
    await engine.wait(job);
    expect((await longhaul("ps", "--all")).stdout).toContain("greet");
    expect((await longhaul("logs", job.id)).stdout).toBe("greeting Ada\n");
    expect((await longhaul("wait", job.id)).code).toBe(0);
    expect((await longhaul("show", job.id)).stdout).toContain("Hello, Ada!");
    expect((await longhaul("doctor")).stdout).toContain(
      `The program "greeter" runs the jobs here: process ${process.pid}`,
    );
    expect(await longhaul("server", "stop")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`run by the program "greeter" (process ${process.pid})`) as string,
    });
    await engine.stop();
    expect((await longhaul("ps")).stderr).toContain('are those of the program "greeter", which is not running');
    expect((await longhaul("doctor")).stdout).toContain("which is not running");
  });
});
