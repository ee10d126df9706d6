import type { McpServer } from "@modelcontextprotocol/server";
import type { JobsContext } from "../mcp/connection.ts";
import type { McpEndpoint } from "../mcp/endpoint.ts";
import type { InnerServer } from "./inner-server.ts";

interface Lists {
  readonly add: (front: McpServer, context: JobsContext) => void;
  readonly notify: (endpoint: McpEndpoint) => void;
}

const listChanged = /^notifications\/(tools|prompts|resources)\/list_changed$/;

/** Hands on what the author's server tells of no request: to listeners of the newest revision, and to the connections that are open. */
export function watchLists(inner: InnerServer): Lists {
  const fronts = new Set<McpServer>();
  let endpoint: McpEndpoint | undefined;
  inner.onNotification((method, params) => {
    const [, list] = listChanged.exec(method) ?? [];
    if (list === "tools") endpoint?.notify.toolsChanged();
    if (list === "prompts") endpoint?.notify.promptsChanged();
    if (list === "resources") endpoint?.notify.resourcesChanged();
    for (const front of fronts) {
      void front.server.notification({ method, params }).catch(() => undefined);
    }
  });
  return {
    // A server of the newest revision lives for one request; nothing can be told to it afterwards.
    add: (front, { era, signal }) => {
      if (era !== "legacy") return;
      fronts.add(front);
      signal.addEventListener("abort", () => fronts.delete(front), { once: true });
    },
    notify: (made) => {
      endpoint = made;
    },
  };
}
