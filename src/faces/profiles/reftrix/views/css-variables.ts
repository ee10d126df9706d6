import { cut, type Extent, type Found, type View } from "./extent.ts";

type Layout = Found<"layout">;

const usual = 10;

/** What the style sheets of a page set and calculate. */
export function viewCssVariables({ variables, framework }: Layout, extent: Extent): View {
  const math = variables.math ?? [];
  return {
    variables: cut(variables.list, usual, extent).map(({ name, value, scope = ":root" }) => {
      const references = [...value.matchAll(/var\(\s*(--[\w-]+)/g)].map(([, used]) => used);
      return {
        name,
        value,
        category: categoryOf(name, value),
        scope,
        ...(references.length > 0 ? { references } : {}),
      };
    }),
    clampValues: cut(math.flatMap(readClamp), usual, extent),
    calcExpressions: cut(math.flatMap(readCalc), usual, extent),
    designTokens: viewTokens(variables.list.length, framework),
    processingTimeMs: 0,
  };
}

type Calculation = NonNullable<Layout["variables"]["math"]>[number];

function readClamp({ property, selector, text }: Calculation): View[] {
  const raw = /clamp\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/.exec(text);
  const [min, preferred, max] = (raw?.[1] ?? "").split(/,(?![^(]*\))/).map((part) => part.trim());
  if (raw === null || min === undefined || preferred === undefined || max === undefined) return [];
  return [{ property, selector, min, preferred, max, raw: raw[0] }];
}

function readCalc({ property, selector, text }: Calculation): View[] {
  const raw = /calc\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/.exec(text);
  return raw === null ? [] : [{ property, selector, expression: (raw[1] ?? "").trim(), raw: raw[0] }];
}

/** What a variable is for, by its value where that is plain, else by its name. */
function categoryOf(name: string, value: string): string {
  if (/^(#[0-9a-f]{3,8}|(rgb|hsl|hwb|lab|lch|oklab|oklch|color|color-mix)a?\()/i.test(value)) return "color";
  if (/^(-?[\d.]+m?s|cubic-bezier\(|steps\()/.test(value)) return "animation";
  const byName: readonly (readonly [string, RegExp])[] = [
    ["shadow", /shadow|elevation/],
    ["border", /border|radius|rounded|outline/],
    ["typography", /font|text-size|leading|line-height|letter|tracking|weight/],
    ["animation", /duration|delay|ease|easing|transition|animat/],
    ["color", /colou?r|background|foreground|accent|primary|secondary|surface/],
    ["spacing", /space|spacing|gap|padding|margin|gutter/],
    ["layout", /width|height|container|column|breakpoint|z-index|max-|min-/],
  ];
  return byName.find(([, pattern]) => pattern.test(name))?.[0] ?? "other";
}

function viewTokens(count: number, { framework, confidence, evidence }: Layout["framework"]): View {
  if (framework === "tailwind") return { framework: "tailwind", confidence, evidence };
  if (framework === "styled-components") return { framework: "css-in-js", confidence, evidence };
  return count > 0
    ? { framework: "css-variables", confidence: 1, evidence: [`${count} variables are set`] }
    : { framework: "unknown", confidence: 0, evidence: [] };
}
