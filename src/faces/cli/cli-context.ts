import type { Environment } from "../../config/environment.ts";
import type { ProfileSet } from "../../config/profiles.ts";
import type { Client } from "../door/local-client.ts";
import type { Screen } from "./show/screen.ts";

/** What every command works with. */
export interface CliContext {
  readonly version: string;
  readonly environment: Environment;
  readonly screen: Screen;
  /** How to run this program: the executable and the file that it runs. */
  readonly program: { readonly executable: string; readonly file: string };
  /** Calls a server of this version; starts one in the background if none runs. */
  readonly client: Client;
  /** Becomes the server. The code of it is loaded only now. */
  readonly serve: (flags: ServeFlags, options: ServeMode) => Promise<ServedHere>;
  /** Stands between one MCP client, on standard input and output, and the server. Resolves with the exit code. */
  readonly serveFront: (set: ProfileSet) => Promise<number>;
  /** Looks at a database and changes nothing; rejects with what is wrong with it. Thoroughly reads all of it. */
  readonly inspectStore: (file: string, options: { isThorough: boolean }) => Promise<void>;
  /** Looks at the database that machines share and changes nothing; rejects with what is wrong with it. Undefined if the store is in the folder. */
  readonly inspectDatabase: () => Promise<DatabaseReport | undefined>;
  /** Moves the store of the folder to the database that machines share. */
  readonly migrate: (onProgress: (progress: { table: string; moved: number }) => void) => Promise<MigrateReport>;
  /** The browser that pages are looked at with: the one that is named, or one that is installed. */
  readonly findBrowser: (search: { executable?: string; searchPath: string }) => Promise<string | undefined>;
  /** Serves one MCP client on standard input and output, without a server in the background. */
  readonly serveMcp: (set: ProfileSet) => Promise<void>;
}

/** What was moved from a folder to a database. */
export interface MigrateReport {
  readonly tables: readonly { readonly table: string; readonly rows: number }[];
  /** Where the old database is now. */
  readonly kept: string;
  readonly to: string;
}

/** What is known of a database that machines share. */
export interface DatabaseReport {
  readonly host: string;
  readonly database: string;
  readonly version: string;
  /** Undefined while the schema is not made. */
  readonly schemaVersion: number | undefined;
  readonly newestSchema: number;
  readonly isEncrypted: boolean;
  readonly isOnThisMachine: boolean;
  readonly isListening: boolean;
  readonly mayCreateSchema: boolean;
}

export interface ServeFlags {
  readonly host?: string;
  readonly port?: number;
  readonly allowRemoteShell?: boolean;
  /** Which jobs run here, and modules that export kinds of one's own; words with commas between them. */
  readonly kinds?: string;
  readonly concurrency?: string;
  readonly labels?: string;
}

export interface ServeMode {
  readonly isLoggedToFile: boolean;
  /** A worker runs jobs of a store that machines share, and is nobody's server. */
  readonly role?: "server" | "worker";
}

export interface ServedHere {
  readonly url: string;
  readonly socket: string;
  readonly stop: () => Promise<void>;
}
