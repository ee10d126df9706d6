import { lstatSync, statSync, type Stats } from "node:fs";
import { LonghaulError } from "../job/error.ts";

/**
 * Refuses a folder that somebody else could put something into: what lies there decides who is let in, and who takes our calls. One that is
 * not there yet is fine.
 */
export function checkFolder(path: string): void {
  const link = lookAt(path, lstatSync);
  if (link?.isSymbolicLink() === true && !isOurs(link)) throw refused(path, "is a link that another user has made");
  checkFacts(path, lookAt(path, statSync));
}

/** Refuses a file that somebody else has made or could change, or that is none; one that is not there yet is fine. */
export function checkFile(path: string, options: { isSecret: boolean }): void {
  const facts = lookAt(path, lstatSync);
  if (facts === undefined) return;
  if (!facts.isFile()) throw refused(path, "is not a regular file");
  checkFacts(path, facts);
  if (options.isSecret && isOpen(facts, 0o044)) throw refused(path, "can be read by other users");
}

/** As `checkFile`, but it may be root's, and a link. */
export function checkConfigFile(path: string): void {
  checkFacts(path, lookAt(path, statSync), { mayBeRoots: true });
}

function checkFacts(path: string, facts: Stats | undefined, { mayBeRoots = false } = {}): void {
  if (facts === undefined) return;
  if (!isOurs(facts) && !(mayBeRoots && facts.uid === 0)) throw refused(path, "belongs to another user");
  if (isOpen(facts, 0o022)) throw refused(path, "can be changed by other users");
}

function isOurs({ uid }: Stats): boolean {
  const own = process.getuid?.();
  return own === undefined || uid === own;
}

/** Whether others have one of the rights. A group of the same number as the user is the user's alone, as most systems set it up. */
function isOpen({ mode, gid }: Stats, rights: number): boolean {
  const own = process.getuid?.();
  if (own === undefined) return false;
  return (mode & rights & (gid === own ? 0o007 : 0o077)) !== 0;
}

function lookAt(path: string, stat: typeof statSync): Stats | undefined {
  try {
    return stat(path);
  } catch {
    // Whatever is to be done with it will say why that cannot be.
    return undefined;
  }
}

function refused(path: string, why: string): LonghaulError {
  return new LonghaulError(
    "not_allowed",
    `${path} ${why}, so Longhaul does not use it: see what it is, then remove it or make it yours alone (chown, chmod go-rwx).`,
  );
}
