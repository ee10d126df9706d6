import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { constants } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ProcessEnd } from "./launcher.ts";

const run = promisify(execFile);

/** Who a process is: a pid alone may belong to another one tomorrow. */
export interface ProcessRecord {
  readonly pid: number;
  readonly startTime: string;
  readonly bootId: string;
}

/** What the wrapper wrote when it started; undefined if it never did. */
export async function readProcessRecord(folder: string): Promise<ProcessRecord | undefined> {
  const text = await readFile(join(folder, "process"), "utf8").catch(() => undefined);
  if (text === undefined || !text.endsWith("\n")) return undefined;
  const [bootId = "-", ...rest] = text.trim().split(" ");
  return { ...parseStat(rest.join(" ")), bootId };
}

/** How the wrapper says the command ended; nothing is known while it runs, or if nobody could write it down. */
export function readEnd(folder: string): ProcessEnd {
  const text = readIfThere(join(folder, "exit"));
  if (!text.endsWith("\n")) return { exitCode: undefined, signal: null };
  const exitCode = Number(text);
  return { exitCode, signal: signalOf(exitCode) };
}

/** At once, because for a file of a few bytes that is many times faster than asking for it. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** By the convention of shells: a command that a signal ended exits with 128 and the signal's number. */
function signalOf(exitCode: number): string | null {
  const found = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128);
  return found?.[0] ?? null;
}

/** True if this very process still runs: same pid, same start, same boot, and not a zombie. */
export async function isSameProcess(record: ProcessRecord): Promise<boolean> {
  if (record.bootId === "-") return isSameByPs(record);
  const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");
  const stat = await readFile(`/proc/${record.pid}/stat`, "utf8").catch(() => undefined);
  if (stat === undefined || boot.trim() !== record.bootId) return false;
  return parseStat(stat).startTime === record.startTime && statFields(stat)[0] !== "Z";
}

async function isSameByPs(record: ProcessRecord): Promise<boolean> {
  const { stdout } = await run("ps", ["-o", "lstart=", "-p", String(record.pid)]).catch(() => ({ stdout: "" }));
  return stdout.trim() === record.startTime;
}

/** Field 22 of /proc/PID/stat, counted behind the name, which may contain anything. */
function parseStat(stat: string): { pid: number; startTime: string } {
  const pid = Number.parseInt(stat, 10);
  const fields = statFields(stat);
  return { pid, startTime: fields.length > 20 ? (fields[19] ?? "") : fields.join(" ") };
}

/** The fields of a stat line from the state on (field 3). */
export function statFields(stat: string): string[] {
  return stat
    .slice(stat.lastIndexOf(")") + 2)
    .trim()
    .split(" ");
}
