import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";

type Values = Readonly<Record<string, unknown>>;

/** Renders a chart as far as this one needs it: values, `quote`, `toJson`, `toYaml`, `nindent`, and `if` without `else`. */
export function renderChart(chart: string, release: string): string {
  const Values = parse(readFileSync(join(chart, "values.yaml"), "utf8")) as Values;
  const scope = { Values, Release: { Name: release } };
  const folder = join(chart, "templates");
  const templates = readdirSync(folder).toSorted();
  return templates.map((file) => render(readFileSync(join(folder, file), "utf8"), scope)).join("---\n");
}

function render(template: string, scope: Values): string {
  const conditional = /[ \t]*\{\{- if ([^}]+?) \}\}\n([^]*?)[ \t]*\{\{- end \}\}\n/g;
  const chosen = template.replace(conditional, (_all, path: string, body: string) =>
    isSet(evaluate(path, scope)) ? body : "",
  );
  const filled = chosen.replace(/(\n?[ \t]*)\{\{- ([^}]+?) \}\}/g, (_all, _space, words: string) =>
    text(evaluate(words, scope)),
  );
  return filled.replace(/\{\{ ([^}]+?) \}\}/g, (_all, words: string) => text(evaluate(words, scope)));
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== "" && value !== 0 && value !== false;
}

function text(value: unknown): string {
  if (typeof value === "string" || typeof value === "number") return String(value);
  throw new Error(`a template may put in texts and numbers, not ${JSON.stringify(value)}`);
}

function evaluate(words: string, scope: Values): unknown {
  const [source = "", ...filters] = words.split("|").map((part) => part.trim());
  return filters.reduce((value, filter) => apply(filter.split(" "), value), apply(source.split(" "), undefined, scope));
}

function apply([name = "", ...parameters]: string[], given: unknown, scope: Values = {}): unknown {
  const argument = (): unknown => given ?? lookUp(parameters.at(-1) ?? "", scope);
  if (name.startsWith(".")) return lookUp(name, scope);
  if (name === "quote") return JSON.stringify(String(argument()));
  if (name === "toJson") return JSON.stringify(argument());
  if (name === "toYaml") return stringify(argument()).trimEnd();
  if (name === "nindent") return `\n${text(given).replace(/^/gm, " ".repeat(Number(parameters[0])))}`;
  throw new Error(`the renderer does not know ${name}`);
}

function lookUp(path: string, scope: Values): unknown {
  const found = path
    .slice(1)
    .split(".")
    .reduce<unknown>((value, part) => (value as Values | undefined)?.[part], scope);
  if (found === undefined) throw new Error(`${path} has no value`);
  return found;
}
