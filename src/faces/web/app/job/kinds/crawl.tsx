import type { JSX } from "preact";
import type { AnswerOf } from "../../../../../operations/registry.ts";
import { call } from "../../core/api.ts";
import { formatBytes, formatCount, visible, webAddress } from "../../core/format.ts";
import { Table, type Column } from "../../ui/table.tsx";
import type { JobDetail } from "../source.ts";
import { useGrowing } from "./growing.ts";

type Page = AnswerOf<"crawl_pages">["pages"][number] & { readonly key: string };

const columns: readonly Column<Page>[] = [
  {
    head: "Page",
    width: "minmax(200px, 3fr)",
    area: "title",
    cell: ({ url = "", title, depth = 0 }) => (
      <span style={{ paddingInlineStart: `${Math.min(depth, 8) * 18}px` }} title={visible(url)}>
        {depth > 0 && <span class="muted">└ </span>}
        <b>{visible(title === undefined || title === "" ? pathOf(url) : title)}</b>
      </span>
    ),
  },
  {
    head: "Address",
    width: "minmax(120px, 2fr)",
    area: "line",
    cell: ({ url = "" }) =>
      webAddress(url) === undefined ? (
        visible(url)
      ) : (
        <a href={url} target="_blank" rel="noreferrer">
          {visible(pathOf(url))}
        </a>
      ),
  },
  {
    head: "Status",
    width: "60px",
    area: "side",
    cell: ({ status = 0 }) => <span class={status >= 400 ? "wrong" : ""}>{status}</span>,
  },
  { head: "Words", width: "70px", cell: ({ words }) => (words === undefined ? "" : formatCount(words)) },
  { head: "Size", width: "80px", area: "end", cell: ({ bytes }) => (bytes === undefined ? "" : formatBytes(bytes)) },
];

/** The pages of a crawl as they come, each as deep as it is linked. */
export function CrawlView({ job }: { readonly job: JobDetail }): JSX.Element {
  const pages = useGrowing<Page>(
    async (cursor, signal) => {
      const found = await call(
        "crawl_pages",
        { id: job.id, cursor, limit: 1_000, fields: ["url", "title", "depth", "status", "bytes", "words"] },
        signal,
      );
      return { items: found.pages.map((page, index) => ({ ...page, key: `${cursor} ${index}` })), next: found.next };
    },
    [job.id, job.progress?.done, job.state],
  );
  return (
    <section class="kind-view crawl" aria-label="Pages">
      <p class="muted">{formatCount(pages.value.length)} pages</p>
      <Table label="Pages" columns={columns} rows={pages.value} keyOf={({ key }) => key} />
    </section>
  );
}

function pathOf(url: string): string {
  try {
    const { pathname, search } = new URL(url);
    return decodeURI(pathname) + search;
  } catch {
    return url;
  }
}
