import { describe, expect, it } from "vitest";
import { UneditableError } from "../../../../src/faces/cli/clients/config-editor.ts";
import { createJsonEditor } from "../../../../src/faces/cli/clients/json-editor.ts";

const editor = createJsonEditor(() => ["mcpServers", "longhaul"]);
const entry = { command: "node", args: ["main.js", "mcp"] };

describe("adding to JSON", () => {
  it.each([
    [
      "an object without servers",
      `{\n  "a": 1\n}\n`,
      `{\n  "a": 1,\n  "mcpServers": {\n    "longhaul": {\n      "command": "node",\n      "args": [\n        "main.js",\n        "mcp"\n      ]\n    }\n  }\n}\n`,
    ],
    [
      "comments and trailing commas",
      `// head\n{\n  "mcpServers": {\n    "x": {"command":"y"}, // about x\n    // end\n  },\n  "z": [1,2], // c\n}\n// tail`,
      `// head\n{\n  "mcpServers": {\n    "x": {"command":"y"}, // about x\n    // end\n    "longhaul": {\n      "command": "node",\n      "args": [\n        "main.js",\n        "mcp"\n      ]\n    },\n  },\n  "z": [1,2], // c\n}\n// tail`,
    ],
    [
      "a comment behind the last server",
      `{\n  "mcpServers": {\n    "x": {"command":"y"} // about x\n    /* end */\n  }\n}\n`,
      `{\n  "mcpServers": {\n    "x": {"command":"y"}, // about x\n    /* end */\n    "longhaul": {\n      "command": "node",\n      "args": [\n        "main.js",\n        "mcp"\n      ]\n    }\n  }\n}\n`,
    ],
    [
      "tabs and CRLF",
      `{\r\n\t"mcpServers": {}\r\n}\r\n`,
      `{\r\n\t"mcpServers": {\r\n\t\t"longhaul": {\r\n\t\t\t"command": "node",\r\n\t\t\t"args": [\r\n\t\t\t\t"main.js",\r\n\t\t\t\t"mcp"\r\n\t\t\t]\r\n\t\t}\r\n\t}\r\n}\r\n`,
    ],
    [
      "four spaces and only a comment",
      `{\n    "mcpServers": {\n        // none yet\n    }\n}`,
      `{\n    "mcpServers": {\n        // none yet\n        "longhaul": {\n            "command": "node",\n            "args": [\n                "main.js",\n                "mcp"\n            ]\n        }\n    }\n}`,
    ],
    [
      "one line",
      `{"mcpServers":{"x":{"command":"y"}}}`,
      `{"mcpServers":{"x":{"command":"y"},"longhaul":{"command":"node","args":["main.js","mcp"]}}}`,
    ],
    [
      "an empty object",
      `{}`,
      `{\n  "mcpServers": {\n    "longhaul": {\n      "command": "node",\n      "args": [\n        "main.js",\n        "mcp"\n      ]\n    }\n  }\n}`,
    ],
  ])("changes nothing else: %s", (_what, before, after) => {
    expect(editor.set(before, entry)).toBe(after);
    expect(editor.get(after)).toEqual(entry);
  });

  it("changes an entry that is there field by field", () => {
    const text = (args: string): string =>
      `{"mcpServers": {\n  "longhaul": {\n    // mine\n    "timeout": 5, "args": ${args},\n    "command": "node" }\n}}`;
    expect(editor.set(text(`["old", "mcp"]`), { ...entry, timeout: 5 })).toBe(
      text(`[\n      "main.js",\n      "mcp"\n    ]`),
    );
  });
});

describe("removing from JSON", () => {
  const own = `"longhaul": {"command": "node"}`;
  it.each([
    ["the only one", `{"mcpServers": {\n  ${own}\n}}`, `{"mcpServers": {}}`],
    ["the last", `{"mcpServers": {\n  "x": 1, // x\n  ${own}\n}}`, `{"mcpServers": {\n  "x": 1 // x\n}}`],
    ["the last, with a comma", `{"mcpServers": {\n  "x": 1,\n  ${own},\n}}`, `{"mcpServers": {\n  "x": 1,\n}}`],
    ["the first", `{"mcpServers": {\n  ${own},\n  "x": 1\n}}`, `{"mcpServers": {\n  "x": 1\n}}`],
    ["between comments", `{"mcpServers": {\n  // a\n  ${own},\n  // b\n}}`, `{"mcpServers": {\n  // a\n  // b\n}}`],
    ["before another on its line", `{"mcpServers": {\n // a\n ${own}, "x": 1}}`, `{"mcpServers": {\n // a\n  "x": 1}}`],
    ["on one line", `{"mcpServers":{"x":1,${own}}}`, `{"mcpServers":{"x":1}}`],
  ])("takes out the entry alone: %s", (_what, before, after) => {
    expect(editor.unset(before)).toBe(after);
  });
});

describe("JSON that cannot be changed safely", () => {
  it.each([
    ["a missing brace", `{\n  "a": [1,\n`, "line 3, column 1"],
    ["a missing comma", `{\n  "a": 1 "b": 2\n}`, "line 2, column 10"],
    ["text behind the end", `{}\nx`, "line 2, column 1"],
    ["a list", `[]`, "JSON object"],
    ["servers that are none", `{"mcpServers": []}`, `"mcpServers" in it is not an object`],
    ["the same key twice", `{"mcpServers": {"x": 1}, "mcpServers": {}}`, "without risk"],
  ])("is refused: %s", (_what, text, reason) => {
    expect(() => editor.set(text, entry)).toThrow(UneditableError);
    expect(() => editor.set(text, entry)).toThrow(reason);
  });
});
