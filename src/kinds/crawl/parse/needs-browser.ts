import type { Making } from "./page-signs.ts";

/** Whether a page is likely to say more in a browser: `maybe` of one that may as well be short. */
export type NeedsBrowser = "no" | "maybe" | "yes";

/** With fewer words a page that has a place for more is taken for one that scripts make. */
const scriptedWords = 20;
/** A frame around what scripts make has a few words of its own. */
const shellWords = 50;
const loadingWords = 12;

const loading =
  /^[\s\W]*(loading|please wait|just a moment|one moment|initiali[sz]ing|wird geladen|bitte warten|lädt|chargement|veuillez patienter|cargando|caricamento|carregando|laden)\b/i;
const asksForScripts =
  /java\s?script.{0,120}\b(enabled?|disabled?|requires?d?|needs?|support|activ\w+|turn(ed)? on|habilit\w+|aktivier\w*)|\b(enable|requires?|needs?|activate|turn on|without|support|aktivieren|activer|habilita\w*)\b.{0,120}java\s?script/is;

/** By its own HTML. Of a page without a program the answer is no, however little it says. */
export function judgeMaking(
  making: Making,
  { markdown, words }: { readonly markdown: string; readonly words: number },
): NeedsBrowser {
  const { hasScripts, hasEmptyRoot, hasEmptyPlace, noscript, isFrameset } = making;
  if (!hasScripts || isFrameset || words >= shellWords) return "no";
  if (hasEmptyRoot) return "yes";
  // Comments below a text are often made by scripts, and say so.
  if (asksForScripts.test(`${noscript}\n${markdown}`) && !/comments/i.test(noscript)) return "yes";
  if (words <= loadingWords && loading.test(markdown)) return "yes";
  if (words === 0) return markdown === "" && making.frames.length === 0 ? "yes" : "maybe";
  return words < scriptedWords && hasEmptyPlace ? "maybe" : "no";
}
