import { z } from "zod";
import { judgeBrief } from "../judge-brief.ts";
import { defineReftrixTool, looksUp } from "../reftrix-tool.ts";

const hexColor = z.string().regex(/^#[0-9A-Fa-f]{6}$/, "expected a colour as #RRGGBB");
const tones = ["professional", "playful", "minimal", "bold", "elegant", "friendly", "corporate", "creative"] as const;
const wishes = z.array(z.string().max(500)).max(100).optional();

export const briefSchema = z.looseObject({
  projectName: z.string().min(1).max(200),
  description: z.string().max(2_000).optional(),
  targetAudience: z.string().max(500).optional(),
  industry: z.string().max(100).optional(),
  tone: z.array(z.enum(tones)).max(50).optional(),
  colorPreferences: z
    .looseObject({ primary: hexColor.optional(), secondary: hexColor.optional(), accent: hexColor.optional() })
    .optional(),
  references: z
    .array(z.looseObject({ url: z.url({ error: "expected a URL" }).max(8_192), note: z.string().max(200).optional() }))
    .max(10)
    .optional(),
  constraints: z.looseObject({ mustHave: wishes, mustAvoid: wishes }).optional(),
});

export const briefTool = defineReftrixTool({
  name: "brief_validate",
  title: "Brief Validate",
  description: "How complete a design brief is, from 0 to 100, and what is missing.",
  input: z.looseObject({
    brief: briefSchema,
    strictMode: z.boolean().default(false).describe("Description, tone, colours and two references must be there."),
  }),
  annotations: looksUp,
  run: async (_context, { brief, strictMode }) => ({ data: { ...judgeBrief(brief, strictMode) } }),
});
