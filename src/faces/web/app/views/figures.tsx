import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { AnswerOf } from "../../../../operations/registry.ts";
import { call } from "../core/api.ts";
import { formatCount, formatDuration, visible } from "../core/format.ts";
import { changes } from "../core/live.ts";
import { mayRun } from "../core/me.ts";
import { go } from "../core/router.ts";
import { Chart } from "../ui/chart.tsx";
import { Ago, Button, Panel, Skeleton, tell } from "../ui/parts.tsx";
import { useLoad } from "../ui/use-load.ts";

type Figures = AnswerOf<"job_series">;
const stretches = ["1h", "6h", "24h", "7d", "30d"] as const;

/** How much ended, what failed, and how long jobs waited and ran. */
export function Throughput(): JSX.Element {
  const last = useSignal<(typeof stretches)[number]>("1h");
  const { data } = useLoad((signal) => call("job_series", { last: last.value }, signal), [last.value, changes.value]);
  const choice = (
    <span class="choice" role="group" aria-label="How far back">
      {stretches.map((stretch) => (
        <button
          key={stretch}
          type="button"
          aria-pressed={last.value === stretch}
          onClick={() => (last.value = stretch)}
        >
          {stretch}
        </button>
      ))}
    </span>
  );
  return (
    <Panel title="Over time" side={choice}>
      {data.value === undefined ? <Skeleton rows={3} /> : <Charts figures={data.value} />}
    </Panel>
  );
}

function Charts({ figures }: { readonly figures: Figures }): JSX.Element {
  const { points, total } = figures;
  const labelOf = (index: number): string => new Date(points[index]?.at ?? 0).toLocaleString();
  const bad = ({ ended }: Figures["total"]): number => (ended["failed"] ?? 0) + (ended["timed_out"] ?? 0);
  const good = ({ ended }: Figures["total"]): number => ended["succeeded"] ?? 0;
  const all = Object.values(total.ended).reduce((sum, count) => sum + count, 0);
  const times = (which: "wait" | "run"): JSX.Element => {
    const sum = total[which];
    return (
      <Chart
        title={which === "wait" ? "Waiting" : "Running"}
        form="lines"
        series={[
          { name: "p50", look: "info", values: points.map((point) => point[which]?.p50_ms) },
          { name: "p95", look: "dim", values: points.map((point) => point[which]?.p95_ms) },
        ]}
        format={formatDuration}
        labelOf={labelOf}
        total={sum === undefined ? "–" : `p50 ${formatDuration(sum.p50_ms)} · p95 ${formatDuration(sum.p95_ms)}`}
      />
    );
  };
  return (
    <div class="charts">
      <Chart
        title="Ended"
        form="bars"
        series={[
          { name: "succeeded", look: "good", values: points.map(good) },
          { name: "failed", look: "bad", values: points.map(bad) },
        ]}
        format={formatCount}
        labelOf={labelOf}
        total={`${formatCount(all)} · ${formatCount(bad(total))} failed`}
      />
      {times("wait")}
      {times("run")}
    </div>
  );
}

/** What fails, put together by what went wrong. */
export function Failing(): JSX.Element | null {
  const loaded = useLoad((signal) => call("job_failures", { q: "ended:1d", limit: 6 }, signal), [changes.value]);
  const groups = loaded.data.value?.groups ?? [];
  if (groups.length === 0) return null;
  const retry = async (ids: string[]): Promise<void> => {
    const { count } = await call("job_retry", { ids });
    tell(`${formatCount(count)} retried.`);
    await loaded.reload();
  };
  return (
    <Panel title="Failing, in the last day">
      <ul class="brief failing">
        {groups.map(({ kind, code, message, count, last_at: lastAt, ids }) => (
          <li key={kind + code + message}>
            <b>{formatCount(count)}×</b>
            <span class="failure-line" title={visible(message)}>
              {visible(message)}
            </span>
            <span class="muted">
              {visible(kind)} · <Ago at={lastAt} />
            </span>
            <span class="actions">
              <Button
                label="Show"
                onPress={() =>
                  go(
                    ids.length === 1
                      ? `/jobs/${ids[0] ?? ""}`
                      : `/jobs?q=${encodeURIComponent(`kind:${kind} state:failed,timed_out "${searchable(message)}"`)}`,
                  )
                }
              />
              {mayRun() && <Button label="Retry" icon="retry" onPress={() => retry(ids)} />}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** The search is for words: numbers differ from one failure to the next. */
function searchable(message: string): string {
  return message
    .replaceAll(/[^\p{L}\s]+\S*/gu, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, 60);
}
