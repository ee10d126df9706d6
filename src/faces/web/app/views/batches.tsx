import type { JSX } from "preact";
import type { AnswerOf } from "../../../../operations/registry.ts";
import { call } from "../core/api.ts";
import { formatCount, visible, words } from "../core/format.ts";
import { changes } from "../core/live.ts";
import { path } from "../core/router.ts";
import { Copyable, Empty, Problem, Skeleton } from "../ui/parts.tsx";
import { Table, type Column } from "../ui/table.tsx";
import { useLoad } from "../ui/use-load.ts";
import { Jobs } from "./jobs.tsx";

type Batch = AnswerOf<"batch_get">;

const stateOrder = ["succeeded", "failed", "timed_out", "cancelled", "waiting", "running", "queued"];

const columns: readonly Column<Batch>[] = [
  { head: "Batch", width: "minmax(140px, 1.4fr)", area: "title", cell: ({ batch }) => <b>{visible(batch)}</b> },
  { head: "How far", width: "minmax(160px, 2fr)", area: "line", cell: (batch) => <Stack batch={batch} /> },
  {
    head: "Ended",
    width: "120px",
    area: "side",
    cell: ({ finished, total }) => `${formatCount(finished)} of ${formatCount(total)}`,
  },
  { head: "Percent", width: "70px", area: "end", cell: ({ percent }) => `${percent}%` },
];

export function Batches(): JSX.Element {
  const [, name] = path.value;
  return name === undefined ? <AllBatches /> : <OneBatch name={name} />;
}

function AllBatches(): JSX.Element {
  const loaded = useLoad((signal) => call("batch_list", { limit: 200 }, signal), [changes.value]);
  const { value: data } = loaded.data;
  if (data === undefined) {
    return loaded.error.value === undefined ? (
      <Skeleton />
    ) : (
      <Problem error={loaded.error.value} onRetry={loaded.reload} />
    );
  }
  return (
    <main class="view">
      <h1>Batches</h1>
      {data.batches.length === 0 ? (
        <Empty title="No batches yet">
          <p>Jobs that belong together share the name of a batch:</p>
          <Copyable text="longhaul run -d --batch nightly -- npm test" />
        </Empty>
      ) : (
        <Table
          label="Batches"
          columns={columns}
          rows={data.batches}
          keyOf={({ batch }) => batch}
          hrefOf={({ batch }) => `/batches/${encodeURIComponent(batch)}`}
        />
      )}
    </main>
  );
}

function OneBatch({ name }: { readonly name: string }): JSX.Element {
  const loaded = useLoad((signal) => call("batch_get", { batch: name }, signal), [name, changes.value]);
  const { value: batch } = loaded.data;
  return (
    <div class="one-batch">
      <header class="view">
        <h1>{visible(name)}</h1>
        {batch !== undefined && (
          <>
            <Stack batch={batch} />
            <p class="muted">
              {stateOrder
                .filter((state) => (batch.jobs[state] ?? 0) > 0)
                .map((state) => `${formatCount(batch.jobs[state] ?? 0)} ${words(state)}`)
                .join(" · ")}
            </p>
          </>
        )}
        {loaded.error.value !== undefined && <Problem error={loaded.error.value} />}
      </header>
      <Jobs batch={name} />
    </div>
  );
}

/** The jobs of a batch, by state, in one bar. */
function Stack({ batch }: { readonly batch: Batch }): JSX.Element {
  return (
    <span class="stack" role="img" aria-label={`${batch.finished} of ${batch.total} ended`}>
      {stateOrder.map((state) => {
        const count = batch.jobs[state] ?? 0;
        return count === 0 ? null : (
          <i key={state} class={`is-${state}`} title={`${count} ${words(state)}`} style={{ flexGrow: count }} />
        );
      })}
    </span>
  );
}
