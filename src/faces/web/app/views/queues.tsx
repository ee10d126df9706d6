import type { JSX } from "preact";
import { call } from "../core/api.ts";
import { jobsMatching } from "../core/filter.ts";
import { formatCount, visible } from "../core/format.ts";
import { changes } from "../core/live.ts";
import { isAdmin, type Kind } from "../core/me.ts";
import { Button, Problem, Skeleton } from "../ui/parts.tsx";
import { Table, type Column } from "../ui/table.tsx";
import { useLoad } from "../ui/use-load.ts";
import { Slots } from "./slots.tsx";

/** Each kind of job: how many of its slots are in use, and what waits. */
export function Queues(): JSX.Element {
  const loaded = useLoad((signal) => call("kind_list", {}, signal), [changes.value]);
  const { value: data } = loaded.data;
  if (data === undefined) {
    return loaded.error.value === undefined ? (
      <Skeleton />
    ) : (
      <Problem error={loaded.error.value} onRetry={loaded.reload} />
    );
  }
  const turn = async ({ name, paused }: Kind): Promise<void> => {
    await call(paused ? "kind_resume" : "kind_pause", { kind: name });
    await loaded.reload();
  };
  const columns: Column<Kind>[] = [
    { head: "Queue", width: "minmax(90px, 1fr)", area: "title", cell: ({ name }) => <b>{visible(name)}</b> },
    { head: "In use", width: "minmax(140px, 2fr)", area: "line", cell: (kind) => <Slots kind={kind} /> },
    { head: "Waiting", width: "90px", area: "side", cell: ({ jobs }) => `${formatCount(jobs["queued"] ?? 0)} queued` },
    { head: "Asking", width: "70px", cell: ({ jobs }) => formatCount(jobs["waiting"] ?? 0) },
    {
      head: "Failed",
      width: "70px",
      cell: ({ jobs }) => formatCount((jobs["failed"] ?? 0) + (jobs["timed_out"] ?? 0)),
    },
    { head: "After a crash", width: "110px", cell: ({ on_interrupt: next }) => <span class="muted">{next}s</span> },
    {
      head: "Pause",
      width: "110px",
      area: "end",
      cell: (kind) =>
        isAdmin() ? (
          <Button
            label={kind.paused ? "Resume" : "Pause"}
            icon={kind.paused ? "play" : "pause"}
            look={kind.paused ? "main" : "plain"}
            onPress={() => turn(kind)}
          />
        ) : (
          <span>{kind.paused ? "paused" : ""}</span>
        ),
    },
  ];
  return (
    <main class="view">
      <h1>Queues</h1>
      <Table
        label="Queues"
        columns={columns}
        rows={data.kinds}
        keyOf={({ name }) => name}
        hrefOf={({ name }) => jobsMatching(`kind:${name}`, "state:active")}
      />
    </main>
  );
}
