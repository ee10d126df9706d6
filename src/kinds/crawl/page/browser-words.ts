import { messageOf } from "../../../job/failure.ts";
import { stripControls } from "../../../text/controls.ts";

/** What a browser says of a step that failed, without its driver's own names, colours and log. */
export function tellBrowserError(error: unknown, selector?: string): string {
  const [line = ""] = stripControls(messageOf(error)).split("\n");
  const message = line
    .replace(/^[a-z]\w*(\.\w+)+: /i, "")
    .replace(/^Protocol error( \([\w.]+\))?: /, "")
    .replace(/^Error: /, "");
  const late = /^Timeout (\d+)ms exceeded/.exec(message)?.[1];
  if (late !== undefined) return tellLate(Number(late), selector);
  const [, code, url] = /^net::(ERR_\w+)(?: at (.*))?$/.exec(message) ?? [];
  if (code !== undefined) return `${url ?? "The page"} could not be opened (${code}).`;
  if (message.startsWith("Execution context was destroyed")) return "The page led elsewhere before it was done.";
  return message;
}

export function tellLate(ms: number, selector?: string): string {
  const what = selector === undefined ? "It was not done" : `No element for "${selector}" was there and ready`;
  return `${what} within ${Math.round(ms / 100) / 10} s.`;
}
