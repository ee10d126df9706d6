import type { MachineView } from "../../../operations/machine.ts";
import { defineCommand } from "../command.ts";
import { formatAgo } from "../show/duration.ts";
import { formatTable, type Column } from "../show/output-table.ts";

export const machines = defineCommand({
  describe: (command) => {
    command.addHelpText("after", "\nPin a command to one of them: longhaul run --on NAME -- COMMAND");
  },
  run: async ({ client, screen }, { json }) => {
    const answer = await client.call("machine_list", {});
    if (json === true) return screen.printJson(answer);
    const { style, terminal } = screen;
    screen.print(
      formatTable(answer.machines, toColumns(Date.now()), { width: terminal.columns(), paintTitle: style.dim }),
    );
  },
});

function toColumns(now: number): readonly Column<MachineView>[] {
  return [
    { title: "MACHINE", text: ({ machine }) => machine },
    { title: "ROLE", text: ({ role }) => role },
    { title: "HEARD", text: ({ last_beat_at: at }) => formatAgo(Math.max(0, now - Date.parse(at))) },
    { title: "STARTED", text: ({ started_at: at }) => formatAgo(Math.max(0, now - Date.parse(at))) },
    { title: "VERSION", text: ({ version }) => version },
    { title: "LABELS", text: ({ labels }) => labels.join(",") },
    { title: "RUNNING", text: describeRunning },
    { title: "ADDRESS", text: ({ address = "" }) => address },
  ];
}

/** Of what it may run at once: `shell 2/16 crawl 0/2`. */
function describeRunning({ kinds }: MachineView): string {
  const open = kinds.filter(({ slots, running }) => slots + running > 0);
  return open.map(({ kind, slots, running }) => `${kind} ${running}/${slots}`).join(" ");
}
