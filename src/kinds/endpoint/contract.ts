import { z } from "zod";
import { defineContract } from "../../job/contract.ts";
import { jsonSchema, type Json } from "../../job/json.ts";

const dayMs = 24 * 3_600_000;

export const policySchema = z.strictObject({
  executionTimeout: z
    .int()
    .min(5_000)
    .max(7 * dayMs)
    .optional()
    .describe("Most milliseconds the job may run."),
  ttl: z
    .int()
    .min(10_000)
    .max(7 * dayMs)
    .optional()
    .describe("Most milliseconds from submit to the end."),
  lowPriority: z.boolean().optional(),
});

export const s3ConfigSchema = z.strictObject({
  accessId: z.string(),
  accessSecret: z.string(),
  bucketName: z.string(),
  endpointUrl: z.string(),
  objectPath: z.string().optional(),
});

export const endpointInputSchema = z.strictObject({
  endpoint: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,64}$/, "expected the name of an endpoint: letters, digits, _ and -")
    .describe("The endpoint's name."),
  input: z.record(z.string(), jsonSchema).describe("What the endpoint's handler is given."),
  policy: policySchema.optional(),
  s3Config: s3ConfigSchema
    .optional()
    .describe("Where a remote worker puts files. Its secrets are hidden wherever the job is shown."),
  platform_webhook: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("A URL that the platform calls when its job has ended."),
});

/** What an endpoint is given: `input`, `policy` and `s3Config` as RunPod takes them. */
export type EndpointInput = z.output<typeof endpointInputSchema>;

/** What came back. The times are the platform's, where it tells them. */
export const endpointResultSchema = z.object({
  output: z.custom<Json>().optional(),
  delay_ms: z.number().optional(),
  execution_ms: z.number().optional(),
  worker: z.string().optional(),
  remote_id: z.string().optional(),
});

export type EndpointResult = z.infer<typeof endpointResultSchema>;

/** Jobs of an endpoint are found by this tag. */
export function endpointTag(name: string): string {
  return `endpoint:${name}`;
}

export const endpointContract = defineContract({
  name: "endpoint",
  input: endpointInputSchema,
  result: endpointResultSchema,
  summaryOf: ({ endpoint, input }) => `${endpoint} ${JSON.stringify(input)}`,
  verbs: [
    {
      name: "run_endpoint",
      description: "Run a job on an endpoint, remote or local. A remote job is submitted once and followed to its end.",
      path: "/v1/endpoints/{endpoint}/jobs",
      input: endpointInputSchema,
      tool: { fields: ["endpoint", "input", "name", "timeout_ms"] },
    },
  ],
});
