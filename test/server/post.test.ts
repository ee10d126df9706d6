import { expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { createWebhookSender } from "../../src/server/post.ts";
import { Puppet } from "../engine/puppet.ts";
import { useWorld } from "../engine/world.ts";
import { listenHttp, listenPrivately } from "../net/listeners.ts";
import { forbiddenUrlsFor } from "../net/ssrf-table.ts";

const options = { allow: [], secret: () => "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLASw" };
const world = useWorld();

it("a webhook is posted to no address that is not public, however it is spelled", async () => {
  const listener = await listenPrivately();
  const { check, post, close } = createWebhookSender(options);
  const isRefused = async (text: string): Promise<boolean> => {
    try {
      if (URL.canParse(text)) check(new URL(text));
      await post(text, {}, "{}", AbortSignal.timeout(5_000));
      return false;
    } catch {
      return true;
    }
  };
  const urls = forbiddenUrlsFor(listener.port);
  expect(urls.length).toBeGreaterThan(60);
  const posted: string[] = [];
  for (const url of urls) if (!(await isRefused(url))) posted.push(url);
  expect(posted).toEqual([]);
  expect(listener.connections()).toBe(0);
  await close();
});

it("a job cannot name an address that is not public as its webhook", async () => {
  const listener = await listenPrivately();
  const engine = await openEngine({ home: world().home, kinds: [new Puppet().kind], webhooks: options });
  for (const url of forbiddenUrlsFor(listener.port)) {
    await engine.submit({ kind: "puppet", input: {}, webhook: { url } }).catch(() => undefined);
  }
  const { jobs } = await engine.list();
  // What only a resolver can tell is refused when it is posted.
  expect(jobs.every(({ webhook }) => !/127|localhost|\[|0x|169\.254/.test(webhook?.url ?? ""))).toBe(true);
  await engine.stop();
  expect(listener.connections()).toBe(0);
});

it("a redirect of a receiver is not followed, and what the configuration names is reached", async () => {
  const hidden = await listenPrivately();
  const receiver = await listenHttp((_request, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${hidden.port}/` }).end("x".repeat(100_000));
  });
  const { post, close } = createWebhookSender({ ...options, allow: [`http://127.0.0.1:${receiver.port}`] });
  const reply = await post(`http://127.0.0.1:${receiver.port}/`, {}, "{}", AbortSignal.timeout(5_000));
  expect(reply).toMatchObject({ status: 302, headers: { location: `http://127.0.0.1:${hidden.port}/` } });
  expect(hidden.connections()).toBe(0);
  await close();
});
