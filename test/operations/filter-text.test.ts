import { describe, expect, it } from "vitest";
import { parseFilterText } from "../../src/operations/filter-text.ts";

const now = Date.UTC(2026, 2, 10, 12);
const parse = (text: string): unknown => parseFilterText(text, now);

describe("a filter as one text", () => {
  it.each<[text: string, filter: object]>([
    ["", {}],
    ["  two   words ", { text: "two words" }],
    ["state:failed", { state: ["failed"] }],
    ["status:failed,timed-out", { state: ["failed", "timed_out"] }],
    ["state:active", { state: ["queued", "running", "waiting"] }],
    ["kind:shell,page tag:a tag:b", { kind: ["shell", "page"], tag: ["a", "b"] }],
    ['name:"my build" "kind: of" error', { name: "my build", text: "kind: of error" }],
    ["since:2h before:90s", { created_from: "2026-03-10T10:00:00.000Z", created_before: "2026-03-10T11:58:30.000Z" }],
    ["ended:2026-03-01", { finished_from: "2026-03-01T00:00:00.000Z" }],
    ["ended-before:2026-03-01T12:00:00+02:00", { finished_before: "2026-03-01T10:00:00.000Z" }],
    [
      "OWNER:ann parent:0a1b batch:b schedule:nightly",
      { owner: "ann", parent: "0a1b", batch: "b", schedule: "nightly" },
    ],
  ])("%j means what it says", (text, filter) => {
    expect(parse(text)).toEqual(filter);
  });

  it.each<[text: string, word: string, why: string]>([
    ["state:broken text", "state:broken", '"broken" is no state'],
    ["error http://host/path", "http://host/path", 'there is no "http:"; put the word in quotes'],
    ["kind:", "kind:", "nothing stands after the colon"],
    ["since:yesterday", "since:yesterday", '"yesterday" is no time'],
    ["since:2026-99-99", "since:2026-99-99", "is no time"],
    ["name:a name:b", "name:b", "name is given twice"],
    ['open "quote', '"quote', "a quotation mark is missing"],
    ["constructor:x", "constructor:x", 'there is no "constructor:"'],
  ])("of %j it says which word it does not understand, and what it knows", (text, word, why) => {
    let error: unknown;
    try {
      parse(text);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code: "invalid_input", details: { field: "q", word } });
    expect(String(error)).toContain(why);
    expect(String(error)).toContain("It knows state: kind: tag:");
  });
});
