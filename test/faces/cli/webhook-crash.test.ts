import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DeliveryView } from "../../../src/operations/webhook.ts";
import { Receiver } from "../../receiver.ts";
import { until } from "../../until.ts";
import { endProcess, makeCli, type Cli } from "./cli.ts";

let receiver = new Receiver();
beforeEach(async () => {
  receiver = await new Receiver().start();
});
afterEach(() => receiver.stop());

/** A command line whose jobs all have a webhook. */
function makeHookedCli(): Cli {
  const cli = makeCli();
  writeFileSync(join(cli.home, "config.json"), JSON.stringify({ webhooks: { default_url: receiver.url } }));
  return cli;
}

async function listDeliveries(cli: Cli): Promise<DeliveryView[]> {
  return (await cli.client.call("webhook_list", {})).deliveries;
}

async function killServer(cli: Cli): Promise<void> {
  await endProcess(cli.serverPid() ?? 0, "SIGKILL");
}

describe("a server that is killed", () => {
  it("between a job's end and its delivery: the next one delivers, under the same id", async () => {
    await receiver.stop();
    const cli = makeHookedCli();
    await cli.run(["run", "--", "true"]);
    await until(async () => (await listDeliveries(cli))[0]?.last_error !== undefined);
    const [delivery] = await listDeliveries(cli);
    await killServer(cli);
    await receiver.start();
    await cli.run(["ps"]);
    await until(() => receiver.received.length === 1, { timeoutMs: 15_000 });
    expect(receiver.ids).toEqual([delivery?.id]);
    await until(async () => (await listDeliveries(cli))[0]?.state === "delivered");
  });

  it("during a delivery: the next one delivers at once, under the same id and with the same body", async () => {
    receiver.answer = () => undefined;
    const cli = makeHookedCli();
    await cli.run(["run", "--", "true"]);
    await until(() => receiver.received.length === 1);
    await killServer(cli);
    receiver.answer = (_received, response) => response.writeHead(200).end();
    await cli.run(["ps"]);
    await until(() => receiver.received.length === 2);
    expect(new Set(receiver.received.map(({ id, text }) => `${id} ${text}`)).size).toBe(1);
    await until(async () => (await listDeliveries(cli))[0]?.state === "delivered");
  });

  it("while a command runs: the next one adopts the command, and delivers its end once", async () => {
    const cli = makeHookedCli();
    const id = await cli.detach("sleep 1; echo done");
    await killServer(cli);
    await cli.run(["wait", id]);
    await until(() => receiver.received.length > 0);
    await until(async () => (await listDeliveries(cli))[0]?.state === "delivered");
    expect(receiver.received).toMatchObject([{ body: { type: "job.succeeded", data: { id } } }]);
  });
});
