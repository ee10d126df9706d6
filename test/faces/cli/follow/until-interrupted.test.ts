import { once } from "node:events";
import { expect, it } from "vitest";
import { untilInterrupted } from "../../../../src/faces/cli/follow/until-interrupted.ts";

async function untilAborted(signal: AbortSignal): Promise<number> {
  await once(signal, "abort");
  throw new Error("aborted");
}

it("what is not interrupted gives its exit code, and nobody listens for Ctrl-C any longer", async () => {
  const before = process.listenerCount("SIGINT");
  expect(await untilInterrupted(async () => 7)).toBe(7);
  expect(process.listenerCount("SIGINT")).toBe(before);
});

it("the first Ctrl-C ends the waiting with 130, after it was said that the work goes on", async () => {
  const told: string[] = [];
  const code = untilInterrupted(untilAborted, () => told.push("goes on"));
  process.emit("SIGINT");
  expect(await code).toBe(130);
  expect(told).toEqual(["goes on"]);
});

it("what fails by itself is not taken for an interruption", async () => {
  const told: string[] = [];
  const failing = untilInterrupted(
    () => Promise.reject(new Error("broken")),
    () => told.push("goes on"),
  );
  await expect(failing).rejects.toThrow("broken");
  expect(told).toEqual([]);
});
