import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { constants } from "node:os";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Who a process is: a pid alone may belong to another one tomorrow. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string;
  /** Who started it, where the system tells. */
  readonly parent: number | undefined;
  /** "-" where the system has none. */
  readonly bootId: string;
}

/** How a process ended. By the convention of shells, a signal counts as 128 and its number. */
export interface ProcessEnd {
  readonly exitCode: number;
  readonly signal: string | null;
}

/** What a command's launcher has written down: who the process is, and behind that, once it is known, how it ended. */
export interface ProcessRecord {
  readonly process: ProcessIdentity;
  readonly end: ProcessEnd | undefined;
}

/** Beside the record: there as long as nothing was started. */
export function unstartedFile(record: string): string {
  return `${record}.unstarted`;
}

/** Undefined while nothing is written, or not all of it. */
export function readProcessRecord(path: string): ProcessRecord | undefined {
  const [first, second, third] = readIfThere(path).split("\n");
  if (first === undefined || second === undefined) return undefined;
  const [bootId = "-", ...stat] = first.split(" ");
  const [exitCode, signal] = second.split(" ").map(Number);
  const isEnded = third !== undefined && exitCode !== undefined && signal !== undefined;
  return { process: { ...parseStat(stat.join(" ")), bootId }, end: isEnded ? toEnd(exitCode, signal) : undefined };
}

/** At once, because for a file of a few bytes that is many times faster than asking for it. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** From an exit code and the number of a signal, or 0: what a parent is told. */
export function toEnd(exitCode: number, signal: number): ProcessEnd {
  const code = signal === 0 ? exitCode : 128 + signal;
  const found = code <= 128 ? undefined : Object.entries(constants.signals).find(([, number]) => number === code - 128);
  return { exitCode: code, signal: found?.[0] ?? null };
}

/** True if this very process still runs: same pid, same start, same boot, and not a zombie. */
export async function isSameProcess(identity: ProcessIdentity): Promise<boolean> {
  if (identity.bootId === "-") return isSameByPs(identity);
  const stat = await readFile(`/proc/${identity.pid}/stat`, "utf8").catch(() => undefined);
  if (stat === undefined || readBootId() !== identity.bootId) return false;
  return parseStat(stat).startTime === identity.startTime && statFields(stat)[0] !== "Z";
}

/** Which start of the machine this is; empty where the system does not tell. */
export function readBootId(): string {
  return readIfThere("/proc/sys/kernel/random/boot_id").trim();
}

async function isSameByPs({ pid, startTime }: ProcessIdentity): Promise<boolean> {
  const { stdout } = await run("ps", ["-o", "lstart=", "-p", String(pid)]).catch(() => ({ stdout: "" }));
  return stdout.trim() === startTime;
}

/**
 * How a process has ended that the one who started it has not taken note of yet, because it is stopped or slow: until then the
 * system keeps the status for it, in field 52.
 */
export function readUnnotedEnd({ pid, startTime, parent, bootId }: ProcessIdentity): ProcessEnd | undefined {
  if (bootId === "-") return undefined;
  const stat = readIfThere(`/proc/${pid}/stat`);
  const fields = statFields(stat);
  const found = parseStat(stat);
  const isOurs = found.startTime === startTime && found.parent === parent && fields[0] === "Z";
  const status = Number(fields[49]);
  return isOurs && Number.isInteger(status) ? toEnd(status >> 8, status & 127) : undefined;
}

/** Fields 4 and 22 of /proc/PID/stat, counted behind the name, which may contain anything. */
function parseStat(stat: string): Omit<ProcessIdentity, "bootId"> {
  const pid = Number.parseInt(stat, 10);
  const fields = statFields(stat);
  return fields.length > 20
    ? { pid, startTime: fields[19] ?? "", parent: Number(fields[1]) }
    : { pid, startTime: fields.join(" "), parent: undefined };
}

/** The fields of a stat line from the state on (field 3). */
export function statFields(stat: string): string[] {
  return stat
    .slice(stat.lastIndexOf(")") + 2)
    .trim()
    .split(" ");
}
