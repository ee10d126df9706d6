import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const linksPerPage = 65;
const childrenPerPage = 3;
const words =
  "amber basin cedar delta ember fjord grove harbor island juniper kernel lagoon meadow nectar orchard prairie quartz river summit timber upland valley willow yonder zephyr".split(
    " ",
  );

/** A site of so many pages, each with 65 links: three of a tree that reaches every page, the others by chance. */
function pageHtml(page: number, count: number): string {
  let seed = (page + 1) * 2_654_435_761;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 4_294_967_296) * below);
  };
  const text = (length: number): string => Array.from({ length }, () => words[random(words.length)]).join(" ");
  const children = Array.from({ length: childrenPerPage }, (_, index) => page * childrenPerPage + index + 1);
  const others = Array.from({ length: linksPerPage - childrenPerPage }, () => random(count));
  const links = [...children, ...others].map((target) => `<li><a href="/p/${target % count}">${text(4)}</a></li>`);
  const paragraphs = Array.from({ length: 8 }, () => `<p>${text(12)}, <b>${text(2)}</b> ${text(14)}.</p>`);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page ${page}: ${text(3)}</title><meta name="description" content="${text(8)}"><link rel="stylesheet" href="/style.css"></head><body><header><a href="/p/0">Home</a></header><main><h1>Page ${page}</h1>${paragraphs.join("\n")}<ul>${links.join("\n")}</ul></main><footer>The end.</footer></body></html>`;
}

const count = Number(process.argv[2]);
const server = createServer((request, response) => {
  const page = /^\/p\/(\d+)$/.exec(request.url ?? "")?.[1];
  if (page === undefined || Number(page) >= count) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(pageHtml(Number(page), count));
});
server.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
