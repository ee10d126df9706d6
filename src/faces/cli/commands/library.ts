import { writeFileSync } from "node:fs";
import { Option } from "commander";
import type { AnswerOf, InputOf } from "../../../operations/registry.ts";
import { countText } from "../../../text/count-text.ts";
import { defineCommand } from "../command.ts";
import { readWhole } from "../options/option-values.ts";
import { formatTable, type Column } from "../show/output-table.ts";

type Entry = AnswerOf<"library_search">["results"][number];
type Page = AnswerOf<"library_list">["pages"][number];
type SearchInput = InputOf<"library_search">;
type CodeInput = InputOf<"library_code">;

interface SearchOptions {
  readonly kind?: SearchInput["kind"];
  readonly type?: string;
  readonly page?: string;
  readonly like?: string;
  readonly limit?: number;
}

const entryColumns: readonly Column<Entry>[] = [
  { title: "ID", text: ({ id }) => id },
  { title: "LIKE", text: ({ similarity }) => `${Math.round(similarity * 100)}%` },
  { title: "TYPE", text: ({ type }) => type },
  { title: "TITLE", text: ({ title }) => title },
  { title: "PAGE", text: ({ page }) => page.url },
];

export const search = defineCommand<SearchOptions, [words: string[]]>({
  describe: (command) => {
    command
      .argument("[words...]", "words in it, or what it looks like: dark hero with buttons")
      .addOption(
        new Option("--kind <kind>", "what to look for (section)").choices([
          "section",
          "motion",
          "background",
          "responsive",
        ]),
      )
      .option("--type <type>", "only of this type, such as hero, parallax or linear_gradient")
      .option("--page <id>", "only of this page")
      .option("--like <id>", "what is like this entry")
      .option("-n, --limit <count>", "show at most so many (10)", readWhole(1, 50));
  },
  run: async ({ client, screen }, { kind, type, page, like, limit, json }, words) => {
    const query = words.length === 0 ? undefined : words.join(" ");
    const answer = await client.call("library_search", { query, kind, type, page, like, limit });
    if (json === true) screen.printJson(answer);
    else if (answer.results.length === 0) screen.note("Nothing found: `longhaul library list` shows what is kept.");
    else {
      const { style, terminal } = screen;
      screen.print(formatTable(answer.results, entryColumns, { width: terminal.columns(), paintTitle: style.dim }));
      if (answer.total > answer.results.length) screen.note(`${answer.results.length} of ${answer.total}.`);
    }
  },
});

export const show = defineCommand<object, [id: string]>({
  describe: (command) => {
    command.argument("<id>", "the id of a page or of an entry");
  },
  run: async ({ client, screen }, { json }, id) => {
    const answer = await client.call("library_show", { id });
    if (json === true) screen.printJson(answer);
    else {
      const { style, terminal } = screen;
      if (answer.page !== undefined) screen.print(`${answer.page.title}\n${answer.page.url}`);
      const columns = entryColumns.filter(({ title }) => title !== "LIKE" && title !== "PAGE");
      const kind: Column<Entry> = { title: "KIND", text: (entry) => entry.kind };
      const table = { width: terminal.columns(), paintTitle: style.dim };
      screen.print(formatTable(answer.entries, [...columns.slice(0, 1), kind, ...columns.slice(1)], table));
      const [only] = answer.entries;
      if (answer.page === undefined && only !== undefined) {
        screen.print(`${only.page.url}\n\n${only.text}\n\n${JSON.stringify(only.facts, null, 2)}`);
      }
    }
  },
});

interface CodeOptions {
  readonly framework?: CodeInput["framework"];
  readonly javascript?: true;
  readonly tailwind?: true;
  readonly name?: string;
  readonly fixed?: true;
  readonly out?: string;
}

export const code = defineCommand<CodeOptions, [id: string]>({
  describe: (command) => {
    command
      .argument("<id>", "the id of a section")
      .addOption(new Option("--framework <name>", "what to write (html)").choices(["html", "react", "vue"]))
      .option("--javascript", "JavaScript instead of TypeScript")
      .option("--tailwind", "utility classes instead of a style sheet")
      .option("--name <name>", "the component's name, in PascalCase")
      .option("--fixed", "only as it looks in the widest window")
      .option("-o, --out <file>", "write it to a file");
  },
  run: async ({ client, screen }, { framework, javascript, tailwind, name, fixed, out, json }, id) => {
    const answer = await client.call("library_code", {
      id,
      framework,
      typescript: javascript !== true,
      tailwind,
      component_name: name,
      responsive: fixed !== true,
    });
    if (out !== undefined) writeFileSync(out, answer.code);
    if (json === true) screen.printJson(answer);
    else if (out === undefined) screen.print(answer.code.trimEnd());
    else
      screen.note(`Wrote ${answer.filename} to ${out}. It looks like ${answer.page.url}: respect its owner's rights.`);
    if (answer.is_cut) screen.note("The section had more than is kept of one: the end is missing.");
  },
});

const pageColumns: readonly Column<Page>[] = [
  { title: "ID", text: ({ id }) => id },
  { title: "KEPT", text: ({ kept_at: at }) => at.slice(0, 16).replace("T", " ") },
  { title: "SECTIONS", text: ({ sections }) => String(sections) },
  { title: "MOTIONS", text: ({ motions }) => String(motions) },
  { title: "URL", text: ({ url }) => url },
];

export const list = defineCommand<{ limit?: number }>({
  describe: (command) => {
    command.option("-n, --limit <count>", "show at most so many (50)", readWhole(1, 500));
  },
  run: async ({ client, screen }, { limit, json }) => {
    const answer = await client.call("library_list", { limit });
    if (json === true) screen.printJson(answer);
    else if (answer.pages.length === 0) screen.note("No pages are kept: `longhaul analyze URL` analyses one.");
    else {
      const { style, terminal } = screen;
      screen.print(formatTable(answer.pages, pageColumns, { width: terminal.columns(), paintTitle: style.dim }));
    }
  },
});

export const rm = defineCommand<object, [ids: string[]]>({
  describe: (command) => {
    command.argument("<ids...>", "the ids of pages");
  },
  run: async ({ client, screen }, { json }, ids) => {
    for (const id of ids) await client.call("library_remove", { id });
    if (json === true) screen.printJson({ ids });
    else screen.note(`Removed ${countText(ids.length, "page")} from the library.`);
  },
});
