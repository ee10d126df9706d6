import { createInterface } from "node:readline";

/** A warm handler that gives its input back. */
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, input } = JSON.parse(line) as { id?: string; input?: unknown };
  if (input !== undefined) process.stdout.write(`${JSON.stringify({ id, output: input })}\n`);
});
