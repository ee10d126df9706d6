import { readdir, readlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AnswerOf } from "../../../src/operations/registry.ts";
import { until } from "../../until.ts";
import { makeSharedCli } from "./cli.ts";

const cli = makeSharedCli();

describe("wait", () => {
  it("exits with the job's own code", async () => {
    const id = await cli.detach("sleep 0.2; exit 6");
    const { code, stdout } = await cli.run(["wait", id]);
    expect(code).toBe(6);
    expect(stdout).toContain("failed (6)");
  });

  it("for several exits with the first code that is not 0", async () => {
    const ids = await Promise.all(["true", "exit 4", "exit 5"].map((command) => cli.detach(command)));
    expect((await cli.run(["wait", ...ids])).code).toBe(4);
    expect((await cli.run(["wait", ids[0] ?? ""])).code).toBe(0);
  });

  it("for any ends with the first, and the others go on", async () => {
    const slow = await cli.detach("sleep 60");
    const quick = await cli.detach("exit 3");
    const { code, stdout } = await cli.run(["wait", "--any", "--json", slow, quick]);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ reached: true, met: [quick] });
    await cli.run(["cancel", slow]);
  });

  it("for a batch waits for all its jobs, those that join it meanwhile too", async () => {
    const gate = join(cli.home, "gate");
    const untilOpen = `while [ ! -e ${gate} ]; do sleep 0.1; done`;
    await cli.detach(`${untilOpen}; exit 4`, ["--batch", "joined"]);
    await cli.detach("true", ["--batch", "joined"]);
    const waiting = cli.start(["batch", "wait", "joined", "--json"]);
    await cli.detach(untilOpen, ["--batch", "joined"]);
    await writeFile(gate, "");
    const { code, stdout } = await waiting.done;
    expect(code).toBe(4);
    const { reached, jobs } = JSON.parse(stdout) as AnswerOf<"job_wait">;
    expect([reached, jobs.length]).toEqual([true, 3]);
    expect((await cli.run(["wait", "--batch", "joined", "--any"])).code).toBe(4);
  });

  it("for a batch gives up when its time runs out", async () => {
    const id = await cli.detach("sleep 60", ["--batch", "slow"]);
    expect((await cli.run(["wait", "--batch", "slow", "--timeout", "200ms"])).code).toBe(124);
    expect((await cli.run(["batch", "cancel", "slow", "--reason", "enough"])).stdout).toContain(id.slice(-8));
    expect((await cli.run(["batch", "wait", "slow"])).code).toBe(143);
  });

  it("wants either ids or a batch", async () => {
    for (const words of [["wait"], ["wait", "abcd", "--batch", "b"]]) {
      expect((await cli.run(words)).stderr).toContain("either ids, such as 1a2b3c4d, or --batch NAME");
    }
  });

  it("exits with 124 when the time runs out, and the job goes on", async () => {
    const id = await cli.detach("sleep 60");
    const { code, stderr } = await cli.run(["wait", id, "--timeout", "200ms"]);
    expect(code).toBe(124);
    expect(stderr).toContain(`longhaul logs -f ${id.slice(-8)}`);
    expect(await cli.json<AnswerOf<"job_wait">>(["wait", id, "--timeout", "1ms"])).toMatchObject({
      reached: false,
      met: [],
    });
    await cli.run(["cancel", id]);
  });

  it("waits for a pattern, for output, and for readiness", async () => {
    const id = await cli.detach("sleep 0.3; echo listening; sleep 60", ["--ready", "pattern=listen"]);
    expect((await cli.run(["wait", id, "--until", "listen.*"])).code).toBe(0);
    expect((await cli.run(["wait", id, "--until", "ready"])).code).toBe(0);
    const silent = await cli.detach("while sleep 0.5; do echo now; done");
    expect((await cli.run(["wait", silent, "--until", "output"])).code).toBe(0);
    await cli.run(["cancel", id, silent]);
  });

  it("fails when the job ends without what was waited for", async () => {
    const id = await cli.detach("echo other");
    const { code, stderr } = await cli.run(["wait", id, "--until", "listening"]);
    expect(code).toBe(1);
    expect(stderr).toContain("ended before");
    expect((await cli.run(["wait", id, "--until", "other"])).code).toBe(0);
  });

  it("is left by Ctrl-C with 130, and the job goes on", async () => {
    const id = await cli.detach("sleep 60");
    const waiting = cli.start(["wait", id]);
    await until(() => isConnected(waiting.process.pid));
    waiting.process.kill("SIGINT");
    const { code, stderr } = await waiting.done;
    expect(code).toBe(130);
    expect(stderr).toContain(`longhaul cancel ${id}`);
    expect((await cli.run(["wait", id, "--timeout", "1ms"])).code).toBe(124);
    await cli.run(["cancel", id]);
  });
});

/** Its three streams are sockets, and one more is the connection to the server. */
async function isConnected(pid = 0): Promise<boolean> {
  const files = await readdir(`/proc/${pid}/fd`);
  const links = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => "")));
  return links.filter((link) => link.startsWith("socket:")).length > 3;
}
