import { connect, type Socket } from "node:net";

interface FrontOptions {
  /** Where the server takes MCP clients. */
  readonly socket: string;
  /** Starts a server in the background and resolves when it listens. Called only if none does. */
  readonly startServer: () => Promise<void>;
}

/**
 * `longhaul mcp`: carries bytes between a client's stdio and the server, and nothing else. Clients start it several times per connection,
 * so it must be quick: it imports nothing but sockets and holds no state. Resolves with the exit code.
 */
export async function runMcpFront({ socket: path, startServer }: FrontOptions): Promise<number> {
  const socket = (await open(path)) ?? (await startAndOpen(path, startServer));
  return carry(socket);
}

async function startAndOpen(path: string, startServer: () => Promise<void>): Promise<Socket> {
  await startServer();
  const socket = await open(path);
  if (socket === undefined) throw new Error(`No server takes MCP clients at ${path}.`);
  return socket;
}

/** Undefined when nobody listens. */
function open(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => resolve(socket));
    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ECONNREFUSED") resolve(undefined);
      else reject(error);
    });
  });
}

function carry(socket: Socket): Promise<number> {
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
