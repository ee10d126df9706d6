import type { Mark, MarkName } from "./content-piece.ts";

/** What an element becomes in the cleaned page. */
interface ElementRule {
  readonly open: readonly Mark[];
  readonly close: readonly Mark[];
}

function rule(...names: readonly MarkName[]): ElementRule {
  return {
    open: names.map((name) => ({ name, isOpen: true })),
    close: names.map((name) => ({ name, isOpen: false })).toReversed(),
  };
}

function rules(elements: string, ...names: readonly MarkName[]): [string, ElementRule][] {
  const shared = rule(...names);
  return elements.split(" ").map((element) => [element, shared]);
}

/** Elements that are not here are left out; their content stays. */
const elementRules: ReadonlyMap<string, ElementRule> = new Map([
  ...(
    ["h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "table", "caption", "tr"] as const
  ).map((name): [string, ElementRule] => [name, rule(name)]),
  ...(["th", "td", "sub", "sup", "em", "strong", "del", "code"] as const).map((name): [string, ElementRule] => [
    name,
    rule(name),
  ]),
  ...rules(
    "p div section article main header hgroup figure figcaption legend fieldset address center form dl details body aside",
    "block",
  ),
  // Markdown has neither definitions nor disclosure: a bold line and what belongs to it below.
  ...rules("dt summary", "block", "strong"),
  ...rules("dd", "ul", "li"),
  ...rules("b", "strong"),
  ...rules("i cite dfn", "em"),
  ...rules("s strike", "del"),
  ...rules("samp tt kbd", "code"),
]);

/** Elements without readable text of the page. */
const silent = new Set(
  "title script style noscript noframes template iframe svg canvas object embed audio video map select textarea button nav footer dialog head".split(
    " ",
  ),
);
const silentRoles = new Set(
  "navigation banner contentinfo search complementary dialog alertdialog menu menubar toolbar".split(" "),
);
const silentClass =
  /(^|\s)(nav|navbar|navigation|menu|sidebar|breadcrumbs?|cookie-?(banner|consent|notice|bar)|skip-?link|site-(header|footer|nav)|ads?|advert(isement)?|social|share(-buttons)?|newsletter|pager|pagination|sr-only|visually-hidden|MathJax_Preview)(\s|$)/i;
const noteClass = /note|tip|info|warn|caution|danger|important|admonition|callout|hint/i;

export type Attributes = Readonly<Record<string, string>>;

/** What most elements have. Looking for each attribute that might be there costs more than reading the page. */
export const noAttributes: Attributes = Object.freeze({});

const blockElements = new Set(
  "main article section div p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table caption tbody tr td th pre blockquote figure figcaption header hgroup aside form fieldset address details center body".split(
    " ",
  ),
);

/** Whether an element stands by itself, so that it may be content or decoration as a whole. */
export function isBlock(name: string): boolean {
  return blockElements.has(name);
}

export function orNoAttributes(attributes: Attributes): Attributes {
  for (const _name in attributes) return attributes;
  return noAttributes;
}

/** Whether an element and all in it is decoration of the page around its content. */
export function isSilent(name: string, attributes: Attributes, isInContent: boolean): boolean {
  if (silent.has(name)) return true;
  // A page's header is decoration, an article's is its title; an aside is a sidebar, unless it is a note.
  if (name === "header" && !isInContent) return true;
  if (name === "aside") return !noteClass.test(attributes["class"] ?? "");
  if (attributes === noAttributes) return false;
  const { hidden, role, style } = attributes;
  if (hidden !== undefined || attributes["aria-hidden"] === "true") return true;
  if (role !== undefined && silentRoles.has(role)) return true;
  if (style !== undefined && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style)) return true;
  if (name === "body" || name === "html" || name === "main" || name === "article") return false;
  const names = `${attributes["class"] ?? ""} ${attributes["id"] ?? ""}`;
  return names.length > 1 && silentClass.test(names);
}

/** The marks of an element, with those of its attributes that mean something in Markdown. */
export function marksOf(name: string, attributes: Attributes): ElementRule | undefined {
  const found = elementRules.get(name);
  const [mark] = found?.open ?? [];
  if (found === undefined || mark === undefined) return undefined;
  switch (name) {
    case "code":
    case "pre": {
      const value = languageOf(attributes);
      return value === undefined ? found : { ...found, open: [{ ...mark, value }] };
    }
    case "ol": {
      const start = Number(attributes["start"]);
      return Number.isSafeInteger(start) && start > 1 ? { ...found, open: [{ ...mark, value: String(start) }] } : found;
    }
    case "td":
    case "th":
      return { ...found, open: [cellMark(mark, attributes)] };
    default:
      return found;
  }
}

/** Words that highlighters use beside the name of the language. */
const plainWords =
  /^(hljs|highlight|prettyprint|prettyprinted|linenums|sourcecode|code|literal-block|notranslate|plain|text|none|wrap|numberlines|default)$/i;

/** The language of code, as far as the page names it: in a class of its own, an attribute, or the words of a highlighter. */
export function languageOf(attributes: Attributes): string | undefined {
  if (attributes === noAttributes) return undefined;
  const { class: names = "" } = attributes;
  const named =
    /(?:^|\s)(?:language|lang|highlight-source|highlight-text|highlight)-([\w+#.-]{1,30})/.exec(names)?.[1] ??
    /(?:^|\s)brush:\s*([\w+#-]{1,30})/.exec(names)?.[1] ??
    attributes["data-lang"] ??
    attributes["data-language"];
  const found = named ?? wordsAfterHighlighter(names);
  return found !== undefined && /^[\w+#.-]{1,30}$/.test(found) && !plainWords.test(found)
    ? found.toLowerCase()
    : undefined;
}

/** `hljs javascript`, `sourceCode python`, `highlight sh`. */
function wordsAfterHighlighter(names: string): string | undefined {
  const words = names.split(/\s+/);
  if (!words.some((word) => /^(hljs|sourcecode|prettyprint)$/i.test(word))) return undefined;
  return words.find((word) => word !== "" && !plainWords.test(word));
}

function cellMark(mark: Mark, { align = "", style, colspan = "" }: Attributes): Mark {
  const value = /^(left|right|center)$/i.exec(align)?.[1]?.toLowerCase() ?? alignOf(style);
  const span = /^\d{1,2}$/.test(colspan) ? Math.max(1, Number(colspan)) : 1;
  return { ...mark, span, ...(value === undefined ? {} : { value }) };
}

function alignOf(style = ""): string | undefined {
  return /text-align\s*:\s*(left|right|center)/i.exec(style)?.[1]?.toLowerCase();
}
