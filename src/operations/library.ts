import { z } from "zod";
import { demand, maySee } from "../engine/access.ts";
import { LonghaulError } from "../job/error.ts";
import { pageContract, type KeptPage, type SectionSource } from "../kinds/page/contract.ts";
import { componentNameOf } from "../library/code/component-name.ts";
import { frameworks, generateCode } from "../library/code/generate-code.ts";
import { entryKinds, type FoundEntry, type Library, type PageFacts, type Reader } from "../library/library.ts";
import { defineOperation, type OperationContext } from "./operation.ts";

const id = z.string().min(1).max(100);

const pageSchema = z.object({
  id: z.string().describe("The id of its job."),
  url: z.string(),
  title: z.string(),
  kept_at: z.string(),
});

const listedSchema = pageSchema.extend({ sections: z.int(), motions: z.int(), bytes: z.int() });

const entrySchema = z.object({
  id: z.string(),
  kind: z.enum(entryKinds),
  type: z.string(),
  title: z.string(),
  similarity: z.number().describe("From 0 to 1."),
  page: pageSchema,
  text: z.string().describe("Its beginning."),
  facts: z.record(z.string(), z.json()),
  has_code: z.boolean().describe("library_code can make code of it."),
});

export const librarySearch = defineOperation({
  name: "library_search",
  scope: "read",
  description:
    "Search the sections, motions, backgrounds and responsive behaviour of analysed pages, by words, by looks, or by likeness to another entry.",
  input: z.strictObject({
    query: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe("Words in it, or what it looks like: dark hero with buttons."),
    like: id.optional().describe("The id of an entry to which others are to be similar."),
    kind: z.enum(entryKinds).default("section"),
    type: z.string().max(50).optional().describe("Such as hero, parallax or linear_gradient."),
    page: id.optional().describe("Only of this page."),
    limit: z.int().min(1).max(50).default(10),
    offset: z.int().min(0).max(100_000).default(0),
  }),
  output: z.object({ results: z.array(entrySchema), total: z.int() }),
  run: async (context, { type, ...request }) => {
    const { library, reader } = openForReading(context);
    if (request.like !== undefined && (await library.entry(request.like, reader)) === undefined) {
      throw unknownEntry(request.like);
    }
    const asked = { ...request, ...(type === undefined ? {} : { types: [type] }) };
    const { results, total } = await library.search(asked, reader);
    return { results: results.map((entry) => showEntry(entry, 200)), total };
  },
});

export const libraryShow = defineOperation({
  name: "library_show",
  scope: "read",
  description: "Show a page of the design library with its entries, or one entry.",
  input: z.strictObject({ id: id.describe("The id of a page or of an entry.") }),
  output: z.object({ page: listedSchema.optional(), entries: z.array(entrySchema) }),
  run: async (context, { id: wanted }) => {
    const { library, reader } = openForReading(context);
    const kept = await library.page(wanted, reader);
    if (kept !== undefined) {
      const entries = await library.entries(wanted, reader);
      return { page: showPage(kept.page), entries: entries.map((entry) => showEntry(entry, 200)) };
    }
    const found = await library.entry(wanted, reader);
    if (found === undefined) throw unknownEntry(wanted);
    return { entries: [showEntry(found.entry, 10_000)] };
  },
});

export const libraryCode = defineOperation({
  name: "library_code",
  scope: "read",
  description: "Make code that stands alone of a section of the design library: HTML and CSS, React or Vue.",
  input: z.strictObject({
    id: id.describe("The id of a section."),
    framework: z.enum(frameworks).default("html"),
    typescript: z.boolean().default(true),
    tailwind: z.boolean().default(false).describe("Utility classes in place of a style sheet."),
    component_name: z
      .string()
      .max(100)
      .regex(/^[A-Z][a-zA-Z0-9]*$/, "expected a name in PascalCase")
      .optional(),
    responsive: z.boolean().default(true).describe("Also how it looks in the narrower windows of the analysis."),
  }),
  output: z.object({
    code: z.string(),
    filename: z.string(),
    component_name: z.string(),
    dependencies: z.array(z.string()),
    page: pageSchema,
    is_cut: z.boolean().describe("The section had more than is kept of one."),
  }),
  run: async (context, { id: wanted, component_name: name, ...options }) => {
    const { entry, source } = await findSection(context, wanted);
    const componentName = name ?? componentNameOf(entry.type);
    const { code, filename, dependencies } = generateCode(source, { ...options, componentName });
    return {
      code,
      filename,
      component_name: componentName,
      dependencies: [...dependencies],
      page: showPageOf(entry),
      is_cut: source.isCut,
    };
  },
});

export const libraryList = defineOperation({
  name: "library_list",
  scope: "read",
  description: "List the pages of the design library, those that were kept last first.",
  input: z.strictObject({
    limit: z.int().min(1).max(500).default(50),
    cursor: z.int().min(1).optional().describe("`next` of the answer before."),
  }),
  output: z.object({ pages: z.array(listedSchema), next: z.int().optional().describe("Absent at the end.") }),
  run: async (context, { limit, cursor }) => {
    const { library, reader } = openForReading(context);
    const before = cursor === undefined ? {} : { before: cursor };
    const pages = await library.list({ limit: limit + 1, ...before }, reader);
    const shown = pages.slice(0, limit);
    return { pages: shown.map(showPage), next: pages.length > limit ? shown.at(-1)?.place : undefined };
  },
});

export const libraryRemove = defineOperation({
  name: "library_remove",
  scope: "run",
  description: "Remove a page from the design library; its job stays.",
  input: z.strictObject({ id: id.describe("The id of the page.") }),
  output: z.object({ id: z.string() }),
  run: async (context, { id: wanted }) => {
    const { library, reader } = openForReading(context);
    if (!(await library.remove(wanted, reader))) throw unknownEntry(wanted);
    return { id: wanted };
  },
});

/** A page as it was analysed, also when its job has gone; undefined if it is not, or not any more, in the library. */
export async function findKeptPage(
  context: OperationContext,
  wanted: string,
): Promise<Pick<KeptPage, "analysis" | "input"> | undefined> {
  const { server, actor } = context;
  if (server.library === undefined || !maySee(actor, { owner: actor.owner ?? "", kind: pageContract.name }))
    return undefined;
  return server.library.page(wanted, readerOf(context));
}

export async function findSection(
  context: OperationContext,
  wanted: string,
): Promise<{ entry: FoundEntry; source: SectionSource }> {
  const { library, reader } = openForReading(context);
  const found = await library.entry(wanted, reader);
  if (found?.entry.kind !== "section") throw unknownEntry(wanted);
  const { entry, source } = found;
  if (source !== undefined) return { entry, source };
  throw new LonghaulError(
    "conflict",
    `Of the section ${wanted} no HTML is kept, because its page was read without a browser or did not let itself be read: analyse it again.`,
  );
}

/** The library as the caller may see it. Who may see no pages is told that there are none. */
export function openForReading(context: OperationContext): { library: Library; reader: Reader } {
  const { server, actor } = context;
  demand(actor, "read");
  if (server.library === undefined) {
    throw new LonghaulError(
      "unavailable",
      "Analysed pages are not kept here: set library.days in the configuration to more than 0, and restart the server.",
    );
  }
  if (maySee(actor, { owner: actor.owner ?? "", kind: pageContract.name })) {
    return { library: server.library, reader: readerOf(context) };
  }
  throw new LonghaulError(
    "not_allowed",
    `The token is not for kind "${pageContract.name}", whose pages the library keeps.`,
  );
}

function readerOf({ actor: { owner } }: OperationContext): Reader {
  return owner === undefined ? {} : { owner };
}

function unknownEntry(wanted: string): LonghaulError {
  return new LonghaulError("not_found", `There is nothing with the id ${wanted} in the design library.`);
}

function showEntry(entry: FoundEntry, maxText: number): z.input<typeof entrySchema> {
  const { id: entryId, kind, type, title, text, facts, similarity, hasSource } = entry;
  const shown = text.length > maxText ? `${text.slice(0, maxText)}…` : text;
  return {
    ...{ id: entryId, kind, type, title, similarity },
    page: showPageOf(entry),
    text: shown,
    facts,
    has_code: hasSource,
  };
}

function showPageOf({ page }: FoundEntry): z.input<typeof pageSchema> {
  return { id: page.id, url: page.url, title: page.title, kept_at: new Date(page.keptAt).toISOString() };
}

function showPage(page: PageFacts): z.input<typeof listedSchema> {
  const { id: pageId, url, title, keptAt, sections, motions, bytes } = page;
  return { id: pageId, url, title, kept_at: new Date(keptAt).toISOString(), sections, motions, bytes };
}
