import { Agent, createServer, request, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createCloser, patience } from "../../src/faces/door/listen.ts";
import { until } from "../until.ts";
import { makeHome, serveHere } from "./server-here.ts";

interface Answer {
  readonly status: number | undefined;
  readonly connection: string | undefined;
  readonly text: string;
}

function ask(url: string, agent: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent }, (response: IncomingMessage) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.once("error", reject);
      response.once("end", () =>
        resolve({ status: response.statusCode, connection: response.headers.connection, text }),
      );
    });
    sent.once("error", reject);
    sent.end();
  });
}

function makeAgent(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return agent;
}

async function listen(listener: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(patience, listener);
  await new Promise<void>((listening) => {
    server.listen(0, "127.0.0.1", listening);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

it("idle connections are kept longer than clients keep them, and so is one that was not used yet", () => {
  const { keepAliveTimeout, headersTimeout, requestTimeout } = createServer(patience);
  expect(keepAliveTimeout).toBeGreaterThanOrEqual(75_000);
  expect(headersTimeout).toBeGreaterThan(keepAliveTimeout);
  expect(requestTimeout).toBeGreaterThan(headersTimeout);
});

it("the server tells clients how long it keeps an idle connection", async () => {
  const { url } = await serveHere(makeHome());
  const response = await fetch(`${url}/healthz`);
  expect(response.headers.get("keep-alive")).toBe("timeout=75");
});

it("a server that stops closes idle connections at once, and does not wait for their end", async () => {
  const here = await serveHere(makeHome());
  const agent = makeAgent();
  expect((await ask(`${here.url}/healthz`, agent)).status).toBe(200);
  const unused = connect(Number(new URL(here.url).port), "127.0.0.1");
  unused.on("error", () => undefined);
  await here.stop();
  await until(() => unused.destroyed || unused.readableEnded || unused.closed);
  await expect(ask(`${here.url}/healthz`, agent)).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

it("an answer that is under way when the server stops comes whole, and says that its connection ends", async () => {
  let finish: (() => void) | undefined;
  const { server, url } = await listen((_request, response) => {
    finish = () => void response.end("whole");
  });
  const close = createCloser(server, 60_000);
  const answer = ask(url, makeAgent());
  await until(() => finish !== undefined);
  const closing = close();
  finish?.();
  expect(await answer).toEqual({ status: 200, connection: "close", text: "whole" });
  await closing;
});

it("an answer that does not come is cut off when the grace time has passed", async () => {
  let isAsked = false;
  const { server, url } = await listen(() => {
    isAsked = true;
  });
  const close = createCloser(server, 20);
  const answer = ask(url, makeAgent()).catch((error: unknown) => error);
  await until(() => isAsked);
  await close();
  expect(await answer).toMatchObject({ code: "ECONNRESET" });
});
