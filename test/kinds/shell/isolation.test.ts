import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Job } from "../../../src/index.ts";
import { findProgram } from "../../../src/text/find-program.ts";
import { createIsolation, type IsolationSettings } from "../../../src/kinds/shell/isolation.ts";
import type { ShellInput } from "../../../src/kinds/shell/contract.ts";
import { exited, isRunning, useShell, type ShellOptions } from "./world.ts";
import { refusal } from "../../engine/world.ts";

const world = useShell();
const ada = { owner: "ada" };
const secret = "the-token-of-this-machine";

beforeEach(() => {
  mkdirSync(world().home, { mode: 0o700 });
  writeFileSync(join(world().home, "token"), secret, { mode: 0o600 });
});

const submit = (what: string | ShellInput): Promise<Job> => world().submit(what, ada);
const run = async (what: string | ShellInput): Promise<Job> => world().end((await submit(what)).id);

/** What a confined command printed, whether or not it succeeded. */
async function printed(what: string | ShellInput): Promise<string> {
  const { id } = await run(what);
  return (await world().stdout(id)) + (await world().stderr(id));
}

const isRoot = process.getuid?.() === 0;
const hasBubblewrap = findProgram("bwrap", process.env["PATH"] ?? "") !== undefined;

/** The ways of keeping commands apart: only root can run them as somebody else. */
const ways: [string, ShellOptions][] = [
  ["in bubblewrap", {}],
  ["in bubblewrap with roots", { isolation: { roots: [tmpdir()] } }],
  ...(isRoot ? [["as another user", { isolation: { user: "nobody" } }] satisfies [string, ShellOptions]] : []),
];

describe.skipIf(!hasBubblewrap).each(ways)("a command of another owner, %s,", (_way, options) => {
  beforeEach(async () => {
    chmodSync(world().base, 0o777);
    await world().open(options);
  });

  it("cannot read the server's folder, by its name or through a link", async () => {
    symlinkSync(world().home, world().path("link"));
    expect(await world().stdoutOf(`cat ${world().home}/token`)).toBe(secret);
    for (const place of [world().home, world().path("link")]) {
      expect(await printed(`cat ${place}/token; ls -A ${place}`)).not.toContain(secret);
      expect(await printed(`ls -A ${place}; echo done`)).not.toContain("longhaul.db");
    }
  });

  it("cannot get there through the processes of the server", async () => {
    const launcher = readFileSync(`/proc/${await startedBy()}/stat`, "utf8").split(" ")[0] ?? "";
    for (const pid of [String(process.pid), launcher]) {
      const links = ["root", "cwd"].map((link) => `cat /proc/${pid}/${link}${world().home}/token`);
      const fds = `for f in /proc/${pid}/fd/*; do cat "$f/token" || timeout 1 head -c 100 "$f"; done`;
      expect(await printed(`${links.join("; ")}; ${fds}; cat /proc/${pid}/environ`)).not.toMatch(/the-token|PATH=/);
    }
  });

  it("cannot take away what hides it", async () => {
    const attacks = [
      `umount ${world().home}`,
      `umount -l ${world().home}`,
      `mount --bind / /mnt && cat /mnt${world().home}/token`,
      `unshare -Urm sh -c 'umount ${world().home}; umount -l ${world().home}; cat ${world().home}/token'`,
      `unshare -Urmpf --mount-proc sh -c 'cat ${world().home}/token'`,
      `nsenter -t 1 -m cat ${world().home}/token`,
      `nsenter -t ${process.pid} -m cat ${world().home}/token`,
      `chroot /proc/1/root cat ${world().home}/token`,
    ];
    for (const attack of attacks) expect(await printed(`${attack}; cat ${world().home}/token`)).not.toContain(secret);
  });

  it("cannot connect to a socket there", async () => {
    const path = join(world().home, "socket");
    const server = createServer((socket) => socket.end("reached"));
    await new Promise<void>((resolve) => server.listen(path, resolve));
    onTestFinished(() => void server.close());
    const connect = `perl -MIO::Socket::UNIX -e 'print IO::Socket::UNIX->new("${path}")->getline'`;
    expect(await world().stdoutOf(connect)).toBe("reached");
    expect(await printed(connect)).not.toContain("reached");
  });

  it("cannot end the server, or commands of others", async () => {
    const victim = await world().submit("sleep 600");
    const pid = await world().pid(victim.id);
    await run(`kill -9 ${pid}; kill -9 -- -${pid}; kill -9 ${await startedBy()}`);
    expect(isRunning(pid)).toBe(true);
  });

  it("has no say in how it is kept apart", async () => {
    const bin = world().path("bin");
    mkdirSync(bin);
    for (const program of ["bwrap", "setpriv", "perl"]) {
      writeFileSync(join(bin, program), `#!/bin/sh\ncat ${world().home}/token\n`, { mode: 0o755 });
    }
    const env = { PATH: `${bin}:${process.env["PATH"]}`, LD_PRELOAD: "/no/such.so", PERL5OPT: "-Mnothing" };
    const text = await printed({ command: 'echo "$LD_PRELOAD $PERL5OPT"; echo "$PATH"', env });
    expect(text).toContain(`/no/such.so -Mnothing\n${bin}`);
    expect(text).not.toContain(secret);
    // Complained of by the programs of the command, and by nobody before it.
    expect(await printed({ argv: ["/bin/echo", "x"], env: { LC_ALL: "xx_YY" } })).toBe("x\n");
  });

  it("keeps its exit code, signals, both streams, working directory and variables", async () => {
    expect((await run("exit 7")).state).toMatchObject(exited(7));
    expect((await run("kill -9 $$")).state).toMatchObject(exited(137, "SIGKILL"));
    expect((await run({ argv: ["no-such-program"] })).state).toMatchObject(exited(127));
    const job = await run({
      command: 'pwd; echo "$A $LONGHAUL_JOB_ID"; echo e >&2; echo f >>/dev/stderr; env | grep FOR_COMMAND',
      env: { A: "b\nc" },
      cwd: world().base,
    });
    expect(await world().stdout(job.id)).toBe(`${world().base}\nb\nc ${job.id}\n`);
    expect(await world().stderr(job.id)).toBe("e\nf\n");
  });

  it("takes input that is given, and input that is sent", async () => {
    expect(await printed({ command: "cat; cat /dev/stdin", stdin: "given" })).toBe("givengiven");
    const job = await submit("read a; echo got $a");
    await world().pid(job.id);
    await world().engine.send(job.id, "this\n");
    await world().end(job.id);
    expect(await world().stdout(job.id)).toBe("got this\n");
  });

  it("has a terminal if it wants one", async () => {
    expect(await printed({ command: "test -t 0 && test -t 1 && stty size", pty: true })).toContain("40 120");
  });

  it("is asked to end, may take its time, and is killed with all its children if it does not", async () => {
    const polite = await submit("trap 'echo bye; exit 3' TERM; echo ready; while :; do sleep 0.1; done");
    await world().untilOutput(polite.id, "ready");
    await world().engine.cancel(polite.id);
    await world().end(polite.id);
    expect(await world().stdout(polite.id)).toBe("ready\nbye\n");
    await world().reopen({ ...options, termGraceMs: 300 });
    const stubborn = await submit("trap '' TERM; (trap '' TERM; setsid sleep 600) & echo ready; wait");
    await world().untilOutput(stubborn.id, "ready");
    const pid = await world().pid(stubborn.id);
    const { processes } = await world().live(stubborn.id);
    expect(processes).toBeGreaterThan(1);
    await world().engine.cancel(stubborn.id);
    expect((await world().end(stubborn.id)).state.status).toBe("cancelled");
    expect(isRunning(pid)).toBe(false);
  });

  it("outlives its server, and its exit code is known to the next one", async () => {
    const job = await submit("read a; echo got $a; exit 5");
    const pid = await world().pid(job.id);
    await world().reopen();
    expect(await world().pid(job.id)).toBe(pid);
    await world().engine.send(job.id, "text\n");
    expect((await world().end(job.id)).state).toMatchObject(exited(5));
    expect(await world().stdout(job.id)).toBe("got text\n");
  });

  it("may not start in the server's folder", async () => {
    const cwd = join(world().home, "output");
    mkdirSync(cwd, { recursive: true });
    await expect(submit({ command: "true", cwd })).rejects.toMatchObject(
      refusal("not_allowed", /cwd must not be in one of the server's own folders/),
    );
  });
});

/** The process that starts the commands. */
async function startedBy(): Promise<number> {
  const job = await world().submit("sleep 600");
  const stat = readFileSync(`/proc/${await world().pid(job.id)}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

describe.skipIf(!hasBubblewrap)("with roots", () => {
  it("a command of another owner writes there and to temporary folders, and nowhere else", async () => {
    const [root, other, temporary] = ["root", "other", "temporary"].map((name) => world().path(name)) as [
      string,
      string,
      string,
    ];
    for (const folder of [root, other, temporary]) mkdirSync(folder);
    await world().open({ isolation: { roots: [root], temporary: [temporary] } });
    await run(`touch ${root}/a ${temporary}/b; touch ${other}/c; echo x >/dev/null && touch ${root}/d`);
    expect([`${root}/a`, `${temporary}/b`, `${other}/c`, `${root}/d`].map((path) => existsSync(path))).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });
});

describe("where commands cannot be kept apart", () => {
  const nowhere = (settings: Partial<IsolationSettings>): ShellOptions => ({
    isolation: { path: "/nowhere", ...settings },
  });

  it.each([
    [
      "there is no bubblewrap",
      nowhere({}),
      /runs commands only for this machine's user.* needs bubblewrap .* shell\.trust_owners/,
    ],
    ["there is no setpriv", nowhere({ user: "nobody" }), /shell\.user, which needs .* setpriv/],
    [
      "the account is not there",
      { isolation: { user: "no-such-account" } },
      /"no-such-account", which is not an account/,
    ],
    [
      "the account is the server's",
      { isolation: { user: userInfo().username } },
      /a shell\.user other than the server's own/,
    ],
  ])(
    "because %s, those of others are refused, and those of this machine's user run",
    async (_why, options, message) => {
      const engine = await world().open(options);
      await expect(submit("true")).rejects.toMatchObject(refusal("not_allowed", message));
      await expect(
        engine.submit({ kind: "shell", input: { command: "true" } }, { owner: "local" }),
      ).rejects.toMatchObject(refusal("not_allowed", message));
      expect((await world().run("true")).state.status).toBe("succeeded");
    },
  );

  it("a job that was taken before is refused when it starts", async () => {
    const engine = await world().open();
    await engine.pause("shell");
    const job = await submit("true");
    await world().reopen(nowhere({}));
    await world().engine.resume("shell");
    expect((await world().end(job.id)).state).toMatchObject({
      status: "failed",
      failure: { message: expect.stringContaining("runs commands only for this machine's user") as string },
    });
  });

  it("they run all the same if the configuration trusts all owners", async () => {
    await world().open(nowhere({ trustOwners: true }));
    expect(await printed(`cat ${world().home}/token`)).toBe(secret);
  });
});

describe.skipIf(!hasBubblewrap)("this machine's user", () => {
  it("is who is bound to no owner: a token for the owner local is somebody else", async () => {
    const engine = await world().open();
    const bound = { owner: "local", by: "ci" };
    const job = await engine.submit({ kind: "shell", input: { command: `cat ${world().home}/token` } }, bound);
    expect((await world().end(job.id)).state.status).toBe("failed");
    const free = await engine.submit({ kind: "shell", input: { command: `cat ${world().home}/token` } }, { by: "me" });
    await world().end(free.id);
    expect(await world().stdout(free.id)).toBe(secret);
  });

  it("has jobs that a token for the owner local sees and cancels, but neither sends text to nor runs again", async () => {
    const engine = await world().open();
    const bound = { owner: "local" };
    const shell = await world().submit("bash");
    await world().pid(shell.id);
    const refused = refusal("not_allowed", /was started by this machine's user/);
    await expect(engine.send(shell.id, `cat ${world().home}/token\n`, bound)).rejects.toMatchObject(refused);
    await engine.cancel(shell.id, "enough", bound);
    await world().end(shell.id);
    await expect(engine.retry(shell.id, bound)).rejects.toMatchObject(refused);
    const own = await engine.submit({ kind: "shell", input: { command: "exit 1" } }, bound);
    await world().end(own.id);
    await engine.retry(own.id, bound);
  });
});

it.skipIf(!hasBubblewrap)(
  "an account of its own is looked up with the system, and bubblewrap works for accounts other than root",
  () => {
    const settings = { hidden: [], roots: [], temporary: [], trustOwners: false };
    const isolation = createIsolation({ ...settings, user: "nobody", path: process.env["PATH"] ?? "" });
    const uid = Number(execFileSync("id", ["-u", "nobody"], { encoding: "utf8" }));
    expect(isolation.wrap("/")?.user?.uid).toBe(uid);
    const { argv = [] } =
      createIsolation({ ...settings, user: undefined, path: process.env["PATH"] ?? "" }).wrap("/") ?? {};
    const asNobody = isRoot ? ["setpriv", "--reuid", "nobody", "--clear-groups", "--"] : [];
    const [program, ...words] = [...asNobody, ...argv, "cat", "/proc/self/status"];
    expect(execFileSync(program, words, { encoding: "utf8" })).toMatch(/CapEff:\s0+\n/);
  },
);
