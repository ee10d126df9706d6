import { once } from "node:events";
import { createConnection, createServer, type AddressInfo, type Socket } from "node:net";

/** Passes connections on, each to the next of its targets that takes it. */
export interface Proxy {
  readonly port: number;
  /** Ports on loopback, in turn. */
  targets: number[];
  /** Ends all connections that it passes on. */
  readonly cut: () => void;
  readonly close: () => void;
}

export async function startProxy(): Promise<Proxy> {
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer({ allowHalfOpen: true }, (from) => {
    pass(
      from,
      proxy.targets.map((_, index) => proxy.targets[(turn + index) % proxy.targets.length] ?? 0),
      open,
    );
    turn += 1;
  });
  const cut = (): void => open.forEach((socket) => socket.destroy());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxy: Proxy = {
    port: (server.address() as AddressInfo).port,
    targets: [],
    cut,
    close: () => {
      server.close();
      cut();
    },
  };
  return proxy;
}

function pass(from: Socket, [port, ...others]: readonly number[], open: Set<Socket>): void {
  from.on("error", () => from.destroy());
  if (port === undefined) {
    from.destroy();
    return;
  }
  const to = createConnection({ port, host: "127.0.0.1", allowHalfOpen: true });
  const refuse = (): void => pass(from, others, open);
  to.once("error", refuse);
  to.once("connect", () => {
    to.off("error", refuse);
    for (const [socket, other] of [
      [from, to],
      [to, from],
    ] as const) {
      open.add(socket);
      socket.on("error", () => socket.destroy());
      socket.once("close", () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
}
