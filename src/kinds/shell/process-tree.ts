import { readdir, readFile, readlink, realpath } from "node:fs/promises";
import { statFields } from "./process-record.ts";

/** What is known of one process of a job. Linux only; elsewhere the lists are empty. */
export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Its own and that of its children that have ended. */
  readonly cpuMs: number;
  readonly memoryBytes: number;
}

const ticksPerSecond = 100;
const pageBytes = 4_096;

/** True while a process of the group lives; what has ended and waits for its parent does not count. */
export async function isGroupAlive(group: number): Promise<boolean> {
  if (!exists(-group)) return false;
  const processes = await listProcesses();
  return processes.length === 0 || processes.some((facts) => facts.group === group);
}

/** As above; one that was only just started is not yet in a group of its own. */
export async function isCommandAlive(leader: number): Promise<boolean> {
  return (await isGroupAlive(leader)) || (exists(leader) && (await readFacts(leader)) !== undefined);
}

export async function listGroup(group: number): Promise<ProcessFacts[]> {
  return (await listProcesses()).filter((facts) => facts.group === group);
}

/** The processes of a group, and those that descend from them in groups of their own, as on a terminal. */
export async function listTree(group: number): Promise<ProcessFacts[]> {
  const all = await listProcesses();
  const found = new Set(all.filter((facts) => facts.group === group));
  const pids = new Set([...found].map(({ pid }) => pid));
  for (let before = 0; before !== found.size;) {
    before = found.size;
    for (const facts of all) {
      if (!pids.has(facts.parent)) continue;
      pids.add(facts.pid);
      found.add(facts);
    }
  }
  return [...found];
}

/** Processes that carry the job's tokens in their environment: also those that left its process group. */
export async function listByTokens(tokens: readonly string[]): Promise<number[]> {
  const checked = await Promise.all(
    (await listPids()).map(async (pid) => {
      const environment = await readEnvironment(pid);
      return tokens.every((token) => environment.includes(token)) ? pid : undefined;
    }),
  );
  return checked.filter((pid) => pid !== undefined && pid !== process.pid) as number[];
}

/** The values that a variable has in the environments of processes. */
export async function listValues(variable: string): Promise<Set<string>> {
  const environments = await Promise.all((await listPids()).map(readEnvironment));
  const beginning = `${variable}=`;
  const found = environments.flat().filter((entry) => entry.startsWith(beginning));
  return new Set(found.map((entry) => entry.slice(beginning.length)));
}

async function readEnvironment(pid: number): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
  return text.split("\0");
}

/** Ports on which these processes listen. */
export async function listListeningPorts(pids: readonly number[]): Promise<number[]> {
  const tables = await Promise.all(["/proc/net/tcp", "/proc/net/tcp6"].map(readListeners));
  const portByInode = new Map(tables.flat());
  if (portByInode.size === 0) return [];
  const ports = new Set<number>();
  for (const inode of (await Promise.all(pids.map(listSocketInodes))).flat()) {
    const port = portByInode.get(inode);
    if (port !== undefined) ports.add(port);
  }
  return [...ports].toSorted((a, b) => a - b);
}

/** Numbers of the system calls read, select and pselect6. */
const inputCalls = process.arch === "arm64" ? { read: ["63"], select: ["72"] } : { read: ["0"], select: ["23", "270"] };

/**
 * True if one of the processes waits for its standard input, as far as the system tells, and that input is the job's own: this
 * pipe, or a terminal. In a pipeline most processes wait for the one before them.
 */
export async function isReadingInput(pids: readonly number[], stdin: string): Promise<boolean> {
  const pipe = await realpath(stdin).catch(() => stdin);
  const waiting = pids.map(async (pid) => {
    const [call = "", first = ""] = (await readFile(`/proc/${pid}/syscall`, "utf8").catch(() => "")).split(" ");
    // A select of one descriptor can only be one of the first.
    const isWaiting =
      (inputCalls.read.includes(call) && first === "0x0") || (inputCalls.select.includes(call) && first === "0x1");
    if (!isWaiting) return false;
    const source = await readlink(`/proc/${pid}/fd/0`).catch(() => "");
    return source === pipe || source.startsWith("/dev/pts/");
  });
  return (await Promise.all(waiting)).some(Boolean);
}

/** A process, or with a negative number a group; one that has ended by itself is what was wanted. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Nothing is left of it.
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

async function listProcesses(): Promise<ProcessFacts[]> {
  const all = await Promise.all((await listPids()).map(readFacts));
  return all.filter((facts) => facts !== undefined);
}

async function listPids(): Promise<number[]> {
  const names = await readdir("/proc").catch(() => []);
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

async function readFacts(pid: number): Promise<ProcessFacts | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => undefined);
  if (stat === undefined) return undefined;
  const fields = statFields(stat);
  if (fields[0] === "Z") return undefined;
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return {
    pid,
    parent: Number(fields[1]),
    group: Number(fields[2]),
    cpuMs: (ticks * 1_000) / ticksPerSecond,
    memoryBytes: Number(fields[21]) * pageBytes,
  };
}

async function readListeners(file: string): Promise<[inode: string, port: number][]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === "0A")
    .map((fields) => [fields[9] ?? "", Number.parseInt((fields[1] ?? "").split(":")[1] ?? "0", 16)]);
}

async function listSocketInodes(pid: number): Promise<string[]> {
  const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const links = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => "")));
  return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
}
