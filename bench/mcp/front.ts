import { runMcpFront } from "../../src/faces/mcp/front.ts";

/** `longhaul mcp` with a server that runs. */
const [, , socket = ""] = process.argv;
process.exitCode = await runMcpFront({
  socket,
  startServer: () => Promise.reject(new Error("the benchmark's server is not running")),
});
