import { readFileSync } from "node:fs";
import { Option, type Command } from "commander";
import { LonghaulError } from "../../../job/error.ts";
import type { InputOf } from "../../../operations/registry.ts";
import { collect, readPositive, readWhole } from "./option-values.ts";

/** Options of every command that looks at a site. */
export interface SiteOptions {
  readonly within?: InputOf<"crawl_site">["within"];
  readonly include?: string[];
  readonly exclude?: string[];
  readonly depth?: number;
  readonly concurrency?: number;
  readonly rate?: number;
  readonly sitemaps: boolean;
  readonly name?: string;
}

export function addSiteOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--within <what>", "how far to go from the start (the default is host)").choices([
        "path",
        "host",
        "site",
        "any",
      ]),
    )
    .option(
      "--include <pattern>",
      "only pages that match: /docs/**, https://…, re:EXPRESSION; may be repeated",
      collect,
    )
    .option("--exclude <pattern>", "no pages that match; may be repeated", collect)
    .option("--depth <links>", "maximum number of links from the start", readWhole(0, 1_000))
    .option("--concurrency <number>", "pages at the same time", readWhole(1, 64))
    .option("--rate <number>", "maximum requests per second", readPositive)
    .option("--no-sitemaps", "do not read sitemaps")
    .option("--name <name>", "a name to find the job by");
}

export function toSiteRequest(options: SiteOptions): Partial<InputOf<"map_site">> {
  const { within, include, exclude, depth, concurrency, rate, sitemaps, name } = options;
  return { sitemaps, within, include, exclude, depth, concurrency, rate, name };
}

/** Options of every command that reads pages. */
export interface PageOptions {
  readonly schema?: string;
  readonly select?: string[];
  readonly list?: string;
  readonly render?: InputOf<"page_markdown">["render"];
}

export function addPageOptions(command: Command): Command {
  return command
    .option("--schema <json>", "data to extract: a JSON Schema or { field: type }, or @FILE that holds it")
    .option("--select <field=css>", "a field of the data by a CSS selector; may be repeated", collect)
    .option("--list <css>", "each element that matches becomes an item of the data")
    .addOption(renderOption());
}

export function renderOption(): Option {
  return new Option("--render <when>", "open pages in Chromium (auto unless given: those made by scripts)").choices([
    "never",
    "auto",
    "always",
  ]);
}

export function toPageRequest({ schema, select, list, render }: PageOptions): Partial<InputOf<"page_markdown">> {
  return {
    schema: schema === undefined ? undefined : readSchema(schema),
    selectors: select === undefined ? undefined : Object.fromEntries(select.map(readSelection)),
    list_selector: list,
    render,
  };
}

function readSchema(text: string): unknown {
  try {
    return JSON.parse(text.startsWith("@") ? readFileSync(text.slice(1), "utf8") : text) as unknown;
  } catch (error) {
    throw new LonghaulError(
      "invalid_input",
      `--schema must be JSON, or @FILE that holds it, got "${text.slice(0, 60)}".`,
      {
        cause: error,
      },
    );
  }
}

function readSelection(pair: string): [string, string] {
  const at = pair.indexOf("=");
  if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
  throw new LonghaulError("invalid_input", `--select must be FIELD=SELECTOR, got "${pair}".`);
}
