import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { until } from "../../until.ts";
import { useHttpWorld } from "./world.ts";

const world = useHttpWorld();

it.each([
  ["headers", "POST /v1/jobs HTTP/1.1\r\nhost: 127.0.0.1\r\n", "x-slow: 1\r\n"],
  [
    "a body",
    "POST /v1/jobs HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer root\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{",
    " ",
  ],
])(
  "a client that sends %s drop by drop is not waited for, and leaves nothing behind",
  async (_what, beginning, drop) => {
    const limits = { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 50 };
    const server = createServer(limits, world().door.listener);
    await new Promise<void>((listening) => {
      server.listen(0, "127.0.0.1", listening);
    });
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
    socket.on("error", () => undefined);
    socket.write(beginning);
    const dripping = setInterval(() => socket.write(drop), 20);
    onTestFinished(() => {
      clearInterval(dripping);
      socket.destroy();
      server.closeAllConnections();
      server.close();
    });
    await until(() => socket.closed);
    expect(answer).toMatch(/^HTTP\/1\.1 40[08] /);
    expect((await world().engine.list()).jobs).toEqual([]);
    expect((await world().ask("/healthz")).status).toBe(200);
  },
);
