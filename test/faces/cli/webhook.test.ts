import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { JobView } from "../../../src/operations/job-view.ts";
import type { DeliveryView } from "../../../src/operations/webhook.ts";
import { Receiver, verify } from "../../receiver.ts";
import { until } from "../../until.ts";
import { makeCli, type Cli } from "./cli.ts";

let receiver = new Receiver();
beforeEach(async () => {
  receiver = await new Receiver().start();
});
afterEach(() => receiver.stop());

function configure(cli: Cli, webhooks: object): void {
  writeFileSync(join(cli.home, "config.json"), JSON.stringify({ webhooks }));
}

async function listDeliveries(cli: Cli): Promise<DeliveryView[]> {
  return (await cli.client.call("webhook_list", {})).deliveries;
}

describe("run --webhook", () => {
  it("posts the end of the job, and the printed secret verifies it", async () => {
    const cli = makeCli();
    configure(cli, { allow: [receiver.origin] });
    const url = `${receiver.url}?token=tellnobody`;
    const { code } = await cli.run(["run", "--webhook", url, "--", "exit 3"]);
    expect(code).toBe(3);
    await until(() => receiver.received.length === 1);
    const secret = (await cli.run(["webhook", "secret"])).stdout.trim();
    const [received] = receiver.received;
    if (received === undefined) throw new Error("nothing came");
    expect(verify(secret, received)).toMatchObject({ type: "job.failed", data: { exit_code: 3, state: "failed" } });
    expect(received.path).toBe("/hook?token=tellnobody");
    await until(async () => (await listDeliveries(cli))[0]?.state === "delivered");

    const { stdout } = await cli.run(["webhook", "list"]);
    expect(stdout).toMatch(/^ID +TYPE +STATE +AGE +TRIED +URL +LAST\n/);
    const [id = ""] = stdout.split("\n")[1]?.split(" ") ?? [];
    expect(stdout).toMatch(
      new RegExp(`^[0-9a-f]{8}-\\d+ +job\\.failed +delivered .* 1 +${receiver.url}\\?… +204$`, "m"),
    );
    expect((await cli.run(["webhook", "redeliver", id])).code).toBe(0);
    await until(() => receiver.received.length === 2);
    expect(new Set(receiver.ids).size).toBe(1);

    const job = received.body.data["id"] as string;
    const shown = [stdout, (await cli.run(["show", job])).stdout, (await cli.run(["events", job])).stdout];
    expect(shown[1]).toContain(`${receiver.url}?…`);
    for (const name of ["server.log", "server.json"]) shown.push(readFileSync(join(cli.home, name), "utf8"));
    for (const hidden of [secret, "tellnobody"]) expect(shown.join("\n")).not.toContain(hidden);
    expect((await cli.run(["webhook", "redeliver"])).code).toBe(2);
    expect(await cli.run(["webhook", "redeliver", "--job", job])).toMatchObject({
      stderr: "This job has no deliveries that were given up.\n",
    });
  });

  it("refuses an address that is not allowed, in one sentence that names the setting, and makes nothing", async () => {
    const cli = makeCli();
    const { code, stderr } = await cli.run(["run", "-d", "--webhook", receiver.url, "--", "true"]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: Webhooks to ${receiver.url} are not allowed: add ${receiver.origin} to webhooks.allow in the server's configuration.\n`,
    });
    expect((await cli.json<{ jobs: JobView[] }>(["ps", "-a"])).jobs).toEqual([]);
  });
});

describe("webhook secret", () => {
  it("is made once, for its owner's eyes alone, also when two ask at once", async () => {
    const cli = makeCli();
    const home = join(cli.home, "not", "there yet");
    const env = { LONGHAUL_HOME: home };
    const answers = await Promise.all([1, 2, 3].map(() => cli.run(["webhook", "secret"], { env })));
    expect(new Set(answers.map(({ stdout }) => stdout)).size).toBe(1);
    expect(answers[0]?.stdout).toMatch(/^whsec_[A-Za-z0-9+/]{43}=\n$/);
    expect(statSync(join(home, "webhook-secret")).mode & 0o777).toBe(0o600);
    expect(readdirSync(home)).toEqual(["webhook-secret"]);
  });

  it("is the configured one if there is one; a bad one is refused without being shown", async () => {
    const cli = makeCli();
    const secret = `whsec_${Buffer.alloc(24, "c").toString("base64")}`;
    configure(cli, { secret });
    expect(JSON.parse((await cli.run(["webhook", "secret", "--json"])).stdout)).toEqual({ secret });
    configure(cli, { secret: "whsec_hunter2" });
    const { code, stderr } = await cli.run(["webhook", "secret"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: webhooks\.secret must be/);
    expect(stderr).not.toContain("hunter2");
    for (const [field, value] of [
      ["default_url", "nonsense"],
      ["allow", ["ftp://x"]],
    ] as const) {
      configure(cli, { [field]: value });
      expect((await cli.run(["webhook", "secret"])).stderr).toContain(`webhooks.${field} must be an http or https`);
    }
  });
});

describe("the receiver in docs/webhooks.md", () => {
  it("takes what is signed with the secret, once, and refuses everything else", async () => {
    const cli = makeCli();
    const folder = join(".build", `receiver-${process.pid}`);
    mkdirSync(folder, { recursive: true });
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [, code = ""] = /^```js\n(.*?)^```/ms.exec(readFileSync("docs/webhooks.md", "utf8")) ?? [];
    writeFileSync(join(folder, "receiver.mjs"), code);
    // The port of a receiver that has just stopped is free.
    const { url } = receiver;
    await receiver.stop();
    const secret = (await cli.run(["webhook", "secret"])).stdout.trim();
    const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: new URL(url).port };
    const child = spawn(process.execPath, [join(folder, "receiver.mjs")], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill());
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
    const post = (): Promise<number> => fetch(url, { method: "POST", body: "{}" }).then(({ status }) => status);
    await until(async () => (await post().catch(() => 0)) === 400);

    configure(cli, { default_url: url });
    const id = await cli.detach("true");
    await until(() => printed !== "");
    await until(async () => (await listDeliveries(cli))[0]?.state === "delivered");
    const [delivery] = await listDeliveries(cli);
    await cli.run(["webhook", "redeliver", delivery?.id ?? ""]);
    await until(async () => (await listDeliveries(cli))[0]?.attempts === 2);
    await until(async () => (await listDeliveries(cli))[0]?.state === "delivered");
    expect(printed).toBe(`job.succeeded ${id}\n`);
  });
});
