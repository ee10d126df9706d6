import { readFileSync } from "node:fs";
import type { Paths } from "../../config/paths.ts";

/** What a server wrote about itself when it started. It may be gone since: nothing here is sure. */
export interface ServerFacts {
  readonly pid: number;
  readonly version: string;
  readonly url: string;
}

export function readServerFile({ server }: Paths): ServerFacts | undefined {
  try {
    const facts = JSON.parse(readFileSync(server, "utf8")) as Partial<ServerFacts>;
    const { pid, version, url } = facts;
    return typeof pid === "number" && typeof version === "string" && typeof url === "string"
      ? { pid, version, url }
      : undefined;
  } catch {
    return undefined;
  }
}
