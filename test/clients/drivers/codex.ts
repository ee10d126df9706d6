import { readFileSync } from "node:fs";
import { join } from "node:path";
import { maxConversationMs, type Driver } from "./driver.ts";

/** `codex exec`. */
export const codex: Driver = {
  title: "Codex exec",
  client: "codex",
  packageName: "@openai/codex",
  version: "0.166.0",
  hasTasks: false,
  hasForms: false,
  prepare: async (sandbox) => {
    await sandbox.longhaul("add", "codex", "--approve");
    const added = readFileSync(join(sandbox.home, ".codex", "config.toml"), "utf8");
    const model = [
      `model = "gpt-scripted"`,
      `model_provider = "scripted"`,
      `check_for_update_on_startup = false`,
      `[analytics]`,
      `enabled = false`,
      `[model_providers.scripted]`,
      `name = "Scripted"`,
      `base_url = "${sandbox.server.url}/v1"`,
      `env_key = "OPENAI_API_KEY"`,
      `wire_api = "responses"`,
    ];
    sandbox.write(".codex/config.toml", `${model.join("\n")}\n\n${added}`);
  },
  converse: async (sandbox, folder, { prompt, isContinued }) => {
    const vendor = join(folder, "node_modules", "@openai", "codex-linux-x64", "vendor", "x86_64-unknown-linux-musl");
    const words = ["exec", "--skip-git-repo-check", ...(isContinued === true ? ["resume", "--last"] : []), prompt];
    await sandbox.run([join(vendor, "bin", "codex"), ...words], { OPENAI_API_KEY: "dummy-key" }, maxConversationMs);
  },
};
