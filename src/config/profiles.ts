import { LonghaulError } from "../job/error.ts";

/** The sets of tools that an MCP client can ask for: `core`, `schedule`, and the names of the servers that Longhaul stands in for. */
export const profiles = ["core", "background-job", "mcp-task", "runpod", "reftrix", "searchclaw", "schedule"] as const;

export type Profile = (typeof profiles)[number];

/** Profiles that one connection serves at once, each named once and in the order above: `background-job,runpod`. */
export type ProfileSet = Profile | `${Profile},${string}`;

/** Stands for every profile. */
export const allProfiles = "all";

/** Reads `runpod`, `background-job,runpod` or `all`, in any order. */
export function readProfileSet(text: string): ProfileSet {
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.find((name) => name !== allProfiles && !isProfile(name));
  if (unknown !== undefined) {
    throw new LonghaulError(
      "invalid_input",
      `The profiles are ${profiles.join(", ")} and ${allProfiles}, several with commas between (background-job,runpod); got "${unknown}".`,
    );
  }
  return profiles.filter((name) => names.includes(name) || names.includes(allProfiles)).join(",") as ProfileSet;
}

export function profilesIn(set: ProfileSet): Profile[] {
  return set.split(",").filter(isProfile);
}

function isProfile(name: string): name is Profile {
  return (profiles as readonly string[]).includes(name);
}

/** The file of the socket on which the fronts of a profile connect; those of several at once use that of `core`. */
export function profileSocketFile(profile: Profile): string {
  return profile === "core" ? "mcp.sock" : `mcp-${profile}.sock`;
}
