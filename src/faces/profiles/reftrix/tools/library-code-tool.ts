import { z } from "zod";
import { LonghaulError } from "../../../../job/error.ts";
import { componentNameOf } from "../../../../library/code/component-name.ts";
import { frameworks, generateCode } from "../../../../library/code/generate-code.ts";
import { findSection } from "../../../../operations/library.ts";
import { ReftrixError } from "../error-codes.ts";
import type { IgnoredParameter } from "../ignored-parameters.ts";
import { defineReftrixTool, looksUp } from "../reftrix-tool.ts";
import { openLibraryFor } from "./library-reader.ts";

const input = z.looseObject({
  patternId: z.uuid().describe("The id of a section, as layout_search answers with it."),
  options: z
    .looseObject({
      framework: z.enum(frameworks).default("react"),
      typescript: z.boolean().default(true),
      tailwind: z.boolean().default(true),
      paletteId: z.uuid().optional(),
      componentName: z
        .string()
        .min(1)
        .max(100)
        .regex(/^[A-Z][a-zA-Z0-9]*$/, "expected a name in PascalCase")
        .optional(),
      splitComponents: z.boolean().optional(),
      responsive: z.boolean().default(true).describe("Also how it looks in the narrower windows of the analysis."),
    })
    .prefault({}),
});

const ignored: readonly IgnoredParameter[] = [
  {
    path: "options.paletteId",
    feature: "layout",
    code: "OWN_COLORS",
    why: "a section keeps the colours that it was seen in",
    harmless: [],
  },
  {
    path: "options.splitComponents",
    feature: "layout",
    code: "ONE_COMPONENT",
    why: "a section becomes one component",
    harmless: [false],
  },
];

export const generateCodeTool = defineReftrixTool({
  name: "layout_generate_code",
  title: "Layout Generate Code",
  description: "Code of a section that was found by layout_search: React, Vue or HTML, with utility classes or CSS.",
  input,
  annotations: looksUp,
  ignored,
  run: async (context, { patternId, options }) => {
    openLibraryFor(context);
    const { entry, source } = await findSection(context, patternId.toLowerCase()).catch((error: unknown) => {
      throw toCodeError(error);
    });
    const componentName = options.componentName ?? componentNameOf(entry.type);
    const { framework, typescript, tailwind, responsive } = options;
    const code = generateCode(source, { framework, typescript, tailwind, responsive, componentName });
    return {
      data: {
        code: code.code,
        framework,
        componentName,
        filename: code.filename,
        dependencies: code.dependencies,
        inspirationUrls: [entry.page.url],
        usageScope: "inspiration_only",
      },
    };
  },
});

function toCodeError(error: unknown): unknown {
  if (!(error instanceof LonghaulError)) return error;
  if (error.code === "not_found") return new ReftrixError("PATTERN_NOT_FOUND", error.message);
  return error.code === "conflict" ? new ReftrixError("CODE_GENERATION_FAILED", error.message) : error;
}
