import type { CDPSession } from "playwright-core";
import type { PageFacts } from "../facts.ts";
import type { UsedFont } from "./layout.ts";

const maxAsked = 8;

/** The fonts that text was really drawn with, asked of the browser for one element of each family. */
export async function readUsedFonts(devtools: CDPSession, { styles }: PageFacts): Promise<UsedFont[]> {
  const byFamily = new Map(styles.texts.toReversed().map((text) => [text.family, text]));
  const asked = [...byFamily.values()].toReversed().slice(0, maxAsked);
  await devtools.send("DOM.enable");
  await devtools.send("CSS.enable");
  const { root } = await devtools.send("DOM.getDocument", { depth: 0 });
  const fonts = await Promise.all(
    asked.map(async ({ family, selector }) => {
      const found = await devtools.send("DOM.querySelector", { nodeId: root.nodeId, selector }).catch(() => undefined);
      if (found === undefined || found.nodeId === 0) return [];
      const { fonts: used } = await devtools.send("CSS.getPlatformFontsForNode", { nodeId: found.nodeId });
      return [
        {
          asked: family,
          selector,
          used: used.map(({ familyName, glyphCount, isCustomFont }) => ({
            family: familyName,
            glyphs: glyphCount,
            isDownloaded: isCustomFont,
          })),
        },
      ];
    }),
  );
  await devtools.send("CSS.disable");
  await devtools.send("DOM.disable");
  return fonts.flat();
}
