import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { loadConfig } from "../../../src/config/config.ts";
import { listenForHttp } from "../../../src/faces/door/listen.ts";

function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), "longhaul-listen-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

async function listenFor(
  home: string,
  port?: number,
): Promise<{ port: number; log: string[]; close: () => Promise<void> }> {
  const server: Server = createServer();
  const close = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
  onTestFinished(close);
  const log: string[] = [];
  const config = loadConfig(port === undefined ? {} : { port }, { LONGHAUL_HOME: home });
  await listenForHttp(server, config, (message) => log.push(message));
  return { port: (server.address() as AddressInfo).port, log, close };
}

it("a home has the same port after every restart, though another home was started meanwhile", async () => {
  const [home, other] = [makeHome(), makeHome()];
  const first = await listenFor(home);
  await first.close();
  const foreign = await listenFor(other);
  const second = await listenFor(home);
  expect(second.port).toBe(first.port);
  expect(foreign.port).not.toBe(first.port);
});

it("a home whose port is taken gets another one, says so, and keeps that", async () => {
  const home = makeHome();
  const first = await listenFor(home);
  const moved = await listenFor(home);
  expect(moved.port).not.toBe(first.port);
  expect(moved.log).toEqual([`port ${first.port} is taken; this home has port ${moved.port} from now on`]);
  await Promise.all([first.close(), moved.close()]);
  expect((await listenFor(home)).port).toBe(moved.port);
});

it("a configured port that is taken is refused in one sentence, and is not remembered", async () => {
  const home = makeHome();
  const own = await listenFor(home);
  await own.close();
  const taken = await listenFor(makeHome());
  await expect(listenFor(home, taken.port)).rejects.toThrow(
    `Port ${taken.port} on 127.0.0.1 is in use by another program: choose another with LONGHAUL_PORT`,
  );
  await (await listenFor(home, 0)).close();
  expect((await listenFor(home)).port).toBe(own.port);
});
