/** Without halves of characters, as a cut leaves them: they are no text, and whoever gets them as JSON may refuse all of it. */
export function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, "");
}
