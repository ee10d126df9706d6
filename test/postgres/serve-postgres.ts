import { createServer, type AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { startPostgres, type PostgresServer } from "./server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Whoever connects to this port of loopback is told where Postgres is. */
    postgresPort: number;
  }
}

/** One Postgres for all test files of a run, started when the first one asks for it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let starting: Promise<PostgresServer> | undefined;
  const door = createServer((socket) => {
    socket.on("error", () => undefined);
    starting ??= startPostgres();
    starting.then(
      ({ url }) => socket.end(url("postgres")),
      (error: unknown) => socket.end(`error ${String(error)}`),
    );
  });
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  project.provide("postgresPort", (door.address() as AddressInfo).port);
  return async () => {
    door.close();
    await (await starting?.catch(() => undefined))?.remove();
  };
}
