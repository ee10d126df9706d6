import { tmpdir } from "node:os";
import type { LoadedConfig } from "../config/config.ts";
import { ownPlaces } from "../config/paths.ts";
import { createIsolation, type Isolation } from "../kinds/shell/isolation.ts";

/** How a configuration keeps commands of others than this machine's user from the server's own files. */
export function openIsolation({ paths, env, shell }: LoadedConfig): Isolation {
  // The sockets of the user's session start programs for whoever can reach them.
  const session = [env["XDG_RUNTIME_DIR"], "/run/user"];
  const places = [...ownPlaces(paths), env["ENV_FILE"], ...session];
  return createIsolation({
    hidden: places.filter((place) => place !== undefined && place !== "") as string[],
    roots: shell.roots,
    temporary: [tmpdir(), "/tmp", "/var/tmp"],
    user: shell.user,
    trustOwners: shell.trust_owners,
    path: env["PATH"] ?? "",
  });
}
