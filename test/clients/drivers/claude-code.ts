import { join } from "node:path";
import { until } from "../until.ts";
import { openTerminal, type Terminal } from "../terminal.ts";
import { readJson, type Sandbox } from "../sandbox.ts";
import { maxConversationMs, type Driver, type TerminalUser } from "./driver.ts";

const apiKey = "dummy-key";

const common = {
  client: "claude-code",
  packageName: "@anthropic-ai/claude-code",
  version: "2.1.325",
  prepare: async (sandbox: Sandbox): Promise<void> => {
    await sandbox.longhaul("add", "claude-code");
    sandbox.write(".claude.json", {
      ...(readJson(join(sandbox.home, ".claude.json")) as object),
      hasCompletedOnboarding: true,
      customApiKeyResponses: { approved: [apiKey], rejected: [] },
      projects: { [sandbox.project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
    });
    sandbox.write(".claude/settings.json", { permissions: { allow: ["mcp__longhaul"] } });
  },
} as const;

/** On a terminal: the only way in which Claude Code has tasks and forms. */
export const claudeCode: Driver = {
  ...common,
  title: "Claude Code",
  hasTasks: true,
  hasForms: true,
  converse: async (sandbox, folder, { prompt, isContinued, user }) => {
    const words = [binary(folder), ...(isContinued === true ? ["--continue"] : [])];
    const terminal = openTerminal(sandbox, words, variables(sandbox));
    try {
      await until(() => /^❯/m.test(terminal.screen()), "Claude Code shows no prompt", terminal.screen);
      await terminal.type(prompt);
      await terminal.press("Enter");
      await user?.(createUser(terminal));
      const { model } = sandbox;
      const isOver = (): boolean =>
        terminal.isDead() || (model.lastWords !== "" && terminal.screen().includes(model.lastWords));
      await until(isOver, "the conversation does not come to its end", terminal.screen, maxConversationMs);
      await leave(terminal);
    } finally {
      terminal.close();
    }
  },
};

/** `claude -p`, which has no tasks. */
export const claudePrint: Driver = {
  ...common,
  title: "Claude Code -p",
  hasTasks: false,
  hasForms: false,
  converse: async (sandbox, folder, { prompt, isContinued }) => {
    const words = [binary(folder), ...(isContinued === true ? ["--continue"] : []), "-p", prompt];
    await sandbox.run(words, variables(sandbox), maxConversationMs);
  },
};

function createUser(terminal: Terminal): TerminalUser {
  return {
    sees: async (text) => {
      await until(() => text.test(terminal.screen()), `the screen does not show ${String(text)}`, terminal.screen);
      return terminal.screen();
    },
    presses: async (key, text) => {
      const isUnderstood = async (): Promise<boolean> => {
        if (text.test(terminal.screen())) return true;
        await terminal.press(key);
        return false;
      };
      await until(isUnderstood, `pressing ${key} does not lead to ${String(text)}`, terminal.screen);
    },
  };
}

/** A user's way out; running tasks may make it ask once more. */
async function leave(terminal: Terminal): Promise<void> {
  if (terminal.isDead()) return;
  await terminal.type("/exit");
  await terminal.press("Enter");
  const isGone = (): Promise<boolean> =>
    until(terminal.isDead, "", terminal.screen, 3_000).then(
      () => true,
      () => false,
    );
  if (await isGone()) return;
  await terminal.press("Enter");
  await isGone();
}

function binary(folder: string): string {
  return join(folder, "node_modules", "@anthropic-ai", "claude-code-linux-x64", "claude");
}

function variables({ server }: Sandbox): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: apiKey,
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
}
