import { chmodSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Finding } from "../../../src/faces/cli/doctor/finding.ts";
import { endProcess, makeCli, type Cli } from "./cli.ts";

async function examine(
  cli: Cli,
  env: Record<string, string> = {},
): Promise<{ code: number | null; find: (name: string) => Finding | undefined }> {
  const { code, stdout } = await cli.run(["doctor", "--json"], { env });
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Finding[] };
  expect(ok).toBe(code === 0);
  return { code, find: (name) => checks.find((finding) => finding.name === name) };
}

describe("doctor", () => {
  it("finds nothing wrong with a folder that is not used yet, and leaves it so", async () => {
    const cli = makeCli();
    const home = join(cli.home, "later");
    const { code, find } = await examine(cli, { LONGHAUL_HOME: home });
    expect([code, find("folder")?.status, find("server")?.status]).toEqual([0, "note", "note"]);
    expect(existsSync(home)).toBe(false);
  });

  it("finds a running server well", async () => {
    const cli = makeCli();
    await cli.run(["ps"]);
    const { code, stdout } = await cli.run(["doctor"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/✓ server .*\n[^]*✓ http .*\n[^]*All is well/);
  });

  it("tells what a dead server left, and changes nothing", async () => {
    const cli = makeCli();
    await cli.run(["ps"]);
    await endProcess(cli.serverPid() ?? 0, "SIGKILL");
    const before = readdirSync(cli.home);
    const { code, find } = await examine(cli);
    expect(find("socket")?.message).toContain("left by a server that died");
    expect(find("owner")?.message).toContain("died");
    expect([code, readdirSync(cli.home)]).toEqual([0, before]);
  });

  it("finds what is wrong, says what to do and exits with 1", async () => {
    const cli = makeCli();
    writeFileSync(join(cli.home, "longhaul.db"), "this is no database");
    writeFileSync(join(cli.home, "config.json"), '{ "shel": {} }');
    writeFileSync(join(cli.home, "token"), "secret");
    chmodSync(join(cli.home, "token"), 0o644);
    const { code, find } = await examine(cli, { PATH: "/nowhere" });
    expect(code).toBe(1);
    for (const name of ["database", "settings", "token", "bash", "mkfifo"]) {
      expect(find(name)).toMatchObject({ status: "bad", advice: expect.any(String) as string });
    }
    expect((await cli.run(["doctor"])).stdout).toMatch(/✗ database .*\n +→ Restore/);
  });

  it("finds a folder that cannot be made", async () => {
    const cli = makeCli();
    writeFileSync(join(cli.home, "file"), "");
    const { code, find } = await examine(cli, { LONGHAUL_HOME: join(cli.home, "file", "below") });
    expect([code, find("folder")?.status]).toEqual([1, "bad"]);
  });

  it("finds a server that does not answer though its process lives", async () => {
    const cli = makeCli();
    writeFileSync(join(cli.home, "longhaul.db.owner"), String(process.pid));
    expect((await examine(cli)).find("owner")).toMatchObject({ status: "bad" });
  });
});
