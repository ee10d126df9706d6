/** How an MCP server is started over stdio. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A server as a client's file describes it. */
export type Entry = Readonly<Record<string, unknown>>;

/** What a client's files depend on. */
export interface Places {
  readonly home: string;
  readonly isMac: boolean;
  /** Undefined also where it is set to nothing. */
  readonly variable: (name: string) => string | undefined;
}

/** A program that MCP servers can be added to. */
export interface McpClient {
  readonly name: string;
  readonly title: string;
  readonly format: "json" | "toml";
  /** Where its file lists servers by their names. */
  readonly keys: readonly string[];
  /** What an entry calls the variables of a server. */
  readonly envKey: "env" | "environment";
  readonly userFile: (places: Places) => string;
  /** Only for clients that read a file of the project. */
  readonly projectFile?: (folder: string) => string;
  /** `keys` is where the entry will stand. */
  readonly toEntry: (launch: Launch, keys: readonly string[]) => Entry;
  /** Its program, and files and folders that only it makes: one of them is a sign that it is installed. */
  readonly program: string;
  readonly signs: (places: Places) => readonly string[];
  /** Only for clients that ask before each call: what an entry says so that they do not, and what happens where nobody can be asked. */
  readonly approval?: { readonly fields: Entry; readonly without: string };
  /** What to do once the file has changed. */
  readonly next: string;
}
