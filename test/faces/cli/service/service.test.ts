import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { installService, removeService } from "../../../../src/faces/cli/service/install-service.ts";
import { createLaunchdManager } from "../../../../src/faces/cli/service/launchd.ts";
import type { ServiceManager } from "../../../../src/faces/cli/service/service.ts";
import { createSystemdManager } from "../../../../src/faces/cli/service/systemd.ts";
import { findProgram } from "../../../../src/text/find-program.ts";
import { present } from "../../../present.ts";
import { until } from "../../../until.ts";
import { bin, endProcess, makeCli, type Cli, type Done } from "../cli.ts";
import { makeFakeManager, type FakeManager } from "./fake-manager.ts";

const verifier = findProgram("systemd-analyze", process.env["PATH"]);
const unitFile = join(".config", "systemd", "user", "longhaul.service");

/** `longhaul service …` of a user of their own, whose PATH has the fakes first. */
function service(cli: Cli, { home, searchPath }: FakeManager, ...words: string[]): Promise<Done> {
  return cli.run(["service", ...words], { env: { HOME: home, PATH: searchPath, XDG_CONFIG_HOME: "" } });
}

describe("the service of systemd", () => {
  it("takes over from a server in the background, its commands go on, and after its removal commands start servers again", async () => {
    const cli = makeCli();
    const fake = makeFakeManager();
    const id = await cli.detach("read -r line; echo $line");
    const before = present(cli.serverPid());
    const installed = await service(cli, fake, "install");
    expect(installed).toMatchObject({ code: 0, stderr: "" });
    expect(installed.stdout).toBe(
      `The service is installed (${join(fake.home, unitFile)}) and running. It starts when you log in and ends when you log out; \`loginctl enable-linger\` makes it start with the machine and stay.\n`,
    );
    await until(() => cli.serverPid() !== undefined && cli.serverPid() !== before, { timeoutMs: 60_000 });
    await until(async () => (await cli.client.call("job_get", { id }).catch(() => undefined))?.state === "running", {
      timeoutMs: 60_000,
    });
    expect(await service(cli, fake, "status")).toMatchObject({
      code: 0,
      stdout: `The service is installed (${join(fake.home, unitFile)}) and enabled, and running.\n`,
    });

    const told = fake.calls().length;
    const again = await service(cli, fake, "install");
    expect(again.stdout).toBe("The service is installed and running already.\n");
    expect(fake.calls().slice(told).join("\n")).not.toMatch(/restart|enable|reload/);

    const own = present(cli.serverPid());
    expect((await service(cli, fake, "remove")).stdout).toMatch(/^The service is removed\. Running commands go on/);
    await until(() => cli.serverPid() !== own, { timeoutMs: 60_000 });
    expect(existsSync(join(fake.home, unitFile))).toBe(false);
    expect((await service(cli, fake, "remove")).stdout).toBe("No service is installed.\n");
    expect(await service(cli, fake, "status")).toMatchObject({ code: 3 });
    expect((await cli.run(["send", id, "still here"])).code).toBe(0);
    expect((await cli.run(["wait", id])).code).toBe(0);
    expect((await cli.run(["logs", id])).stdout).toBe("still here\n");
  });

  it("is described with full paths, the variables that are set, and an end that spares the commands", async () => {
    const fake = makeFakeManager();
    const cli = makeCli();
    const env = { HOME: fake.home, PATH: fake.searchPath, LONGHAUL_CONFIG: '/etc/my 100% "longhaul".json' };
    const { stdout } = await cli.run(["service", "install", "--print"], { env: { ...env, XDG_CONFIG_HOME: "" } });
    const lines = stdout.split("\n");
    expect(lines).toContain(`ExecStart="${process.execPath}" "${bin}" "serve" "--background" "--replace"`);
    expect(lines).toContain(`Environment="LONGHAUL_HOME=${cli.home}"`);
    expect(lines).toContain(String.raw`Environment="LONGHAUL_CONFIG=/etc/my 100%% \"longhaul\".json"`);
    expect(lines).toContain(`Environment="LONGHAUL_PORT=0"`);
    expect(lines).toContain(`Environment="PATH=${fake.searchPath}"`);
    expect(lines).toEqual(
      expect.arrayContaining(["Restart=on-failure", "KillMode=process", "WantedBy=default.target"]),
    );
    expect(existsSync(join(fake.home, unitFile))).toBe(false);
    expect(fake.calls()).toEqual([]);
  });

  it.skipIf(verifier === undefined)("is described in words that systemd understands", async () => {
    const { manager } = useSystemd();
    await installService(manager, manager.describe(program));
    const words = ["--man=no", "verify", manager.file];
    expect(execFileSync(present(verifier), words, { encoding: "utf8", stdio: "pipe" })).not.toContain("longhaul");
  });

  it("is only written where systemd does not answer, with what to run by hand", async () => {
    const fake = makeFakeManager();
    const cli = makeCli();
    fake.refuse("show");
    const { code, stdout } = await service(cli, fake, "install");
    expect(code).toBe(0);
    expect(stdout).toContain(
      "systemd does not answer here. Start it with:\n  systemctl --user daemon-reload && systemctl --user enable --now longhaul.service\n",
    );
    expect((await service(cli, fake, "status")).stdout).toContain("cannot be told");
    const wants = join(fake.home, dirname(unitFile), "default.target.wants", "longhaul.service");
    mkdirSync(dirname(wants));
    symlinkSync(join(fake.home, unitFile), wants);
    expect((await service(cli, fake, "remove")).code).toBe(0);
    expect(existsSync(join(fake.home, unitFile))).toBe(false);
    expect(lstatSync(wants, { throwIfNoEntry: false })).toBeUndefined();
  });

  it("is not left behind half made when systemd refuses it, and the one before stays", async () => {
    const { fake, manager } = useSystemd();
    fake.refuse("--user enable");
    await expect(installService(manager, manager.describe(program))).rejects.toThrow(
      "`systemctl --user enable longhaul.service` failed: it is the test's wish",
    );
    expect(existsSync(manager.file)).toBe(false);
    writeFileSync(manager.file, "# another\n");
    await expect(installService(manager, manager.describe(program))).rejects.toThrow(/failed/);
    expect(readFileSync(manager.file, "utf8")).toBe("# another\n");
  });

  it("is refused, in one sentence, for a folder that cannot be written and for paths that no file could hold", async () => {
    const cli = makeCli();
    const { searchPath } = makeFakeManager();
    const nowhere = await cli.run(["service", "install"], { env: { PATH: searchPath, XDG_CONFIG_HOME: "/proc/none" } });
    expect(nowhere.code).toBe(1);
    expect(nowhere.stderr).toMatch(
      /^error: \/proc\/none\/systemd\/user\/longhaul\.service cannot be written: [^\n]+\n$/,
    );
    const odd = await cli.run(["service", "install", "--print"], {
      env: { LONGHAUL_CONFIG: "/a\nExecStart=/bin/evil" },
    });
    expect(odd.code).toBe(2);
    expect(odd.stderr).toMatch(/^error: A service cannot be described with control characters [^\n]+\n$/);
  });

  it("needs a Longhaul that stays: one in a cache of npx is refused", async () => {
    const cli = makeCli();
    const cache = join(cli.home, "_npx", "abc", "node_modules");
    mkdirSync(cache, { recursive: true });
    symlinkSync(dirname(dirname(dirname(bin))), join(cache, "longhaul"));
    const { code, stderr } = await cli.run(["service", "install", "--print"], {
      bin: join(cache, "longhaul", "dist", "server", "main.js"),
      env: { NODE_OPTIONS: "--preserve-symlinks --preserve-symlinks-main" },
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: A service needs a Longhaul that stays, [^\n]+`npm install -g longhaul`[^\n]+\n$/);
  });
});

const program = { argv: ["/usr/bin/env", "true"], env: { LONGHAUL_HOME: "/home/ada & <co>" } };

function useSystemd(): { fake: FakeManager; manager: ServiceManager } {
  const fake = makeFakeManager();
  const places = { home: fake.home, configHome: undefined, uid: 501, userName: "ada", searchPath: fake.searchPath };
  return { fake, manager: createSystemdManager(places) };
}

describe("the agent of launchd", () => {
  function useLaunchd(): { fake: FakeManager; manager: ServiceManager } {
    const fake = makeFakeManager();
    const places = { home: fake.home, configHome: undefined, uid: 501, userName: "ada", searchPath: fake.searchPath };
    return { fake, manager: createLaunchdManager(places) };
  }

  it("is started in the user's session, started anew when it has changed, and removed without a trace", async () => {
    const { fake, manager } = useLaunchd();
    const text = manager.describe(program);
    expect(manager.file).toBe(join(fake.home, "Library", "LaunchAgents", "longhaul.server.plist"));
    expect(await installService(manager, text)).toBe("started");
    expect(readFileSync(manager.file, "utf8")).toBe(text);
    expect(fake.calls()).toContain(`launchctl bootstrap gui/501 ${manager.file}`);
    expect(await manager.state()).toEqual({ isEnabled: true, isRunning: true });
    expect(await installService(manager, text)).toBe("unchanged");
    expect(await installService(manager, manager.describe({ ...program, env: {} }))).toBe("started");
    expect(await removeService(manager)).toBe(true);
    expect(existsSync(manager.file)).toBe(false);
    expect(await manager.state()).toEqual({ isEnabled: false, isRunning: false });
    expect(await removeService(manager)).toBe(false);
  });

  it("is a property list that leaves the commands alone when the server ends", () => {
    const { manager } = useLaunchd();
    const text = manager.describe(program);
    expect(text).toContain("<string>/home/ada &amp; &lt;co&gt;</string>");
    expect(text).toMatch(/<key>AbandonProcessGroup<\/key>\s*<true\/>/);
    expect(text).toMatch(/<key>KeepAlive<\/key>\s*<dict>\s*<key>SuccessfulExit<\/key>\s*<false\/>/);
    expect(text).toMatch(/<key>RunAtLoad<\/key>\s*<true\/>/);
  });

  it("is only written where nobody has a session", async () => {
    const { fake, manager } = useLaunchd();
    fake.refuse("print gui/501");
    expect(await installService(manager, manager.describe(program))).toBe("written");
    expect(manager.startByHand).toBe(`launchctl bootstrap gui/501 ${manager.file}`);
  });
});

it("a server that is to replace another takes over its folder and its commands", async () => {
  const cli = makeCli();
  const id = await cli.detach("read -r line; echo $line");
  const before = present(cli.serverPid());
  const next = cli.start(["serve", "--replace"]);
  await until(() => next.stdout().includes("is running"), { timeoutMs: 60_000 });
  expect(cli.serverPid()).toBe(next.process.pid);
  expect(cli.serverPid()).not.toBe(before);
  expect(await cli.client.call("job_get", { id })).toMatchObject({ state: "running", attempt: 1 });
  await endProcess(present(next.process.pid));
});
