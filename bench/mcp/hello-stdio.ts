import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createHelloServer } from "./hello-server.ts";

/** The SDK's own kind of server: a process per client. */
serveStdio(() => createHelloServer());
