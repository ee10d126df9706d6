/** What an element becomes in the cleaned document: another element, several, or nothing but its content. */
export interface ElementRule {
  readonly open: string;
  readonly close: string;
}

const same = (name: string): [string, ElementRule] => [name, { open: `<${name}>`, close: `</${name}>` }];
const as = (names: string, open: string, close: string): [string, ElementRule][] =>
  names.split(" ").map((name) => [name, { open, close }]);

/** Elements that are not here are left out; their content stays. */
export const elementRules: ReadonlyMap<string, ElementRule> = new Map([
  ..."p h1 h2 h3 h4 h5 h6 ul li blockquote pre table thead tbody tfoot tr caption strong em b i del s kbd sub sup code"
    .split(" ")
    .map(same),
  ...as(
    "div section article main header hgroup figure fieldset address center form dl details body",
    "<div>",
    "</div>",
  ),
  ...as("figcaption legend", "<p>", "</p>"),
  // Markdown has neither definitions nor disclosure: a bold line and what belongs to it below.
  ...as("dt summary", "<p><strong>", "</strong></p>"),
  ...as("dd", "<ul><li>", "</li></ul>"),
  ...as("strike", "<del>", "</del>"),
  ...as("samp tt", "<code>", "</code>"),
  ...as("q", "“", "”"),
]);

/** Elements without readable text of the page. */
const silent = new Set(
  "title script style noscript template iframe svg math canvas object embed audio video map select textarea button nav footer dialog head".split(
    " ",
  ),
);
const silentRoles = new Set(
  "navigation banner contentinfo search complementary dialog alertdialog menu menubar toolbar".split(" "),
);
const silentClass =
  /(^|\s)(nav|navbar|navigation|menu|sidebar|breadcrumbs?|cookie-?(banner|consent|notice|bar)|skip-?link|site-(header|footer|nav)|ads?|advert(isement)?|social|share(-buttons)?|newsletter|pager|pagination|sr-only|visually-hidden)(\s|$)/i;
const noteClass = /note|tip|info|warn|caution|danger|important|admonition|callout|hint/i;

type Attributes = Readonly<Record<string, string>>;

/** Whether an element and all in it is decoration of the page around its content. */
export function isSilent(name: string, attributes: Attributes, isInContent: boolean): boolean {
  if (silent.has(name)) return true;
  // A page's header is decoration, an article's is its title; an aside is a sidebar, unless it is a note.
  if (name === "header" && !isInContent) return true;
  if (name === "aside") return !noteClass.test(attributes["class"] ?? "");
  const { hidden, role, style } = attributes;
  if (hidden !== undefined || attributes["aria-hidden"] === "true") return true;
  if (role !== undefined && silentRoles.has(role)) return true;
  if (style !== undefined && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style)) return true;
  if (name === "body" || name === "html" || name === "main" || name === "article") return false;
  const names = `${attributes["class"] ?? ""} ${attributes["id"] ?? ""}`;
  return names.length > 1 && silentClass.test(names);
}

/** The beginning of an element, with those of its attributes that mean something in Markdown. */
export function openTag(name: string, attributes: Attributes, rule: ElementRule): string {
  if (name === "code" || name === "pre") {
    const language = /(?:^|\s)(?:language|lang|highlight-source)-([\w+#-]{1,30})/.exec(attributes["class"] ?? "")?.[1];
    return language === undefined ? rule.open : `<${name} class="language-${language}">`;
  }
  return rule.open;
}

/** Elements whose attributes are taken along: cells, and lists that do not begin at one. */
export function openWithAttributes(name: string, attributes: Attributes): string | undefined {
  if (name === "ol") {
    const start = Number(attributes["start"]);
    return Number.isSafeInteger(start) && start > 1 ? `<ol start="${start}">` : "<ol>";
  }
  if (name !== "td" && name !== "th") return undefined;
  const align = /^(left|right|center)$/i.exec(attributes["align"] ?? "")?.[1] ?? alignOf(attributes["style"]);
  const span = /^\d{1,2}$/.test(attributes["colspan"] ?? "") ? ` colspan="${attributes["colspan"]}"` : "";
  return `<${name}${align === undefined ? "" : ` align="${align}"`}${span}>`;
}

function alignOf(style = ""): string | undefined {
  return /text-align\s*:\s*(left|right|center)/i.exec(style)?.[1];
}
