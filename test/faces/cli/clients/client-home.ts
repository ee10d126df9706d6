import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach } from "vitest";
import { bin, makeSharedCli, type Done } from "../cli.ts";

/** The command line for a user whose clients have a folder of their own, new for each test. */
export interface ClientHome {
  readonly path: (file?: string) => string;
  readonly run: (words: readonly string[], env?: Record<string, string>) => Promise<Done>;
  readonly put: (file: string, text: string, mode?: number) => string;
  readonly read: (file: string) => string;
  /** The entry that is written: for most clients, and for those that want the type. */
  readonly plain: { readonly command: string; readonly args: string[]; readonly env: Record<string, string> };
  readonly typed: ClientHome["plain"] & { readonly type: string };
}

/** Variables that would lead to the files of whoever runs the tests. */
const elsewhere = ["XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "VSCODE_PORTABLE"];

export function makeClientHome(): ClientHome {
  const cli = makeSharedCli();
  let home = "";
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "longhaul-add-"));
    return () => rmSync(home, { recursive: true, force: true });
  });
  const cleared = Object.fromEntries(elsewhere.map((name) => [name, ""]));
  const plain = { command: process.execPath, args: [bin, "mcp"], env: { LONGHAUL_HOME: cli.home, LONGHAUL_PORT: "0" } };
  const path = (file = ""): string => join(home, file);
  return {
    path,
    run: (words, env = {}) => cli.run(words, { env: { ...cleared, HOME: home, ...env }, cwd: home }),
    put: (file, text, mode = 0o600) => {
      mkdirSync(dirname(path(file)), { recursive: true });
      writeFileSync(path(file), text, { mode });
      return path(file);
    },
    read: (file) => readFileSync(path(file), "utf8"),
    plain,
    typed: { type: "stdio", ...plain },
  };
}
