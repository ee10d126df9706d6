import { contrastOf, toHex6 } from "./color-math.ts";
import type { Found } from "./extent.ts";

type Role = Found<"layout">["palette"]["colors"][number]["role"];

export interface PageColor {
  readonly hex: string;
  readonly role: Role;
  readonly share: number;
}

/** The colours of a page without their transparency, each once, those of most weight first. */
export function listColors({ palette }: Found<"layout">): PageColor[] {
  const seen = new Set<string>();
  return palette.colors.flatMap(({ color, role, share }) => {
    const hex = toHex6(color);
    if (hex === undefined || seen.has(hex)) return [];
    seen.add(hex);
    return [{ hex, role, share }];
  });
}

/** The background and the text that most of a page has; where nothing was painted, what a browser starts from. */
export function mainColors(layout: Found<"layout">): { background: string; text: string } {
  const colors = listColors(layout);
  const most = (role: Role): string | undefined =>
    colors.filter((color) => color.role === role).toSorted((a, b) => b.share - a.share)[0]?.hex;
  const isDark = layout.palette.theme === "dark";
  const background = most("background") ?? (isDark ? "#000000" : "#FFFFFF");
  const known = most("text");
  if (known !== undefined) return { background, text: known };
  return {
    background,
    text: contrastOf(background, "#000000") >= contrastOf(background, "#FFFFFF") ? "#000000" : "#FFFFFF",
  };
}
