import { htmlToMarkdown } from "@mdream/js";
import { checkedBox, emptyBox } from "./content-writer.ts";

const boxes = new RegExp(`[${checkedBox}${emptyBox}][ \\t]*`, "gu");

/** Markdown of a document that the content writer has cleaned. */
export function toMarkdown(content: string): string {
  const markdown = htmlToMarkdown(content);
  return markdown.replace(boxes, (box) => (box.startsWith(checkedBox) ? "[x] " : "[ ] ")).trim();
}
