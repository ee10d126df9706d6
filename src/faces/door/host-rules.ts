import { isLoopbackHost } from "./addresses.ts";

export interface HostRules {
  /** Names under which requests may ask for this server, besides those of this machine. */
  readonly hosts?: readonly string[];
  /** Web pages that may send requests, such as "https://jobs.example.com", besides this server's own on this machine. */
  readonly origins?: readonly string[];
}

/** What a request says about where it goes and which web page it comes from. */
interface Addressed {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly protocol: "http" | "https";
}

/**
 * Finds what is wrong with where a request goes or comes from, as a sentence. A web page that got a foreign name to lead here
 * (DNS rebinding) gives itself away by the Host, and one that sends requests from elsewhere by the Origin.
 */
export function createHostRules({ hosts = [], origins = [] }: HostRules): (request: Addressed) => string | undefined {
  const hostNames = new Set(hosts.map((host) => host.toLowerCase()));
  const pages = new Set(origins.map((origin) => origin.toLowerCase()));
  return ({ host = "", origin, protocol }) => {
    const name = host.toLowerCase().replace(/:\d+$/, "");
    if (!isLoopbackHost(name) && !hostNames.has(name)) {
      return `This server does not answer for the host "${clip(name)}": add it to server.hosts if it should.`;
    }
    if (origin === undefined || pages.has(origin.toLowerCase())) return undefined;
    const isOwnPage = isLoopbackHost(name) && origin.toLowerCase() === `${protocol}://${host.toLowerCase()}`;
    if (isOwnPage) return undefined;
    return `Web pages from "${clip(origin)}" may not send requests here: add it to server.origins if they should.`;
  };
}

/** Headers that say where a request goes, where it comes from and who sends it. */
const singleHeaders: ReadonlySet<string> = new Set(["host", "origin", "authorization"]);

/**
 * Finds what could be read in two ways, as a sentence: whoever stands before this server may have gone by the other one. Headers come as
 * `node:http` has them, names and values in turn.
 */
export function findAmbiguity(target = "/", rawHeaders: readonly string[] = []): string | undefined {
  if (!target.startsWith("/") && target !== "*") return "Ask for a path: a whole URL is not accepted as the target.";
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    if (!singleHeaders.has(name)) continue;
    if (seen.has(name)) return `Send the header ${name} only once.`;
    seen.add(name);
  }
  return undefined;
}

/** What a stranger sent is repeated only as far as it can help. */
function clip(text: string): string {
  return text.slice(0, 100);
}
