import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Actor, Engine } from "../../src/index.ts";
import type { DeliveryView } from "../../src/operations/webhook.ts";
import { Puppet } from "../engine/puppet.ts";
import { refusal, useWorld } from "../engine/world.ts";
import { Receiver } from "../receiver.ts";
import { until } from "../until.ts";
import { call } from "./call.ts";

const world = useWorld();
const secret = `whsec_${Buffer.alloc(32, "s").toString("base64")}`;
let receiver = new Receiver();
let puppet = new Puppet();

beforeEach(async () => {
  receiver = await new Receiver().start();
  puppet = new Puppet();
});
afterEach(() => receiver.stop());

async function callForDeliveries(
  engine: Engine,
  name: string,
  input?: unknown,
  actor?: Actor,
): Promise<DeliveryView[]> {
  return ((await call(engine, name, input, actor)) as { deliveries: DeliveryView[] }).deliveries;
}

/** An engine on which Ann and Bob each have a job that was delivered. */
async function openWithDeliveries(): Promise<{ engine: Engine; ids: string[] }> {
  const webhooks = { allow: [receiver.origin], secret: () => secret };
  const engine = await world().open([puppet.kind], { webhooks });
  const ids: string[] = [];
  for (const owner of ["ann", "bob"]) {
    const request = { kind: "puppet", input: {}, owner, name: `of ${owner}`, webhook: { url: receiver.url } };
    ids.push((await engine.submit(request)).id);
    (await puppet.next()).succeed();
  }
  await until(async () => (await callForDeliveries(engine, "webhook_list", { state: "delivered" })).length === 2);
  return { engine, ids };
}

describe("webhook_list", () => {
  it("tells what became of each message", async () => {
    const { engine, ids } = await openWithDeliveries();
    const [ann] = ids;
    expect(await callForDeliveries(engine, "webhook_list", { job: "of ann" })).toEqual([
      {
        id: expect.stringMatching(new RegExp(`^${ann}-\\d+$`)) as string,
        job_id: ann,
        type: "job.succeeded",
        url: receiver.url,
        state: "delivered",
        attempts: 1,
        last_status: 204,
        created_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        delivered_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      },
    ]);
    expect(await callForDeliveries(engine, "webhook_list", { state: "failed" })).toEqual([]);
  });

  it("shows a caller only what is theirs", async () => {
    const { engine, ids } = await openWithDeliveries();
    expect(await callForDeliveries(engine, "webhook_list", {}, { owner: "ann" })).toMatchObject([{ job_id: ids[0] }]);
    expect(await callForDeliveries(engine, "webhook_list")).toMatchObject([{ job_id: ids[1] }, { job_id: ids[0] }]);
    await expect(callForDeliveries(engine, "webhook_list", { job: ids[1] }, { owner: "ann" })).rejects.toMatchObject(
      refusal("not_found"),
    );
  });
});

describe("webhook_redeliver", () => {
  it("sends one message again, named by its id or by the end of the job's", async () => {
    const { engine, ids } = await openWithDeliveries();
    const [delivery] = await callForDeliveries(engine, "webhook_list", { job: ids[0] });
    const id = delivery?.id ?? "";
    expect(await callForDeliveries(engine, "webhook_redeliver", { id })).toMatchObject([{ id }]);
    await until(() => receiver.received.length === 3);
    await until(async () => (await callForDeliveries(engine, "webhook_list", { state: "delivered" })).length === 2);
    await callForDeliveries(engine, "webhook_redeliver", { id: id.slice(28) });
    await until(() => receiver.received.length === 4);
    expect(receiver.ids.filter((received) => received === id)).toHaveLength(3);
  });

  it("sends all that were given up, and says so if there are none", async () => {
    const { engine } = await openWithDeliveries();
    expect(await callForDeliveries(engine, "webhook_redeliver", { job: "of ann" })).toEqual([]);
  });

  it("is refused to those who may only read, for jobs of others, and for what is unclear", async () => {
    const { engine, ids } = await openWithDeliveries();
    const [delivery] = await callForDeliveries(engine, "webhook_list", { job: ids[0] });
    const cases: [object, Actor, object][] = [
      [{ id: delivery?.id }, { scope: "read" }, refusal("not_allowed", /scope "run"/)],
      [{ id: delivery?.id }, { owner: "bob" }, refusal("not_found")],
      [{}, {}, refusal("invalid_input", /either the id of a delivery or a job/)],
      [{ id: "a-1", job: "a" }, {}, refusal("invalid_input", /either the id of a delivery or a job/)],
      [{ id: "nonsense" }, {}, refusal("invalid_input", /"nonsense" is not the id of a delivery/)],
      [{ id: `${ids[0]}-99` }, {}, refusal("not_found", /has no delivery 99/)],
    ];
    for (const [input, actor, expected] of cases) {
      await expect(
        callForDeliveries(engine, "webhook_redeliver", input, actor),
        `redelivering ${JSON.stringify(input)}`,
      ).rejects.toMatchObject(expected);
    }
    expect(receiver.received).toHaveLength(2);
  });
});
