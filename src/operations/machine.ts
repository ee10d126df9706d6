import { z } from "zod";
import { isServerAdmin } from "../engine/access.ts";
import { defineOperation } from "./operation.ts";

const machineSchema = z.object({
  machine: z.string().describe("Its name: a job can be pinned to it."),
  role: z.enum(["server", "worker"]),
  labels: z.array(z.string()).describe("What else a job can be pinned to."),
  kinds: z.array(
    z.object({
      kind: z.string(),
      slots: z.int().describe("How many of its jobs run at once."),
      running: z.int().describe("How many run now."),
    }),
  ),
  version: z.string(),
  address: z.string().optional().describe("Where it can be reached; told to whoever looks after the whole server."),
  started_at: z.string(),
  last_beat_at: z.string().describe("When it was last heard."),
});

export type MachineView = z.infer<typeof machineSchema>;

export const machineList = defineOperation({
  name: "machine_list",
  scope: "read",
  description: "List the machines that share the store: what each runs, how much of it, and when it was last heard.",
  input: z.strictObject({}),
  output: z.object({ machines: z.array(machineSchema) }),
  run: async ({ engine, actor }) => {
    const isAddressTold = isServerAdmin(actor);
    const machines = (await engine.machines()).map(
      ({ machine, role, labels, kinds, version, address, startedAt, beatAt }): MachineView => ({
        machine,
        role,
        labels: [...labels],
        kinds: kinds.map(({ name, slots, running }) => ({ kind: name, slots, running })),
        version,
        ...(isAddressTold && address !== undefined ? { address } : {}),
        started_at: new Date(startedAt).toISOString(),
        last_beat_at: new Date(beatAt).toISOString(),
      }),
    );
    return { machines };
  },
});
