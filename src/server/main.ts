#!/usr/bin/env node
import { readProfileSet, type ProfileSet } from "../config/profiles.ts";

/**
 * The program `longhaul`. MCP clients start `longhaul mcp` again and again, so it is served with no more code than it needs; everything
 * else, and every other spelling, is the command line's.
 */
async function main(words: readonly string[]): Promise<number> {
  const profiles = profilesOf(words);
  if (profiles !== undefined) {
    const { serveFront } = await import("./front.ts");
    return serveFront(import.meta.filename, profiles);
  }
  const { runCli } = await import("./cli.ts");
  return runCli(import.meta.filename, words);
}

function profilesOf([command, option, names, ...rest]: readonly string[]): ProfileSet | undefined {
  if (command !== "mcp" || rest.length > 0) return undefined;
  if (option === undefined) return "core";
  if (option !== "--profile" || names === undefined) return undefined;
  try {
    return readProfileSet(names);
  } catch {
    return undefined;
  }
}

process.exitCode = await main(process.argv.slice(2));
