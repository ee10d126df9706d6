import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../../until.ts";
import { exited, isRunning, useShell } from "./world.ts";

const megabyte = 1_000_000;
const world = useShell();

/** Bytes that the job's output takes on disk. */
function diskBytes(id: string): number {
  const folder = join(world().home, "output", id);
  if (!existsSync(folder)) return 0;
  const files = readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
  return files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.blocks ?? 0) * 512, 0);
}

/** So many lines of 100 bytes, each of which begins with its own offset. */
function numberedLines(count: number): string {
  return `perl -e 'printf("%098d\\n\\n", $_ * 100) for 0 .. ${count - 1}'`;
}

async function expectLineAt(id: string, offset: number): Promise<void> {
  const { bytes, from } = await world().engine.readOutput(id, { from: offset, limit: 100 });
  expect(from).toBe(offset);
  expect(Number(Buffer.from(bytes).toString())).toBe(offset);
}

describe("output beyond its cap", () => {
  it("keeps its head and its tail at their offsets, and counts what it drops", async () => {
    const engine = await world().open({ engine: { outputCapBytes: megabyte } });
    const total = 200_000;
    const { id } = await world().run(numberedLines(total));
    const { stdout } = await engine.outputSizes(id);
    const size = total * 100;
    expect(stdout?.size).toBe(size);
    const kept = size - (stdout?.dropped ?? 0);
    expect(kept).toBeGreaterThanOrEqual(megabyte);
    expect(kept).toBeLessThanOrEqual(1.25 * megabyte);
    for (const offset of [0, 50_000, 120_000]) await expectLineAt(id, offset);
    for (const offset of [size - 800_000, size - 400_000, size - 100]) await expectLineAt(id, offset);
  });

  it("is passed over by a reader, who is told where to go on", async () => {
    const engine = await world().open({ engine: { outputCapBytes: megabyte } });
    const { id } = await world().run(numberedLines(100_000));
    const gap = await engine.readOutput(id, { from: 5 * megabyte, limit: 1_000 });
    expect(gap.from).toBeGreaterThan(5 * megabyte);
    expect(gap.next).toBe(gap.from + 1_000);
    const { stdout } = await engine.outputSizes(id);
    expect(await world().bytes(id, "stdout")).toHaveLength((stdout?.size ?? 0) - (stdout?.dropped ?? 0));
    expect((await world().bytes(id, "stdout")).includes(0)).toBe(false);
  });

  it("may be 100 MB on one line: memory stays flat, head and tail are kept, the rest is counted", async () => {
    const engine = await world().open({ engine: { outputCapBytes: megabyte } });
    const before = process.memoryUsage.rss();
    const job = await world().submit("printf first; head -c 100000000 /dev/zero | tr '\\0' x; printf last");
    let max = 0;
    const watch = setInterval(() => {
      max = Math.max(max, process.memoryUsage.rss() - before);
    }, 5);
    await world().end(job.id);
    clearInterval(watch);
    const { stdout } = await engine.outputSizes(job.id);
    expect(stdout?.size).toBe(100_000_009);
    expect(stdout?.dropped).toBeGreaterThan(98 * megabyte);
    const text = await world().stdout(job.id);
    expect(text.startsWith("firstxxx")).toBe(true);
    expect(text.endsWith("xxxlast")).toBe(true);
    expect(max).toBeLessThan(50 * megabyte);
  });

  it("does not fill the disk, however fast it comes", async () => {
    await world().open({ engine: { outputCapBytes: 10 * megabyte } });
    const job = await world().submit("head -c 2000000000 /dev/zero");
    let max = 0;
    await until(
      async () => {
        max = Math.max(max, diskBytes(job.id));
        return (await world().engine.get(job.id)).state.status === "succeeded";
      },
      { timeoutMs: 40_000 },
    );
    // How much is written between two looks depends on the machine; it is far from all of it.
    expect(max).toBeLessThan(700 * megabyte);
    expect(diskBytes(job.id)).toBeLessThan(14 * megabyte);
    expect((await world().engine.outputSizes(job.id))["stdout"]?.size).toBe(2_000_000_000);
  });

  it("is cut on each stream by itself", async () => {
    const engine = await world().open({ engine: { outputCapBytes: megabyte } });
    const { id } = await world().run("echo quiet; head -c 5000000 /dev/zero | tr '\\0' x >&2");
    expect(await world().stdout(id)).toBe("quiet\n");
    expect(await engine.outputSizes(id)).toMatchObject({
      stdout: { size: 6, dropped: 0 },
      stderr: { size: 5_000_000, dropped: expect.any(Number) as number },
    });
  });

  it("is never read as zeros by a reader who follows it closely", async () => {
    const engine = await world().open({ engine: { outputCapBytes: megabyte } });
    const job = await world().submit("yes | head -c 300000000");
    let from = 0;
    let zeros = 0;
    for (let isOver = false; !isOver;) {
      isOver = (await engine.get(job.id)).state.status !== "running" && from > 0;
      const slice = await engine.readOutput(job.id, { from, limit: 1_000_000 });
      if (Buffer.from(slice.bytes).includes(0)) zeros += 1;
      from = slice.next;
    }
    expect(zeros).toBe(0);
  });

  it("keeps head and tail also where the file system cannot punch holes", async (context) => {
    world().mountHome(context, "ramfs", "mode=700");
    const engine = await world().open({ engine: { outputCapBytes: megabyte } });
    const job = await world().submit(`${numberedLines(50_000)}; read -r go; ${numberedLines(50_000)}`);
    await until(async () => (await world().live(job.id)).reads_input);
    await until(async () => ((await engine.outputSizes(job.id))["stdout"]?.dropped ?? 0) > 3 * megabyte);
    await engine.send(job.id, "\n");
    await world().end(job.id);
    const { size = 0, dropped = 0 } = (await engine.outputSizes(job.id))["stdout"] ?? {};
    // Without holes a few bytes may slip through uncounted, between the copying and the emptying of the file.
    expect(Math.round(size / megabyte)).toBe(10);
    expect(size - dropped).toBeLessThanOrEqual(1.25 * megabyte);
    for (const offset of [0, 50_000, 124_900]) await expectLineAt(job.id, offset);
    const lines = (await world().stdout(job.id)).trim().split(/\n+/);
    expect(lines.slice(-2_000).map(Number)).toEqual(Array.from({ length: 2_000 }, (_, n) => (n + 48_000) * 100));
  });
});

describe("a full disk", () => {
  it("ends no command and loses no exit code; what does not fit is the command's own to notice", async (context) => {
    world().mountHome(context, "tmpfs", "size=3m,mode=700");
    await world().open({ engine: { outputCapBytes: 100 * megabyte } });
    const job = await world().submit("read -r go; head -c 1000000 /dev/zero; echo wrote: $? >&2; exit 7");
    const pid = await world().pid(job.id);
    const freeDisk = world().fillHome();
    await world().engine.send(job.id, "\n");
    await until(() => !isRunning(pid));
    freeDisk();
    expect((await world().end(job.id)).state).toMatchObject(exited(7));
    expect((await world().engine.outputSizes(job.id))["stdout"]?.size).toBeLessThan(megabyte);
  });

  it("frees what is beyond the cap, and the command goes on", async (context) => {
    world().mountHome(context, "tmpfs", "size=6m,mode=700");
    const engine = await world().open({ engine: { outputCapBytes: megabyte } });
    // Writes until it is full, again and again: each time the middle is freed there is room for more.
    const job = await world().submit(
      "for i in $(seq 30); do head -c 1000000 /dev/zero 2>/dev/null || true; sleep 0.05; done; echo the end",
    );
    expect((await world().end(job.id)).state.status).toBe("succeeded");
    const { stdout } = await engine.outputSizes(job.id);
    expect(stdout?.size).toBeGreaterThan(6 * megabyte);
    expect((await world().stdout(job.id)).endsWith("the end\n")).toBe(true);
  });
});
