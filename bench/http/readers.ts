import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { answerParent } from "../child.ts";

/** Many readers of one job's live output, from a process of its own; answers with how many events each got at least. */
answerParent(async ({ url, id, count, seconds }: { url: string; id: string; count: number; seconds: number }) => {
  const { port } = new URL(url);
  const events = Array.from({ length: count }, () => 0);
  const sockets = events.map((_, index) => {
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("data", (chunk: Buffer) => {
      events[index] = (events[index] ?? 0) + chunk.toString("latin1").split("event: output").length - 1;
    });
    const headers = "host: 127.0.0.1\r\nauthorization: Bearer bench\r\naccept: text/event-stream";
    socket.write(`GET /v1/jobs/${id}/output HTTP/1.1\r\n${headers}\r\n\r\n`);
    return socket;
  });
  await sleep(seconds * 1_000);
  const status = await fetch(`${url}/v1/status`, { headers: { authorization: "Bearer bench" } });
  const { memory_bytes: memoryBytes } = (await status.json()) as { memory_bytes: number };
  for (const socket of sockets) socket.destroy();
  return { memoryBytes, leastEvents: Math.min(...events) };
});
