import { z } from "zod";
import { defined } from "../job/defined.ts";
import { answerSchema, questionSchema } from "../job/question.ts";
import { artifactSchema, showArtifact } from "./artifact.ts";
import { defineOperation } from "./operation.ts";

const jobField = z.string().describe("The job that the token belongs to.");

export const attemptProgress = defineOperation({
  name: "attempt_progress",
  scope: "attempt",
  description: "Tell, from inside a running command, how far its job is.",
  input: z
    .strictObject({
      percent: z.number().min(0).max(100).optional().describe("Never goes back within an attempt."),
      done: z.number().min(0).optional().describe("How many are done, of `total`."),
      total: z.number().gt(0).optional(),
      message: z.string().min(1).max(1_000).optional(),
    })
    .refine((given) => Object.values(given).some((value) => value !== undefined), "must have percent, done or message")
    .refine(({ done, total }) => total === undefined || done !== undefined, "must have done beside total")
    .refine(({ done = 0, total = Infinity }) => done <= total, "must not have more done than total"),
  output: z.object({ id: jobField }),
  run: async ({ engine, actor }, { percent, done, total, message }) => {
    const { job, progress } = engine.inside.open(actor);
    const share = done === undefined || total === undefined ? undefined : (100 * done) / total;
    const counts = done === undefined ? undefined : { done, ...defined({ total }) };
    progress(defined({ percent: percent ?? share, message, counts }));
    return { id: job };
  },
});

const maxFormCharacters = 20_000;

const form = questionSchema.shape.form
  .refine((given) => JSON.stringify(given ?? {}).length <= maxFormCharacters, {
    message: `must have at most ${maxFormCharacters} characters`,
  })
  .refine((given) => (given?.required ?? []).every((name) => Object.hasOwn(given?.properties ?? {}, name)), {
    message: "must have a property for every name in required",
  });

export const attemptAsk = defineOperation({
  name: "attempt_ask",
  scope: "attempt",
  description:
    "Ask a person, from inside a running command. The job waits until somebody answers; asking again under the same key finds the answer.",
  input: z.strictObject({
    message: questionSchema.shape.message,
    form: form.describe("What the answer consists of: a flat JSON Schema."),
    key: z
      .string()
      .regex(/^[\w.:-]{1,100}$/, "expected 1 to 100 letters, digits, _, ., : or -")
      .describe("Names the question within its job, over all attempts."),
    wait_ms: z.int().min(0).max(60_000).default(0).describe("How long to wait for the answer."),
  }),
  output: z.object({
    id: jobField,
    key: z.string(),
    answer: answerSchema.optional().describe("Absent as long as nobody has answered: ask again."),
  }),
  run: async ({ engine, actor, signal }, { key, wait_ms: ms, ...question }) => {
    const { job, ask } = engine.inside.open(actor);
    const answer = await ask(question, key, { ms, ...defined({ signal }) });
    return { id: job, key, ...defined({ answer }) };
  },
});

const maxContentCharacters = 2_900_000;

export const attemptArtifact = defineOperation({
  name: "attempt_artifact",
  scope: "attempt",
  description: "Keep a file with the job, from inside a running command; a large one in several parts.",
  input: z.strictObject({
    name: z.string().max(200).describe("Its name with the job; one of the same name is replaced."),
    content: z
      .string()
      .max(maxContentCharacters)
      .regex(/^[A-Za-z0-9+/]*={0,2}$/, "expected base64")
      .describe("Base64."),
    from: z.int().min(0).default(0).describe("Where this part begins."),
    is_last: z.boolean().default(true).describe("The file is whole with this part."),
    media_type: z
      .string()
      .max(100)
      .regex(/^[\w.+-]+\/[\w.+-]+(; ?charset=[\w-]+)?$/, "expected a media type such as text/plain")
      .optional()
      .describe("By the ending of the name unless given."),
  }),
  output: z.object({ id: jobField, artifact: artifactSchema.optional().describe("Once it is whole.") }),
  run: async ({ engine, actor }, { name, content, from, is_last: isLast, media_type: mediaType }) => {
    const { job, saveArtifact } = engine.inside.open(actor);
    const part = { from, isLast, content: Buffer.from(content, "base64"), ...defined({ mediaType }) };
    const artifact = await saveArtifact(name, part);
    return { id: job, ...(artifact === undefined ? {} : { artifact: showArtifact(artifact) }) };
  },
});
