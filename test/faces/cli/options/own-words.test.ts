import { Command } from "commander";
import { z } from "zod";
import { expect, it } from "vitest";
import { LonghaulError } from "../../../../src/job/error.ts";
import { parseInput } from "../../../../src/job/issue.ts";
import { toOwnWords } from "../../../../src/faces/cli/options/own-words.ts";

const command = new Command("run")
  .argument("<url...>", "")
  .option("--name <name>", "")
  .option("--timeout <time>", "")
  .option("--tag <tag>", "")
  .option("--shell <shell>", "")
  .option("--max-steps <number>", "");

const schema = z.object({
  name: z.string().min(1).max(10).optional(),
  timeout_ms: z
    .number()
    .min(1_500)
    .max(366 * 86_400_000)
    .optional(),
  tags: z.array(z.string().min(1)).max(2).optional(),
  shell: z.enum(["bash", "sh"]).optional(),
  max_steps: z.number().min(1).optional(),
  urls: z.array(z.url({ protocol: /^https?$/, error: "expected an http or https URL" })).optional(),
  other_thing: z.string().optional(),
});

function told(input: object): string {
  try {
    parseInput(schema, input, "run_command");
    return "";
  } catch (error) {
    return toOwnWords(error, command);
  }
}

it.each([
  [{ name: "" }, "--name must not be empty."],
  [{ name: "n".repeat(11) }, "--name must have at most 10 characters."],
  [{ timeout_ms: 400 * 86_400_000 }, "--timeout must be at most 366d, got 400d."],
  [{ timeout_ms: 5 }, "--timeout must be at least 1.5s, got 5ms."],
  [{ tags: [""] }, "--tag must not be empty."],
  [{ tags: ["a", "b", "c"] }, "--tag must have at most 2 items."],
  [{ shell: "zsh" }, '--shell must be one of bash, sh, got "zsh".'],
  [{ max_steps: 0 }, "--max-steps must be at least 1, got 0."],
  [{ urls: ["ftp://x"] }, 'url must be an http or https URL, got "ftp://x".'],
  [{ other_thing: 5 }, "other_thing must be a string, got 5."],
])("what the server refuses is told by the flag or argument that was written: %j", (input, expected) => {
  expect(told(input)).toBe(expected);
});

it.each([
  ["name", "name must be one line, got 2.", "--name must be one line, got 2."],
  ["timeoutMs", "timeoutMs must be at most 60000, got 61000.", "--timeout must be at most 1m, got 1m01s."],
  ["urls.0", "urls[0] must be public.", "url must be public."],
  ["shell", 'The input of kind "shell": shell must be one of bash, sh.', "--shell must be one of bash, sh."],
  ["shell.name", "shell.name must be bash.", "--shell: name must be bash."],
  ["webhooks.secret", "webhooks.secret must be long.", "webhooks.secret must be long."],
  ["shell.roots", "The configuration in /c: shell.roots must be a list.", undefined],
  ["typo", "typo is not a field of run_command.", undefined],
  ["", "There is no such job.", undefined],
])("is told by the flag or argument, of the field %j: %s", (field, message, expected = message) => {
  expect(toOwnWords(new LonghaulError("invalid_input", message, { details: { field } }), command)).toBe(expected);
});

it("what is no refusal of a field is told as it is", () => {
  expect(toOwnWords(new LonghaulError("not_found", "name must be known."), command)).toBe("name must be known.");
  expect(toOwnWords(new Error("Nobody is there."), command)).toBe("Nobody is there.");
  const refused = new LonghaulError("invalid_input", "name must be one line.", { details: { field: "name" } });
  expect(toOwnWords(refused, undefined)).toBe("name must be one line.");
});
