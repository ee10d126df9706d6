import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "../../src/faces/door/local-client.ts";
import { startPostgres, type PostgresServer } from "../../test/postgres/server.ts";
import { startProxy, type Proxy } from "./proxy.ts";

/** One process of the cluster, with a folder that it keeps when it is started again. */
export class Member {
  readonly name: string;
  readonly role: "server" | "worker";
  readonly home: string;
  readonly #cluster: ClusterPlaces;
  #skewMs: number;
  #child: ChildProcess | undefined;
  #complaints = 0;
  #facts: { readonly url: string; readonly socket: string } | undefined;

  constructor(name: string, cluster: ClusterPlaces, skewMs: number) {
    this.name = name;
    this.role = name.startsWith("server") ? "server" : "worker";
    this.home = join(cluster.folder, name);
    this.#cluster = cluster;
    this.#skewMs = skewMs;
    mkdirSync(this.home, { mode: 0o700 });
    writeFileSync(
      join(this.home, "config.json"),
      JSON.stringify({ shell: { concurrency: 4 }, worker: { drain_s: 2 } }),
    );
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get port(): number | undefined {
    return this.#facts && Number(new URL(this.#facts.url).port);
  }

  /** Undefined while it does not serve. */
  get socket(): string | undefined {
    return this.#facts?.socket;
  }

  setSkew(skewMs: number): void {
    this.#skewMs = skewMs;
  }

  /** Resolves when it serves; starts it anew where it ends before that, because the database may be gone. */
  async start(signal: AbortSignal): Promise<void> {
    const { url, records } = this.#cluster;
    const env = { PATH: process.env["PATH"], HOME: "/", LONGHAUL_HOME: this.home, LONGHAUL_STORE: url };
    while (!signal.aborted && this.#facts === undefined) {
      const file = join(import.meta.dirname, "member.js");
      const child = spawn(process.execPath, [file, this.role, records, String(this.#skewMs)], {
        env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      this.#child = child;
      let errors = "";
      child.stderr.on("data", (text: Buffer) => (errors = (errors + text.toString()).slice(-2_000)));
      const told = await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
      if (child.exitCode === null && child.signalCode === null && Buffer.isBuffer(told[0])) {
        this.#facts = JSON.parse(told[0].toString()) as { url: string; socket: string };
      } else if (child.signalCode === null) {
        this.#complaints += 1;
        if (this.#complaints % 20 === 1)
          this.#cluster.log(
            `${this.name} could not start: ${/^.*Error: .*$/m.exec(errors)?.[0] ?? errors.slice(-300)}`,
          );
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  /** Ends the process, which is known to be gone then. */
  async end(name: "SIGKILL" | "SIGTERM"): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    this.#facts = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(name);
    await exited;
  }

  /** What it has written to its log. */
  log(): string {
    const file = join(this.home, "server.log");
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }
}

interface ClusterPlaces {
  readonly folder: string;
  /** Of the database, through a proxy that can be cut. */
  readonly url: string;
  readonly records: string;
  readonly log: (line: string) => void;
}

export interface Cluster extends ClusterPlaces {
  readonly postgres: PostgresServer;
  readonly servers: readonly Member[];
  readonly workers: readonly Member[];
  /** Before the servers, in turn. */
  readonly front: Proxy;
  readonly database: Proxy;
  readonly token: string;
  /** Points the proxy to the servers that run. */
  readonly route: () => void;
  readonly close: () => Promise<void>;
}

export interface ClusterSize {
  readonly servers: number;
  readonly workers: number;
  /** The clock of each process, in turn, is off by so much. */
  readonly skewsMs: readonly number[];
}

/** Starts Postgres, servers behind a proxy, and workers. */
export async function startCluster(
  size: ClusterSize,
  log: (line: string) => void,
  signal: AbortSignal,
): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "longhaul-chaos-"));
  const postgres = await startPostgres();
  const [front, database] = await Promise.all([startProxy(), startProxy()]);
  const direct = new URL(postgres.url("postgres"));
  database.targets = [Number(direct.port)];
  const url = Object.assign(new URL(direct), { port: String(database.port) }).href;
  const places = { folder, url, records: join(folder, "records"), log };
  writeFileSync(places.records, "");
  const names = [
    ...Array.from({ length: size.servers }, (_, index) => `server-${index + 1}`),
    ...Array.from({ length: size.workers }, (_, index) => `worker-${index + 1}`),
  ];
  const members = names.map((name, index) => new Member(name, places, size.skewsMs[index % size.skewsMs.length] ?? 0));
  const servers = members.filter(({ role }) => role === "server");
  const route = (): void => {
    front.targets = servers.flatMap(({ port }) => port ?? []);
  };
  const close = async (): Promise<void> => {
    await Promise.all(members.map(async (member) => (member.signal("SIGCONT"), member.end("SIGKILL"))));
    front.close();
    database.close();
    await postgres.remove();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all(members.map((member) => member.start(signal)));
    signal.throwIfAborted();
    route();
    const token = await makeToken(servers[0]);
    const workers = members.filter(({ role }) => role === "worker");
    return { ...places, postgres, servers, workers, front, database, token, route, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function makeToken(server: Member | undefined): Promise<string> {
  if (server?.socket === undefined) throw new Error("no server runs");
  const request = { name: "chaos", owner: "local", scope: "admin" } as const;
  return (await createClient(server.socket).call("token_create", request)).token;
}
