const openBracket = 0x28;
const closeBracket = 0x29;
const squareBracket = 0x5d;

/**
 * Tells the hash of each word of a Markdown text, case apart. The targets of links are left out: pages that say the same may lead to
 * different places. Signs of scripts without spaces are words of their own.
 */
export function hashWords(markdown: string, onWord: (hash: number) => void): void {
  let hash = 0;
  for (let i = 0; i < markdown.length; i++) {
    const code = markdown.charCodeAt(i);
    if (isWordCharacter(code)) {
      if (code >= 0x2e80) {
        if (hash !== 0) onWord(hash);
        hash = 0;
        onWord(code);
      } else
        hash = Math.imul((hash === 0 ? 0x811c9dc5 : hash) ^ (code >= 65 && code <= 90 ? code + 32 : code), 0x01000193);
      continue;
    }
    if (hash !== 0) onWord(hash);
    hash = 0;
    if (code === squareBracket && markdown.charCodeAt(i + 1) === openBracket) {
      while (i < markdown.length && markdown.charCodeAt(i) !== closeBracket) i++;
    }
  }
  if (hash !== 0) onWord(hash);
}

function isWordCharacter(code: number): boolean {
  if (code < 0x80) return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
  // Beyond ASCII nearly all are; the exceptions are Latin-1's signs and general and East Asian punctuation.
  return code >= 0xc0 && !(code >= 0x2000 && code <= 0x206f) && !(code >= 0x3000 && code <= 0x303f);
}
