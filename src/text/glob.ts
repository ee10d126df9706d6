import { LonghaulError } from "../job/error.ts";
import { compilePattern } from "./pattern.ts";

const longestGlob = 500;

/** `*`, `?`, `**`, `[a-z]` and `{a,b}` on paths with slashes. Becomes RE2, because globs come from callers too. */
export function compileGlob(glob: string): (path: string) => boolean {
  return compilePattern(`^(?:${globToPattern(glob)})$`);
}

export function globToPattern(glob: string): string {
  if (glob.length > longestGlob) {
    throw new LonghaulError("invalid_input", `A glob may have at most ${longestGlob} characters, got ${glob.length}.`);
  }
  const depth = { braces: 0 };
  const pieces = glob.match(/\*\*\/|\*\*|\[[^\]/]+\]|\\.|[^]/g) ?? [];
  const source = pieces.map((piece) => toPattern(piece, depth)).join("");
  if (depth.braces !== 0)
    throw new LonghaulError("invalid_input", `"${glob}" is not a valid glob: a brace is not closed.`);
  return source;
}

function toPattern(piece: string, depth: { braces: number }): string {
  switch (piece) {
    case "**/":
      return "(?:.*/)?";
    case "**":
      return ".*";
    case "*":
      return "[^/]*";
    case "?":
      return "[^/]";
    case "{":
      depth.braces += 1;
      return "(?:";
    case "}":
      depth.braces -= 1;
      return ")";
    case ",":
      return depth.braces > 0 ? "|" : ",";
    default:
      if (piece.length > 2 && piece.startsWith("[")) return piece.replace(/^\[!/, "[^").replaceAll("\\", "\\\\");
      return (piece.startsWith("\\") ? piece.slice(1) : piece).replace(/[.+^$()|[\]\\*?{}]/g, "\\$&");
  }
}
