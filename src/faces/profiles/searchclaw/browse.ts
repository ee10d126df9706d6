import { z } from "zod";
import { parseInput } from "../../../job/issue.ts";
import { browseActionSchema, type BrowseAction } from "../../../kinds/crawl/contract.ts";
import { textOf, type Reply } from "./reply.ts";

const actionsSchema = z.object({ actions: z.array(browseActionSchema).min(1).max(50) });

/** Clients name the kind of an action in either field. */
export const browseActionsSchema = z
  .array(z.looseObject({ type: z.string().optional(), action: z.string().optional() }))
  .describe("Actions by type: navigate, wait, click, fill, type, select, press, scroll, screenshot, extract, evaluate");

type GivenAction = z.output<typeof browseActionsSchema>[number];

/** Which fields each type of action has. */
const fieldsByType = new Map<string, readonly string[]>(
  browseActionSchema.options.map(({ shape }) => [shape.type.value, Object.keys(shape)]),
);

/** Of each action what its type takes: SearchClaw passes over the rest. */
export function readActions(actions: readonly GivenAction[]): BrowseAction[] {
  return parseInput(actionsSchema, { actions: actions.map(toAction) }, "browse").actions;
}

function toAction({ action, type = action, ...given }: GivenAction): object {
  const known = fieldsByType.get(type ?? "");
  const fields = Object.entries(given).filter(([name, value]) => known?.includes(name) === true && value !== null);
  return { type, ...(type === "extract" ? { format: "text" } : {}), ...Object.fromEntries(fields) };
}

/** What came of an action: `data` is a picture in base64, or the value of a script as text. */
export function toActionResult({
  action = "",
  success = false,
  data = null,
  content = null,
  error = null,
}: Reply): Reply {
  const isTold = action === "screenshot" || action === "evaluate";
  return { action, success, data: isTold && data !== null ? textOf(data) : null, content, error };
}
