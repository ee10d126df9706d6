import { z } from "zod";
import { defineContract } from "../../job/contract.ts";

const portSchema = z.int().min(1).max(65_535);
/** Linux hands a program no longer word, with a zero byte at its end; nor one with a zero byte elsewhere. */
const maxWordBytes = 131_071;
const word = z
  .string()
  .max(maxWordBytes)
  .regex(/^[^\0]*$/, "expected a text without zero bytes")
  .refine((text) => Buffer.byteLength(text) <= maxWordBytes, `must have at most ${maxWordBytes} bytes`);

export const readySchema = z
  .strictObject({
    pattern: z.string().min(1).max(1_000).optional().describe("A line of output that matches this expression (RE2)."),
    port: portSchema.optional().describe("A port on this machine that accepts connections."),
    url: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe("A URL that answers with a status below 500."),
  })
  .refine((ready) => Object.values(ready).some((value) => value !== undefined), "must have a pattern, a port or a url");

export const shellInputSchema = z
  .strictObject({
    command: word
      .trim()
      .min(1, "expected a command, not an empty text")
      .optional()
      .describe("A command line for the shell."),
    argv: z
      .array(word)
      .min(1)
      .max(10_000)
      .refine(([program]) => program !== "", "must begin with the name of a program")
      .optional()
      .describe("A program and its arguments, run without a shell."),
    shell: z.enum(["bash", "sh"]).optional(),
    cwd: z.string().min(1).optional().describe("Working directory, absolute."),
    env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "expected a variable name"), word).optional(),
    stdin: z
      .string()
      .optional()
      .describe("Text for its input; without it the input stays open and takes what is sent."),
    stream_stdin: z
      .boolean()
      .optional()
      .describe("Its input is what is sent, and ends when that says so, as what is piped into a command does."),
    pty: z.boolean().optional().describe("Run on a terminal of its own, for programs that want one."),
    window: z
      .strictObject({ columns: z.int().min(1).max(1_000), rows: z.int().min(1).max(1_000) })
      .optional()
      .describe("The size of its terminal's window; 120 by 40 unless given."),
    ready: readySchema.optional().describe("How to tell that a service is up."),
    finish_with_main: z.boolean().optional().describe("Do not wait for children that outlive the main process."),
  })
  .refine((input) => (input.command === undefined) !== (input.argv === undefined), "must have either command or argv")
  .refine(
    (input) => input.stdin === undefined || input.stream_stdin !== true,
    "must have either stdin or stream_stdin, not both",
  );

export type ShellInput = z.output<typeof shellInputSchema>;
export type ReadyCondition = z.output<typeof readySchema>;

export const shellResultSchema = z.object({
  exit_code: z.int(),
  signal: z.string().nullable(),
});

export const shellContract = defineContract({
  name: "shell",
  input: shellInputSchema,
  result: shellResultSchema,
  summaryOf: ({ command, argv }) => command ?? argv?.join(" "),
  verbs: [
    {
      name: "run_command",
      description: "Run a command in the background. It goes on whatever happens to the caller or the server.",
      path: "/v1/commands",
      input: shellInputSchema,
      tool: {
        description:
          "Run a shell command, build, test or dev server in the background. A short one is answered with its output; a long one goes on whatever happens to this session, and is answered with a job_id.",
        fields: ["command", "argv", "cwd", "env", "stdin", "pty", "ready", "name", "timeout_ms", "attempts"],
      },
    },
  ],
});
