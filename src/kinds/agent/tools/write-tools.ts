import { z } from "zod";
import { defineTool, type AgentTool } from "./agent-tool.ts";
import { applyPatch } from "./apply-patch.ts";
import { editFileTool } from "./edit-file.ts";
import { countText } from "../../../text/count-text.ts";

const maxCharacters = 2_000_000;

const writeFile = defineTool({
  name: "write_file",
  description: "Write a whole text file; it is made, with its folders, or replaced.",
  input: z.object({ filePath: z.string().min(1).max(4_000), content: z.string().max(maxCharacters) }),
  changes: "writes",
  isUnrepeatable: true,
  brief: ({ filePath }) => filePath,
  preview: ({ filePath, content }) => `${filePath}, all of it:\n${content}`,
  run: async ({ filePath, content }, { files, memory }) => {
    if (await files.exists(filePath)) memory.check(filePath, await files.readText(filePath).catch(() => ""));
    await memory.writeText(filePath, content);
    return `Wrote ${countText(content.length, "character")} to ${filePath}.`;
  },
  verify: async ({ filePath, content }, { files }) => {
    const there = await files.readText(filePath).catch(() => undefined);
    return there === content ? `Wrote ${countText(content.length, "character")} to ${filePath}.` : undefined;
  },
});

const applyPatchTool = defineTool({
  name: "apply_patch",
  description: `Change files by a patch:
*** Begin Patch
*** Update File: path
@@ an unchanged line above the change, such as a function's head
 an unchanged line
-a removed line
+an added line
*** Add File: path
+every line of it
*** Delete File: path
*** End Patch
Give three unchanged lines around each change. All of the patch is applied, or nothing.`,
  input: z.object({ input: z.string().min(1).max(maxCharacters).describe("The patch.") }),
  changes: "writes",
  isUnrepeatable: true,
  brief: ({ input }) =>
    [...input.matchAll(/^\*\*\* (?:Update|Add|Delete) File: (.+)$/gm)].map(([, name]) => name).join(", "),
  preview: ({ input }) => input,
  run: ({ input }, { files, memory }) => applyPatch(input, files, memory),
});

export const writeTools: readonly AgentTool[] = [editFileTool, writeFile, applyPatchTool];
