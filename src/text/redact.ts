export const secretName = /key|token|secret|passw|credential|auth|cookie|session/i;
const hidden = "[redacted]";

/** A secret's value as it stands in a command line: quoted, or up to the next space. */
const secretValue = String.raw`(?:"[^"]*"|'[^']*'|[^\s"'&]{4,})`;

/** Texts that are secrets wherever they stand: the group before is kept. */
const secretTexts: readonly RegExp[] = [
  /(\bauthorization:\s*(?:bearer|basic)\s+)\S+/gi,
  /(\bbearer\s+)(?=[A-Za-z._~+/=-]*\d)[A-Za-z0-9._~+/=-]{8,}/gi,
  /(:\/\/[^\s/:@]+:)[^\s/]+(?=@)/g,
  new RegExp(
    String.raw`((?:^|[\s?&;"'])[\w-]*(?:key|token|secret|passwd|password|credential)[\w-]*["']?\s*[=:]\s*)${secretValue}`,
    "gi",
  ),
  new RegExp(String.raw`(--?(?:password|passwd|token|secret|api-key)\s+)${secretValue}`, "gi"),
  /()\b(?:sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|lh_[0-9a-f]{12}_[\w-]{43}|xox[abp]-[A-Za-z0-9-]{10,}|AKIA[A-Z0-9]{16}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*)/g,
];

export interface Redactor {
  readonly text: (text: string) => string;
  /** Hides only the known values: for text that must stay as it is otherwise, such as code. */
  readonly known: (text: string) => string;
  /** How many characters at the end may be the beginning of a known value: text that comes in pieces waits for the rest. */
  readonly unfinished: (text: string) => number;
  /** Variables by name: the values of those that look secret are hidden whole. */
  readonly env: (env: Record<string, string>) => Record<string, string>;
}

/** Hides secrets in what is shown or kept for showing. `known` are values to hide wherever they occur. */
export function createRedactor(known: readonly string[]): Redactor {
  const hideKnown = hideValues(known);
  const text = (shown: string): string => {
    let result = hideKnown(shown);
    for (const pattern of secretTexts) result = result.replace(pattern, `$1${hidden}`);
    return result;
  };
  return {
    text,
    known: hideKnown,
    unfinished: findUnfinished(known),
    env: (env) =>
      Object.fromEntries(
        Object.entries(env).map(([name, value]) => [name, secretName.test(name) ? hidden : text(value)]),
      ),
  };
}

/** Hides these values only, for texts in which nothing else may change. */
export function hideValues(known: readonly string[]): (text: string) => string {
  const values = known.filter(isLongEnough).toSorted((a, b) => b.length - a.length);
  return (text) => values.reduce((shown, value) => shown.replaceAll(value, hidden), text);
}

function isLongEnough(value: string): boolean {
  return value.length >= 6;
}

/** See `Redactor.unfinished`. */
export function findUnfinished(known: readonly string[]): (text: string) => number {
  const values = new Map<string, string[]>();
  for (const value of known.filter(isLongEnough)) {
    values.set(value.charAt(0), [...(values.get(value.charAt(0)) ?? []), value]);
  }
  return (text) => {
    for (let start = 0; start < text.length; start++) {
      const end = text.slice(start);
      if (values.get(text.charAt(start))?.some((value) => value.startsWith(end)) === true) return end.length;
    }
    return 0;
  };
}

/** The values of variables whose names say that they are secret. */
export function secretValues(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(env).flatMap(([name, value]) => (secretName.test(name) && value !== undefined ? [value] : []));
}
