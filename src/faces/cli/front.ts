import type { Environment } from "../../config/environment.ts";
import type { Profile } from "../../config/profiles.ts";
import type { Client } from "../local/client.ts";
import type { Screen } from "./screen.ts";

/** What every command works with. */
export interface Front {
  readonly version: string;
  readonly environment: Environment;
  readonly screen: Screen;
  /** How to run this program: the executable and the file that it runs. */
  readonly program: { readonly executable: string; readonly file: string };
  /** Calls a server of this version; starts one in the background if none runs. */
  readonly client: Client;
  /** Becomes the server. The code of it is loaded only now. */
  readonly serve: (flags: ServeFlags, options: { isLoggedToFile: boolean }) => Promise<ServedHere>;
  /** Serves one MCP client on standard input and output, without a server in the background. */
  readonly serveMcp: (profile: Profile) => Promise<void>;
}

export interface ServeFlags {
  readonly host?: string;
  readonly port?: number;
  readonly allowRemoteShell?: boolean;
}

export interface ServedHere {
  readonly url: string;
  readonly socket: string;
  readonly stop: () => Promise<void>;
}
