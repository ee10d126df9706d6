import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { toRequestListener } from "../../src/faces/mcp/protocol/http.ts";
import { createHelloServer } from "./hello-server.ts";

/** A hello-world server of the SDK on the same adapter. */
const handler = createMcpHandler(() => createHelloServer());
const server = createServer(toRequestListener((request) => handler.fetch(request)));
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`);
});
