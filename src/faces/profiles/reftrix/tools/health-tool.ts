import { elapsedMs } from "../../../../job/elapsed.ts";
import { z } from "zod";
import { serverStatus } from "../../../../operations/server.ts";
import { defineReftrixTool, looksUp } from "../reftrix-tool.ts";

const input = z.looseObject({
  include_jobs: z.boolean().default(true).describe("How many of the caller's jobs are in each state."),
  include_memory: z.boolean().default(true),
});

export const healthTool = defineReftrixTool({
  name: "system_health",
  title: "System Health",
  description: "Whether the server can store jobs and has a browser, its version and how long it runs.",
  input,
  annotations: looksUp,
  run: async (context, wanted) => {
    const { engine, server } = context;
    const status = await serverStatus.call(context, {});
    const isStoring = await engine.probe().then(
      () => true,
      () => false,
    );
    const hasBrowser = server.hasBrowser?.() ?? false;
    return {
      data: {
        status: isStoring ? (hasBrowser ? "healthy" : "degraded") : "unhealthy",
        version: server.version,
        uptimeSeconds: Math.floor(elapsedMs(server.startedAt, Date.now()) / 1_000),
        services: {
          store: { status: isStoring ? "up" : "down" },
          browser: { status: hasBrowser ? "up" : "down" },
          redis: { status: "not_needed" },
          vision: { status: "not_available" },
        },
        ...(wanted.include_jobs ? { jobs: status.jobs } : {}),
        ...(wanted.include_memory ? { memoryBytes: status.memory_bytes } : {}),
      },
    };
  },
});
