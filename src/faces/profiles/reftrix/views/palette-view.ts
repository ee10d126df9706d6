import type { PageAnalysis } from "../../../../kinds/page/contract.ts";
import { contrastOf, toOklch, turnHue } from "./color-math.ts";
import type { Found, View } from "./extent.ts";
import { listColors, mainColors } from "./main-colors.ts";
import { readGradient, type Gradient } from "./read-gradient.ts";

type Layout = Found<"layout">;

export interface GradientWishes {
  readonly type: "linear" | "radial";
  readonly angle: number;
  readonly token_pairs?: readonly (readonly [string, string])[] | undefined;
  readonly include_complementary: boolean;
  readonly include_analogous: boolean;
}

interface Token {
  readonly name: string;
  readonly hex: string;
  readonly usage: readonly string[];
}

/** A page's palette under the names that a brand's would have. */
export function paletteTokens(layout: Layout): Map<string, Token> {
  const { background, text } = mainColors(layout);
  const colors = listColors(layout);
  const tokens = new Map<string, Token>();
  const add = (key: string, hex: string | undefined, usage: string): void => {
    if (hex !== undefined) tokens.set(key, { name: key.charAt(0).toUpperCase() + key.slice(1), hex, usage: [usage] });
  };
  const [primary, secondary, accent] = colors.filter(({ role }) => role === "accent");
  add("background", background, "background");
  add("foreground", text, "text");
  add("primary", primary?.hex, "accent");
  add("secondary", secondary?.hex, "accent");
  add("accent", accent?.hex, "accent");
  add("border", colors.find(({ role }) => role === "border")?.hex, "border");
  const others = colors.filter(({ hex }) => ![...tokens.values()].some((token) => token.hex === hex));
  others.forEach(({ hex, role }, index) => add(`${role}-${index + 1}`, hex, role));
  return tokens;
}

/** Whose palette it is: the site's. */
export function brandOf({ url, finalUrl }: PageAnalysis): string {
  return new URL(finalUrl === "" ? url : finalUrl).hostname;
}

export function modeOf({ palette: { theme } }: Layout): "light" | "dark" | "both" {
  return theme === "light" || theme === "dark" ? theme : "both";
}

export function viewPaletteEntry(id: string, analysis: PageAnalysis, layout: Layout): View {
  const brand = brandOf(analysis);
  return {
    id,
    brand_id: brand,
    brand_name: brand,
    mode: modeOf(layout),
    token_count: paletteTokens(layout).size,
    ...(analysis.page.title === "" ? {} : { description: analysis.page.title }),
  };
}

export function viewPalette(
  id: string,
  analysis: PageAnalysis,
  layout: Layout,
  wishes: { readonly hasGradients: boolean; readonly generated: GradientWishes | undefined },
): View {
  const { token_count: _count, ...entry } = viewPaletteEntry(id, analysis, layout);
  const tokens = paletteTokens(layout);
  const background = tokens.get("background")?.hex ?? "#FFFFFF";
  return {
    ...entry,
    tokens: Object.fromEntries([...tokens].map(([key, token]) => [key, viewToken(key, token, background)])),
    ...(wishes.hasGradients
      ? {
          gradients: [
            ...layout.palette.gradients.flatMap(({ value }, index) => viewPainted(value, index)),
            ...(wishes.generated === undefined ? [] : makeGradients(tokens, wishes.generated)),
          ],
        }
      : {}),
    created_at: analysis.analyzedAt,
    updated_at: analysis.analyzedAt,
  };
}

function viewToken(key: string, { name, hex, usage }: Token, background: string): View {
  // What WCAG asks of text, told of the text that can be read on this background.
  const isText = key === "foreground" && contrastOf(hex, background) >= 4.5;
  return {
    name,
    oklch: toOklch(hex),
    hex,
    usage,
    ...(isText ? { contrast_with: [{ token: "background", min_ratio: 4.5 }] } : {}),
  };
}

/** A conic gradient has no word here. */
function viewPainted(value: string, index: number): View[] {
  const gradient = readGradient(value);
  if (gradient === undefined || gradient.type === "conic") return [];
  const stops = gradient.stops.map(({ position, color, opacity }) => ({
    offset: Math.round(position * 100),
    color,
    ...(opacity === undefined ? {} : { opacity }),
  }));
  return [{ id: `gradient-${index + 1}`, name: `Gradient ${index + 1}`, ...shapeOf(gradient), stops }];
}

function shapeOf({ type, angle = 0 }: Pick<Gradient, "angle"> & { readonly type: string }): View {
  return type === "linear" ? { type, angle } : { type, centerX: 0.5, centerY: 0.5 };
}

/** New gradients of the palette's own colours, and of those that stand across or beside them in the circle of hues. */
function makeGradients(tokens: ReadonlyMap<string, Token>, wishes: GradientWishes): View[] {
  const main = ["primary", "secondary", "accent"].filter((key) => tokens.has(key));
  const pairs =
    wishes.token_pairs ?? main.flatMap((one, index) => main.slice(index + 1).map((other) => [one, other] as const));
  const make = (from: string, name: string, end: View): View => ({
    id: `auto-${from}-${name}`,
    name: `${tokens.get(from)?.name ?? from} to ${tokens.get(name)?.name ?? name}`,
    ...shapeOf(wishes),
    stops: [
      { offset: 0, token: from },
      { offset: 100, ...end },
    ],
    auto_generated: true,
  });
  const turned = (name: string, degrees: number): View[] =>
    main.map((key) => make(key, name, { color: turnHue(tokens.get(key)?.hex ?? "#000000", degrees) }));
  return [
    ...pairs.flatMap(([from, to]) => (tokens.has(from) && tokens.has(to) ? [make(from, to, { token: to })] : [])),
    ...(wishes.include_complementary ? turned("complementary", 180) : []),
    ...(wishes.include_analogous ? turned("analogous", 30) : []),
  ];
}
