import { secretName } from "./redact.ts";

const assignment = /^(?:export\s+)?["']?([\w.-]+)["']?\s*[:=]\s*(.+?),?$/;
/** Not the names of fields. */
const quoted = /"([^"]{6,})"(?!\s*:)|'([^']{6,})'(?!\s*:)/g;
const urlPassword = /:\/\/[^\s/:@]*:([^\s/@]+)@/;

/**
 * The parts of a secret file that give it away: the values in it, or whole lines where it has none. Values such as
 * `production` or `localhost` stand in other files too, and hiding them there would only spoil those.
 */
export function secretParts(text: string): string[] {
  const parts = text.split(/\r?\n/).flatMap((line) => {
    const isComment = /^\s*(?:#|\/\/|;)/.test(line);
    const whole = line.replace(/^\s*(?:#|\/\/|;)?\s*/, "").trimEnd();
    if (/^-----(?:BEGIN|END) /.test(whole)) return [];
    const [, name = "", value = ""] = assignment.exec(whole) ?? [];
    const bare = value.replace(/^(["'])(.*)\1$/, "$2");
    const inner = [...whole.matchAll(quoted)].map(([, double, single]) => double ?? single ?? "");
    const found = [bare, urlPassword.exec(bare)?.[1] ?? "", ...inner].filter((part) => isTelling(part, name));
    return value === "" && !isComment ? [whole, ...found] : found;
  });
  return [...new Set(parts)].filter((part) => part.length >= 6);
}

function isTelling(part: string, name: string): boolean {
  return secretName.test(name) || /\d/.test(part) || part.length >= 16;
}
