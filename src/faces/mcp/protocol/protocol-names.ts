import { CLIENT_CAPABILITIES_META_KEY, MissingRequiredClientCapabilityError } from "@modelcontextprotocol/server";
import type { ServerContext } from "@modelcontextprotocol/server";

export const tasksExtension = "io.modelcontextprotocol/tasks";

/** The client of this very request takes tasks: revision 2026-07-28 asks each time anew. */
export function declaresTasks(context: ServerContext): boolean {
  return hasTasksExtension(
    (context.mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY],
  );
}

export function hasTasksExtension(capabilities: unknown): boolean {
  const extensions = (capabilities as { extensions?: Record<string, unknown> } | undefined)?.extensions;
  return typeof extensions?.[tasksExtension] === "object";
}

export function missingTasks(): MissingRequiredClientCapabilityError {
  return new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [tasksExtension]: {} } } });
}

export function requireTasks(context: ServerContext): void {
  if (!declaresTasks(context)) throw missingTasks();
}
