import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { until } from "../../until.ts";
import { useShell } from "./world.ts";

const world = useShell();

describe("the status of a running command", () => {
  it("names its process, counts those of its tree, and sums up their processor time and memory", async () => {
    await world().open();
    const job = await world().submit("sleep 100 & (sleep 100; true) & timeout 30 sh -c 'while :; do :; done'");
    // bash, two sleeps, the subshell of one, timeout (in a group of its own) and sh
    await until(async () => (await world().live(job.id)).processes === 6);
    await until(async () => (await world().live(job.id)).cpu_ms > 100);
    const live = await world().live(job.id);
    process.kill(live.pid, 0);
    expect(live.memory_bytes).toBeGreaterThan(3_000_000);
  });

  it("counts the processor time of children that have ended", async () => {
    await world().open();
    const job = await world().submit("sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'; read -r go");
    await until(async () => (await world().live(job.id)).reads_input);
    const live = await world().live(job.id);
    expect(live.processes).toBe(1);
    expect(live.cpu_ms).toBeGreaterThan(100);
  });

  it("shows its last line and when that came", async () => {
    const engine = await world().open();
    const job = await world().submit(
      "echo one; read -r go; printf '\\e[31mtwo\\e[0m\\n\\n' >&2; read -r go; printf three",
    );
    await world().untilOutput(job.id, "one");
    await until(async () => (await world().live(job.id)).last_line === "one");
    const first = (await world().live(job.id)).last_output_at;
    await engine.send(job.id, "\n");
    await until(async () => (await world().live(job.id)).last_line === "two");
    expect((await world().live(job.id)).last_output_at).toBeGreaterThanOrEqual(first ?? Infinity);
    const before = Date.now();
    expect(first).toBeLessThanOrEqual(before);
  });

  it("has no last line and no time before there is output", async () => {
    await world().open();
    const job = await world().submit({ argv: ["sleep", "100"] });
    await world().pid(job.id);
    expect(await world().live(job.id)).toMatchObject({ last_line: "", last_output_at: null, processes: 1, ports: [] });
  });

  it("tells that it waits for input, also on a terminal, and that it does not", async () => {
    const engine = await world().open();
    const job = await world().submit(
      "until [ -e go ]; do sleep 0.02; done; printf 'Continue? '; read -r answer; sleep 100",
    );
    await world().pid(job.id);
    expect((await world().live(job.id)).reads_input).toBe(false);
    writeFileSync(world().path("go"), "");
    await until(async () => (await world().live(job.id)).reads_input);
    await engine.send(job.id, "yes\n");
    await until(async () => !(await world().live(job.id)).reads_input);
    const onTerminal = await world().submit({ command: "read -r answer", pty: true });
    await until(async () => (await world().live(onTerminal.id)).reads_input);
  });

  it("does not take a process that waits for another one of its pipeline for one that waits for input", async () => {
    await world().open();
    const job = await world().submit("sleep 100 | cat");
    await until(async () => (await world().live(job.id)).processes === 3);
    expect((await world().live(job.id)).reads_input).toBe(false);
  });

  it("tells that it waits for input with a time limit", async () => {
    await world().open();
    const job = await world().submit("read -r -t 100 answer");
    await until(async () => (await world().live(job.id)).reads_input);
    expect((await world().engine.get(job.id)).state.status).toBe("running");
  });

  it("tells whether a service is ready, if there is a way to tell", async () => {
    await world().open();
    const plain = await world().submit("sleep 100");
    await world().pid(plain.id);
    expect(await world().live(plain.id)).not.toHaveProperty("is_ready");
    const service = await world().submit({ command: "read -r go; echo up; sleep 100", ready: { pattern: "up" } });
    await until(async () => (await world().live(service.id)).reads_input);
    expect(await world().live(service.id)).toHaveProperty("is_ready", false);
    await world().engine.send(service.id, "go\n");
    await world().engine.wait(service.id, { until: { phase: "ready" } });
    expect(await world().live(service.id)).toHaveProperty("is_ready", true);
  });

  it("lists the ports that its processes listen on", async () => {
    await world().open();
    const serve = (port: number): string =>
      `require("net").createServer().listen(${port}, "127.0.0.1", function () { console.log(this.address().port) })`;
    const job = await world().submit(`node -e '${serve(0)}' & node -e '${serve(0)}'`);
    await until(async () => (await world().stdout(job.id)).split("\n").length === 3, { timeoutMs: 20_000 });
    const ports = (await world().stdout(job.id)).trim().split("\n").map(Number);
    expect((await world().live(job.id)).ports).toEqual(ports.toSorted((a, b) => a - b));
  });

  it("can be asked for by many at once, from the first moment on", async () => {
    await world().open({ engine: { outputCapBytes: 100_000 } });
    const jobs = await Promise.all(
      Array.from({ length: 8 }, () => world().submit("yes | head -c 20000000; read -r go")),
    );
    await until(async () => {
      const asked = jobs.flatMap(({ id }) => [world().engine.inspect(id), world().engine.inspect(id)]);
      await Promise.all(asked);
      const sizes = await Promise.all(jobs.map(({ id }) => world().engine.outputSizes(id)));
      return sizes.every(({ stdout }) => stdout?.size === 20_000_000 && stdout.dropped > 19_000_000);
    });
    for (const { id } of jobs) {
      const text = await world().stdout(id);
      expect(new Set(text.split("\n"))).toEqual(new Set(["y", ""]));
    }
  });

  it("is empty once it has ended", async () => {
    const engine = await world().open();
    const { id } = await world().run("true");
    expect(await engine.inspect(id)).toEqual({});
  });
});
