import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../until.ts";
import { isAlive } from "../../../src/faces/cli/server/process-life.ts";
import { bin, endProcess, makeCli, type Done } from "./cli.ts";

describe("a command that needs a server", () => {
  it("starts one in the background, which stays", async () => {
    const cli = makeCli();
    expect((await cli.run(["ps"])).code).toBe(0);
    const pid = cli.serverPid() ?? 0;
    expect((await cli.run(["ps"])).code).toBe(0);
    expect([cli.serverPid(), isAlive(pid)]).toEqual([pid, true]);
  });

  it("does not hand its own job's mark to the server", async () => {
    const cli = makeCli();
    await cli.run(["ps"], { env: { LONGHAUL_JOB_ID: "some-job" } });
    expect(readFileSync(`/proc/${cli.serverPid() ?? 0}/environ`, "utf8")).not.toContain("LONGHAUL_JOB_ID");
  });

  it("replaces a socket and an owner file that a dead server left", async () => {
    const cli = makeCli();
    await cli.run(["ps"]);
    const before = cli.serverPid() ?? 0;
    await endProcess(before, "SIGKILL");
    expect(existsSync(join(cli.home, "longhaul.sock")) && existsSync(join(cli.home, "longhaul.db.owner"))).toBe(true);
    expect((await cli.run(["ps"])).code).toBe(0);
    expect(cli.serverPid()).not.toBe(before);
  });

  it("is not held up by an owner file that names somebody else", async () => {
    const cli = makeCli();
    writeFileSync(join(cli.home, "longhaul.db.owner"), String(process.pid));
    expect((await cli.run(["ps"])).code).toBe(0);
  });

  it("exits with 3 and the reason when the folder cannot be used", async () => {
    const cli = makeCli();
    for (const home of [join(cli.home, "file", "below"), "/proc/longhaul"]) {
      writeFileSync(join(cli.home, "file"), "");
      const { code, stderr } = await cli.run(["ps"], { env: { LONGHAUL_HOME: home } });
      expect(code).toBe(3);
      expect(stderr).toMatch(/cannot be used.*Set LONGHAUL_HOME/);
    }
  });

  it("exits with 3 and the server's own words when it does not start", async () => {
    const cli = makeCli();
    writeFileSync(join(cli.home, "config.json"), '{ "shell": { "concurrency": "lots" } }');
    const { code, stderr } = await cli.run(["ps"]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/could not be started: .*shell\.concurrency.*"lots"/);
  });

  it("goes on with a new server when the old one is killed in the middle", async () => {
    const cli = makeCli();
    const running = cli.start(["run", "--", "for i in 1 2 3 4 5 6; do echo $i; sleep 0.3; done; exit 5"]);
    await until(() => running.stdout().includes("2"));
    await endProcess(cli.serverPid() ?? 0, "SIGKILL");
    expect(await running.done).toEqual({ code: 5, stdout: "1\n2\n3\n4\n5\n6\n", stderr: "" });
  });
});

describe("serve", () => {
  it("says where it is, and stops at a signal while its jobs go on", async () => {
    const cli = makeCli();
    const serving = cli.start(["serve"]);
    await until(() => serving.stdout().includes("longhaul run"));
    expect(serving.stdout()).toContain(join(cli.home, "longhaul.sock"));
    for (const place of ["/v1", "/mcp", "/docs"]) {
      expect(serving.stdout()).toMatch(new RegExp(`http://127\\.0\\.0\\.1:\\d+${place}\n`));
    }
    expect(serving.stdout()).toContain("longhaul add claude-code");
    const id = await cli.detach("sleep 0.7; exit 8");
    serving.process.kill("SIGINT");
    expect(await serving.done).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("running commands go on") as string,
    });
    expect((await cli.run(["wait", id])).code).toBe(8);
  });

  it("refuses a folder that has a server, and says which", async () => {
    const cli = makeCli();
    await cli.run(["ps"]);
    const { code, stderr } = await cli.run(["serve"]);
    expect(code).toBe(1);
    expect(stderr).toContain(`process ${cli.serverPid() ?? 0}`);
  });

  it("refuses a port that is taken", async () => {
    const cli = makeCli();
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await until(() => other.listening);
    const port = (other.address() as { port: number }).port;
    const { code, stderr } = await cli.run(["serve", "--port", String(port)]);
    expect(code).toBe(2);
    expect(stderr).toContain(`Port ${port}`);
  });
});

describe("server", () => {
  it("status says that none runs, and starts none", async () => {
    const cli = makeCli();
    expect(await cli.run(["server", "status"])).toMatchObject({
      code: 3,
      stdout: expect.stringContaining("No server") as string,
    });
    expect(JSON.parse((await cli.run(["server", "status", "--json"])).stdout)).toEqual({
      running: false,
      home: cli.home,
    });
    expect(cli.serverPid()).toBeUndefined();
  });

  it("restart and stop leave running commands alone", async () => {
    const cli = makeCli();
    const id = await cli.detach("sleep 2; exit 8");
    const before = cli.serverPid() ?? 0;
    expect((await cli.run(["server", "restart"])).stdout).toContain("The server is running");
    expect([isAlive(before), cli.serverPid() === before]).toEqual([false, false]);
    expect((await cli.run(["server", "stop"])).stdout).toContain("Stopped the server");
    expect(JSON.parse((await cli.run(["server", "stop", "--json"])).stdout)).toEqual({ stopped: false });
    expect((await cli.run(["wait", id])).code).toBe(8);
  });
});

describe("a server of another version", () => {
  it("that is older is replaced with one line about it, and its jobs go on", async () => {
    const cli = makeCli();
    const old = copyProgram("0.0.1");
    const { stdout } = await cli.run(["run", "-d", "--", "sleep 1.5; exit 4"], { bin: old });
    const before = cli.serverPid() ?? 0;
    const { code, stderr } = await cli.run(["ps"]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^The running server is version 0\.0\.1, older than this command .*restarting it.*\n$/);
    expect(isAlive(before)).toBe(false);
    expect(await cli.run(["wait", stdout.trim()])).toMatchObject({ code: 4, stderr: "" });
  });

  it("that is newer is left alone: nothing is done, with one sentence and exit code 2", async () => {
    const cli = makeCli();
    await cli.run(["ps"], { bin: copyProgram("99.0.0") });
    const pid = cli.serverPid();
    const done = await cli.run(["run", "-d", "--", "true"]);
    expect(done).toMatchObject({ code: 2, stdout: "" });
    expect(done.stderr).toMatch(/^error: The running server is version 99\.0\.0, newer than this command .*\n$/);
    expect([cli.serverPid(), (await cli.client.call("job_list", {})).jobs]).toEqual([pid, []]);
  });

  it("is recognised by its answer when its file does not tell", async () => {
    const cli = makeCli();
    await cli.run(["ps"], { bin: copyProgram("99.0.0") });
    const pid = cli.serverPid() ?? 0;
    rmSync(join(cli.home, "server.json"));
    const done: Done = await cli.run(["ps"]);
    await endProcess(pid);
    expect(done.code).toBe(2);
  });
});

/** The built program under another version. */
function copyProgram(version: string): string {
  const folder = mkdtempSync(join(tmpdir(), "longhaul-version-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "dist"));
  cpSync(resolve(bin, "../.."), join(folder, "dist"), { recursive: true });
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", version }));
  return join(folder, "dist/server/main.js");
}
