import type { Json } from "../../job/json.ts";
import type { Redactor } from "../../text/redact.ts";
import { isReadingInput, listGroup, listListeningPorts } from "./process-tree.ts";
import type { Supervisor } from "./supervise.ts";

/** What only a look at the live processes can tell. */
export async function inspectCommand(
  group: number,
  supervisor: Supervisor,
  redactor: Redactor,
): Promise<Record<string, Json>> {
  await supervisor.look();
  const processes = await listGroup(group);
  const pids = processes.map(({ pid }) => pid);
  const [ports, isReading] = await Promise.all([listListeningPorts(pids), isReadingInput(pids)]);
  return {
    pid: group,
    processes: processes.length,
    cpu_ms: processes.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    memory_bytes: processes.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
    ports,
    reads_input: isReading,
    last_output_at: supervisor.lastOutputAt ?? null,
    last_line: redactor.text(await supervisor.readLastLine()),
  };
}
