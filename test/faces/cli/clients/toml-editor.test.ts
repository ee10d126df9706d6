import { describe, expect, it } from "vitest";
import { UneditableError } from "../../../../src/faces/cli/clients/config-editor.ts";
import { createTomlEditor } from "../../../../src/faces/cli/clients/toml-editor.ts";

const editor = createTomlEditor(["mcp_servers", "longhaul"]);
const entry = { command: "node", args: ["main.js", "mcp"], env: { LONGHAUL_HOME: "/a b" } };
const block = `[mcp_servers.longhaul]\ncommand = "node"\nargs = [ "main.js", "mcp" ]\n\n[mcp_servers.longhaul.env]\nLONGHAUL_HOME = "/a b"\n`;

describe("adding to TOML appends a table", () => {
  it.each([
    ["nothing", "", block],
    ["a line without an end", `model = "x" # mine`, `model = "x" # mine\n\n${block}`],
    ["other servers", `[mcp_servers.x]\ncommand = "y"\n`, `[mcp_servers.x]\ncommand = "y"\n\n${block}`],
    ["CRLF", `a = 1\r\n`, `a = 1\r\n\r\n${block.replaceAll("\n", "\r\n")}`],
  ])("to %s", (_what, before, after) => {
    expect(editor.set(before, entry)).toBe(after);
    expect(editor.get(after)).toEqual(entry);
  });
});

describe("changing TOML", () => {
  const before = `# head\na = 1979-05-27\n\n[mcp_servers.longhaul] # ours\ncommand = "old"\nlist = [\n  1, # [mcp_servers.no]\n]\n\n# about x\n[mcp_servers.x]\ncommand = "y"\n\n[mcp_servers."longhaul".env]\nA = "b"\n\n[[profiles]]\nname = """\n[mcp_servers.longhaul]\n"""\n`;
  const rest = (ours: string): string =>
    `# head\na = 1979-05-27\n\n${ours}\n# about x\n[mcp_servers.x]\ncommand = "y"\n\n\n[[profiles]]\nname = """\n[mcp_servers.longhaul]\n"""\n`;

  it("is refused where a text only looks like a table", () => {
    expect(() => editor.set(before, entry)).toThrow(UneditableError);
  });

  it("replaces the tables of the entry, or takes them out, and touches nothing else", () => {
    const clear = (text: string): string => text.replace(`name = """\n[mcp_servers.longhaul]\n"""\n`, "name = 1\n");
    expect(editor.set(clear(before), entry)).toBe(clear(rest(block)));
    expect(editor.unset(clear(before))).toBe(clear(rest("")));
  });

  it("leaves no blank line at the end", () => {
    expect(editor.unset(editor.set("a = 1\n", entry))).toBe("a = 1\n");
  });
});

describe("TOML that cannot be changed safely", () => {
  it.each([
    ["what is not TOML", `a = 1\nb = = 2\n`, "line 2, column 5"],
    ["servers on one line", `mcp_servers = { x = { command = "y" } }\n`, "[mcp_servers.longhaul]"],
    ["the entry on one line", `[mcp_servers]\nlonghaul = { command = "y" }\n`, "[mcp_servers.longhaul]"],
  ])("is refused: %s", (_what, text, reason) => {
    expect(() => editor.set(text, entry)).toThrow(UneditableError);
    expect(() => editor.set(text, entry)).toThrow(reason);
  });
});
