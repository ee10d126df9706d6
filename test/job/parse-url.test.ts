import { expect, it } from "vitest";
import { parseUrl } from "../../src/job/parse-url.ts";

it("a text that is no URL is undefined, however often it was asked before", () => {
  // As bytes of UTF-8 it would be a URL; read as Latin-1, as headers are, it is none.
  const text = Buffer.from("http://①②⑦.⓪.⓪.①/").toString("latin1");
  const found = Array.from({ length: 20_000 }, () => parseUrl(text, "http://example.com/"));
  expect(new Set(found)).toEqual(new Set([undefined]));
});

it("a text that is a URL is read, with its base where it has one", () => {
  expect(parseUrl("http://example.com/a")?.href).toBe("http://example.com/a");
  expect(parseUrl("b", "http://example.com/a/")?.href).toBe("http://example.com/a/b");
  expect(parseUrl("b")).toBeUndefined();
});
