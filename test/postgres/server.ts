import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { appendFileSync, chownSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "../until.ts";

const nobody = { uid: 65_534, gid: 65_534 };
const user = "longhaul";
const maxStarts = 40;
const password = "only for tests";

export interface PostgresServer {
  /** Of the database, which has to exist already. */
  readonly url: (database: string) => string;
  /** As SIGINT and SIGQUIT do: `fast` cuts the connections, `immediate` is a crash. */
  readonly stop: (how: "fast" | "immediate") => Promise<void>;
  readonly start: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** Where Debian has Postgres, which puts only its clients into the PATH; undefined where there is none. */
export function findPostgres(): string | undefined {
  const found = spawnSync("sh", ["-c", "command -v postgres"], { encoding: "utf8" }).stdout.trim();
  if (found !== "") return join(found, "..");
  const base = "/usr/lib/postgresql";
  if (!existsSync(base)) return undefined;
  const versions = readdirSync(base).toSorted((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(base, version, "bin")).find((folder) => existsSync(join(folder, "postgres")));
}

/** A server of its own on loopback, with its data in a temporary folder. Postgres refuses to run as root: there it runs as nobody. */
export async function startPostgres({ isDurable = false } = {}): Promise<PostgresServer> {
  const programs = findPostgres();
  if (programs === undefined) throw new Error("Postgres is not installed");
  const base = !isDurable && existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  const folder = await mkdtemp(join(base, "longhaul-postgres-"));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(folder, nobody.uid, nobody.gid);
  const data = join(folder, "data");
  const options = { ...(isRoot ? nobody : {}), cwd: folder, stdio: "pipe" } as const;
  initialize(programs, folder, data, options);
  appendFileSync(join(data, "postgresql.conf"), isDurable ? settings : settings + unsafeSettings);
  const port = await findFreePort();
  let server: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    // Right after a crash the memory of the one before may still be in use.
    for (let tries = 0; tries < maxStarts; tries++) {
      const starting = spawn(join(programs, "postgres"), ["-D", data, "-p", String(port)], {
        ...options,
        stdio: "ignore",
      });
      server = starting;
      await until(() => isReady(data, starting.pid) || starting.exitCode !== null || starting.signalCode !== null);
      if (starting.exitCode === null && starting.signalCode === null) return;
      await delay(250);
    }
    throw new Error("Postgres does not start");
  };
  const stop = async (how: "fast" | "immediate"): Promise<void> => {
    const stopping = server;
    server = undefined;
    if (stopping === undefined) return;
    stopping.kill(how === "fast" ? "SIGINT" : "SIGQUIT");
    await until(() => stopping.exitCode !== null || stopping.signalCode !== null);
  };
  await start();
  return {
    url: (database) => `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`,
    start,
    stop,
    remove: async () => {
      await stop("immediate");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const settings = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 300
shared_buffers = 128MB
`;

/** For tests nothing has to outlast a power cut, so nothing is synced; a commit still outlasts the server. */
const unsafeSettings = `
fsync = off
full_page_writes = off
max_wal_size = 256MB
`;

function initialize(programs: string, folder: string, data: string, options: object): void {
  const secret = join(folder, "password");
  writeFileSync(secret, password);
  const flags = ["-U", user, "--auth=scram-sha-256", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"];
  const made = spawnSync(join(programs, "initdb"), ["-D", data, `--pwfile=${secret}`, ...flags], {
    ...options,
    encoding: "utf8",
  });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
}

async function findFreePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Its eighth line says so, as pg_ctl reads it; the first one of which process. */
function isReady(data: string, pid: number | undefined): boolean {
  try {
    const lines = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n");
    return lines[0] === String(pid) && lines[7]?.trim() === "ready";
  } catch {
    return false;
  }
}
