import { z } from "zod";
import { jsonSchema } from "../../../job/json.ts";

/** RunPod's own request. What else a client sends is left out, as RunPod does. */
export const runpodRequestSchema = z.object({
  input: z.record(z.string(), jsonSchema).describe("Input of the handler"),
  webhook: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("URL that is called when the job has ended"),
  policy: z
    .object({
      executionTimeout: z.number().optional().describe("Maximum running time of the job in milliseconds"),
      lowPriority: z.boolean().optional(),
      ttl: z.number().optional().describe("Maximum time from submission to the end in milliseconds"),
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
