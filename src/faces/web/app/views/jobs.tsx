import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { JobView } from "../../../../operations/job-view.ts";
import { ApiError, call } from "../core/api.ts";
import { formatCount, visible } from "../core/format.ts";
import { useKeys } from "../core/keys.ts";
import type { JobFilter } from "../core/live.ts";
import { mayRun } from "../core/me.ts";
import { go, query, setQuery } from "../core/router.ts";
import { Icon } from "../ui/icons.tsx";
import { attempt, Button, confirm, Copyable, Empty, Problem, Skeleton, tell, titleOf } from "../ui/parts.tsx";
import { Table, type Column } from "../ui/table.tsx";
import { hrefOf, jobColumns } from "./job-columns.tsx";
import { JobList } from "./job-list.ts";

type BulkVerb = "retry" | "cancel" | "delete";

export function Jobs({ batch }: { readonly batch?: string }): JSX.Element {
  const text = query.value.get("q") ?? "";
  const list = useMemo(
    () => new JobList({ ...(text.trim() === "" ? {} : { q: text }), ...(batch === undefined ? {} : { batch }) }),
    [text, batch],
  );
  const { filter } = list;
  const { value: error } = list.error;
  const problem = error instanceof ApiError && error.field === "q" ? error.message : undefined;
  const at = useSignal(-1);
  const chosen = useSignal<ReadonlySet<string> | "all">(new Set());
  useEffect(() => {
    chosen.value = new Set();
    at.value = -1;
    return list.open();
  }, [list]);
  const rows = list.rows.value;
  const isChosen = ({ id }: JobView): boolean => chosen.value === "all" || chosen.value.has(id);
  const choose = (job: JobView | undefined): void => {
    if (job === undefined) return;
    const now = new Set(chosen.value === "all" ? rows.map(({ id }) => id) : chosen.value);
    if (!now.delete(job.id)) now.add(job.id);
    chosen.value = now;
  };
  const current = (): JobView | undefined => rows[at.value];
  const act = (verb: BulkVerb): void => {
    if (!mayRun()) return;
    const count = chosen.value === "all" ? undefined : chosen.value.size;
    const job = current();
    if (count !== 0)
      void attempt(() =>
        actOnAll(verb, chosen.value === "all" ? { filter } : { ids: [...(chosen.value as Set<string>)] }, list),
      );
    else if (job !== undefined) void attempt(() => actOnAll(verb, { ids: [job.id] }, list));
  };
  useKeys({
    j: () => (at.value = Math.min(rows.length - 1, at.value + 1)),
    k: () => (at.value = Math.max(0, at.value - 1)),
    Enter: () => current() && go(hrefOf(current() as JobView)),
    x: () => choose(current()),
    "Shift+A": () => (chosen.value = "all"),
    Escape: () => (chosen.value = new Set()),
    r: () => act("retry"),
    c: () => act("cancel"),
    d: () => act("delete"),
    p: () => (list.isPaused.value = !list.isPaused.value),
  });
  const count = chosen.value === "all" ? list.total.value : String(chosen.value.size);
  return (
    <main class="view jobs">
      <FilterBar text={text} problem={problem} total={list.total.value} />
      {list.news.value > 0 && (
        <button type="button" class="news" onClick={() => list.takeNews()}>
          {formatCount(list.news.value)} changes
        </button>
      )}
      <Rows list={list} at={at.value} isChosen={isChosen} choose={choose} hasFilter={text !== ""} />
      {mayRun() && (chosen.value === "all" || chosen.value.size > 0) && (
        <div class="bulk" role="toolbar" aria-label="Selected jobs">
          <b>{chosen.value === "all" ? `All that match: ${count}` : `${count} selected`}</b>
          {chosen.value !== "all" && (
            <Button label="Select all that match" keys="Shift+A" onPress={() => (chosen.value = "all")} />
          )}
          <Button label="Retry" icon="retry" keys="r" onPress={() => act("retry")} />
          <Button label="Cancel" icon="ban" keys="c" onPress={() => act("cancel")} />
          <Button label="Delete" icon="trash" look="danger" keys="d" onPress={() => act("delete")} />
          <Button label="Clear the selection" icon="close" isIconOnly onPress={() => (chosen.value = new Set())} />
        </div>
      )}
    </main>
  );
}

interface RowsProps {
  readonly list: JobList;
  readonly at: number;
  readonly isChosen: (job: JobView) => boolean;
  readonly choose: (job: JobView) => void;
  readonly hasFilter: boolean;
}

function Rows({ list, at, isChosen, choose, hasFilter }: RowsProps): JSX.Element {
  const rows = list.rows.value;
  const { value: error } = list.error;
  // What is wrong with the filter stands beside it.
  if (error instanceof ApiError && error.field === "q") return <Empty title="No jobs are shown" />;
  if (error !== undefined && rows.length === 0) return <Problem error={error} onRetry={() => list.reload()} />;
  if (!list.isLoaded.value) return <Skeleton rows={12} />;
  if (rows.length === 0 && hasFilter) {
    return (
      <Empty title="No job matches">
        <Button label="Show all jobs" onPress={() => setQuery({ q: undefined })} />
      </Empty>
    );
  }
  if (rows.length === 0) return <NoJobs />;
  const box: Column<JobView> = {
    head: "Select",
    width: "28px",
    area: "mark",
    cell: (job) => (
      <input
        type="checkbox"
        aria-label={`Select ${visible(titleOf(job))}`}
        checked={isChosen(job)}
        onChange={() => choose(job)}
      />
    ),
  };
  return (
    <Table
      label="Jobs"
      columns={mayRun() ? [box, ...jobColumns] : jobColumns}
      rows={rows}
      keyOf={({ id }) => id}
      hrefOf={hrefOf}
      at={at}
      isMarked={isChosen}
      onEnd={() => void list.loadMore()}
      onScroll={(top) => (list.isAtTop.value = top < 4)}
    />
  );
}

function FilterBar({
  text,
  problem,
  total,
}: {
  text: string;
  problem: string | undefined;
  total: string;
}): JSX.Element {
  const typed = useSignal(text);
  useEffect(() => {
    typed.value = text;
  }, [text]);
  return (
    <search class="filter">
      <Icon name="search" />
      <input
        id="filter"
        type="search"
        aria-label="Filter"
        aria-describedby="filter-said"
        aria-invalid={problem !== undefined}
        placeholder="kind:shell state:failed tag:ci since:2h text…"
        autocomplete="off"
        spellcheck={false}
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
          setQuery({ q: typed.value });
        }}
      />
      <span id="filter-said" class={problem === undefined ? "muted" : "wrong"} role="status">
        {problem ?? `${total} ${total === "1" ? "job" : "jobs"}`}
      </span>
    </search>
  );
}

function NoJobs(): JSX.Element {
  return (
    <Empty title="No jobs yet">
      <p>Start one in a terminal:</p>
      <Copyable text="longhaul run -- npm test" />
      <Copyable text="longhaul crawl https://example.com" />
      <Copyable text="longhaul add claude-code" />
      {mayRun() && (
        <p>
          <a class="button main" href="/new">
            Start one here
          </a>
        </p>
      )}
    </Empty>
  );
}

const verbs = { retry: "job_retry", cancel: "job_cancel", delete: "job_delete" } as const;
const past = { retry: "retried", cancel: "cancelled", delete: "deleted" } as const;

type Targets = { readonly ids: string[] } | { readonly filter: JobFilter };

async function actOnAll(verb: BulkVerb, targets: Targets, list: JobList): Promise<void> {
  const run = async (): Promise<void> => {
    const { count } = await call(verbs[verb], targets);
    tell(`${formatCount(count)} ${count === 1 ? "job" : "jobs"} ${past[verb]}.`);
    await list.reload();
  };
  if (verb === "retry" && "ids" in targets) return run();
  const what = "ids" in targets ? `${formatCount(targets.ids.length)} selected` : `all ${list.total.value} that match`;
  confirm({
    title: `${verb[0]?.toUpperCase() ?? ""}${verb.slice(1)} jobs?`,
    text: `${what}. ${verb === "delete" ? "Their output and files go with them." : ""}`,
    verb: `${verb[0]?.toUpperCase() ?? ""}${verb.slice(1)}`,
    run,
  });
}
