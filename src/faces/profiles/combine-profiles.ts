import { LonghaulError } from "../../job/error.ts";
import type { JobTool } from "../mcp/tools/job-tool.ts";
import { presentPage } from "./core/page-digest.ts";
import { toMcpProfile, type McpProfile } from "./profile.ts";

type Named = readonly [name: string, profile: McpProfile];

/**
 * Several profiles as one: every tool, under each of its names, answers in the words of its own. Two tools of one name are refused.
 * The prompts are those of the last profile that has some, because `core` comes first and lends them from another.
 */
export function combineProfiles(
  named: readonly Named[],
  startToolsOf: (profile: McpProfile) => readonly JobTool[],
): McpProfile {
  refuseSharedNames(named, startToolsOf);
  const all = named.map(([, profile]) => profile);
  const instruct = (startTools: readonly string[]): string =>
    all.flatMap(({ instructions }) => instructions?.(startTools) ?? []).join("\n\n");
  return toMcpProfile({
    serverName: "longhaul",
    ...(all.some(({ instructions }) => instructions !== undefined) ? { instructions: instruct } : {}),
    startTools: (server, kinds) => all.flatMap(({ startTools }) => startTools?.(server, kinds) ?? []),
    toolNames: all.flatMap(({ toolNames }) => toolNames),
    aliases: Object.assign({}, ...all.map(({ aliases }) => aliases)) as Record<string, string>,
    onceOnlyTools: all.flatMap(({ onceOnlyTools }) => onceOnlyTools),
    present: presentPage,
    promptWords: all.findLast(({ promptWords }) => promptWords !== undefined)?.promptWords,
    hasResources: all.some(({ hasResources }) => hasResources === true),
    hasCard: all.some(({ hasCard }) => hasCard === true),
    registerTools: (mcp, contextFor) => {
      for (const { registerTools } of all) registerTools(mcp, contextFor);
    },
  });
}

function refuseSharedNames(named: readonly Named[], startToolsOf: (profile: McpProfile) => readonly JobTool[]): void {
  const owners = new Map<string, string>();
  for (const [owner, profile] of named) {
    const starting = startToolsOf(profile).map(({ name }) => name);
    for (const name of [...starting, ...profile.toolNames, ...Object.keys(profile.aliases)]) {
      const other = owners.get(name);
      if (other !== undefined) {
        const sentence = `${name} is a tool of both ${other} and ${owner}: choose one of these profiles.`;
        throw new LonghaulError("invalid_input", sentence);
      }
      owners.set(name, owner);
    }
  }
}
