/** What went wrong in a browser, in words for people; `code` is the browser's own where it has one (`ERR_NAME_NOT_RESOLVED`). */
export class BrowserError extends Error {
  override readonly name = "BrowserError";
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Takes what Playwright and the browser's own protocol throw, which is written for who debugs them: names of calls, logs, colours of a
 * terminal. Whatever else was thrown is given back as it is. The original is not kept as the cause, because causes are shown, too.
 */
export function toBrowserError(error: unknown, selector?: string): unknown {
  if (!(error instanceof Error)) return error;
  const text = withoutColours(error.message);
  const call = /^([a-z]\w*\.\$*\w+): /.exec(text);
  if (call === null && !/^(net::ERR_|Protocol error \(|Target (page|closed|crashed))/.test(text)) return error;
  const [message = "", ...log] = text.slice(call?.[0].length ?? 0).split("\n");
  const known = sentences.find(([pattern]) => pattern.test(message));
  const place = selector ?? placeOf(log.join("\n"));
  if (known !== undefined) return new BrowserError(known[1](message, place), /ERR_[A-Z0-9_]+/.exec(message)?.[0]);
  const reason = endSentence(message.replace(/^(Error: |Protocol error \([^)]*\): )+/, "").slice(0, 300));
  const isScript = /\.(evaluate|waitForFunction|\$+eval)/.test(call?.[0] ?? "") && /^\w*Error\b/.test(message);
  return new BrowserError(isScript ? `A script failed in the page: ${reason}` : `The browser refused: ${reason}`);
}

const escape = String.fromCharCode(27);

function withoutColours(text: string): string {
  return text
    .split(escape)
    .map((part, index) => (index === 0 ? part : part.replace(/^\[[\d;]*[A-Za-z]/, "")))
    .join("");
}

/** The selector that was waited for, as the log of the call has it. */
function placeOf(log: string): string | undefined {
  return /waiting for (?:locator|selector)\(?["'](.{1,200}?)["']\)?(?:\.first\(\))?(?: to be|$)/m.exec(log)?.[1];
}

type Sentence = (message: string, place: string | undefined) => string;

/** The first that fits decides. */
const sentences: readonly (readonly [RegExp, Sentence])[] = [
  [/Download is starting/, () => "The address leads to a file to download, not to a page."],
  [/crashed/i, () => "The page crashed in the browser."],
  [
    /(has been|was|is) (closed|detached)|(Target|Session|session|Page|Browser) closed|Session with given id not found|frame was detached/,
    () => "The page was closed while it was looked at.",
  ],
  [/interrupted by another navigation/, (text) => `The page led elsewhere while it loaded${targetOf(text)}.`],
  [
    /(Execution )?context (was|with).*(destroyed|not found|find)|Cannot find (execution )?context|Inspected target navigated/,
    () => "The page went elsewhere while it was looked at.",
  ],
  [/ERR_[A-Z0-9_]+/, explainNetwork],
  [/^Timeout [\d.]+ms exceeded/, explainTimeout],
  [
    /captureScreenshot|taking .*screenshot|capture screenshot/,
    () => "The browser could not take a picture of the page.",
  ],
  [
    /while parsing (css )?selector|is not a valid selector|Malformed selector|Unknown engine/i,
    () => "The selector is not a valid one.",
  ],
  [/strict mode violation/, () => "The selector fits more than one element."],
];

function targetOf(text: string): string {
  const url = /another navigation to "([^"]{1,300})"/.exec(text)?.[1];
  return url === undefined ? "" : `, to ${url}`;
}

function explainTimeout(text: string, place: string | undefined): string {
  return tellLate(Number(/\d+/.exec(text)?.[0] ?? 0), place);
}

/** That something took too long; by the element that it waited for, where there is one. */
export function tellLate(ms: number, selector?: string): string {
  const what = selector === undefined ? "It was not done" : `No element for "${selector}" was there and ready`;
  return `${what} within ${Math.round(ms / 100) / 10} s.`;
}

const networkReasons: Readonly<Record<string, string>> = {
  ERR_NAME_NOT_RESOLVED: "there is no host of that name",
  ERR_CONNECTION_REFUSED: "nothing answers at that port",
  ERR_CONNECTION_RESET: "the server broke off",
  ERR_CONNECTION_CLOSED: "the server broke off",
  ERR_EMPTY_RESPONSE: "the server sent nothing",
  ERR_CONNECTION_TIMED_OUT: "the server does not answer",
  ERR_TIMED_OUT: "the server does not answer",
  ERR_ADDRESS_UNREACHABLE: "the server cannot be reached",
  ERR_INTERNET_DISCONNECTED: "there is no network",
  ERR_TUNNEL_CONNECTION_FAILED: "the server cannot be reached, or is not allowed",
  ERR_PROXY_CONNECTION_FAILED: "the server cannot be reached",
  ERR_TOO_MANY_REDIRECTS: "it redirects in circles",
  ERR_INVALID_RESPONSE: "the server's answer makes no sense",
  ERR_INVALID_HTTP_RESPONSE: "the server's answer makes no sense",
  ERR_HTTP2_PROTOCOL_ERROR: "the server's answer makes no sense",
  ERR_SSL_PROTOCOL_ERROR: "the server does not speak TLS as it should",
  ERR_CERT_DATE_INVALID: "its certificate is not valid at this time",
  ERR_CERT_COMMON_NAME_INVALID: "its certificate is for another name",
  ERR_CERT_AUTHORITY_INVALID: "nobody who is trusted has issued its certificate",
  ERR_CERT_REVOKED: "its certificate was revoked",
  ERR_BLOCKED_BY_CLIENT: "it was blocked",
  ERR_BLOCKED_BY_RESPONSE: "its server forbids to show it so",
  ERR_ABORTED: "loading was broken off",
};

function explainNetwork(text: string): string {
  const code = /ERR_[A-Z0-9_]+/.exec(text)?.[0] ?? "";
  const url = / at (\S{1,300})/.exec(text)?.[1] ?? "the page";
  const reason = networkReason(text);
  return `The browser could not load ${url}${reason === undefined ? "" : `: ${reason}`} (${code}).`;
}

/** Why something could not be loaded; undefined for a code that has no words here. */
export function networkReason(text: string): string | undefined {
  const code = /ERR_[A-Z0-9_]+/.exec(text)?.[0] ?? "";
  return networkReasons[code] ?? (code.startsWith("ERR_CERT_") ? "its certificate is not valid" : undefined);
}

function endSentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
