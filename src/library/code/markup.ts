import type { SourceElement, SourceNode } from "../../kinds/page/contract.ts";

export type Dialect = "html" | "jsx" | "vue";

interface MarkupOptions {
  readonly dialect: Dialect;
  /** The classes of an element; none if empty. */
  readonly classesOf: (element: SourceElement) => string;
  /** How deep it lies, in steps of two spaces. */
  readonly depth: number;
}

const isVoid = /^(br|col|hr|img|input|source|wbr)$/;
const isSvgShape = /^(path|circle|rect|line|polyline|polygon|ellipse|stop)$/;
/** Between these and the words around them a line end would be a space that was not there. */
const isInline =
  /^(a|abbr|b|br|button|cite|code|data|del|dfn|em|i|img|input|ins|kbd|label|mark|meter|output|picture|progress|q|s|samp|select|small|span|strong|sub|sup|svg|time|tspan|u|var|wbr)$/;

export function writeMarkup(element: SourceElement, options: MarkupOptions): string {
  const indent = "  ".repeat(options.depth);
  return `${indent}${writeElement(element, options)}\n`;
}

function writeElement(element: SourceElement, options: MarkupOptions): string {
  const { dialect, depth } = options;
  const open = `<${element.tag}${writeAttributes(element, options)}`;
  if (isVoid.test(element.tag) || (isSvgShape.test(element.tag) && element.children.length === 0)) return `${open} />`;
  const children = element.children.filter((child) => child !== "");
  if (children.length === 0) return `${open}></${element.tag}>`;
  if (isFlowing(element, children)) {
    const inside = children.map((child) =>
      typeof child === "string" ? writeText(child, dialect) : writeElement(child, options),
    );
    return `${open}>${inside.join("")}</${element.tag}>`;
  }
  const indent = "  ".repeat(depth);
  const inside = children.flatMap((child, place) => {
    if (typeof child !== "string") return [writeElement(child, { ...options, depth: depth + 1 })];
    // For JSX a line end is no space.
    const isBetween = isInlineElement(children[place - 1]) && isInlineElement(children[place + 1]);
    return dialect === "jsx" && isBetween ? ['{" "}'] : [];
  });
  return `${open}>\n${inside.map((line) => `${indent}  ${line}\n`).join("")}${indent}</${element.tag}>`;
}

/** Whether a line end between the children would be seen, as a space that was not there. */
function isFlowing({ tag }: SourceElement, children: readonly SourceNode[]): boolean {
  return (
    tag === "pre" ||
    isInline.test(tag) ||
    children.some((child) => typeof child === "string" && child.trim() !== "") ||
    children.some((child, place) => isInlineElement(child) && isInlineElement(children[place + 1]))
  );
}

function isInlineElement(node: SourceNode | undefined): boolean {
  return typeof node === "object" && isInline.test(node.tag);
}

function writeText(text: string, dialect: Dialect): string {
  if (dialect === "jsx") {
    const isPlain = /^[^\s{}<>&\\][^{}<>&\\\n]*$/.test(text) && !/\s$/.test(text);
    return isPlain ? text : `{${JSON.stringify(text)}}`;
  }
  const escaped = text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  return dialect === "vue" ? escaped.replace(/\{\{/g, "{{ '{{' }}") : escaped;
}

function writeAttributes(element: SourceElement, { dialect, classesOf }: MarkupOptions): string {
  const classes = classesOf(element);
  const given = Object.entries(element.attributes);
  const all: [string, string][] = classes === "" ? given : [["class", classes], ...given];
  return all.map(([name, value]) => ` ${writeAttribute(name, value, dialect)}`).join("");
}

/** What React calls attributes, where that is not what HTML does. */
const reactNames: Readonly<Record<string, string>> = {
  class: "className",
  for: "htmlFor",
  tabindex: "tabIndex",
  colspan: "colSpan",
  rowspan: "rowSpan",
  datetime: "dateTime",
  autoplay: "autoPlay",
  playsinline: "playsInline",
  checked: "defaultChecked",
  value: "defaultValue",
};
const booleans = new Set(
  "open controls muted loop autoplay playsinline disabled required checked selected multiple reversed".split(" "),
);
const numbers = new Set(["tabindex", "colspan", "rowspan", "start"]);

function writeAttribute(name: string, value: string, dialect: Dialect): string {
  if (dialect !== "jsx") {
    if (booleans.has(name)) return name;
    return `${name}="${value.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;")}"`;
  }
  const known = reactNames[name] ?? (name.startsWith("aria-") ? name : name.replace(/-([a-z])/g, toUpper));
  if (booleans.has(name)) return known;
  if (numbers.has(name) && /^-?\d+$/.test(value)) return `${known}={${value}}`;
  return /["&\\\n{}<>]/.test(value) ? `${known}={${JSON.stringify(value)}}` : `${known}="${value}"`;
}

function toUpper(_all: string, letter: string): string {
  return letter.toUpperCase();
}
