import { join } from "node:path";
import { maxConversationMs, type Driver } from "./driver.ts";

/** `opencode run`. */
export const opencode: Driver = {
  title: "opencode run",
  client: "opencode",
  packageName: "opencode-linux-x64",
  version: "1.18.33",
  hasTasks: false,
  hasForms: false,
  prepare: async (sandbox) => {
    await sandbox.longhaul("add", "opencode");
    const scripted = {
      npm: "@ai-sdk/openai-compatible",
      name: "Scripted",
      options: { baseURL: `${sandbox.server.url}/v1`, apiKey: "dummy-key" },
      models: { scripted: { name: "Scripted" } },
    };
    const models = { model: "scripted/scripted", small_model: "scripted/scripted", provider: { scripted } };
    // The other file that it reads, so that what was added stays as it is.
    sandbox.write(".config/opencode/config.json", { ...models, autoupdate: false, share: "disabled" });
  },
  converse: async (sandbox, folder, { prompt, isContinued }) => {
    const binary = join(folder, "node_modules", "opencode-linux-x64", "bin", "opencode");
    const words = [binary, "run", ...(isContinued === true ? ["--continue"] : []), prompt];
    const off = ["OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_LSP_DOWNLOAD"];
    await sandbox.run(words, Object.fromEntries(off.map((name) => [name, "1"])), maxConversationMs);
  },
};
