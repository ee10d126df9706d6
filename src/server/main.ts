#!/usr/bin/env node
import { isProfile, type Profile } from "../config/profiles.ts";

/**
 * The program `longhaul`. MCP clients start `longhaul mcp` again and again, so it is served with no more code than it needs; everything
 * else, and every other spelling, is the command line's.
 */
async function main(words: readonly string[]): Promise<number> {
  const profile = profileOf(words);
  if (profile !== undefined) {
    const { serveFront } = await import("./front.ts");
    return serveFront(import.meta.filename, profile);
  }
  const { runCli } = await import("./cli.ts");
  return runCli(import.meta.filename, words);
}

function profileOf([command, option, profile, ...rest]: readonly string[]): Profile | undefined {
  if (command !== "mcp" || rest.length > 0) return undefined;
  if (option === undefined) return "core";
  return option === "--profile" && isProfile(profile) ? profile : undefined;
}

process.exitCode = await main(process.argv.slice(2));
