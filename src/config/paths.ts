import { homedir, tmpdir, userInfo } from "node:os";
import { dirname, join, resolve } from "node:path";
import { profiles, profileSocketFile, type Profile } from "./profiles.ts";

/** Where everything of one installation lives. */
export interface Paths {
  readonly home: string;
  readonly config: string;
  readonly socket: string;
  /** Where fronts of MCP clients connect, for each profile. */
  readonly mcpSockets: Readonly<Record<Profile, string>>;
  readonly token: string;
  /** What webhooks are signed with. */
  readonly webhookSecret: string;
  readonly log: string;
  /** What the running server says of itself: process, version, address. */
  readonly server: string;
  /** Which program shares the home among its processes, where that is no server. */
  readonly program: string;
  /** Which port was listened on last, unless one is configured. */
  readonly port: string;
  /** Who is starting a server now. */
  readonly starting: string;
  /** What the server answers to the first questions of MCP clients, for each profile. */
  readonly snapshots: string;
  readonly pipes: string;
  /** For the browser's profile and temporary files. */
  readonly browser: string;
}

/** The longest path that a Unix socket can have everywhere we run, with a little to spare. */
const longestSocketPath = 100;
/** The browser adds folders of its own, and refuses to start if its socket does not fit in them. */
const longestBrowserPath = 45;

export function findPaths(env: NodeJS.ProcessEnv): Paths {
  const home = resolve(
    env["LONGHAUL_HOME"] || join(env["XDG_STATE_HOME"] || join(homedir(), ".local", "state"), "longhaul"),
  );
  return {
    home,
    config: env["LONGHAUL_CONFIG"] ?? join(home, "config.json"),
    socket: shortPath(home, "longhaul.sock", longestSocketPath),
    mcpSockets: Object.fromEntries(
      profiles.map((profile) => [profile, shortPath(home, profileSocketFile(profile), longestSocketPath)]),
    ) as Record<Profile, string>,
    token: join(home, "token"),
    webhookSecret: join(home, "webhook-secret"),
    log: join(home, "server.log"),
    server: join(home, "server.json"),
    program: join(home, "program.json"),
    port: join(home, "port"),
    starting: join(home, "server.starting"),
    snapshots: join(home, "snapshots"),
    pipes: join(home, "pipes"),
    browser: shortPath(home, "browser", longestBrowserPath),
  };
}

/** Folders and files of the installation that are nobody's business but its own, wherever they lie. */
export function ownPlaces({ home, config, socket, browser }: Paths): string[] {
  return [...new Set([home, dirname(socket), dirname(browser), config])];
}

function shortPath(home: string, file: string, longest: number): string {
  const path = join(home, file);
  if (path.length <= longest) return path;
  // Loaded only here: few homes have such long paths, and every command pays for what it loads.
  const { createHash } = process.getBuiltinModule("node:crypto");
  const name = createHash("sha256").update(home).digest("hex").slice(0, 16);
  return join(tmpdir(), `longhaul-${userInfo().uid}`, `${name}-${file}`);
}
