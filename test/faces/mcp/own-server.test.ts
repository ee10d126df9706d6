import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { connectOfficial } from "./official-client.ts";

const root = join(import.meta.dirname, "../../..");

describe("the example of a server of one's own", () => {
  it("runs as it stands in docs/mcp.md, and serves a task that asks", async () => {
    const folder = join(root, ".build", `docs-mcp-${process.pid}`);
    await mkdir(folder, { recursive: true });
    try {
      const guide = await readFile(join(root, "docs/mcp.md"), "utf8");
      const [, code = ""] = /^```ts\n(.*?)^```/ms.exec(guide) ?? [];
      await writeFile(join(folder, "server.mjs"), code);
      const script = `cd ${JSON.stringify(folder)} && exec ${JSON.stringify(process.execPath)} server.mjs`;
      const front = { command: "/bin/sh", args: ["-c", script], env: process.env as Record<string, string> };
      const client = await connectOfficial({ url: "", front }, { wire: "stdio", era: "legacy" });
      const execution = await client.session.callTool(
        "report",
        { topic: "tides" },
        { task: { preference: "require" } },
      );
      const { outcome } = await execution.settle();
      expect(outcome).toMatchObject({ status: "completed", result: { content: [{ text: "All about tides." }] } });
      await client.close();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
