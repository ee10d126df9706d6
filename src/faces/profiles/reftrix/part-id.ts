import { createHash } from "node:crypto";

/** The id of a part of a page: always the same for the same part, and a UUID, which clients expect. */
export function partId(pageId: string, part: string): string {
  const digits = createHash("sha256").update(`${pageId}/${part}`).digest("hex");
  const variant = "89ab"[Number.parseInt(digits.charAt(16), 16) % 4] ?? "8";
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join("-");
}
