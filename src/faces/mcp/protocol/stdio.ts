import type { Duplex, Readable, Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Caller, McpConnection, McpEndpoint } from "../endpoint.ts";

/** A message longer than this ends the connection. */
const maxLineBytes = 16_000_000;

/** Serves one client that writes lines to one stream and reads them from another, as over stdio. */
export function serveStreams(
  endpoint: McpEndpoint,
  streams: { readonly input: Readable; readonly output: Writable },
  caller?: Caller,
): McpConnection {
  const transport = new StdioServerTransport(streams.input, streams.output, { maxBufferSize: maxLineBytes });
  return endpoint.connect(transport, caller);
}

/** Serves the client behind a socket until either side hangs up. */
export function serveSocket(endpoint: McpEndpoint, socket: Duplex, caller?: Caller): McpConnection {
  const connection = serveStreams(endpoint, { input: socket, output: socket }, caller);
  void connection.closed.then(() => socket.destroy());
  return connection;
}
