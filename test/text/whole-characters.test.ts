import { describe, expect, it } from "vitest";
import { wholeCharacters } from "../../src/text/whole-characters.ts";

describe("whole characters", () => {
  it.each(["é", "€", "😀"])("leave out a %s that was cut at any place, and count it when it is whole", (character) => {
    const bytes = Buffer.from(`ab${character}`);
    for (let length = 3; length < bytes.length; length++) {
      expect(wholeCharacters(bytes.subarray(0, length))).toBe(2);
    }
    expect(wholeCharacters(bytes)).toBe(bytes.length);
  });

  it.each(["", "a", "plain text\n", "größer als 5 €", "😀😀", "😀a"])("are all of %j", (text) => {
    const bytes = Buffer.from(text);
    expect(wholeCharacters(bytes)).toBe(bytes.length);
  });

  it("make a cut text that decodes without a replacement, wherever it is cut", () => {
    const bytes = Buffer.from("aé€😀ß漢字");
    for (let length = 1; length <= bytes.length; length++) {
      const whole = wholeCharacters(bytes.subarray(0, length));
      expect(bytes.subarray(0, whole).toString()).not.toContain("\ufffd");
      expect(length - whole).toBeLessThan(4);
    }
  });

  it.each([
    ["bytes that only continue a character", [0x80, 0x80, 0x80, 0x80, 0x80]],
    ["more continuing bytes than any character has", [0x61, 0xe2, 0x80, 0x80, 0x80, 0x80, 0x80]],
    ["a stray byte with text after it", [0x61, 0xff, 0x62]],
    ["a character that was cut with text after it", [0xe2, 0x82, 0x61]],
  ])("are all of %s, so that a reader of garbage gets on", (_, bytes) => {
    expect(wholeCharacters(Uint8Array.from(bytes))).toBe(bytes.length);
  });

  it("are none of the first bytes of one, because the rest is still to come", () => {
    expect(wholeCharacters(Uint8Array.of(0xe2))).toBe(0);
    expect(wholeCharacters(Uint8Array.of(0xe2, 0x82))).toBe(0);
  });
});
