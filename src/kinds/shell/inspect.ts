import type { Json } from "../../job/json.ts";
import type { Redactor } from "../../text/redact.ts";
import { isReadingInput, listListeningPorts, listTree } from "./process-tree.ts";
import type { Supervisor } from "./supervise.ts";

const longestLastLine = 200;

/** What only a look at the live processes can tell. */
export async function inspectCommand(
  group: number | undefined,
  supervisor: Supervisor,
  redactor: Redactor,
): Promise<Record<string, Json>> {
  await supervisor.look();
  const processes = group === undefined ? [] : await listTree(group);
  const pids = processes.map(({ pid }) => pid);
  const [ports, isReading] = await Promise.all([listListeningPorts(pids), isReadingInput(pids)]);
  return {
    pid: group ?? null,
    processes: processes.length,
    cpu_ms: processes.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    memory_bytes: processes.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
    ports,
    reads_input: isReading,
    last_output_at: supervisor.lastOutputAt ?? null,
    last_line: redactor.text(await supervisor.readLastLine()).slice(-longestLastLine),
  };
}
