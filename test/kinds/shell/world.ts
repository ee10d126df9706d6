import { createPatternPool } from "../../../src/text/pattern-pool.ts";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, type TestContext } from "vitest";
import type { Engine, Job, OpenOptions } from "../../../src/index.ts";
import type { ShellInput } from "../../../src/kinds/shell/contract.ts";
import { Launcher } from "../../../src/kinds/shell/launcher.ts";
import { createIsolation, type IsolationSettings } from "../../../src/kinds/shell/isolation.ts";
import { inheritEnv } from "../../../src/kinds/shell/policy.ts";
import { createShellKind, type ShellSettings } from "../../../src/kinds/shell/shell.ts";
import type { Json } from "../../../src/job/json.ts";
import type { SubmitRequest } from "../../../src/engine/submit.ts";
import { createRedactor } from "../../../src/text/redact.ts";
import { openEngineOn } from "../../../src/server/open-engine.ts";
import type { Store } from "../../../src/store/store.ts";
import { until } from "../../until.ts";
import { useEach } from "../../use-each.ts";

type Limits = NonNullable<SubmitRequest["limits"]>;

export interface ShellOptions extends Partial<Pick<ShellSettings, "shell" | "concurrency" | "termGraceMs">> {
  readonly policy?: Partial<ShellSettings["policy"]>;
  readonly isolation?: Partial<IsolationSettings>;
  /** Names of variables that commands inherit, and where they are taken from. */
  readonly inherit?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly secrets?: readonly string[];
  /** The program that stands for Perl. */
  readonly perl?: string;
  readonly engine?: Omit<OpenOptions, "home" | "kinds">;
  /** Opens the store as one that other machines have open too. */
  readonly isShared?: boolean;
}

/** Live facts, as `inspect` tells them. */
export interface LiveFacts {
  readonly pid: number;
  readonly processes: number;
  readonly cpu_ms: number;
  readonly memory_bytes: number;
  readonly ports: number[];
  readonly reads_input: boolean;
  readonly last_output_at: number | null;
  readonly last_line: string;
}

/** An engine that runs commands, in a folder of its own. */
export class ShellWorld {
  /** A folder for the commands' own files, with all links resolved. */
  readonly base: string;
  /** As it is without an engine. */
  store: Store | undefined;
  #engine: Engine | undefined;
  #launcher: Launcher | undefined;
  #options: ShellOptions = {};
  readonly #undo: (() => void)[] = [];

  constructor(base: string) {
    this.base = base;
  }

  get engine(): Engine {
    if (this.#engine === undefined) throw new Error("open the world first");
    return this.#engine;
  }

  get home(): string {
    return join(this.base, "home");
  }

  path(name: string): string {
    return join(this.base, name);
  }

  async open(options: ShellOptions = {}): Promise<Engine> {
    const {
      policy = {},
      isolation = {},
      inherit = ["PATH", "HOME"],
      env = process.env,
      secrets = [],
      perl,
      engine,
      isShared = false,
      ...rest
    } = options;
    this.#options = options;
    this.#launcher = new Launcher(inheritEnv(inherit, env), perl);
    const kind = createShellKind({
      patterns: createPatternPool(),
      policy: { allow: [], deny: [], roots: [], defaultCwd: this.base, ...policy },
      redactor: createRedactor(secrets),
      launcher: this.#launcher,
      isolation: this.#isolation(isolation),
      shell: "bash",
      concurrency: 16,
      termGraceMs: 5_000,
      ...rest,
    });
    const wrap = (store: Store): Store => {
      this.store = store;
      return isShared ? { ...store, capabilities: { ...store.capabilities, isExclusive: false } } : store;
    };
    this.#engine = await openEngineOn({ home: this.home, kinds: [kind], ...engine }, wrap);
    return this.#engine;
  }

  #isolation(settings: Partial<IsolationSettings>): ShellSettings["isolation"] {
    const hidden = [this.home];
    const path = process.env["PATH"] ?? "";
    return createIsolation({
      hidden,
      roots: [],
      temporary: [tmpdir()],
      user: undefined,
      trustOwners: false,
      path,
      ...settings,
    });
  }

  /** The commands go on; the next engine adopts them. */
  async close(): Promise<void> {
    await this.#engine?.stop();
    await this.#launcher?.close();
    this.#engine = undefined;
    this.#launcher = undefined;
  }

  async reopen(options = this.#options): Promise<Engine> {
    await this.close();
    return this.open(options);
  }

  submit(what: string | ShellInput, request: Omit<SubmitRequest, "kind" | "input"> = {}): Promise<Job> {
    const input = typeof what === "string" ? { command: what } : what;
    return this.engine.submit({ kind: "shell", input, ...request });
  }

  /** The job as it is when it has ended. */
  async end(id: string): Promise<Job> {
    const { isReached, jobs } = await this.engine.wait(id, { timeoutMs: 30_000 });
    const [job] = jobs;
    if (!isReached || job === undefined) throw new Error(`job ${id} did not end: ${JSON.stringify(job?.state)}`);
    return job;
  }

  async run(what: string | ShellInput, limits?: Limits): Promise<Job> {
    const job = await this.submit(what, limits === undefined ? {} : { limits });
    return this.end(job.id);
  }

  /** Runs to success, and says what it wrote to stdout. */
  async stdoutOf(what: string | ShellInput): Promise<string> {
    const job = await this.run(what);
    expect(job.state).toMatchObject({ status: "succeeded" });
    return this.stdout(job.id);
  }

  async stdout(id: string): Promise<string> {
    return (await this.bytes(id, "stdout")).toString();
  }

  async stderr(id: string): Promise<string> {
    return (await this.bytes(id, "stderr")).toString();
  }

  /** All that is kept of a stream. */
  async bytes(id: string, stream: string): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    for (let from = 0; ;) {
      const slice = await this.engine.readOutput(id, { stream, from, limit: 1_000_000 });
      if (slice.bytes.length === 0) return Buffer.concat(chunks);
      chunks.push(slice.bytes);
      from = slice.next;
    }
  }

  async live(id: string): Promise<LiveFacts> {
    return (await this.engine.inspect(id)) as unknown as LiveFacts;
  }

  /** The job's main process, once it runs. */
  async pid(id: string): Promise<number> {
    await until(async () => (await this.engine.inspect(id))["pid"] !== undefined);
    return (await this.live(id)).pid;
  }

  async untilOutput(id: string, text: string, stream = "stdout"): Promise<void> {
    await until(async () => (await this.bytes(id, stream)).includes(text));
  }

  async progress(id: string): Promise<Json | undefined> {
    const { state } = await this.engine.get(id);
    return "progress" in state ? (state.progress as Json) : undefined;
  }

  /** Ends what the test has left running, by the pids of its own jobs. */
  async cleanUp(): Promise<void> {
    if (this.#engine === undefined && existsSync(this.home)) await this.open(this.#options);
    const ids = (await this.#engine?.list({}, { limit: 1_000 }))?.jobs.map(({ id }) => id) ?? [];
    for (const id of ids) for (const pid of processesOf(id)) killIfThere(pid, "SIGKILL");
    await this.close();
    for (const undo of this.#undo) undo();
    await rm(this.base, { recursive: true, force: true });
  }

  /** Gives the engine a file system of its own; where mounting is not permitted the test is skipped, but never in CI. */
  mountHome(context: TestContext, type: "tmpfs" | "ramfs", options: string): void {
    mkdirSync(this.home);
    try {
      execFileSync("mount", ["-t", type, "-o", options, type, this.home], { stdio: "ignore" });
      this.#undo.push(() => execFileSync("umount", ["--lazy", this.home]));
    } catch (error) {
      if (process.env["CI"] !== undefined) throw error;
      context.skip("mounting is not permitted here");
    }
  }

  /** Leaves no byte of the engine's disk free, until the returned function is called. */
  fillHome(): () => void {
    const filler = join(this.home, "filler");
    for (const bytes of [65_536, 4_096, 1]) {
      try {
        for (;;) writeFileSync(filler, Buffer.alloc(bytes), { flag: "a" });
      } catch {
        // Full for pieces of this size.
      }
    }
    return () => rmSync(filler);
  }
}

/** Gives each test of the file a world of its own. */
export function useShell(): () => ShellWorld {
  return useEach(
    async () => new ShellWorld(await realpath(await mkdtemp(join(tmpdir(), "longhaul-shell-")))),
    (world) => world.cleanUp(),
  );
}

/** Every process that carries the job's mark. */
export function processesOf(id: string): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => readIfThere(`/proc/${pid}/environ`).includes(`LONGHAUL_JOB_ID=${id}`)).map(Number);
}

/** A process that has ended but was not yet taken note of by its parent does not count. */
export function isRunning(pid: number): boolean {
  const stat = readIfThere(`/proc/${pid}/stat`);
  return stat !== "" && stat.slice(stat.lastIndexOf(")") + 2)[0] !== "Z";
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

export function killIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

/** How a job looks that its command's exit code has ended. */
export function exited(exitCode: number, signal: string | null = null): object {
  return { status: "failed", failure: { code: "exit_code", details: { exit_code: exitCode, signal } } };
}
