import { z } from "zod";

const portSchema = z.int().min(1).max(65_535);
/** No program can be handed a zero byte. */
const word = z
  .string()
  .max(100_000)
  .regex(/^[^\0]*$/, "expected a text without zero bytes");

export const readySchema = z
  .strictObject({
    pattern: z.string().min(1).max(1_000).optional().describe("A line of output that matches this expression (RE2)."),
    port: portSchema.optional().describe("A port on this machine that accepts connections."),
    url: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe("A URL that answers with a status below 500."),
  })
  .refine((ready) => Object.values(ready).some((value) => value !== undefined), "give a pattern, a port or a url");

export const shellInputSchema = z
  .strictObject({
    command: word.trim().min(1, "expected a command, not an empty text").optional(),
    argv: z
      .array(word)
      .min(1)
      .max(10_000)
      .refine(([program]) => program !== "", "expected the name of a program first, not an empty text")
      .optional(),
    shell: z.enum(["bash", "sh"]).optional(),
    cwd: z.string().min(1).optional(),
    env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "expected a variable name"), word).optional(),
    stdin: z.string().optional(),
    pty: z.boolean().optional(),
    ready: readySchema.optional(),
    finishWithMain: z.boolean().optional(),
  })
  .refine((input) => (input.command === undefined) !== (input.argv === undefined), "give either command or argv");

/**
 * What to run: a command line for a shell, or an argv without one. `stdin` is a text to read to its end; without it
 * the command's input stays open and takes what is sent. `finishWithMain` ends the job with the main process even if
 * its children live on.
 */
export type ShellInput = z.output<typeof shellInputSchema>;
export type ReadyCondition = z.output<typeof readySchema>;

export const shellResultSchema = z.object({
  exit_code: z.int(),
  signal: z.string().nullable(),
});
