import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ChunkLog } from "../../../src/kinds/endpoint/chunk-log.ts";
import type { Chunks } from "../../../src/kinds/endpoint/remote-endpoint.ts";

describe("the log of a stream", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "longhaul-chunks-"));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const open = (hide = (text: string): string => text): ChunkLog =>
    new ChunkLog({ path: join(folder, "log"), grown: async () => ({ size: 0, dropped: 0 }) }, hide);
  const lines = (): string[] => readFileSync(join(folder, "log"), "utf8").split("\n").slice(0, -1);
  const told = (chunks: string[], isSequel = false): Chunks => ({ chunks, isSequel });
  const never = (): never => {
    throw new Error("nothing is in doubt");
  };

  it("keeps equal chunks of a platform that gives each once", async () => {
    const log = open();
    await log.keep(told(["."]), never);
    // The same as all before: asked again, the platform has nothing more.
    await log.keep(told(["."]), async () => told([]));
    await log.keep(told([".", "."]), never);
    expect(lines()).toEqual(['"."', '"."', '"."', '"."']);
  });

  it("keeps once what a platform tells again and again, also after a restart", async () => {
    const first = open();
    await first.keep(told(["a", "b"]), never);
    await first.keep(told(["a", "b"]), async () => told(["a", "b", "c"]));
    await first.keep(told(["a", "b", "c"]), never);
    const second = open();
    expect(second.count).toBe(3);
    await second.keep(told(["a", "b", "c", "d"]), async () => told(["a", "b", "c", "d", "e"]));
    expect(lines()).toEqual(['"a"', '"b"', '"c"', '"d"', '"e"']);
  });

  it("believes a platform that gives what follows", async () => {
    const log = open();
    await log.keep(told(["a"], true), never);
    expect(log.count).toBe(1);
    await log.keep(told(["a"], true), never);
    expect(lines()).toEqual(['"a"', '"a"']);
  });

  it("goes on behind a line that was not finished, and hides what is to be hidden", async () => {
    writeFileSync(join(folder, "log"), '"whole"\n"hal');
    await open((text) => text.replaceAll("secret", "…")).keep(told(["a secret"]), never);
    expect(lines()).toEqual(['"whole"', '"hal', '"a …"']);
  });
});
