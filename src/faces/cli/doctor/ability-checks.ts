import { findProgram } from "../../../text/find-program.ts";
import { listClients } from "../clients/list-clients.ts";
import type { CliContext } from "../cli-context.ts";
import { note, ok, type Finding } from "./finding.ts";

/** What only some jobs need: a browser, a model; and whether an MCP client knows Longhaul. Nothing is wrong without them. */
export async function checkAbilities(cli: CliContext): Promise<Finding[]> {
  return [...(await checkConfigured(cli)), await checkClients(cli)];
}

async function checkConfigured({ environment, findBrowser }: CliContext): Promise<Finding[]> {
  const searchPath = environment.variable("PATH") ?? "";
  const { loadConfig } = await import("../../../config/config.ts");
  try {
    const { browser, agent } = loadConfig();
    const { executable } = browser;
    const search = { searchPath, ...(executable === undefined ? {} : { executable }) };
    return [checkBrowser(executable, await findBrowser(search)), checkModels(Object.keys(agent.providers), searchPath)];
  } catch {
    // That the configuration is wrong has been told.
    return [];
  }
}

function checkBrowser(executable: string | undefined, found: string | undefined): Finding {
  if (found !== undefined) return ok("browser", `Pages are looked at with ${found}.`);
  return note(
    "browser",
    executable === undefined
      ? "No Chromium, Chrome or Edge was found: pages are analysed without a browser."
      : `There is no program at ${executable}: pages are analysed without a browser.`,
    "Install chromium, or name the program in browser.executable or LONGHAUL_BROWSER.",
  );
}

/** The programs by which agents can work without a model of ours. */
const programs = ["claude", "codex", "opencode", "gemini"];

function checkModels(providers: readonly string[], searchPath: string): Finding {
  if (providers.length > 0)
    return ok("models", `Agents can use ${providers.join(", ")}; longhaul agent --check asks them.`);
  const installed = programs.filter((name) => findProgram(name, searchPath) !== undefined);
  if (installed.length > 0) {
    return ok("models", `No model has a key, but agents can work with ${installed.join(", ")} (--backend).`);
  }
  return note(
    "models",
    "No model has a key, so no agent can run.",
    "Set ANTHROPIC_API_KEY, OPENAI_API_KEY or another provider's, or install Claude Code, Codex, opencode or Gemini CLI.",
  );
}

async function checkClients(cli: CliContext): Promise<Finding> {
  const clients = await listClients(cli, undefined, "longhaul");
  const configured = clients.filter((each) => each.configured === "yes");
  const unreadable = clients.find((each) => each.configured === "unreadable");
  const without = clients.filter((each) => each.installed && each.configured === "no");
  if (unreadable !== undefined) {
    return note(
      "clients",
      `${unreadable.file} cannot be understood.`,
      `Correct it, then: longhaul add ${unreadable.client}`,
    );
  }
  const names = (list: typeof clients): string => list.map(({ title }) => title).join(", ");
  if (without.length > 0) {
    const known = configured.length === 0 ? "" : ` ${names(configured)} ${configured.length === 1 ? "does" : "do"}.`;
    return note(
      "clients",
      `${names(without)} ${without.length === 1 ? "does" : "do"} not know Longhaul.${known}`,
      `longhaul add ${without[0]?.client}`,
    );
  }
  if (configured.length > 0) return ok("clients", `${names(configured)} can use Longhaul.`);
  return note("clients", "No MCP client was found.", "longhaul add lists the clients that can be set up.");
}
