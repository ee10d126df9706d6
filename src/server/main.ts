#!/usr/bin/env node
import { readEnvironment } from "../config/environment.ts";
import { isProfile } from "../config/profiles.ts";
import { carry, openFront } from "../faces/mcp/front.ts";

/**
 * The program `longhaul`. MCP clients start `longhaul mcp` again and again, so where a server runs it carries bytes to it with no more code than
 * that; everything else, and every other spelling, is the command line's.
 */
async function main(words: readonly string[]): Promise<number> {
  const path = frontSocket(words);
  const socket = path === undefined ? undefined : await openFront(path).catch(() => undefined);
  if (socket !== undefined) return carry(socket);
  const { runCli } = await import("./cli.ts");
  return runCli(import.meta.filename, words);
}

function frontSocket([command, option, profile, ...rest]: readonly string[]): string | undefined {
  if (command !== "mcp" || rest.length > 0) return undefined;
  const { mcpSockets } = readEnvironment().paths;
  if (option === undefined) return mcpSockets.core;
  return option === "--profile" && isProfile(profile) ? mcpSockets[profile] : undefined;
}

process.exitCode = await main(process.argv.slice(2));
