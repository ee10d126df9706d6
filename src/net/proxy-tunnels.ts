import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

export interface Tunnels {
  /** Carries bytes both ways until one side ends. `head` is what the client sent along already. */
  readonly join: (client: Duplex, upstream: Socket, head: Uint8Array) => void;
  readonly size: () => number;
  readonly close: () => void;
}

export function createTunnels({ idleTimeoutMs }: { readonly idleTimeoutMs: number }): Tunnels {
  const open = new Set<() => void>();
  return {
    join: (client, upstream, head) => {
      const end = (): void => {
        open.delete(end);
        client.destroy();
        upstream.destroy();
      };
      open.add(end);
      // Bytes of either direction pass through this socket, so its quiet is the tunnel's.
      upstream.setTimeout(idleTimeoutMs, end);
      for (const side of [client, upstream]) side.on("error", end).on("close", end);
      upstream.write(head);
      client.pipe(upstream);
      upstream.pipe(client);
      if (client.destroyed || upstream.destroyed) end();
    },
    size: () => open.size,
    close: () => {
      for (const end of open) end();
    },
  };
}
