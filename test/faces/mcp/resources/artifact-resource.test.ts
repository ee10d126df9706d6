import { expect, test } from "vitest";
import { z } from "zod";
import { readArtifactResource } from "../../../../src/faces/mcp/resources/artifact-resource.ts";
import { defineKind } from "../../../../src/index.ts";
import { refusal, useWorld } from "../../../engine/world.ts";

const world = useWorld();
const maker = defineKind({
  name: "maker",
  input: z.object({ bytes: z.int() }),
  onInterrupt: "fail",
  run: async ({ bytes }, { artifacts }) => {
    await artifacts.save("large.txt", "x".repeat(bytes));
  },
});

test("a file of up to 8 MB is one message, and of a larger one it is said how to read it", async () => {
  const engine = await world().open([maker]);
  const read = async (bytes: number): Promise<unknown> => {
    const { id } = await engine.submit({ kind: "maker", input: { bytes } });
    await engine.wait(id);
    return readArtifactResource("job://x", { id, name: "large.txt" }, { engine, actor: {} });
  };
  const { text } = (await read(8_000_000)) as { text: string };
  expect(text).toBe("x".repeat(8_000_000));
  await expect(read(8_000_001)).rejects.toMatchObject(refusal("too_large"));
  await expect(read(8_000_001)).rejects.toThrow("large.txt has 8000001 bytes");
});
