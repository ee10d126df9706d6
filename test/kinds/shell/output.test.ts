import { randomBytes } from "node:crypto";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openOutput } from "../../../src/operations/merged-output.ts";
import { until } from "../../until.ts";
import { useShell } from "./world.ts";

const world = useShell();

async function merged(id: string): Promise<string> {
  const { state, id: jobId } = await world().engine.get(id);
  const source = await openOutput(
    world().engine,
    { id: jobId, attempt: state.attempt, stream: "merged", isOver: true },
    {},
  );
  const chunks: Uint8Array[] = [];
  for (let from = 0; ;) {
    const chunk = await source.read(from, 1_000_000);
    if (chunk.bytes.length === 0) return Buffer.concat(chunks).toString();
    chunks.push(chunk.bytes);
    from = chunk.next;
  }
}

describe("output", () => {
  it("keeps stdout and stderr apart", async () => {
    const engine = await world().open();
    const { id } = await world().run("echo out; echo err >&2; echo more out");
    expect(await world().stdout(id)).toBe("out\nmore out\n");
    expect(await world().stderr(id)).toBe("err\n");
    expect(await engine.outputSizes(id)).toMatchObject({
      stdout: { size: 13, dropped: 0 },
      stderr: { size: 4, dropped: 0 },
    });
  });

  it("is also read in the order in which the streams grew", async () => {
    await world().open();
    // Each line waits for the one before to be seen, so that there is an order to be known.
    const job = await world().submit(
      "echo 1 out; read -r go; echo 2 err >&2; read -r go; echo 3 out; read -r go; echo 4 err >&2",
    );
    for (const [text, stream] of [
      ["1 out", "stdout"],
      ["2 err", "stderr"],
      ["3 out", "stdout"],
    ] as const) {
      await world().untilOutput(job.id, text, stream);
      await until(async () => (await world().live(job.id)).last_line === text);
      await world().engine.send(job.id, "\n");
    }
    await world().end(job.id);
    expect(await merged(job.id)).toBe("1 out\n2 err\n3 out\n4 err\n");
  });

  it("of streams that grew together is complete in the merged order too", async () => {
    await world().open();
    const { id } = await world().run("for i in $(seq 500); do echo out $i; echo err $i >&2; done");
    const lines = (await merged(id)).trim().split("\n");
    expect(lines).toHaveLength(1_000);
    for (const stream of ["out", "err"]) {
      const own = lines.filter((line) => line.startsWith(stream));
      expect(own).toEqual(Array.from({ length: 500 }, (_, index) => `${stream} ${index + 1}`));
    }
  });

  it("that ends without a line end is never lost", async () => {
    await world().open();
    for (let round = 0; round < 20; round++) {
      const { id } = await world().run(`printf 'last word ${round}'; printf 'last sigh ${round}' >&2; exit 1`);
      expect(await world().stdout(id)).toBe(`last word ${round}`);
      expect(await world().stderr(id)).toBe(`last sigh ${round}`);
    }
  });

  it("that a killed command wrote is kept", async () => {
    await world().open();
    const { id } = await world().run("printf 'so far'; kill -KILL $$");
    expect(await world().stdout(id)).toBe("so far");
  });

  it("may be any bytes", async () => {
    await world().open();
    const bytes = randomBytes(300_000);
    writeFileSync(world().path("bytes"), bytes);
    const { id } = await world().run("cat bytes; cat bytes >&2");
    expect((await world().bytes(id, "stdout")).equals(bytes)).toBe(true);
    expect((await world().bytes(id, "stderr")).equals(bytes)).toBe(true);
  });

  it("can be read and waited for while the command runs", async () => {
    const engine = await world().open();
    const job = await world().submit("echo first; read -r line; echo got $line");
    await world().untilOutput(job.id, "first\n");
    const waiting = engine.wait(job.id, { until: "output", timeoutMs: 10_000 });
    await engine.send(job.id, "it\n");
    expect(await waiting).toMatchObject({ isReached: true });
    await world().end(job.id);
    expect(await world().stdout(job.id)).toBe("first\ngot it\n");
  });

  it("is kept in files that only their owner can read", async () => {
    await world().open();
    const { id } = await world().run("umask 0; touch theirs; echo secret");
    const folder = join(world().home, "output");
    const files = readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
    const open = [folder, ...files].filter((path) => (statSync(path).mode & 0o077) !== 0);
    expect(files.some((path) => path.includes(id) && path.endsWith("stdout.0"))).toBe(true);
    expect(open).toEqual([]);
    // What the command itself makes follows its own mask.
    expect(statSync(world().path("theirs")).mode & 0o777).toBe(0o666);
  });
});
