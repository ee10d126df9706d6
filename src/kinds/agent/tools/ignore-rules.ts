import { compileGlob } from "../../../text/glob.ts";

type Verdict = "ignored" | "kept";

/** What a .gitignore says of a path below its folder; undefined where it says nothing. */
export type IgnoreRules = (path: string, isFolder: boolean) => Verdict | undefined;

const maxLines = 2_000;
/** Each is tried on each path. */
const maxGlobs = 200;

/** Names, endings and paths, which most lines are, are looked up; the others are globs, and RE2, because anybody may have written them. */
export function parseIgnoreRules(text: string): IgnoreRules {
  const verdicts: Verdict[] = [];
  const known = new Map<string, number>();
  const globs: { readonly index: number; readonly isFolder: boolean; readonly matches: (path: string) => boolean }[] =
    [];
  for (const line of text.split(/\r?\n/).slice(0, maxLines)) {
    const pattern = line.startsWith("#") ? "" : line.replace(/(?<!\\)\s+$/, "");
    const index = verdicts.length;
    const body = pattern.replace(/^!/, "").replace(/\/+$/, "");
    if (body === "") continue;
    verdicts.push(pattern.startsWith("!") ? "kept" : "ignored");
    const isFolder = pattern.endsWith("/");
    const place = body.includes("/") ? body.replace(/^\//, "") : `**/${body}`;
    const key = toKey(place);
    if (key !== undefined) known.set(isFolder ? `${key}/` : key, index);
    else if (globs.length < maxGlobs) globs.push({ index, isFolder, matches: compile(place) });
  }
  globs.reverse();
  return (path, isFolder) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const keys = [`**/${name}`, path, ...endingsOf(name).map((ending) => `**/*${ending}`)];
    const found = keys.flatMap((key) => [known.get(key) ?? -1, isFolder ? (known.get(`${key}/`) ?? -1) : -1]);
    const looked = Math.max(...found);
    const glob = globs.find((rule) => rule.index > looked && (isFolder || !rule.isFolder) && rule.matches(path));
    // The last rule that matches decides.
    return verdicts[Math.max(looked, glob?.index ?? -1)];
  };
}

/** What can be looked up: a path, any folder's file of a name, or of an ending. */
function toKey(place: string): string | undefined {
  const rest = place.replace(/^\*\*\/(?:\*(?=\.))?/, "");
  return /[*?[\\]/.test(rest) ? undefined : place;
}

/** `.tar.gz` and `.gz` of `a.tar.gz`. */
function endingsOf(name: string): string[] {
  return [...name.matchAll(/\./g)].slice(-3).map(({ index }) => name.slice(index));
}

function compile(place: string): (path: string) => boolean {
  try {
    return compileGlob(place.replaceAll(/[{}]/g, String.raw`\$&`));
  } catch {
    return () => false;
  }
}
