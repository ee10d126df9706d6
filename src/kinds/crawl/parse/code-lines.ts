import { noAttributes, type Attributes } from "./element-rules.ts";

const gutter =
  /(^|\s)(linenos?|linenodiv|linenumbers?|line-?numbers?(-rows)?|ln|lnt|gutter|rouge-gutter|hljs-ln-numbers|blob-num|crayon-nums|react-syntax-highlighter-line-number|codeLineNumber\S*)(\s|$)/i;
const codeTable = /(^|\s)(highlighttable|codehilitetable|rouge-table|lntable|hljs-ln|crayon-table)(\s|$)/i;
const codeBox = /(^|\s)(syntaxhighlighter|js-file-line-container)(\s|$)/i;

/** Whether an element holds the numbers of lines of code. Highlighters also tell by such a name of a whole piece that it has them. */
export function isGutter(name: string, attributes: Attributes, isInCode: boolean): boolean {
  if (attributes === noAttributes || name === "code" || !(isInCode || name === "td")) return false;
  return gutter.test(attributes["class"] ?? "");
}

/** Whether a table only sets code beside the numbers of its lines. */
export function isCodeTable(name: string, attributes: Attributes): boolean {
  return name === "table" && codeTable.test(attributes["class"] ?? "");
}

/** Whether an element is code, a block or a row for each line. */
export function isCodeBox(name: string, attributes: Attributes): boolean {
  if ((name !== "div" && name !== "table") || attributes === noAttributes) return false;
  return codeBox.test(attributes["class"] ?? "");
}
