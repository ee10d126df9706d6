/** How many of these bytes are whole UTF-8 characters: one that was cut at the end does not count. */
export function wholeCharacters(bytes: Uint8Array): number {
  const lastStart = bytes.findLastIndex((byte) => (byte & 0xc0) !== 0x80);
  if (lastStart === -1 || lastStart < bytes.length - 4) return bytes.length;
  const first = bytes[lastStart] ?? 0;
  const wanted = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return bytes.length - lastStart >= wanted ? bytes.length : lastStart;
}
