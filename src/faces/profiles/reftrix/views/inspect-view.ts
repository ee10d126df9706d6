import { defined } from "../../../../job/defined.ts";
import { cut, type Extent, type Found, type View } from "./extent.ts";
import { listColors, mainColors } from "./main-colors.ts";

type Layout = Found<"layout">;

export interface InspectChoice {
  readonly detectSections: boolean;
  readonly extractColors: boolean;
  readonly analyzeTypography: boolean;
  readonly detectGrid: boolean;
}

/** The types that `layout.inspect` has other words for, or none. */
const typeWords: Readonly<Record<string, string>> = {
  feature: "features",
  portfolio: "gallery",
  subscribe: "cta",
  partners: "content",
  stories: "content",
  research: "content",
  article: "content",
  sidebar: "content",
};

/** What is not asked for is there and empty, so that no client stumbles. */
export function inspectLayout(layout: Layout, choice: InspectChoice, extent: Extent): View {
  const data = {
    sections: choice.detectSections ? cut(layout.sections, 10, extent).map(viewSection) : [],
    colors: viewColors(layout, choice.extractColors),
    typography: viewTypography(layout, choice.analyzeTypography),
    grid: choice.detectGrid ? viewGrid(layout) : { type: "unknown" },
  };
  return { ...data, textRepresentation: describeInWords(layout) };
}

function viewSection({ id, type, confidence, top, height, content, colors }: Layout["sections"][number]): View {
  const { background, text, gradient, image } = colors;
  return {
    id,
    type: typeWords[type] ?? type,
    confidence,
    position: { startY: top, endY: top + height, height },
    content: content ?? { headings: [], paragraphs: [], links: [], images: [], buttons: [] },
    style: {
      ...(background === "" ? {} : { backgroundColor: background }),
      ...(text === "" ? {} : { textColor: text }),
      hasGradient: gradient,
      hasImage: image,
    },
  };
}

function viewColors(layout: Layout, isWanted: boolean): View {
  const { background, text } = mainColors(layout);
  const colors = listColors(layout);
  const most = colors.toSorted((a, b) => b.share - a.share)[0];
  const accent = colors.find(({ role }) => role === "accent");
  return {
    // The analysis weighs colours by area and text; of a thousand parts, these are theirs.
    palette: isWanted ? colors.map(({ hex, share, role }) => ({ hex, count: Math.round(share * 1_000), role })) : [],
    dominant: most?.hex ?? background,
    background,
    text,
    ...(accent === undefined ? {} : { accent: accent.hex }),
  };
}

function viewTypography({ typography }: Layout, isWanted: boolean): View {
  const { families, sizes, weights, body } = typography;
  const bodySize = body?.size ?? 16;
  const larger = sizes.map(({ size }) => size).filter((size) => size > bodySize);
  return {
    fonts: isWanted ? families.map(({ family }) => ({ family, weights })) : [],
    headingScale: isWanted ? larger.toSorted((a, b) => b - a).slice(0, 6) : [],
    bodySize,
    // `normal` is told as 0, and is about this.
    lineHeight: body === null || body.lineHeight === 0 ? 1.2 : body.lineHeight,
  };
}

function viewGrid({ grid, breakpoints }: Layout): View {
  const widest = grid.containers.toSorted((a, b) => b.width - a.width)[0];
  return defined({
    type: grid.usesGrid ? "grid" : grid.usesFlex ? "flex" : "unknown",
    columns: grid.columns,
    gutterWidth: grid.gap,
    maxWidth: widest?.width,
    breakpoints: breakpoints.map((width) => ({ name: `${width}px`, minWidth: width })),
  });
}

/** The layout in sentences, for a model that reads. */
function describeInWords(layout: Layout): string {
  const { sections, palette, typography, grid } = layout;
  const { background, text } = mainColors(layout);
  const parts = sections.map(({ type, heading }) => (heading === "" ? type : `${type} "${heading}"`));
  const families = typography.families.slice(0, 3).map(({ family }) => family);
  const lines = [
    sections.length === 0
      ? "No sections were found."
      : `Sections from top to bottom: ${parts.slice(0, 20).join(", ")}.`,
    `A ${palette.theme} page: text ${text} on ${background}.`,
    ...(families.length === 0 ? [] : [`Fonts: ${families.join(", ")}.`]),
    `Up to ${grid.columns} ${grid.columns === 1 ? "column" : "columns"}.`,
  ];
  return lines.join(" ");
}
