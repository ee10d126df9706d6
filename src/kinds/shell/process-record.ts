import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

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

/** The exit code that the wrapper left; undefined while the command runs, or if nobody could write one. */
export async function readExitCode(folder: string): Promise<number | undefined> {
  const text = await readFile(join(folder, "exit"), "utf8").catch(() => undefined);
  return text === undefined || !text.endsWith("\n") ? undefined : Number(text);
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
