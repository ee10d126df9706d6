import { Parser } from "htmlparser2";
import { Agent } from "undici";
import { answerParent } from "../child.ts";
import { measureCrawl } from "./measure.ts";
import type { CrawlBenchRequest } from "./request.ts";

/** The limit: fetch, find links, follow them; nothing is kept, checked or limited. */
async function crawl({ url, pages, concurrency }: CrawlBenchRequest): Promise<number> {
  const dispatcher = new Agent({ connections: concurrency });
  const start = `${url}/p/0`;
  const queue = [start];
  const seen = new Set(queue);
  let head = 0;
  let active = 0;
  let done = 0;
  await new Promise<void>((resolve, reject) => {
    const visit = async (page: string): Promise<void> => {
      const { pathname } = new URL(page);
      const { body } = await dispatcher.request({ origin: url, path: pathname, method: "GET" });
      const html = await body.text();
      const parser = new Parser({
        onopentag: (name, { href }) => {
          if (name !== "a" || href === undefined) return;
          const target = new URL(href, page).href;
          if (seen.has(target)) return;
          seen.add(target);
          queue.push(target);
        },
      });
      parser.write(html);
      parser.end();
      done += 1;
    };
    const fill = (): void => {
      while (active < concurrency && done + active < pages && head < queue.length) {
        active += 1;
        visit(queue[head++] ?? "").then(() => {
          active -= 1;
          return fill();
        }, reject);
      }
      if (active === 0) resolve();
    };
    fill();
  });
  await dispatcher.close();
  return done;
}

answerParent((request: CrawlBenchRequest) => measureCrawl(() => crawl(request)));
