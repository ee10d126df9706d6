import { spawnSync } from "node:child_process";
import { realpathSync, statSync } from "node:fs";
import { LonghaulError } from "../../job/error.ts";
import { findProgram } from "../../text/find-program.ts";
import type { CommandUser, Wrapper } from "./launch-request.ts";
import { isInside } from "./policy.ts";

export interface IsolationSettings {
  /** Folders and files of the server that no confined command may reach. */
  readonly hidden: readonly string[];
  /** If not empty, confined commands may write there and to temporary folders only. */
  readonly roots: readonly string[];
  readonly temporary: readonly string[];
  /** An account to run confined commands as; only root can. */
  readonly user: string | undefined;
  /** Lets confined commands run like those of this machine's user. */
  readonly trustOwners: boolean;
  /** Where programs are looked for. */
  readonly path: string;
}

/** How commands of jobs that are confined are kept from the server's own files. */
export interface Isolation {
  readonly type: "none" | "user" | "bubblewrap";
  /** The server's places as they are now, with all links resolved. */
  readonly hidden: () => readonly string[];
  /** Throws, in one sentence, if they cannot be kept from them here. */
  readonly demand: () => void;
  /** What to put before a confined command; nothing where everybody is trusted. */
  readonly wrap: (cwd: string) => Wrapper | undefined;
}

export function createIsolation(settings: IsolationSettings): Isolation {
  const { user, trustOwners } = settings;
  const hidden = (): string[] => settings.hidden.flatMap(toRealPath);
  if (trustOwners) return withoutIsolation(hidden);
  return user === undefined ? inBubblewrap(settings, hidden) : asUser(user, settings, hidden);
}

/** Runs everybody's commands alike. */
export function withoutIsolation(hidden: Isolation["hidden"] = () => []): Isolation {
  return { type: "none", hidden, demand: () => undefined, wrap: () => undefined };
}

/**
 * A mount namespace in which the server's files are not there, and a process namespace in which the server is not. The user namespace is what
 * keeps the way through /proc/PID/root closed, and without capabilities nothing that was put over a folder can be taken away.
 */
function inBubblewrap({ path, ...settings }: IsolationSettings, hidden: () => readonly string[]): Isolation {
  const program = findProgram("bwrap", path);
  const wrap = (cwd: string): Wrapper => ({
    argv: [
      program ?? "bwrap",
      "--unshare-user",
      "--unshare-pid",
      "--cap-drop",
      "ALL",
      ...showFiles(settings),
      "--proc",
      "/proc",
      ...outermost(hidden()).flatMap(hide),
      "--chdir",
      cwd,
      "--",
    ],
  });
  const isWorking = once(() => program !== undefined && works(wrap("/"), path));
  const demand = (): void => {
    if (!isWorking()) throw refused("needs bubblewrap (the program bwrap) and Perl, which do not work here");
  };
  return { type: "bubblewrap", hidden, demand, wrap };
}

function showFiles({ roots, temporary }: Pick<IsolationSettings, "roots" | "temporary">): string[] {
  const writable = [...temporary, ...roots].flatMap(toRealPath);
  if (roots.length === 0 || writable.includes("/")) return ["--dev-bind", "/", "/"];
  return [
    "--ro-bind",
    "/",
    "/",
    "--dev-bind",
    "/dev",
    "/dev",
    ...writable.flatMap((place) => ["--bind", place, place]),
  ];
}

/** What lies in a hidden folder needs no hiding. */
function outermost(places: readonly string[]): string[] {
  const all = [...new Set(places)];
  return all.filter((place) => !all.some((other) => other !== place && isInside(other, place)));
}

function hide(place: string): string[] {
  return statSync(place).isDirectory() ? ["--tmpfs", place, "--remount-ro", place] : ["--ro-bind", "/dev/null", place];
}

function asUser(name: string, { path }: IsolationSettings, hidden: () => readonly string[]): Isolation {
  const program = findProgram("setpriv", path);
  const account = once(() => findAccount(name));
  const wrap = (): Wrapper => {
    const user = account();
    if (user === undefined) throw refused(`is configured with shell.user "${name}", which is not an account here`);
    const { uid, gid } = user;
    return {
      argv: [program ?? "setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--init-groups", "--no-new-privs", "--"],
      user,
    };
  };
  const isWorking = once(() => program !== undefined && process.getuid?.() === 0 && works(wrap(), path));
  const demand = (): void => {
    if (account()?.uid === process.getuid?.()) throw refused(`needs a shell.user other than the server's own`);
    if (!isWorking())
      throw refused(`is configured with shell.user, which needs a server that runs as root, and setpriv`);
  };
  return { type: "user", hidden, demand, wrap };
}

function findAccount(name: string): CommandUser | undefined {
  const { stdout } = spawnSync("getent", ["passwd", name], { encoding: "utf8", timeout: patienceMs });
  const [login, , uid = "", gid = "", , home = "/"] = (stdout ?? "").trim().split(":");
  if (!/^\d+$/.test(uid) || !/^\d+$/.test(gid)) return undefined;
  return {
    uid: Number(uid),
    gid: Number(gid),
    env: { HOME: home, USER: login ?? name, LOGNAME: login ?? name, SHELL: "/bin/sh" },
  };
}

const patienceMs = 10_000;

function works({ argv: [program = "", ...words] }: Wrapper, path: string): boolean {
  const probe = spawnSync(program, [...words, "perl", "-e", "exit 0"], {
    cwd: "/",
    env: { PATH: path },
    stdio: "ignore",
    timeout: patienceMs,
  });
  return probe.status === 0;
}

function refused(why: string): LonghaulError {
  return new LonghaulError(
    "not_allowed",
    `This server runs commands only for this machine's user: keeping those of others away from its own files ${why}. See shell.trust_owners in docs/access.md.`,
  );
}

function toRealPath(path: string): string[] {
  try {
    return [realpathSync.native(path)];
  } catch {
    return [];
  }
}

function once<T>(find: () => T): () => T {
  let found: { value: T } | undefined;
  return () => (found ??= { value: find() }).value;
}
