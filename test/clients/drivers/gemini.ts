import { join } from "node:path";
import { readJson } from "../sandbox.ts";
import { maxConversationMs, type Driver } from "./driver.ts";

/** `gemini -p`. */
export const gemini: Driver = {
  title: "Gemini CLI -p",
  client: "gemini",
  packageName: "@google/gemini-cli",
  version: "0.61.0",
  hasTasks: false,
  hasForms: false,
  prepare: async (sandbox) => {
    await sandbox.longhaul("add", "gemini", "--approve");
    sandbox.write(".gemini/settings.json", {
      ...(readJson(join(sandbox.home, ".gemini", "settings.json")) as object),
      security: { auth: { selectedType: "gemini-api-key" } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false },
    });
    sandbox.write(".gemini/trustedFolders.json", { [sandbox.project]: "TRUST_FOLDER" });
  },
  converse: async (sandbox, folder, { prompt, isContinued }) => {
    const program = join(folder, "node_modules", "@google", "gemini-cli", "bundle", "gemini.js");
    const words = ["-m", "gemini-2.5-flash", ...(isContinued === true ? ["--resume", "latest"] : [])];
    const env = { GEMINI_API_KEY: "dummy-key", GOOGLE_GEMINI_BASE_URL: sandbox.server.url };
    await sandbox.run([process.execPath, program, ...words, "-p", prompt], env, maxConversationMs);
  },
};
