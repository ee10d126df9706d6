import { LonghaulError } from "./error.ts";

/** A file that a job made for others to read. */
export interface Artifact {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
}

/** A stretch of an artifact that is saved in several. */
export interface ArtifactPart {
  /** Where it begins; the first one begins the file anew. */
  readonly from: number;
  readonly content: Uint8Array;
  /** The file is whole with it. */
  readonly isLast: boolean;
  /** What the file is, where its name does not say so. */
  readonly mediaType?: string;
}

/** How much a job may keep of files that come in parts: they are sent from outside. */
export const artifactBounds = { fileBytes: 100_000_000, allBytes: 500_000_000, files: 200 } as const;

const mediaTypes: Readonly<Record<string, string>> = {
  css: "text/css",
  csv: "text/csv",
  gif: "image/gif",
  gz: "application/gzip",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript",
  json: "application/json",
  log: "text/plain",
  md: "text/markdown",
  mp4: "video/mp4",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  tar: "application/x-tar",
  txt: "text/plain",
  wasm: "application/wasm",
  webm: "video/webm",
  webp: "image/webp",
  xml: "application/xml",
  zip: "application/zip",
};

/** An artifact's name says what it is, where its ending is known. It is the name of a file and no path. */
export function mediaTypeOf(name: string): string {
  if (/^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,119}$/.test(name)) {
    const ending = name.split(".").slice(1).at(-1)?.toLowerCase() ?? "";
    return (Object.hasOwn(mediaTypes, ending) ? mediaTypes[ending] : undefined) ?? "application/octet-stream";
  }
  throw new LonghaulError(
    "invalid_input",
    `An artifact's name must be at most 120 letters, digits, ".", "-", "_" or "+", and begin with none of ".", "-" and "+", got ${JSON.stringify(name.slice(0, 130))}.`,
  );
}
