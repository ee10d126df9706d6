import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { checkConfigFile } from "../config/private-files.ts";
import { messageOf } from "../job/failure.ts";
import type { Kind } from "../job/kind.ts";
import { operations } from "../operations/registry.ts";

interface LoadedKinds {
  readonly kinds: readonly Kind[];
  /** One sentence for each module, or kind, that is not there. */
  readonly problems: readonly string[];
}

/** An overloaded machine takes seconds for what it does else in one. */
const defaultLimitMs = 30_000;

/**
 * Loads modules of others that export kinds. One that throws, loops or never ends is named and left out: the server runs on without
 * it. A module is imported in a thread first, because nothing can end a loop in this one.
 */
export async function loadKinds(
  files: readonly string[],
  builtIn: readonly Kind[],
  limitMs = defaultLimitMs,
): Promise<LoadedKinds> {
  const kinds: Kind[] = [];
  const problems: string[] = [];
  for (const file of files) {
    try {
      for (const kind of await loadModule(file, limitMs)) {
        const clash = findClash(kind, [...builtIn, ...kinds]);
        if (clash === undefined) kinds.push(kind);
        else problems.push(`The kind "${kind.name}" of ${file} is left out: ${clash}.`);
      }
    } catch (error) {
      problems.push(`The kinds of ${file} are left out: ${messageOf(error)}`);
    }
  }
  return { kinds, problems };
}

async function loadModule(file: string, limitMs: number): Promise<Kind[]> {
  if (!existsSync(file)) throw new Error("there is no such file.");
  if (/\.[cm]?ts$/.test(file) && !loadsTypeScript()) {
    throw new Error(
      `Node ${process.versions.node} cannot load TypeScript: build it to JavaScript first, or start the server with Node 22.18 or later.`,
    );
  }
  // Its code runs with the rights of this server.
  checkConfigFile(file);
  const { href } = pathToFileURL(file);
  await tryInThread(href, limitMs);
  const limit = new AbortController();
  const loaded = await Promise.race([
    import(href) as Promise<Record<string, unknown>>,
    delay(limitMs, undefined, { signal: limit.signal }).then(() => Promise.reject(tooSlow(limitMs))),
  ]).finally(() => limit.abort());
  const kinds = Object.values(loaded).flat().filter(isKind);
  if (kinds.length === 0) throw new Error("it exports nothing that defineKind has made.");
  return [...new Set(kinds)];
}

function loadsTypeScript(): boolean {
  return Boolean((process.features as { typescript?: unknown }).typescript);
}

const threadCode = `
  const { parentPort, workerData } = require("node:worker_threads");
  import(workerData).then(
    () => parentPort.postMessage({}),
    (error) => parentPort.postMessage({ problem: String(error?.message ?? error) }),
  );
`;

/** What it prints while it is tried would be printed twice. */
function tryInThread(href: string, limitMs: number): Promise<void> {
  const thread = new Worker(threadCode, { eval: true, workerData: href, stdout: true, stderr: true });
  return new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(tooSlow(limitMs)), limitMs);
    thread.once("message", ({ problem }: { problem?: string }) => {
      clearTimeout(timer);
      if (problem === undefined) resolve();
      else reject(new Error(problem));
    });
    thread.once("error", reject);
    thread.once("exit", () => {
      clearTimeout(timer);
      reject(new Error("it ends the process that loads it."));
    });
  }).finally(() => void thread.terminate());
}

function tooSlow(limitMs: number): Error {
  return new Error(`it was not loaded within ${limitMs / 1_000} s.`);
}

/** By its shape: the module has a copy of this package of its own. */
function isKind(value: unknown): value is Kind {
  const { name, input, run, verbs, check } = (value ?? {}) as Partial<Kind>;
  const isMade = typeof run === "function" && typeof check === "function" && Array.isArray(verbs);
  return isMade && typeof name === "string" && typeof input?.safeParse === "function";
}

function findClash({ name, verbs }: Kind, others: readonly Kind[]): string | undefined {
  if (others.some((other) => other.name === name)) return "there is a kind of this name already";
  const taken = new Set([
    ...operations.map((operation) => operation.name),
    ...others.flatMap((other) => other.verbs.map((verb) => verb.name)),
  ]);
  const verb = verbs.find((own) => taken.has(own.name));
  return verb && `there is an operation "${verb.name}" already`;
}
