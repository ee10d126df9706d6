import { z } from "zod";
import type { Job } from "../../../../job/job.ts";
import { pageContract } from "../../../../kinds/page/contract.ts";
import type { OperationContext } from "../../../../operations/operation.ts";
import { ReftrixError } from "../error-codes.ts";
import { findPage, pageWith } from "../page-jobs.ts";
import { defineReftrixTool, looksUp, type ReftrixReply } from "../reftrix-tool.ts";
import type { View } from "../views/extent.ts";
import { brandOf, modeOf, viewPalette, viewPaletteEntry } from "../views/palette-view.ts";

const input = z.looseObject({
  id: z
    .string()
    .max(100)
    .meta({ format: "uuid" })
    .optional()
    .describe("The id of an analysed page, for its palette; without it, palettes are listed."),
  brand_name: z.string().max(200).optional().describe("Part of the site's host name."),
  mode: z.enum(["light", "dark", "both"]).default("both"),
  include_gradients: z.boolean().default(true),
  auto_generate_gradients: z.boolean().default(false).describe("Also make gradients of the palette's own colours."),
  gradient_options: z
    .looseObject({
      type: z.enum(["linear", "radial"]).default("linear"),
      angle: z.number().min(0).max(360).default(135),
      token_pairs: z
        .array(z.tuple([z.string().max(100), z.string().max(100)]))
        .max(50)
        .optional(),
      include_complementary: z.boolean().default(false),
      include_analogous: z.boolean().default(false),
    })
    .prefault({}),
});

type PaletteInput = z.output<typeof input>;

/** As many pages as are looked through for a list; each is read from the disk. */
const maxListed = 50;
const suggestion = "Call style_get_palette without parameters to see which palettes there are.";

export const paletteTool = defineReftrixTool({
  name: "style_get_palette",
  title: "Style Get Palette",
  description: "The palettes of analysed pages: a list, or with an id one palette with its colours and gradients.",
  input,
  annotations: looksUp,
  run: async (context, wanted): Promise<ReftrixReply> => ({
    data:
      wanted.id === undefined
        ? { palettes: await list(context, wanted) }
        : { palette: await read(context, wanted.id, wanted) },
  }),
});

async function read(context: OperationContext, id: string, wanted: PaletteInput): Promise<View> {
  if (!z.uuid().safeParse(id).success) {
    throw new ReftrixError("CREATIVE_INVALID_PALETTE_ID", `id must be a UUID, got "${id}".`, {
      suggestion: "Give the id of an analysed page.",
    });
  }
  const page = await pageWith("layout", context, { id }).catch((error: unknown) => {
    throw error instanceof ReftrixError && error.code === "PAGE_NOT_FOUND" ? paletteNotFound(id) : error;
  });
  const { layout } = page.analysis;
  if (layout === undefined) throw paletteNotFound(id);
  return viewPalette(page.id, page.analysis, layout, {
    hasGradients: wanted.include_gradients,
    generated: wanted.auto_generate_gradients ? wanted.gradient_options : undefined,
  });
}

function paletteNotFound(id: string): ReftrixError {
  return new ReftrixError("CREATIVE_PALETTE_NOT_FOUND", `There is no palette ${id}.`, { suggestion });
}

/** The newest pages of which there is a layout, one palette for each. */
async function list(context: OperationContext, { brand_name: brand = "", mode }: PaletteInput): Promise<View[]> {
  const filter = { kind: pageContract.name, status: ["succeeded"] } as const;
  const { jobs } = await context.engine.list(filter, { limit: maxListed }, context.actor);
  const palettes: View[] = [];
  for (const job of jobs) {
    const palette = await entryOf(context, job, brand.toLowerCase(), mode);
    if (palette !== undefined) palettes.push(palette);
  }
  return palettes;
}

async function entryOf(
  context: OperationContext,
  { id }: Job,
  brand: string,
  mode: PaletteInput["mode"],
): Promise<View | undefined> {
  const { analysis } = await findPage(context, id);
  const { layout } = analysis;
  if (layout === undefined || !brandOf(analysis).includes(brand)) return undefined;
  const isMeant = mode === "both" || modeOf(layout) === mode || modeOf(layout) === "both";
  return isMeant ? viewPaletteEntry(id, analysis, layout) : undefined;
}
