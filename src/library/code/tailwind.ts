import type { Declarations } from "../../kinds/page/contract.ts";
import { shorten, type StyleRule } from "./css.ts";

/** Declarations that have a class of their own. */
const named: Readonly<Record<string, string>> = {
  "display:block": "block",
  "display:flex": "flex",
  "display:inline-flex": "inline-flex",
  "display:grid": "grid",
  "display:inline-block": "inline-block",
  "display:inline": "inline",
  "display:none": "hidden",
  "position:relative": "relative",
  "position:absolute": "absolute",
  "position:fixed": "fixed",
  "position:sticky": "sticky",
  "flex-direction:column": "flex-col",
  "flex-direction:row": "flex-row",
  "flex-wrap:wrap": "flex-wrap",
  "align-items:center": "items-center",
  "align-items:flex-start": "items-start",
  "align-items:flex-end": "items-end",
  "align-items:baseline": "items-baseline",
  "justify-content:center": "justify-center",
  "justify-content:space-between": "justify-between",
  "justify-content:flex-end": "justify-end",
  "justify-content:space-around": "justify-around",
  "text-align:center": "text-center",
  "text-align:left": "text-left",
  "text-align:right": "text-right",
  "text-transform:uppercase": "uppercase",
  "text-decoration-line:none": "no-underline",
  "text-decoration-line:underline": "underline",
  "font-style:italic": "italic",
  "font-weight:400": "font-normal",
  "font-weight:500": "font-medium",
  "font-weight:600": "font-semibold",
  "font-weight:700": "font-bold",
  "box-sizing:border-box": "box-border",
  "overflow:hidden": "overflow-hidden",
  "object-fit:cover": "object-cover",
  "object-fit:contain": "object-contain",
  "width:100%": "w-full",
  "height:100%": "h-full",
  "list-style-type:none": "list-none",
  "margin:0px auto": "mx-auto my-0",
};

/** Properties whose class takes any value. */
const prefixes: Readonly<Record<string, string>> = {
  margin: "m",
  "margin-top": "mt",
  "margin-right": "mr",
  "margin-bottom": "mb",
  "margin-left": "ml",
  padding: "p",
  "padding-top": "pt",
  "padding-right": "pr",
  "padding-bottom": "pb",
  "padding-left": "pl",
  width: "w",
  height: "h",
  "min-width": "min-w",
  "min-height": "min-h",
  "max-width": "max-w",
  "max-height": "max-h",
  gap: "gap",
  "row-gap": "gap-y",
  "column-gap": "gap-x",
  "border-radius": "rounded",
  "line-height": "leading",
  "letter-spacing": "tracking",
  "grid-template-columns": "grid-cols",
  top: "top",
  right: "right",
  bottom: "bottom",
  left: "left",
  "z-index": "z",
  opacity: "opacity",
};

/** Utility classes of Tailwind (3.2 and later); what has no class of its own becomes an arbitrary property. */
export function tailwindClasses({ base, narrower }: Pick<StyleRule, "base" | "narrower">): string {
  const steps = narrower.flatMap(({ width, declarations }) =>
    toClasses(declarations).map((name) => `max-[${width}px]:${name}`),
  );
  return [...toClasses(base), ...steps].join(" ");
}

function toClasses(declarations: Declarations): string[] {
  return Object.entries(shorten(declarations)).flatMap(([name, value]) => {
    const own = named[`${name}:${value}`];
    if (own !== undefined) return own.split(" ");
    const prefix = prefixes[name];
    // A class that sets all four sides takes one value.
    const isOne = /^(-?[\d.]+(px|%|em|rem)?|\d+(\.\d+)?)$/.test(value) || name === "grid-template-columns";
    return [prefix !== undefined && isOne ? `${prefix}-[${escape(value)}]` : `[${name}:${escape(value)}]`];
  });
}

/** Without spaces and double quotes, which end a class and its attribute. */
function escape(value: string): string {
  return value.replace(/_/g, "\\_").replace(/\s+/g, "_").replace(/"/g, "'");
}
