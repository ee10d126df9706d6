import { execFile, spawn } from "node:child_process";
import { closeSync, constants, openSync, rmSync } from "node:fs";
import { promisify } from "node:util";
import type { Launched, LaunchRequest } from "./launch-request.ts";
import { unstartedFile } from "./process-record.ts";

const run = promisify(execFile);

/**
 * Stands in for the launcher where there is no Perl: writes the record, and keeps the exit code until it can write it.
 * The traps keep the wrapping shell alive until the command has ended, so that its exit code is known after a signal
 * to the whole group; messages of the wrapping shell itself ("Terminated") do not get into the command's output.
 */
const wrapperScript = `
{ read -r LONGHAUL_STAT </proc/self/stat && read -r LONGHAUL_BOOT </proc/sys/kernel/random/boot_id; } 2>/dev/null ||
  { LONGHAUL_STAT="$$ (sh) $(ps -o lstart= -p $$)"; LONGHAUL_BOOT=-; }
echo "$LONGHAUL_BOOT $LONGHAUL_STAT" >>"$0" || exit 125
trap : TERM INT HUP
exec 3>&2 2>/dev/null
(exec 2>&3 3>&-; exec "$@")
echo "$? 0" >>"$0"
`;

/** Resolves with nothing if the attempt was started before. */
export async function launchDirectly(request: LaunchRequest): Promise<Launched | undefined> {
  const { record, stdin, stdout, stderr, cwd, env, argv } = request;
  if (!makeRecord(record)) return undefined;
  rmSync(unstartedFile(record), { force: true });
  const isPipe = stdin.type !== "file";
  if (isPipe) await run("mkfifo", ["-m", "600", stdin.path]);
  const files = [
    openSync(stdin.path, isPipe ? constants.O_RDWR : constants.O_RDONLY),
    openSync(stdout, "a", 0o600),
    openSync(stderr, "a", 0o600),
  ];
  try {
    const child = spawn("sh", ["-c", wrapperScript, record, ...argv], { cwd, env, detached: true, stdio: files });
    const ended = new Promise<undefined>((resolve) => {
      child.once("exit", () => resolve(undefined));
    });
    const pid = await new Promise<number>((resolve, reject) => {
      child.once("spawn", () => resolve(child.pid as number));
      child.once("error", reject);
    });
    child.unref();
    return { pid, ended };
  } finally {
    files.forEach((descriptor) => closeSync(descriptor));
  }
}

function makeRecord(path: string): boolean {
  try {
    closeSync(openSync(path, "wx", 0o600));
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}
