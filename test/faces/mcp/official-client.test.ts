import { describe, expect, it } from "vitest";
import { until } from "../../until.ts";
import {
  combinations,
  connectOfficial,
  type Answers,
  type Era,
  type OfficialClient,
  type Wire,
} from "./official-client.ts";
import { useSharedMcpWorld } from "./world.ts";

const require = { task: { preference: "require" } } as const;

const world = useSharedMcpWorld();

// They wait for the client's next look at a task most of the time, so they run at once.
describe.concurrent.each(combinations)("the official Tasks client over $wire, $era revision", ({ wire, era }) => {
  async function withClient(run: (client: OfficialClient) => Promise<void>, answers?: Answers): Promise<void> {
    const client = await connect(wire, era, answers);
    try {
      await run(client);
    } finally {
      await client.close();
    }
  }
  const connect = (w: Wire, e: Era, answers?: Answers): Promise<OfficialClient> =>
    connectOfficial(world(), { wire: w, era: e, answers });

  it("settles a task with the result of its job", async () => {
    await withClient(async ({ session }) => {
      const execution = await session.callTool("slow_compute", { seconds: 0.2, label: "pi" }, require);
      expect(execution.kind).toBe("task");
      const { outcome } = await execution.settle();
      expect(outcome).toMatchObject({
        status: "completed",
        result: { content: [{ type: "text", text: "computed pi for 0.2s" }] },
      });
    });
  });

  it("cancels a task, and cancelling it again changes nothing", async () => {
    await withClient(async ({ session }) => {
      const execution = await session.callTool("slow_compute", { seconds: 60 }, require);
      const id = execution.handle?.taskId ?? "";
      await execution.cancel();
      expect((await execution.settle()).outcome.status).toBe("cancelled");
      await until(async () => (await world().engine.get(id)).state.status === "cancelled");
      await session.cancelTask(id as never).catch(() => undefined);
      expect((await world().engine.get(id)).state.status).toBe("cancelled");
    });
  });

  it("puts a job's question to the client and goes on with the answer", async () => {
    await withClient(
      async ({ session }) => {
        const execution = await session.callTool("confirm_delete", { filename: "a.txt" }, require);
        const { outcome } = await execution.settle();
        expect(outcome).toMatchObject({ status: "completed", result: { content: [{ text: "deleted a.txt" }] } });
      },
      () => ({ confirm: true }),
    );
  });

  it("puts two questions that are open at once", async () => {
    await withClient(
      async ({ session }) => {
        const execution = await session.callTool("multi_input", {}, require);
        const { outcome } = await execution.settle();
        expect(outcome.status).toBe("completed");
        const text = JSON.stringify(outcome);
        expect(text).toContain("Ada");
        expect(text).toContain("Bob");
      },
      (message) => ({ name: message.includes("friend") ? "Bob" : "Ada" }),
    );
  });

  it("lets go of a task and takes it up again on another connection", async () => {
    const first = await connect(wire, era);
    const execution = await first.session.callTool("slow_compute", { seconds: 1, label: "later" }, require);
    if (execution.kind !== "task") throw new Error("expected a task");
    const reference = execution.serializeReference();
    await execution.detach();
    // Closing the session would cancel what it has not let go of yet; a client that is killed does not get to it either.
    await first.client.close();
    await withClient(async ({ session }) => {
      const resumed = await session.resumeTask(reference);
      const { outcome } = await resumed.settle();
      expect(outcome).toMatchObject({ status: "completed", result: { content: [{ text: "computed later for 1s" }] } });
    });
  });

  it("tells a failure of the work from a failure of the call", async () => {
    await withClient(async ({ session }) => {
      const failing = await (await session.callTool("failing_job", {}, require)).settle();
      // The older revision has no word for a tool that failed in a task that worked.
      const expected = era === "modern" ? { status: "completed", result: { isError: true } } : { status: "failed" };
      expect(failing.outcome).toMatchObject(expected);
      expect(JSON.stringify(failing.outcome) + String((failing.outcome as { error?: unknown }).error)).toContain(
        "as it was made to",
      );
      const broken = await (await session.callTool("protocol_error_job", {}, require)).settle();
      expect(broken.outcome.status).toBe("failed");
    });
  });

  it("refuses an unknown id and one that belongs to somebody else in the same words", async () => {
    const { engine } = world();
    const foreign = await engine.submit({ kind: "slow_compute", input: { seconds: 60 }, owner: "bob" });
    await withClient(async ({ raw }) => {
      for (const taskId of [foreign.id, "01a1e15f-0000-7000-8000-000000000000", "nonsense"]) {
        expect(await raw("tasks/get", { taskId })).toMatchObject({
          kind: "error",
          error: { code: -32_602, message: "Task not found: the id is unknown or has expired." },
        });
        expect(await raw("tasks/cancel", { taskId })).toMatchObject({ kind: "error", error: { code: -32_602 } });
      }
    });
    expect((await engine.get(foreign.id)).state.status).toBe("running");
  });
});
