import type { MessagePort } from "node:worker_threads";
import type { RE2JS } from "re2js";

/** What a thread is asked: which of these lines a pattern of RE2 matches, or which of these rules match the one text. */
export type PatternRequest =
  | { readonly pattern: string; readonly lines: string }
  | { readonly rules: readonly RegExp[]; readonly text: string };

/** Places in the list that was given. */
export type PatternReply = readonly number[];

/** The program of a thread. It is sent as text, and must do with what it is given. */
export function answerInThread(port: MessagePort, re2: { readonly RE2JS: typeof RE2JS }): void {
  let last: { readonly pattern: string; readonly compiled: RE2JS } | undefined;
  port.on("message", (request: PatternRequest) => {
    const found: number[] = [];
    if ("rules" in request) {
      request.rules.forEach((rule, place) => {
        if (rule.test(request.text)) found.push(place);
      });
    } else {
      const { pattern, lines } = request;
      if (last?.pattern !== pattern) last = { pattern, compiled: re2.RE2JS.compile(pattern) };
      const { compiled } = last;
      lines.split("\n").forEach((line, place) => {
        if (compiled.matcher(line).find()) found.push(place);
      });
    }
    port.postMessage(found, []);
  });
}
