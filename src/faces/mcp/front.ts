import { connect, type Socket } from "node:net";

interface FrontOptions {
  /** Where the server takes MCP clients. */
  readonly socket: string;
  /** Has a server in the background and resolves when it listens. */
  readonly startServer: () => Promise<void>;
}

/**
 * `longhaul mcp`: carries bytes between a client's stdio and the server, and nothing else. Clients start it several times per connection,
 * so it must be quick: it imports nothing but sockets and holds no state. Resolves with the exit code.
 */
export async function runMcpFront({ socket: path, startServer }: FrontOptions): Promise<number> {
  await startServer();
  const socket = await openFront(path);
  if (socket === undefined) throw new Error(`No server takes MCP clients at ${path}.`);
  return carry(socket);
}

/** Undefined when nobody listens. */
export function openFront(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => resolve(socket));
    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ECONNREFUSED") resolve(undefined);
      else reject(error);
    });
  });
}

/** Resolves with the exit code when either side has ended. */
export function carry(socket: Socket): Promise<number> {
  return new Promise((resolve) => {
    let hasClientLeft = false;
    process.stdin.once("end", () => {
      hasClientLeft = true;
    });
    process.stdout.once("error", () => {
      hasClientLeft = true;
      socket.destroy();
    });
    socket.once("error", () => socket.destroy());
    socket.once("close", () => {
      process.stdin.unpipe(socket);
      process.stdin.pause();
      if (!hasClientLeft) process.stderr.write("longhaul: the server has ended; its jobs go on with the next one.\n");
      resolve(hasClientLeft ? 0 : 1);
    });
    process.stdin.pipe(socket);
    socket.pipe(process.stdout);
  });
}
