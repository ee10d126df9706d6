export { Readability } from "@mozilla/readability";
export { Defuddle } from "defuddle/node";
export { parseHTML } from "linkedom";
