import { createPatternPool } from "../../../src/text/pattern-pool.ts";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { SubmitRequest } from "../../../src/engine/submit.ts";
import { openEngine, type Engine, type Job } from "../../../src/index.ts";
import type { Json } from "../../../src/job/json.ts";
import { createAgentKind, type AgentKind } from "../../../src/kinds/agent/agent.ts";
import type { AgentInput, AgentResult } from "../../../src/kinds/agent/contract.ts";
import type { AgentSettings } from "../../../src/kinds/agent/settings.ts";
import { createIsolation } from "../../../src/kinds/shell/isolation.ts";
import { Launcher } from "../../../src/kinds/shell/launcher.ts";
import { inheritEnv, resolveCwd } from "../../../src/kinds/shell/policy.ts";
import { createShellKind } from "../../../src/kinds/shell/shell.ts";
import { createRedactor } from "../../../src/text/redact.ts";
import { killIfThere, processesOf } from "../shell/world.ts";
import { FakeModels } from "./fake-models.ts";
import { useEach } from "../../use-each.ts";

export interface AgentOptions extends Partial<Omit<AgentSettings, "redactor" | "resolveCwd">> {
  readonly secrets?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly deny?: readonly RegExp[];
}

/** An engine with agents and commands, the models that they talk to, and a folder for them to work in. */
export class AgentWorld {
  readonly base: string;
  readonly models: FakeModels;
  #engine: Engine | undefined;
  #launcher: Launcher | undefined;
  #agent: AgentKind | undefined;
  #options: AgentOptions = {};

  constructor(base: string, models: FakeModels) {
    this.base = base;
    this.models = models;
    mkdirSync(this.root);
  }

  get engine(): Engine {
    if (this.#engine === undefined) throw new Error("open the world first");
    return this.#engine;
  }

  /** Where agents work. */
  get root(): string {
    return join(this.base, "work");
  }

  write(path: string, content: string): void {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), "utf8");
  }

  has(path: string): boolean {
    return existsSync(join(this.root, path));
  }

  async open(options: AgentOptions = {}): Promise<Engine> {
    this.#options = options;
    const { secrets = [], env = process.env, deny = [], ...settings } = options;
    const redactor = createRedactor(secrets);
    const policy = { allow: [], deny, roots: [this.root], defaultCwd: this.root };
    this.#launcher = new Launcher(inheritEnv(["PATH", "HOME"], env));
    const isolation = createIsolation({
      hidden: [join(this.base, "home")],
      roots: [],
      temporary: [],
      user: undefined,
      trustOwners: false,
      path: process.env["PATH"] ?? "",
    });
    const shell = createShellKind({
      patterns: createPatternPool(),
      policy,
      isolation,
      redactor,
      launcher: this.#launcher,
      shell: "bash",
      concurrency: 16,
      termGraceMs: 500,
    });
    this.#agent = createAgentKind({
      patterns: createPatternPool(),
      providers: {
        fake: { type: "openai-compatible", baseUrl: this.models.url, apiKey: "fake-key" },
        anthropic: { type: "anthropic", baseUrl: this.models.url, apiKey: "fake-key" },
        google: { type: "google", baseUrl: this.models.url, apiKey: "fake-key" },
      },
      classes: { standard: "fake/m" },
      prices: { "fake/m": { input: 1, output: 10 } },
      concurrency: 16,
      maxSteps: 50,
      termGraceMs: 500,
      secretFiles: [".env", "*.pem"],
      compaction: "rules",
      web: {},
      mcpServers: {},
      hasProgram: () => true,
      hidden: isolation.hidden,
      hasRoots: true,
      confines: true,
      confinesCommands: () => false,
      retry: { tries: 3, initialMs: 10, maxMs: 50 },
      ...settings,
      redactor,
      resolveCwd: (wanted) => resolveCwd(policy, wanted, { hidden: isolation.hidden() }),
    });
    this.#engine = await openEngine({ home: join(this.base, "home"), kinds: [shell, this.#agent.kind] });
    return this.#engine;
  }

  async close(): Promise<void> {
    await this.#engine?.stop();
    await this.#agent?.close();
    await this.#launcher?.close();
    this.#engine = undefined;
  }

  async reopen(): Promise<Engine> {
    await this.close();
    return this.open(this.#options);
  }

  submit(input: Partial<AgentInput>, request: Omit<SubmitRequest, "kind" | "input"> = {}): Promise<Job> {
    return this.engine.submit({ kind: "agent", input: { task: "do it", ...input }, ...request });
  }

  async end(id: string): Promise<Job> {
    const { isReached, jobs } = await this.engine.wait(id, { timeoutMs: 30_000 });
    const [job] = jobs;
    if (!isReached || job === undefined) throw new Error(`job ${id} did not end: ${JSON.stringify(job?.state)}`);
    return job;
  }

  async run(input: Partial<AgentInput> = {}): Promise<Job> {
    return this.end((await this.submit(input)).id);
  }

  async result(job: Job): Promise<AgentResult> {
    return (await this.engine.result(job.id)) as unknown as AgentResult;
  }

  async stream(id: string, stream: string): Promise<string> {
    const { bytes } = await this.engine.readOutput(id, { stream, limit: 1_000_000 });
    return Buffer.from(bytes).toString();
  }

  /** The events of a run, as its stream `activity` tells them. */
  async activity(id: string): Promise<Record<string, Json>[]> {
    const lines = (await this.stream(id, "activity")).split("\n").filter((line) => line !== "");
    return lines.map((line) => JSON.parse(line) as Record<string, Json>);
  }

  async cleanUp(): Promise<void> {
    const ids = (await this.#engine?.list({}, { limit: 1_000 }))?.jobs.map(({ id }) => id) ?? [];
    for (const id of ids) for (const pid of processesOf(id)) killIfThere(pid, "SIGKILL");
    await this.close();
    await this.models.close();
    await rm(this.base, { recursive: true, force: true });
  }
}

/** Gives each test of the file a world of its own. */
export function useAgents(): () => AgentWorld {
  return useEach(
    async () => {
      const base = await realpath(await mkdtemp(join(tmpdir(), "longhaul-agent-")));
      return new AgentWorld(base, await FakeModels.open());
    },
    (world) => world.cleanUp(),
  );
}

/** A call of a tool, as a model makes it. */
export function call(name: string, input: unknown): { calls: { name: string; input: unknown }[] } {
  return { calls: [{ name, input }] };
}

/** What the tools answered, newest last, from what the model was sent. */
export function toolResults(body: Record<string, unknown>): string[] {
  const messages = body["messages"] as { role: string; content: unknown }[];
  return messages.filter(({ role }) => role === "tool").map(({ content }) => String(content));
}

/** What a model says when each of these has come. */
export async function* piecesAfter(...signals: readonly Promise<void>[]): AsyncGenerator<string> {
  for (const signal of signals) {
    await signal;
    yield "more ";
  }
}

export function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}
