import { describe, expect, it } from "vitest";
import { readInThread, type StaticDocument } from "../../../src/kinds/page/static/static-reader.ts";

const page: StaticDocument = { body: new Uint8Array(), contentType: "text/html", base: "https://a.example/" };
const thread = (code: string): URL => new URL(`data:text/javascript,${encodeURIComponent(code)}`);
const noSheets = (): Promise<{ bodies: []; unreadable: [] }> => Promise.resolve({ bodies: [], unreadable: [] });
const forever = thread("setInterval(() => undefined, 1_000)");

describe.concurrent("the thread in which a page is read", () => {
  it("is ended when it takes too long", async () => {
    await expect(readInThread(page, forever, noSheets, new AbortController().signal)).rejects.toMatchObject({
      code: "too_complex",
      message: "The page's HTML could not be read without a browser: it takes longer than 10 s.",
    });
  });

  it("is ended when it takes too much memory", async () => {
    const greedy = thread("const kept = []; for (;;) kept.push(new Array(1_000_000).fill({}));");
    await expect(readInThread(page, greedy, noSheets, new AbortController().signal)).rejects.toMatchObject({
      code: "too_complex",
      message: expect.stringContaining("memory") as string,
    });
  });

  it("is ended with the job that wants it", async () => {
    const reason = new Error("cancelled");
    const controller = new AbortController();
    const reading = readInThread(page, forever, noSheets, controller.signal);
    controller.abort(reason);
    await expect(reading).rejects.toBe(reason);
  });
});
