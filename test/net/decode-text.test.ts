import { describe, expect, it } from "vitest";
import { decodeText } from "../../src/net/fetch/decode-text.ts";

const latin = (text: string): Buffer => Buffer.from(text, "latin1");
const shiftJis = Buffer.from([0x93, 0xfa, 0x96, 0x7b]);
const cyrillic = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]);
const utf16 = Buffer.from("Grüße", "utf16le");

const table: [string, Uint8Array, string | undefined, string, string][] = [
  ["UTF-8 without any word", Buffer.from("Grüße 日本"), undefined, "utf-8", "Grüße 日本"],
  ["UTF-8 said by the server", Buffer.from("Grüße"), "text/html; charset=UTF-8", "utf-8", "Grüße"],
  ["Shift_JIS said by the server", shiftJis, "text/html; charset=Shift_JIS", "shift_jis", "日本"],
  ["Shift_JIS under another label", shiftJis, 'text/html;charset="x-sjis"', "shift_jis", "日本"],
  ["windows-1251", cyrillic, "text/plain; charset=windows-1251", "windows-1251", "Привет"],
  ["KOI8-R", Buffer.from([0xf0, 0xd2]), "text/plain; charset=koi8-r", "koi8-r", "Пр"],
  ["GB18030", Buffer.from([0xc4, 0xe3]), "text/html; charset=gb2312", "gbk", "你"],
  ["EUC-KR", Buffer.from([0xc7, 0xd1]), "text/html; charset=euc-kr", "euc-kr", "한"],
  ["Big5", Buffer.from([0xa4, 0xa4]), "text/html; charset=big5", "big5", "中"],
  [
    "Latin-1, which means windows-1252",
    Buffer.from([0x80, 0x93, 0xe9]),
    "text/plain; charset=iso-8859-1",
    "windows-1252",
    "€“é",
  ],
  ["no word and not UTF-8", latin("caf\xe9 \x80"), "text/html", "windows-1252", "café €"],
  ["a byte order mark of UTF-8", Buffer.from("\uFEFFé"), "text/plain; charset=windows-1251", "utf-8", "é"],
  [
    "a byte order mark of UTF-16LE",
    Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]),
    "text/html; charset=utf-8",
    "utf-16le",
    "Grüße",
  ],
  [
    "a byte order mark of UTF-16BE",
    Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(utf16).swap16()]),
    undefined,
    "utf-16be",
    "Grüße",
  ],
  ["UTF-16 said by the server", utf16, "text/html; charset=utf-16", "utf-16le", "Grüße"],
  [
    "a meta element",
    Buffer.concat([latin('<meta charset="windows-1251">'), cyrillic]),
    "text/html",
    "windows-1251",
    '<meta charset="windows-1251">Привет',
  ],
  [
    "a meta element of the old kind",
    Buffer.concat([latin("<META http-equiv=Content-Type content='text/html; charset=shift_jis'>"), shiftJis]),
    undefined,
    "shift_jis",
    "<META http-equiv=Content-Type content='text/html; charset=shift_jis'>日本",
  ],
  [
    "a meta element that the server contradicts",
    Buffer.concat([latin("<meta charset=shift_jis>"), cyrillic]),
    "text/html; charset=windows-1251",
    "windows-1251",
    "<meta charset=shift_jis>Привет",
  ],
  [
    "a meta element in a comment",
    Buffer.from("<!-- <meta charset=shift_jis> -->é"),
    "text/html",
    "utf-8",
    "<!-- <meta charset=shift_jis> -->é",
  ],
  [
    "a meta element that comes too late",
    Buffer.from(`${" ".repeat(1_024)}<meta charset=koi8-r>é`),
    "text/html",
    "utf-8",
    `${" ".repeat(1_024)}<meta charset=koi8-r>é`,
  ],
  [
    "a meta element that says UTF-16",
    Buffer.from("<meta charset=utf-16>é"),
    "text/html",
    "utf-8",
    "<meta charset=utf-16>é",
  ],
  [
    "a meta element in plain text",
    Buffer.from("<meta charset=koi8-r>é"),
    "text/plain",
    "utf-8",
    "<meta charset=koi8-r>é",
  ],
  [
    "an XML declaration",
    Buffer.concat([latin('<?xml version="1.0" encoding="windows-1251"?>'), cyrillic]),
    "application/rss+xml",
    "windows-1251",
    '<?xml version="1.0" encoding="windows-1251"?>Привет',
  ],
  ["a label that does not exist", Buffer.from("é"), "text/html; charset=klingon", "utf-8", "é"],
  ["a label that is not decoded", Buffer.from("é"), "text/html; charset=utf-7", "utf-8", "é"],
  [
    "bytes that are wrong in the encoding that was said",
    Buffer.from([0x61, 0xff, 0x62]),
    "text/html; charset=utf-8",
    "utf-8",
    "a\uFFFDb",
  ],
  ["UTF-8 that was cut within a character", Buffer.from("aé").subarray(0, 2), "text/html", "utf-8", "a"],
  ["nothing", Buffer.alloc(0), "text/html", "utf-8", ""],
];

describe("decoding text", () => {
  it.each(table)("finds the encoding and the text of %s", (_what, bytes, contentType, encoding, text) => {
    expect(decodeText(bytes, contentType)).toEqual({ text, encoding });
  });
});
