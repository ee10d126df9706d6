import type { Tool } from "../../profile.ts";
import type { ReftrixReply } from "../reftrix-tool.ts";
import { briefTool } from "./library-brief-tool.ts";
import { generateCodeTool } from "./library-code-tool.ts";
import { layoutSearchTool } from "./library-layout-tool.ts";
import { backgroundSearchTool, responsiveSearchTool } from "./library-looks-tools.ts";
import { motionSearchTool } from "./library-motion-tool.ts";

/** What is done with the library of analysed pages. */
export const libraryTools: readonly Tool<ReftrixReply>[] = [
  layoutSearchTool,
  generateCodeTool,
  motionSearchTool,
  backgroundSearchTool,
  responsiveSearchTool,
  briefTool,
];
