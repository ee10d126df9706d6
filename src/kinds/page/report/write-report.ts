import type { JobContext } from "../../../job/kind.ts";
import type { PageAnalysis } from "../contract.ts";
import { breakable, html, raw, type Markup } from "./html.ts";
import { performancePart } from "./performance-part.ts";
import { scoreRing, toneOf } from "./plots.ts";
import { axesPart, findingsPart, layoutPart, motionPart, responsivePart, vitalsPart } from "./report-parts.ts";
import { reportStyle } from "./style.ts";

export const reportName = "report.html";

/** In base64 they grow by a third, and all of the report is to fit into one message of 8 MB. */
const maxPictureBytes = 5_500_000;

/** One file with all pictures in it, which runs no script and fetches nothing. */
export async function writeReport(analysis: PageAnalysis, context: JobContext): Promise<{ readonly name: string }> {
  const pictures = new Map<string, string>();
  let left = maxPictureBytes;
  const files = (await context.artifacts.list()).filter(({ name }) => /^(crop-|screenshot)/.test(name));
  // The small ones first: the last screenshot is what there may be no room for.
  for (const { name, mediaType, bytes: size } of files.toSorted((a, b) => rankOf(a.name) - rankOf(b.name))) {
    if (mediaType !== "image/jpeg" || size > left) continue;
    left -= size;
    const bytes = Buffer.from(await context.artifacts.read(name));
    pictures.set(name, `data:image/jpeg;base64,${bytes.toString("base64")}`);
  }
  await context.artifacts.save(reportName, renderReport(analysis, pictures));
  return { name: reportName };
}

function rankOf(name: string): number {
  return name.startsWith("crop-") ? 0 : 1;
}

export function renderReport(analysis: PageAnalysis, pictures: ReadonlyMap<string, string>): string {
  const { layout, motion, quality, responsive, performance, page } = analysis;
  const picture = (name: string): string | undefined => pictures.get(name);
  const title = page.title === "" ? analysis.finalUrl : page.title;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; img-src data:; style-src 'unsafe-inline'"
        />
        <meta name="referrer" content="no-referrer" />
        <title>Page analysis: ${title}</title>
        <style>
          ${raw(reportStyle)}
        </style>
      </head>
      <body>
        <main>
          <header class="top">
            <div>
              <h1 style="--longest: ${longestWordIn(title)}">${breakable(title)}</h1>
              <p><a href="${analysis.finalUrl}" rel="noreferrer noopener">${breakable(analysis.finalUrl)}</a></p>
              <p class="soft">
                ${analysis.analyzedAt.replace("T", " ").slice(0, 16)} UTC · ${(analysis.durationMs / 1_000).toFixed(1)}
                s · ${page.elements} elements · ${page.width} × ${page.height} px
              </p>
            </div>
            ${
              quality !== undefined &&
              html`<div class="rings">
                <div class="grade ${toneOf(quality.score)}" role="img" aria-label="Grade ${quality.grade}">
                  ${quality.grade}
                </div>
                ${scoreRing(quality.score, "overall", 104)}${Object.entries(quality.axes).map(([name, { score }]) => scoreRing(score, name, 104))}
              </div>`
            }
          </header>
          ${notes(analysis)} ${quality !== undefined && findingsPart(quality, picture)}
          ${performance === undefined ? quality !== undefined && vitalsPart(quality) : performancePart(performance, picture)}
          ${responsive === undefined ? mainPicture(pictures) : responsivePart(responsive, picture)}
          ${layout !== undefined && layoutPart(layout, page.height)} ${motion !== undefined && motionPart(motion)}
          ${quality !== undefined && axesPart(quality)}
        </main>
      </body>
    </html>`.text;
}

/** So that the heading can be set as small as its longest word needs. */
function longestWordIn(title: string): number {
  return Math.max(1, ...title.split(/[^\p{L}\p{N}]+/u).map(({ length }) => Math.min(length, 48)));
}

/** What a reader must know to judge the rest: what is missing, and why. */
function notes({ method, methodReason, phases, warnings }: PageAnalysis): Markup[] {
  const missing = phases.filter(({ state }) => state === "failed" || state === "timed_out");
  return [
    ...(method === "static"
      ? [
          html`<p class="note">
            Read from the HTML and CSS alone; nothing was drawn, run or measured. ${breakable(methodReason ?? "")}
          </p>`,
        ]
      : []),
    ...missing.map(
      ({ name, state, reason }) =>
        html`<p class="note">${state === "failed" && `The phase ${name} failed: `}${breakable(reason ?? "")}</p>`,
    ),
    ...warnings.map(({ message }) => html`<p class="note">${breakable(message)}</p>`),
  ];
}

function mainPicture(pictures: ReadonlyMap<string, string>): Markup | undefined {
  const first = pictures.get("screenshot.jpg");
  return first === undefined
    ? undefined
    : html`<section class="card">
        <h2>Picture</h2>
        <div class="shots">
          <div class="window"><img src="${first}" width="520" alt="The page" /></div>
        </div>
      </section>`;
}
