import { z } from "zod";
import { pageContract } from "../../../../kinds/page/contract.ts";
import type { OperationContext } from "../../../../operations/operation.ts";
import { ReftrixError } from "../error-codes.ts";
import { findPage, isGone, pageWith } from "../page-jobs.ts";
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
    throw isGone(error) ? paletteNotFound(id) : error;
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

/** One palette for each address, of its newest analysis. */
async function list(context: OperationContext, { brand_name: brand = "", mode }: PaletteInput): Promise<View[]> {
  const filter = { kind: pageContract.name, status: ["succeeded"] } as const;
  const { jobs } = await context.engine.list(filter, { limit: maxListed }, context.actor);
  const palettes = new Map<string, View>();
  for (const { id } of jobs) {
    const { analysis } = await findPage(context, id);
    const { layout, finalUrl } = analysis;
    if (layout === undefined || palettes.has(finalUrl) || !brandOf(analysis).includes(brand.toLowerCase())) continue;
    const own = modeOf(layout);
    if (mode === "both" || own === "both" || own === mode) {
      palettes.set(finalUrl, viewPaletteEntry(id, analysis, layout));
    }
  }
  return [...palettes.values()];
}
