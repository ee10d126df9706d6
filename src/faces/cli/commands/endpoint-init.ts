import { existsSync, mkdirSync, writeFileSync, copyFileSync, readFileSync } from "node:fs";
import { join, resolve, dirname } from "node:path";
import { writeWholeFile } from "../../../config/whole-file.ts";
import { LonghaulError } from "../../../job/error.ts";
import { messageOf } from "../../../job/failure.ts";
import { isRecord } from "../../../job/is-record.ts";
import type { CliContext } from "../cli-context.ts";
import { defineCommand } from "../command.ts";

interface InitOptions {
  readonly python?: true;
  readonly typescript?: true;
  readonly warm?: true;
  readonly print?: true;
}

export const init = defineCommand<InitOptions, [name: string]>({
  describe: (command) => {
    command
      .argument("<name>", "name of the endpoint and of the folder for its handler")
      .option("--python", "a handler in Python (unless --typescript is given)")
      .option("--typescript", "a handler for Node, with types in its comments")
      .option("--warm", "keep the worker from job to job")
      .option("--print", "only print the configuration entry; leave config.json unchanged");
  },
  run: async (cli, options, name) => {
    const { screen, environment } = cli;
    check(name, options);
    const example = endpointExamples[options.typescript === true ? "typescript" : "python"];
    const folder = resolve(name);
    const file = join(folder, example.file);
    if (existsSync(file)) throw new LonghaulError("conflict", `${file} already exists: choose another name.`);
    const entry = {
      type: "local",
      argv: example.argv(file),
      cwd: folder,
      mode: options.warm === true ? "warm" : "per_job",
      concurrency: 1,
    };
    const { config } = environment.paths;
    const backup = options.print === true ? undefined : addEndpoint(config, name, entry);
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, example.text);
    if (options.json === true) screen.printJson({ name, file, entry, ...(options.print === true ? {} : { config }) });
    else tell(cli, { name, file, entry, backup, isAdded: options.print !== true });
  },
});

function check(name: string, { python, typescript }: InitOptions): void {
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    throw new LonghaulError("invalid_input", `A name is 1 to 64 letters, digits, "_" or "-", got "${name}".`);
  }
  if (python === true && typescript === true) {
    throw new LonghaulError("invalid_input", "Give --python or --typescript, not both.");
  }
}

interface Told {
  readonly name: string;
  readonly file: string;
  readonly entry: object;
  readonly backup: string | undefined;
  readonly isAdded: boolean;
}

function tell({ screen, environment }: CliContext, { name, file, entry, backup, isAdded }: Told): void {
  screen.note(`Wrote ${file}.`);
  screen.print(JSON.stringify({ endpoints: { [name]: entry } }, null, 2));
  if (!isAdded) return;
  screen.note(`Added it to ${environment.paths.config}${backup === undefined ? "" : ` (before: ${backup})`}.`);
  screen.note(`Try it: longhaul endpoint run ${name} '{"text":"hello world"}'`);
}

/** Adds an endpoint to the configuration file. Says where the file was copied to before, if there was one. */
function addEndpoint(path: string, name: string, endpoint: object): string | undefined {
  const config = readConfig(path);
  const endpoints = toObject(config["endpoints"] ?? {}, path, "endpoints");
  if (Object.hasOwn(endpoints, name)) {
    throw new LonghaulError(
      "conflict",
      `${path} already has an endpoint "${name}": choose another name, or remove it.`,
    );
  }
  const text = `${JSON.stringify({ ...config, endpoints: { ...endpoints, [name]: endpoint } }, null, 2)}\n`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const backup = existsSync(path) ? `${path}.${new Date().toISOString().replaceAll(/[:.]/g, "-")}.bak` : undefined;
  if (backup !== undefined) copyFileSync(path, backup);
  // In one step: a server that starts now reads one or the other.
  writeWholeFile(path, text);
  return backup;
}

function readConfig(path: string): Record<string, unknown> {
  if (!existsSync(path)) return {};
  try {
    return toObject(JSON.parse(readFileSync(path, "utf8")), path, "it");
  } catch (error) {
    if (error instanceof LonghaulError) throw error;
    throw new LonghaulError("invalid_input", `${path} is not readable JSON: ${messageOf(error)}.`, { cause: error });
  }
}

function toObject(value: unknown, path: string, what: string): Record<string, unknown> {
  if (isRecord(value)) return value;
  throw new LonghaulError("invalid_input", `${path}: ${what} must be an object.`);
}

interface EndpointExample {
  readonly file: string;
  readonly text: string;
  /** What runs it. */
  readonly argv: (file: string) => string[];
}

/** Handlers that work as they stand: they take jobs as lines of JSON, and answer with lines of JSON. */
const endpointExamples: Readonly<Record<"python" | "typescript", EndpointExample>> = {
  python: {
    file: "handler.py",
    argv: (file) => ["python3", "-u", file],
    text: `"""A Longhaul endpoint: takes jobs as lines of JSON on its input, answers with lines of JSON on its output."""
import json
import sys


def handler(job, progress, stream):
    """Your work: the return value is the job's output, an exception is its error."""
    text = str(job["input"].get("text", "hello"))
    words = text.split()
    for index, word in enumerate(words, 1):
        progress({"percent": 100 * index / len(words), "message": word})
        stream(word.upper())
    return {"text": text.upper()}


def main():
    for line in sys.stdin:
        job = json.loads(line)
        if job.get("cancel"):
            continue  # This handler does one thing at a time: a job that is cancelled has its worker replaced.

        def say(what):
            print(json.dumps({"id": job["id"], **what}), flush=True)

        try:
            output = handler(job, lambda value: say({"progress": value}), lambda chunk: say({"stream": chunk}))
            say({"output": output})
        except Exception as error:
            say({"error": f"{type(error).__name__}: {error}"})


main()
`,
  },
  typescript: {
    file: "handler.mjs",
    argv: (file) => ["node", file],
    text: `// @ts-check
// A Longhaul endpoint: takes jobs as lines of JSON on its input, answers with lines of JSON on its output.
// TypeScript checks it by its comments, and Node runs it as it stands: nothing has to be built.
import { createInterface } from "node:readline";

/**
 * @typedef {{ id: string, input: Record<string, unknown> }} Job
 * @typedef {{ progress: (value: number | string | { percent?: number, message?: string }) => void, stream: (chunk: unknown) => void }} Reporter
 */

/**
 * Your work: the return value is the job's output, what is thrown is its error.
 * @param {Job} job
 * @param {Reporter} report
 */
async function handler(job, report) {
  const text = String(job.input.text ?? "hello");
  const words = text.split(/\\s+/);
  for (const [index, word] of words.entries()) {
    report.progress({ percent: (100 * (index + 1)) / words.length, message: word });
    report.stream(word.toUpperCase());
  }
  return { text: text.toUpperCase() };
}

for await (const line of createInterface({ input: process.stdin })) {
  /** @type {Job & { cancel?: boolean }} */
  const job = JSON.parse(line);
  // This handler does one thing at a time: a job that is cancelled has its worker replaced.
  if (job.cancel) continue;
  /** @param {object} what */
  const say = (what) => process.stdout.write(\`\${JSON.stringify({ id: job.id, ...what })}\\n\`);
  try {
    const output = await handler(job, {
      progress: (progress) => say({ progress }),
      stream: (stream) => say({ stream }),
    });
    say({ output: output ?? null });
  } catch (error) {
    say({ error: error instanceof Error ? \`\${error.name}: \${error.message}\` : String(error) });
  }
}
`,
  },
};
