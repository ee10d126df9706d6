/** The sets of tools that a client can be given. */
export const mcpProfiles = ["core", "background-job", "mcp-task"] as const;

export type McpProfile = (typeof mcpProfiles)[number];

export function isMcpProfile(text: string | undefined): text is McpProfile {
  return mcpProfiles.some((profile) => profile === text);
}
