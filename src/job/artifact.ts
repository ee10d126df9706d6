import { LonghaulError } from "./error.ts";

/** A file that a job made for others to read. */
export interface Artifact {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
}

const mediaTypes: Readonly<Record<string, string>> = {
  css: "text/css",
  csv: "text/csv",
  html: "text/html",
  jpg: "image/jpeg",
  json: "application/json",
  md: "text/markdown",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain",
  webp: "image/webp",
  xml: "application/xml",
};

/** An artifact's name says what it is. It is the name of a file and no path. */
export function mediaTypeOf(name: string): string {
  const ending = /^[a-z0-9][a-z0-9_-]{0,99}\.([a-z]{2,4})$/.exec(name)?.[1] ?? "";
  const mediaType = mediaTypes[ending];
  if (mediaType !== undefined) return mediaType;
  throw new LonghaulError(
    "invalid_input",
    `An artifact's name must be lower-case letters, digits, "-" or "_" and one of the endings ${Object.keys(mediaTypes).join(", ")}, got ${JSON.stringify(name.slice(0, 120))}.`,
  );
}
