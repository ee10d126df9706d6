import { z } from "zod";
import type { Json } from "../../job/json.ts";

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
  endpoint: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, "expected the name of an endpoint: letters, digits, _ and -"),
  input: z.record(z.string(), z.json()),
  policy: policySchema.optional(),
  s3Config: s3ConfigSchema.optional(),
  webhook: z.url({ protocol: /^https?$/ }).optional(),
});

/** What an endpoint is given. All but `endpoint` is RunPod's own request. */
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
