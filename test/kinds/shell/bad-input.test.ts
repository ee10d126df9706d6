import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { useShell } from "./world.ts";
import { refusal } from "../../engine/world.ts";

const world = useShell();

const cases: [what: string, input: unknown, code: "invalid_input" | "not_allowed" | "too_large", message: RegExp][] = [
  ["an empty command", { command: "" }, "invalid_input", /command must be a command, not an empty text/],
  ["a command of spaces", { command: " \n\t" }, "invalid_input", /must be a command, not an empty text/],
  ["no command", {}, "invalid_input", /must have either command or argv/],
  ["a command and an argv", { command: "true", argv: ["true"] }, "invalid_input", /must have either command or argv/],
  ["an empty argv", { argv: [] }, "invalid_input", /argv/],
  ["an argv whose program has no name", { argv: [""] }, "invalid_input", /argv/],
  ["words that are none", { argv: ["echo", 5] }, "invalid_input", /argv\[1\] must be a string, got 5/],
  ["a zero byte in a command", { command: "echo a\0b" }, "invalid_input", /zero bytes/],
  ["a zero byte in an argv", { argv: ["echo", "a\0b"] }, "invalid_input", /zero bytes/],
  ["a zero byte in a variable", { command: "true", env: { A: "a\0b" } }, "invalid_input", /zero bytes/],
  ["a variable without a proper name", { command: "true", env: { "a=b": "c" } }, "invalid_input", /env/],
  [
    "a working directory that is not there",
    { command: "true", cwd: "/no/such/place" },
    "invalid_input",
    /existing directory, got "\/no\/such\/place"/,
  ],
  [
    "a working directory that is relative",
    { command: "true", cwd: "here" },
    "invalid_input",
    /absolute path, got "here"/,
  ],
  [
    "a working directory that is a file",
    { command: "true", cwd: "/etc/passwd" },
    "invalid_input",
    /existing directory/,
  ],
  ["a working directory outside the roots", { command: "true", cwd: "/usr" }, "not_allowed", /cwd must be in/],
  ["a command that is denied", { command: "reboot" }, "not_allowed", /deny rule/],
  ["a readiness of nothing", { command: "true", ready: {} }, "invalid_input", /must have a pattern, a port or a url/],
  [
    "a readiness by a broken pattern",
    { command: "true", ready: { pattern: "[" } },
    "invalid_input",
    /regular expression/,
  ],
  ["a readiness by a port that is none", { command: "true", ready: { port: 70_000 } }, "invalid_input", /ready\.port/],
  [
    "a readiness by another kind of URL",
    { command: "true", ready: { url: "file:///etc/passwd" } },
    "invalid_input",
    /ready\.url/,
  ],
  [
    "a field that is not known",
    { command: "true", timeout: 5 },
    "invalid_input",
    /timeout is not a field of the input/,
  ],
  ["another shell than there are", { command: "true", shell: "fish" }, "invalid_input", /shell/],
  ["a command that is far too long", { command: "x".repeat(131_072) }, "invalid_input", /command/],
  [
    "a word of more bytes than a program can be handed",
    { argv: ["echo", "€".repeat(50_000)] },
    "invalid_input",
    /131071 bytes/,
  ],
  ["an input that is far too long", { command: "cat", stdin: "x".repeat(1_100_000) }, "too_large", /at most 1000000/],
];

it.each(cases)("%s is refused in one sentence, and no job is made", async (_what, input, code, message) => {
  const engine = await world().open({ policy: { roots: [world().base, "/etc"], deny: [/reboot/] } });
  await expect(engine.submit({ kind: "shell", input })).rejects.toMatchObject(refusal(code, message));
  expect((await engine.list()).jobs).toEqual([]);
});

it("one bad request among many refuses them all", async () => {
  const engine = await world().open();
  writeFileSync(world().path("marker"), "");
  const requests = [{ command: "rm marker" }, { command: "" }].map((input) => ({ kind: "shell", input }));
  await expect(engine.submitMany(requests)).rejects.toMatchObject(refusal("invalid_input"));
  expect((await engine.list()).jobs).toEqual([]);
});
