import { findUnfinished, hidden, hideValues, withEncodings } from "./known-values.ts";

export const secretName = /key|token|secret|passw|credential|auth|cookie|session|(?:^|[_-])pass$|[_-]pwd$/i;

/** A secret's value as it stands in a command line: quoted, or up to the next space. */
const secretValue = String.raw`(?:"[^"]*"|'[^']*'|[^\s"'&]{4,})`;

/**
 * Texts that are secrets wherever they stand: the group before is kept. None of them may look at the same characters again for each place
 * at which it could begin: what comes before the first fixed letters, and what may run on, must not hold another beginning.
 */
const secretTexts: readonly RegExp[] = [
  /(\bauthorization:\s*(?:bearer|basic)\s+)\S+/gi,
  /(\bcookie:[ \t]*)[^\r\n"']+/gi,
  /(\bbearer\s+)(?=[A-Za-z._~+/=-]*\d)[A-Za-z0-9._~+/=-]{8,}/gi,
  /(:\/\/[^\s/:@]+:)[^\s/]+(?=@)/g,
  new RegExp(String.raw`(--?(?:password|passwd|token|secret|api-key|cookie)\s+)${secretValue}`, "gi"),
  /()\b(?:sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|lh_[0-9a-f]{12}_[\w-]{43}|lhj_[0-9a-f]{32}_\d{1,9}_[\w-]{43}|xox[abp]-[A-Za-z0-9-]{10,}|AKIA[A-Z0-9]{16})/g,
  /()(?<![\w-])eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*/g,
  // The same beginnings (ghp_, glpat-, github_pat_) in base64.
  /()\b(?:Z2hwX|Z2xwYXQt|Z2l0aHViX3BhdF)[A-Za-z0-9+/_-]{16,}=*/g,
];

/** Flags that hold a secret with certain programs, and something harmless with others. */
const secretFlags: readonly { readonly program: RegExp; readonly flag: RegExp }[] = [
  { program: /\bcurl\b/, flag: /((?:^|\s)(?:-u|-U|--user|--proxy-user)(?:=|\s+)?["']?[^\s:"']+:)[^\s"']+/g },
  { program: /\b(?:mysql|mariadb|mongo|sshpass)/, flag: new RegExp(`((?:^|\\s)-p)(?:"[^"]*"|'[^']*'|[^\\s"']+)`, "g") },
  { program: /\bsshpass\b/, flag: new RegExp(`((?:^|\\s)-p\\s+)${secretValue}`, "g") },
];

/** A word that names a secret, and the value that is given to it: `API_KEY=…`, `"password": "…"`. */
const partOfName = /key|token|secret|passw?|credential|pwd/gi;
const wordCharacter = /[\w-]/;
const isBeforeWord = /[\s?&;"']/;
const nameOfSecret = /key|token|secret|passwd|password|credential|(?:^|[_-])pass$|[_-]pwd$/i;
const givenValue = new RegExp(String.raw`(["']?\s*[=:]\s*)${secretValue}`, "y");

export interface Redactor {
  readonly text: (text: string) => string;
  /** Hides only the known values: for text that must stay as it is otherwise, such as code. */
  readonly known: (text: string) => string;
  /** How many characters at the end may be the beginning of a known value: text that comes in pieces waits for the rest. */
  readonly unfinished: (text: string) => number;
  /** Variables by name: the values of those that look secret are hidden whole, and the others shown as said. */
  readonly env: (env: Record<string, string>, show?: (text: string) => string) => Record<string, string>;
}

/** Hides secrets in what is shown or kept for showing. `known` are values to hide wherever they occur, also in base64. */
export function createRedactor(known: readonly string[]): Redactor {
  const values = withEncodings(known);
  const hideKnown = hideValues(values);
  const text = (shown: string): string => {
    let result = hideKnown(shown);
    for (const pattern of secretTexts) result = result.replace(pattern, `$1${hidden}`);
    for (const { program, flag } of secretFlags) {
      if (program.test(result)) result = result.replace(flag, `$1${hidden}`);
    }
    return hideGivenValues(result);
  };
  return {
    text,
    known: hideKnown,
    unfinished: findUnfinished(values),
    env: (env, show = text) =>
      Object.fromEntries(
        Object.entries(env).map(([name, value]) => [name, secretName.test(name) ? hidden : show(value)]),
      ),
  };
}

/** What one input shows of its texts, all of them together; and what each counts at least, because it takes its time however short it is. */
const maxShown = 100_000;
const minCount = 50;

/** Hides the secrets in the texts of one input. Beyond a length that nobody reads, they are cut off: much more would take too long. */
export function createShownTexts({ text, unfinished }: Redactor): (shown: string) => string {
  let left = maxShown;
  return (shown) => {
    const part = shown.slice(0, Math.max(0, left));
    left -= Math.max(minCount, part.length);
    if (part.length === shown.length) return text(shown);
    return `${text(part.slice(0, part.length - unfinished(part)))}… [${shown.length} characters]`;
  };
}

/** Word by word, each looked at once: one expression for it all would try every place of a long word again and again. */
function hideGivenValues(text: string): string {
  const names = new RegExp(partOfName);
  const kept: string[] = [];
  let end = 0;
  for (let found = names.exec(text); found !== null; found = names.exec(text)) {
    const word = wordAround(text, found.index, end);
    names.lastIndex = word.end;
    const isWord = word.start === 0 || isBeforeWord.test(text.charAt(word.start - 1));
    if (!isWord || !nameOfSecret.test(text.slice(word.start, word.end))) continue;
    givenValue.lastIndex = word.end;
    const given = givenValue.exec(text);
    if (given === null) continue;
    kept.push(text.slice(end, word.end), given[1] ?? "", hidden);
    end = givenValue.lastIndex;
    names.lastIndex = end;
  }
  return kept.length === 0 ? text : kept.join("") + text.slice(end);
}

function wordAround(text: string, place: number, least: number): { start: number; end: number } {
  let start = place;
  while (start > least && wordCharacter.test(text.charAt(start - 1))) start -= 1;
  let end = place;
  while (wordCharacter.test(text.charAt(end))) end += 1;
  return { start, end };
}

/** The values of variables whose names say that they are secret. */
export function secretValues(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(env).flatMap(([name, value]) => (secretName.test(name) && value !== undefined ? [value] : []));
}
