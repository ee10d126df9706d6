import type { McpClient, Entry } from "./mcp-client.ts";

/** Reads and changes one server in the text of a client's file, and leaves every other byte as it is. */
export interface ConfigEditor {
  /** Where the server is, or would be, in this text. */
  readonly keys: (text: string) => readonly string[];
  /** Throws if the text cannot be understood, and says where. */
  readonly get: (text: string) => unknown;
  /** Adds the server, or brings its entry to these values. */
  readonly set: (text: string, entry: Entry) => string;
  readonly unset: (text: string) => string;
}

/** Why a text cannot be read or changed; whoever knows the file makes a sentence of it. */
export class UneditableError extends Error {
  override readonly name = "UneditableError";
}

export function nest(keys: readonly string[], value: unknown): Record<string, unknown> {
  return keys.reduceRight((inner, key) => ({ [key]: inner }), value) as Record<string, unknown>;
}

/** What a document is to say once it has the entry, or no longer has it: what else it says stays. */
export function withEntry(
  document: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  entry: Entry | undefined,
): Record<string, unknown> {
  const changed = structuredClone(document);
  let place: Record<string, unknown> = changed;
  for (const key of keys.slice(0, -1)) place = (place[key] ??= {}) as Record<string, unknown>;
  const name = keys.at(-1) ?? "";
  if (entry === undefined) delete place[name];
  else place[name] = structuredClone(entry);
  return changed;
}

/** The parser of a format is loaded only when a file of it is looked at. */
export async function loadEditor({ format, keys, name: client }: McpClient, name: string): Promise<ConfigEditor> {
  if (format === "toml") return (await import("./toml-editor.ts")).createTomlEditor([...keys, name]);
  const { createJsonEditor } = await import("./json-editor.ts");
  return createJsonEditor((document) => [...serverKeys(client, keys, document), name]);
}

/** Opencode 2 lists servers one level deeper and reads the older form as well: what the file has already is gone on with. */
function serverKeys(client: string, keys: readonly string[], document: unknown): readonly string[] {
  if (client !== "opencode") return keys;
  const servers = (document as { mcp?: { servers?: { type?: unknown } } } | undefined)?.mcp?.servers;
  return typeof servers === "object" && servers !== null && typeof servers.type !== "string"
    ? [...keys, "servers"]
    : keys;
}
