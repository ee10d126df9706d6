/** The sets of tools that an MCP client can ask for: `core`, `schedule`, and the names of the servers that Longhaul stands in for. */
export const profiles = ["core", "background-job", "mcp-task", "runpod", "reftrix", "searchclaw", "schedule"] as const;

export type Profile = (typeof profiles)[number];

export function isProfile(name: string | undefined): name is Profile {
  return (profiles as readonly (string | undefined)[]).includes(name);
}

/** The file of the socket on which the fronts of a profile connect. */
export function profileSocketFile(profile: Profile): string {
  return profile === "core" ? "mcp.sock" : `mcp-${profile}.sock`;
}
