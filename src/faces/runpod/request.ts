import { z } from "zod";

/** RunPod's own request. What else a client sends is left out, as RunPod does. */
export const runpodRequestSchema = z.object({
  input: z.record(z.string(), z.unknown()).describe("Input of the handler"),
  webhook: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("URL that is called when the job has ended"),
  policy: z
    .object({
      executionTimeout: z.int().optional().describe("Most milliseconds the job may run"),
      lowPriority: z.boolean().optional(),
      ttl: z.int().optional().describe("Most milliseconds from submit to the end"),
    })
    .optional(),
  s3Config: z
    .object({
      accessId: z.string(),
      accessSecret: z.string(),
      bucketName: z.string(),
      endpointUrl: z.string(),
      objectPath: z.string().optional(),
    })
    .optional(),
});

export type RunpodRequest = z.output<typeof runpodRequestSchema>;
