import { parseUrl } from "../../../job/parse-url.ts";
import type { Declarations, RawSource, SectionSource, SourceElement, SourceNode } from "./section-source.ts";

/** Most bytes of one section's elements and styles. */
const maxBytes = 50_000;
const maxDepth = 60;

const htmlTags = new Set(
  (
    "a abbr address article aside audio b blockquote br button caption cite code col colgroup data dd del details dfn div dl dt em " +
    "fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr i img input ins kbd label legend li main mark menu " +
    "meter nav ol optgroup option output p picture pre progress q s samp search section select small source span strong sub summary " +
    "sup table tbody td textarea tfoot th thead time tr u ul var video wbr"
  ).split(" "),
);
const svgTags = new Set(
  "svg g path circle rect line polyline polygon ellipse text tspan defs linearGradient radialGradient stop clipPath mask title desc".split(
    " ",
  ),
);
const attributes = new Set(
  (
    "id title alt href src poster role type placeholder for name colspan rowspan scope datetime lang dir open width height target " +
    "rel loading controls muted loop autoplay playsinline disabled required checked selected multiple start reversed min max step low " +
    "high optimum value cite label tabindex " +
    "viewBox xmlns d fill stroke stroke-width stroke-linecap stroke-linejoin stroke-dasharray fill-rule clip-rule fill-opacity " +
    "stroke-opacity opacity transform cx cy r rx ry x y x1 y1 x2 y2 dx dy points offset stop-color stop-opacity gradientUnits " +
    "gradientTransform clip-path mask preserveAspectRatio text-anchor"
  ).split(" "),
);
const addresses = new Set(["href", "src", "poster", "cite"]);

/** The section with nothing in it that runs or reaches out by itself, within its bounds; the styles are numbered anew. */
export function cleanSource(
  { section, root, styles, isCut }: RawSource,
  narrower: readonly { readonly width: number; readonly styles: readonly Declarations[] }[] = [],
): SectionSource | undefined {
  const budget = { left: maxBytes, isCut };
  const known = new Map<string, number>();
  const kept: SectionSource["styles"][number][] = [];
  const numberOf = (old: number): number => {
    const base = cleanDeclarations(styles[old] ?? {});
    const steps = narrower.map((step) => cleanDeclarations(step.styles[old] ?? {}));
    const style = {
      base,
      narrower: steps.map((step, index) => changesOf(index === 0 ? base : steps[index - 1], step)),
    };
    const key = JSON.stringify(style);
    const before = known.get(key);
    if (before !== undefined) return before;
    budget.left -= key.length;
    known.set(key, kept.length);
    return kept.push(style) - 1;
  };
  const cleaned = cleanElement(root, 0, { numberOf, budget });
  if (cleaned === undefined) return undefined;
  return { section, root: cleaned, styles: kept, widths: narrower.map(({ width }) => width), isCut: budget.isCut };
}

interface Cleaning {
  readonly numberOf: (style: number) => number;
  readonly budget: { left: number; isCut: boolean };
}

function cleanElement(
  { tag, attributes: given, style, children }: SourceElement,
  depth: number,
  cleaning: Cleaning,
): SourceElement | undefined {
  const { budget } = cleaning;
  const known =
    svgTags.has(tag) || htmlTags.has(tag) ? tag : /^[a-z][a-z0-9]*-|^[a-z]+$/.test(tag) ? "span" : undefined;
  if (known === undefined || /^(script|style|iframe|object|embed|link|meta|base|template|use)$/i.test(tag))
    return undefined;
  if (budget.left <= 0 || depth > maxDepth) {
    budget.isCut = true;
    return undefined;
  }
  const cleaned = cleanAttributes(known, given);
  budget.left -= known.length * 2 + 5 + JSON.stringify(cleaned).length;
  const number = cleaning.numberOf(style);
  const inside = children.flatMap((child): SourceNode[] => {
    if (typeof child === "string") {
      budget.left -= child.length;
      return [child];
    }
    const element = cleanElement(child, depth + 1, cleaning);
    return element === undefined ? [] : [element];
  });
  return { tag: known, attributes: cleaned, style: number, children: inside };
}

function cleanAttributes(tag: string, given: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (!attributes.has(name) && !/^aria-[a-z]{1,30}$/.test(name)) continue;
    // What somebody has typed, or a site has filled in for them, is nobody else's.
    if (name === "value" && tag === "input" && !/^(submit|button|reset)$/.test(given["type"] ?? "")) continue;
    if (addresses.has(name) && !isHarmlessAddress(value, name)) continue;
    if (/url\(\s*["']?(?!#)/i.test(value) && !addresses.has(name) && svgTags.has(tag)) continue;
    kept[name] = value;
  }
  return kept;
}

function isHarmlessAddress(value: string, name: string): boolean {
  if (/^#[\w-]*$/.test(value)) return true;
  if (name !== "href" && /^data:image\/(png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=]{1,4000}$/.test(value))
    return true;
  const protocol = parseUrl(value)?.protocol ?? "";
  return name === "href" ? /^(https?|mailto|tel):$/.test(protocol) : /^https?:$/.test(protocol);
}

/** Without what could leave its rule, or run. */
function cleanDeclarations(declarations: Declarations): Declarations {
  return Object.fromEntries(
    Object.entries(declarations).filter(
      ([name, value]) =>
        /^[a-z-]{1,40}$/.test(name) &&
        !/[<>{}\\]|javascript:|expression\(|@import/i.test(value) &&
        !/;/.test(value.replace(/"[^"]*"/g, "")) &&
        [...value.matchAll(/url\(\s*["']?([^"')]*)/gi)].every(([, address = ""]) => isHarmlessAddress(address, "src")),
    ),
  );
}

/** What has to be said at a width for it to look as `now` where it looked as `before`. */
function changesOf(before: Declarations = {}, now: Declarations): Declarations {
  const changed = Object.entries(now).filter(([name, value]) => before[name] !== value);
  const gone = Object.keys(before).filter((name) => now[name] === undefined);
  return Object.fromEntries([...changed, ...gone.map((name): [string, string] => [name, "revert"])]);
}
