import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";

/** A hello-world route of Hono on its adapter for Node. */
const app = new Hono();
app.get("/hello", (context) => context.json({ hello: "world" }));
const listen = getRequestListener(app.fetch);
const server = createServer((request, response) => void listen(request, response));
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
