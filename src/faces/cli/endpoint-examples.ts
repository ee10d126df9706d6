export interface EndpointExample {
  readonly file: string;
  readonly text: string;
  /** What runs it. */
  readonly argv: (file: string) => string[];
}

/** Handlers that work as they stand: they take jobs as lines of JSON, and answer with lines of JSON. */
export const endpointExamples: Readonly<Record<"python" | "typescript", EndpointExample>> = {
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
