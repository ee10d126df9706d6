import type { Declarations } from "../../kinds/page/contract.ts";

export interface Step {
  readonly width: number;
  readonly declarations: Declarations;
}

export interface StyleRule {
  readonly className: string;
  readonly base: Declarations;
  /** From the widest on. */
  readonly narrower: readonly Step[];
}

/** A style sheet of these rules, each after the base in a query for the windows in which it looks different. */
export function writeCss(rules: readonly StyleRule[]): string {
  const base = rules.map(({ className, base: declarations }) => writeRule(className, declarations, "")).join("");
  const widths = [...new Set(rules.flatMap(({ narrower }) => narrower.map(({ width }) => width)))];
  const queries = widths
    .toSorted((a, b) => b - a)
    .map((width) => {
      const inside = rules.flatMap(({ className, narrower }) =>
        narrower
          .filter((step) => step.width === width)
          .map(({ declarations }) => writeRule(className, declarations, "  ")),
      );
      return `@media (max-width: ${width}px) {\n${inside.join("")}}\n`;
    });
  return base + queries.join("");
}

function writeRule(className: string, declarations: Declarations, indent: string): string {
  const lines = Object.entries(shorten(declarations)).map(([name, value]) => `${indent}  ${name}: ${value};\n`);
  return lines.length === 0 ? "" : `${indent}.${className} {\n${lines.join("")}${indent}}\n`;
}

const sides = ["top", "right", "bottom", "left"] as const;
const corners = ["top-left", "top-right", "bottom-right", "bottom-left"] as const;

/** The same in fewer words, as a person would write it. */
export function shorten(declarations: Declarations): Record<string, string> {
  const left = new Map(Object.entries(declarations).filter(([name]) => !name.startsWith("animation-")));
  const join = (short: string, names: readonly string[], write: (values: readonly string[]) => string): void => {
    const values = names.flatMap((name) => left.get(name) ?? []);
    if (values.length < names.length || values.includes("revert")) return;
    for (const name of names) left.delete(name);
    left.set(short, write(values));
  };
  for (const name of ["margin", "padding"]) {
    join(
      name,
      sides.map((side) => `${name}-${side}`),
      writeBox,
    );
  }
  for (const side of sides) {
    join(
      `border-${side}`,
      ["width", "style", "color"].map((part) => `border-${side}-${part}`),
      (values) => values.join(" "),
    );
  }
  const borders = sides.map((side) => `border-${side}`);
  if (new Set(borders.map((name) => left.get(name))).size === 1) join("border", borders, ([value = ""]) => value);
  const radii = corners.map((corner) => `border-${corner}-radius`);
  if (new Set(radii.map((name) => left.get(name))).size === 1) join("border-radius", radii, ([value = ""]) => value);
  join("overflow", ["overflow-x", "overflow-y"], writePair);
  join("gap", ["row-gap", "column-gap"], writePair);
  join("transition", ["transition-property", "transition-duration"], (values) => values.join(" "));
  return Object.fromEntries(left);
}

function writePair([one = "", other = ""]: readonly string[]): string {
  return one === other ? one : `${one} ${other}`;
}

function writeBox([top = "", right = "", bottom = "", left = ""]: readonly string[]): string {
  if (left !== right) return [top, right, bottom, left].join(" ");
  if (top !== bottom) return [top, right, bottom].join(" ");
  return top === right ? top : `${top} ${right}`;
}
