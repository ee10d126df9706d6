import { pathFields, type Fields } from "./route.ts";

/** Reads the field out of paths that are like the pattern ("/v1/jobs/{id}/wait"); undefined for any other. */
export function createPathReader(pattern: string): (path: string) => Fields | undefined {
  const [, before = "", name = "", after = ""] = /^(.*?)\{(\w+)\}(.*)$/.exec(pattern) ?? [];
  if (name === "") return (path) => (path === pattern ? {} : undefined);
  if (after.includes("{")) return createLongReader(pattern);
  return (path) => {
    if (!path.startsWith(before) || !path.endsWith(after)) return undefined;
    const text = path.slice(before.length, path.length - after.length);
    return text === "" || text.includes("/") ? undefined : { [name]: decode(text) };
  };
}

/** For patterns with several fields. */
function createLongReader(pattern: string): (path: string) => Fields | undefined {
  const names = pathFields(pattern);
  const form = new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, "([^/]+)")}$`);
  return (path) => {
    const [, ...texts] = form.exec(path) ?? [];
    return texts.length === 0
      ? undefined
      : Object.fromEntries(names.map((name, at) => [name, decode(texts[at] ?? "")]));
  };
}

/** What cannot be decoded is no name of anything: it stays as it is, and nothing is found under it. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
