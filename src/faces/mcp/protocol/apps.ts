/** The extension MCP Apps: clients that declare it show a page beside the answer of a tool. */
const appsExtension = "io.modelcontextprotocol/ui";

export function declaresApps(capabilities: unknown): boolean {
  const extensions = (capabilities as { extensions?: Record<string, unknown> } | undefined)?.extensions;
  return typeof extensions?.[appsExtension] === "object";
}
