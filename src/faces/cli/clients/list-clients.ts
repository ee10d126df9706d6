import { existsSync } from "node:fs";
import { LonghaulError } from "../../../job/error.ts";
import type { CliContext } from "../cli-context.ts";
import { formatTable } from "../show/output-table.ts";
import { mcpClients } from "./client-table.ts";
import { loadEditor, UneditableError } from "./config-editor.ts";
import { readConfigFile } from "./config-file.ts";
import { findProgram } from "../../../text/find-program.ts";
import { isOurs } from "./launch.ts";
import type { McpClient, Places } from "./mcp-client.ts";
import { findFile, findPlaces } from "./target.ts";

export interface ClientState {
  readonly client: string;
  readonly title: string;
  readonly installed: boolean;
  /** `other`: a server of that name that is not Longhaul's; `unreadable`: the file cannot be understood. */
  readonly configured: "yes" | "no" | "other" | "unreadable";
  readonly file: string;
}

/** Every client with a file of that kind, and whether Longhaul is in it. */
export async function listClients(cli: CliContext, folder: string | undefined, name: string): Promise<ClientState[]> {
  const places = findPlaces(cli);
  const listed = mcpClients.filter(({ projectFile }) => folder === undefined || projectFile !== undefined);
  return Promise.all(
    listed.map(async (client) => {
      const file = findFile(client, folder, places);
      const installed = isInstalled(client, places);
      return { client: client.name, title: client.title, installed, configured: await look(client, file, name), file };
    }),
  );
}

export function formatClients({ screen }: CliContext, clients: readonly ClientState[]): string {
  const { style, terminal } = screen;
  return formatTable(
    clients,
    [
      { title: "CLIENT", text: ({ client }) => client },
      {
        title: "INSTALLED",
        text: ({ installed }) => (installed ? "yes" : "no"),
        paint: ({ installed }, text) => (installed ? text : style.dim(text)),
      },
      {
        title: "CONFIGURED",
        text: ({ configured }) => configured,
        paint: ({ configured }, text) => paints(configured)(text),
      },
      { title: "FILE", text: ({ file }) => file },
    ],
    { width: terminal.columns(), paintTitle: style.dim },
  );

  function paints(configured: ClientState["configured"]): (text: string) => string {
    return { yes: style.green, no: style.dim, other: style.yellow, unreadable: style.red }[configured];
  }
}

/** A guess: its program is on the path, or something is there that only it makes. */
function isInstalled({ program, signs }: McpClient, places: Places): boolean {
  return signs(places).some((path) => existsSync(path)) || findProgram(program, places.variable("PATH")) !== undefined;
}

async function look(client: McpClient, path: string, name: string): Promise<ClientState["configured"]> {
  try {
    const entry = (await loadEditor(client, name)).get(readConfigFile(path).text ?? "");
    return entry === undefined ? "no" : isOurs(entry) ? "yes" : "other";
  } catch (error) {
    if (error instanceof UneditableError || error instanceof LonghaulError) return "unreadable";
    throw error;
  }
}
