import { InvalidArgumentError } from "commander";
import { readWhole } from "./option-values.ts";

export type Ready = { readonly pattern: string } | { readonly port: number } | { readonly url: string };

/** How to tell that a service is up: `pattern=listening`, `port=3000`, `url=http://localhost:3000/health`. */
export function readReady(text: string): Ready {
  const [, how, value] = /^(pattern|port|url)=(.+)$/s.exec(text) ?? [];
  if (how === "pattern" && value !== undefined) return { pattern: value };
  if (how === "url" && value !== undefined) return { url: value };
  if (how === "port" && value !== undefined) return { port: readWhole(1, 65_535)(value) };
  throw new InvalidArgumentError("Expected pattern=…, port=… or url=….");
}
