/** The sets of tools that a client can be given. */
export const mcpProfiles = ["core", "background-job"] as const;

export type McpProfile = (typeof mcpProfiles)[number];
