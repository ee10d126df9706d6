import type { AnswerOf, InputOf, OperationName } from "../../../src/operations/registry.ts";
import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, onTestFailed, onTestFinished } from "vitest";
import { BrokenCallError, createClient, NotRunningError } from "../../../src/faces/door/local-client.ts";
import type { JobView } from "../../../src/operations/job-view.ts";
import { seededRandom } from "../../seeded-random.ts";
import { until } from "../../until.ts";
import { exited, isRunning, processesOf, useShell } from "./world.ts";

const world = useShell();
const serverFile = fileURLToPath(new URL("../../../.build/test/fixtures/shell-server.js", import.meta.url));
const seed = Number(process.env["LONGHAUL_CRASH_SEED"] ?? Date.now() % 1_000_000);

let server: Server | undefined;

afterEach(async () => {
  await server?.kill();
  server = undefined;
});

/** A server in a process of its own. */
class Server {
  readonly #process: ChildProcess;
  readonly #closed: Promise<string>;
  #said = "";
  #complaints = "";

  constructor() {
    this.#process = spawn(process.execPath, [serverFile, world().home], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#process.stdout?.on("data", (text: Buffer) => (this.#said += text.toString()));
    this.#process.stderr?.on("data", (text: Buffer) => (this.#complaints += text.toString()));
    this.#closed = new Promise((resolve) => {
      this.#process.once("exit", (code, signal) => resolve(signal ?? String(code)));
    });
  }

  async untilReady(): Promise<void> {
    const { pid = 0 } = this.#process;
    await until(() => this.#said.includes("ready") || !isRunning(pid), { timeoutMs: 20_000 });
    expect(`${this.#said}${this.#complaints}`).toContain("ready");
  }

  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#closed;
  }

  /** The exit code. */
  async stop(): Promise<string> {
    this.#process.kill("SIGTERM");
    return this.#closed;
  }

  call<Name extends OperationName>(operation: Name, input: InputOf<Name>): Promise<AnswerOf<Name>> {
    return createClient(join(world().home, `${this.#process.pid}.sock`)).call(operation, input);
  }
}

async function startServer(): Promise<Server> {
  server = new Server();
  await server.untilReady();
  return server;
}

async function restart(): Promise<Server> {
  await server?.kill();
  return startServer();
}

/** Starts a command, and waits until it has said that it is up. */
async function startUp(input: object): Promise<JobView> {
  const job = await (server as Server).call("run_command", input);
  const [one] = await waitFor([job.id], { pattern: "up" });
  return one as JobView;
}

async function waitFor(ids: string[], more: object = {}): Promise<JobView[]> {
  const request = { ids, timeout_ms: 55_000, ...more };
  const answer = await (server as Server).call("job_wait", request);
  expect(answer.reached).toBe(true);
  return answer.jobs;
}

async function end(id: string): Promise<JobView> {
  const [job] = await waitFor([id]);
  return job as JobView;
}

async function stdout(id: string): Promise<string> {
  const call = { id, stream: "stdout", limit: 1_000_000 };
  return (await (server as Server).call("job_output", call)).text;
}

async function send(id: string, text: string): Promise<void> {
  await (server as Server).call("job_send", { id, text });
}

/** A file that the job's attempt keeps on disk. */
function fileOf(id: string, name: string): string {
  const folder = join(world().home, "output", id);
  const paths = readdirSync(folder, { recursive: true }).map(String);
  return join(folder, paths.find((path) => basename(path) === name) ?? `no ${name}`);
}

function pidOf(job: JobView): number {
  const pid = job.live?.["pid"];
  if (typeof pid !== "number") throw new Error(`expected a running job with a pid, got ${JSON.stringify(job)}`);
  return pid;
}

describe("a command whose server was killed", () => {
  it("goes on as the same attempt of the same job: all of its output, and its true exit code", async () => {
    await startServer();
    const job = await startUp({ command: "for i in $(seq 40); do echo up $i; sleep 0.02; done; echo err >&2; exit 5" });
    await restart();
    expect(await end(job.id)).toMatchObject({
      state: "failed",
      attempt: 1,
      exit_code: 5,
      error: { code: "exit_code" },
    });
    expect(await stdout(job.id)).toBe(Array.from({ length: 40 }, (_, index) => `up ${index + 1}\n`).join(""));
    const { events } = await (server as Server).call("job_events", { id: job.id });
    expect(events.map(({ type }) => type)).toEqual([
      "job-submitted",
      "attempt-started",
      "attempt-adopted",
      "job-finished",
    ]);
  });

  it("is the same process, shows what it does, and takes what is sent", async () => {
    await startServer();
    const job = await startUp({ command: "echo up; read -r line; echo got $line; read -r line; echo got $line" });
    const pid = pidOf(job);
    await restart();
    await send(job.id, "first");
    await until(async () => (await stdout(job.id)).includes("got first"));
    const view = await (server as Server).call("job_get", { id: job.id });
    expect(view).toMatchObject({ state: "running", live: { pid, last_line: "got first", reads_input: true } });
    await restart();
    await send(job.id, "second");
    expect(await end(job.id)).toMatchObject({ state: "succeeded", exit_code: 0 });
    expect(await stdout(job.id)).toBe("up\ngot first\ngot second\n");
  });

  it("keeps its terminal", async () => {
    await startServer();
    const job = await startUp({ command: "echo up; exec python3 -q", pty: true });
    await until(async () => (await stdout(job.id)).includes(">>> "));
    await restart();
    await send(job.id, "6 * 7");
    await until(async () => (await stdout(job.id)).includes("42"));
    await (server as Server).call("job_resize", { id: job.id, columns: 66, rows: 11 });
    await send(job.id, "import os; os.get_terminal_size()");
    await until(async () => (await stdout(job.id)).includes("columns=66, lines=11"));
    await send(job.id, "exit(3)");
    expect(await end(job.id)).toMatchObject({ state: "failed", exit_code: 3 });
  });

  it("may end while no server runs: its exit code or signal is known all the same", async () => {
    await startServer();
    const commands = ["exit 0", "exit 42", "kill -KILL $$", "printf 'no line end'; exit 1"];
    const jobs: JobView[] = [];
    for (const command of commands) jobs.push(await startUp({ command: `echo up; read -r go; ${command}` }));
    const pids = jobs.map(pidOf);
    await (server as Server).kill();
    for (const { id } of jobs) writeFileSync(fileOf(id, "stdin"), "\n", { flag: "r+" });
    await until(() => pids.every((pid) => !isRunning(pid)));
    await restart();
    const ends = [];
    for (const { id } of jobs) ends.push(await end(id));
    expect(ends.map((job) => job.exit_code)).toEqual([0, 42, 137, 1]);
    expect(await stdout(jobs[3]?.id ?? "")).toBe("up\nno line end");
  });

  it("is still under its time limit", async () => {
    await startServer();
    const job = await startUp({ command: "echo up; sleep 1000", timeout_ms: 1_500 });
    const pid = pidOf(job);
    await restart();
    expect(await end(job.id)).toMatchObject({ state: "timed_out", error: { code: "run_limit" } });
    expect(isRunning(pid)).toBe(false);
  });

  it("is still kept within its cap", async () => {
    await startServer();
    const job = await startUp({ command: "echo up; read -r go; head -c 50000000 /dev/zero; read -r go" });
    await restart();
    await send(job.id, "go");
    const sizes = async (): Promise<{ size: number; dropped: number }> =>
      (server as Server).call("job_output", { id: job.id, stream: "stdout", limit: 1 });
    await until(async () => {
      const { size, dropped } = await sizes();
      return size === 50_000_003 && dropped > 40_000_000;
    });
    await restart();
    expect((await sizes()).dropped).toBeGreaterThan(40_000_000);
    expect((await stdout(job.id)).startsWith("up\n")).toBe(true);
  });

  it("is ended by a cancel, with the children that it has left behind", async () => {
    await startServer();
    const job = await startUp({ command: "setsid sleep 1000 & sleep 1001 & echo up; sleep 1002" });
    const pids = processesOf(job.id);
    expect(pids.length).toBeGreaterThanOrEqual(3);
    await restart();
    await (server as Server).call("job_cancel", { ids: [job.id] });
    expect(await end(job.id)).toMatchObject({ state: "cancelled" });
    expect(pids.filter(isRunning)).toEqual([]);
  });

  it("that was being cancelled when its server was killed is ended by the next one", async () => {
    await startServer();
    const job = await startUp({ command: "trap '' TERM; echo up; while :; do sleep 0.05; done" });
    await (server as Server).call("job_cancel", { ids: [job.id] });
    await restart();
    expect(await end(job.id)).toMatchObject({ state: "cancelled" });
    expect(processesOf(job.id)).toEqual([]);
  });

  it("may have left its work to children: the job still ends with them", async () => {
    await startServer();
    const job = await startUp({ command: "(read -r go; echo child done) <&0 & echo up; exit 4" });
    const message = async (): Promise<string | undefined> =>
      (await (server as Server).call("job_get", { id: job.id })).progress?.message;
    await until(async () => (await message()) === "exited 4, 1 child process still running");
    await restart();
    await until(async () => (await message()) === "exited 4, 1 child process still running");
    await send(job.id, "go");
    expect(await end(job.id)).toMatchObject({ state: "failed", exit_code: 4 });
    expect(await stdout(job.id)).toBe("up\nchild done\n");
  });

  it("says when it is ready", async () => {
    await startServer();
    const job = await startUp({ command: "echo up; read -r go; echo serving", ready: { pattern: "^serving$" } });
    await restart();
    const ready = waitFor([job.id], { until: "ready" });
    await send(job.id, "go");
    expect((await ready).map(({ id }) => id)).toEqual([job.id]);
  });
});

describe("a server that is told to stop", () => {
  it("leaves its commands running, does not wait for them, and the next one goes on with them", async () => {
    await startServer();
    const job = await startUp({ command: "echo up; read -r go; echo $go; exit 6" });
    const pid = pidOf(job);
    expect(await (server as Server).stop()).toBe("0");
    expect(isRunning(pid)).toBe(true);
    await startServer();
    await send(job.id, "again");
    expect(await end(job.id)).toMatchObject({ state: "failed", attempt: 1, exit_code: 6 });
    expect(await stdout(job.id)).toBe("up\nagain\n");
  });
});

describe("a server that is killed at any moment", () => {
  it("loses no command, starts none twice, and tells how each has ended", async () => {
    onTestFailed(() => console.error(`seed ${seed} (set LONGHAUL_CRASH_SEED)`));
    const random = seededRandom(seed);
    const acknowledged = new Set<string>();
    let count = 0;
    const submit = async (target: Server): Promise<void> => {
      const number = ++count;
      const lines = Math.floor(random() * 30);
      const work = `echo ran >> ran-${number}; for i in $(seq ${lines}); do echo $i; sleep 0.01; done; echo last`;
      const input = { name: `job ${number}`, command: `${work}; exit ${number % 4}`, tags: [String(lines)] };
      try {
        acknowledged.add((await target.call("run_command", input)).id);
      } catch (error) {
        if (!(error instanceof BrokenCallError) && !(error instanceof NotRunningError)) throw error;
      }
    };
    for (let round = 0; round < 12; round++) {
      server = new Server();
      // Sometimes while it is opening and adopting; in every second round not before it has acknowledged a command.
      const isPatient = round % 2 === 1;
      if (isPatient || random() < 0.7) await server.untilReady();
      else await sleep(100 + random() * 200);
      const target = server;
      const starts = Array.from({ length: 4 }, () => submit(target));
      const submitting = Promise.all(starts);
      if (isPatient) await Promise.any(starts);
      await sleep(random() * (isPatient ? 150 : 15));
      await server.kill();
      await submitting;
    }
    await startServer();
    const { jobs } = await (server as Server).call("job_list", { limit: 1_000 });
    const ids = jobs.map(({ id }) => id);
    expect([...acknowledged].filter((id) => !ids.includes(id))).toEqual([]);
    for (const job of await waitFor(ids, { timeout_ms: 20_000 })) {
      const number = Number(job.name?.split(" ")[1]);
      const lines = Array.from({ length: Number(job.tags?.[0]) }, (_, index) => `${index + 1}\n`).join("");
      const ran = readFileSync(world().path(`ran-${number}`), "utf8");
      const found = { number, exitCode: job.exit_code, attempt: job.attempt, ran, stdout: await stdout(job.id) };
      expect(found).toEqual({ number, exitCode: number % 4, attempt: 1, ran: "ran\n", stdout: `${lines}last\n` });
    }
    expect(acknowledged.size).toBeGreaterThan(5);
  });
});

describe("a record of a process that is not there any more", () => {
  /** A process that has nothing to do with us, and leads a group of its own. */
  function startStranger(): number {
    const stranger = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
    onTestFinished(() => {
      stranger.kill("SIGKILL");
    });
    return stranger.pid as number;
  }

  /** Starts a command, stops the engine, kills the command with whoever watches it, and changes its record. */
  async function leaveRecord(
    change: (record: string, stranger: number) => string,
  ): Promise<{ id: string; stranger: number }> {
    await world().open();
    const job = await world().submit("echo up; read -r go");
    await world().untilOutput(job.id, "up");
    const pid = await world().pid(job.id);
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    await world().close();
    process.kill(Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]), "SIGKILL");
    process.kill(pid, "SIGKILL");
    await until(() => !isRunning(pid));
    const stranger = startStranger();
    const path = fileOf(job.id, "process");
    writeFileSync(path, change(readFileSync(path, "utf8"), stranger));
    return { id: job.id, stranger };
  }

  async function expectLost({ id, stranger }: { id: string; stranger: number }): Promise<void> {
    await world().open();
    expect((await world().end(id)).state).toMatchObject({ status: "failed", failure: { code: "lost" } });
    expect(isRunning(stranger)).toBe(true);
  }

  it("fails the job as lost, and a process that has got its pid since is left alone", async () => {
    await expectLost(await leaveRecord((record, stranger) => record.replace(/ \d+ \(/, ` ${stranger} (`)));
  });

  it("fails the job as lost after the machine was started anew, even if pid and start time are the same", async () => {
    const sameButBoot = (record: string, stranger: number): string => {
      const stat = readFileSync(`/proc/${stranger}/stat`, "utf8");
      expect(record).not.toContain("00000000-0000");
      return `00000000-0000-4000-8000-000000000000 ${stat}`;
    };
    await expectLost(await leaveRecord(sameButBoot));
  });

  it("fails the job as lost if nobody has seen its end", async () => {
    await expectLost(await leaveRecord((record) => record));
  });

  it("fails the job as lost if it is not whole: the command may have run, and does not run again", async () => {
    const left = await leaveRecord((record) => record.slice(0, 20));
    await expectLost(left);
    expect(await world().stdout(left.id)).toBe("up\n");
  });

  it("does not take a stranger for the job when that is cancelled", async () => {
    const { id, stranger } = await leaveRecord((record, pid) => record.replace(/ \d+ \(/, ` ${pid} (`));
    const engine = await world().open();
    await engine.cancel(id);
    await world().end(id);
    expect(isRunning(stranger)).toBe(true);
  });
});

describe("a command whose files were deleted", () => {
  const deleteFiles = (id: string): void => rmSync(join(world().home, "output", id), { recursive: true });

  it("does not run again with the next server, but is lost", async () => {
    await startServer();
    const job = await startUp({ command: "echo ran >> ran; echo up; read -r go" });
    const pid = pidOf(job);
    await (server as Server).kill();
    deleteFiles(job.id);
    process.kill(pid, "SIGKILL");
    await until(() => !isRunning(pid));
    await startServer();
    expect(await end(job.id)).toMatchObject({ state: "failed", error: { code: "lost" } });
    expect(readFileSync(world().path("ran"), "utf8")).toBe("ran\n");
  });

  it("is waited for while it runs, and can be cancelled", async () => {
    await startServer();
    const job = await startUp({ command: "echo up; sleep 1000" });
    const pid = pidOf(job);
    await (server as Server).kill();
    deleteFiles(job.id);
    await startServer();
    await (server as Server).call("job_cancel", { ids: [job.id] });
    expect(await end(job.id)).toMatchObject({ state: "cancelled" });
    expect(isRunning(pid)).toBe(false);
  });

  it("runs anew when it is retried", async () => {
    await world().open();
    const job = await world().submit("echo ran >> ran; exit 3");
    await world().end(job.id);
    deleteFiles(job.id);
    await world().engine.retry(job.id);
    expect((await world().end(job.id)).state).toMatchObject({ ...exited(3), attempt: 2 });
    expect(readFileSync(world().path("ran"), "utf8")).toBe("ran\nran\n");
  });
});

describe("a clock that is set", () => {
  it("ends no job, whichever way it goes", async () => {
    let stepMs = 0;
    const clock = {
      now: () => Date.now() + stepMs,
      monotonic: () => performance.now(),
      after: (delayMs: number, call: () => void) => {
        const timer = setTimeout(call, delayMs);
        return () => clearTimeout(timer);
      },
    };
    const engine = await world().open({ engine: { clock } });
    const limits = { runMs: 60_000, idleMs: 60_000, totalMs: 60_000 };
    const job = await world().submit("echo up; read -r go; echo $go; read -r go; exit 3", { limits });
    await world().untilOutput(job.id, "up");
    const dayMs = 24 * 3_600_000;
    for (const step of [dayMs, -dayMs]) {
      stepMs = step;
      await engine.send(job.id, `${step}\n`);
      if (step > 0) await world().untilOutput(job.id, String(step));
    }
    expect((await world().end(job.id)).state).toMatchObject(exited(3));
  });
});

describe("a full disk", () => {
  it("loses no exit code of a command that ends while no server runs", async (context) => {
    world().mountHome(context, "tmpfs", "size=3m,mode=700");
    await world().open();
    const job = await world().submit("echo up; until [ -e go ]; do sleep 0.02; done; echo never mind; exit 9");
    await world().untilOutput(job.id, "up");
    const pid = await world().pid(job.id);
    await world().close();
    const freeDisk = world().fillHome();
    writeFileSync(world().path("go"), "");
    await until(() => !isRunning(pid));
    freeDisk();
    await world().open();
    expect((await world().end(job.id)).state).toMatchObject(exited(9));
  });
});
