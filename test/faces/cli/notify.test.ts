import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JobView } from "../../../src/operations/job-view.ts";
import type { DeliveryView } from "../../../src/operations/webhook.ts";
import { Receiver } from "../../receiver.ts";
import { until } from "../../until.ts";
import { endProcess, makeCli, type Cli } from "./cli.ts";

let receiver = new Receiver();
beforeEach(async () => {
  receiver = await new Receiver().start();
});
afterEach(() => receiver.stop());

function makeAllowedCli(more: object = {}): Cli {
  const cli = makeCli();
  const config = { webhooks: { allow: [receiver.origin] }, ...more };
  writeFileSync(join(cli.home, "config.json"), JSON.stringify(config));
  return cli;
}

/** Puts a folder with these scripts before the PATH. */
function makePrograms(cli: Cli, scripts: Readonly<Record<string, string>>): { path: string } {
  const folder = join(cli.home, "programs");
  mkdirSync(folder);
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  return { path: `${folder}:${process.env["PATH"] ?? ""}` };
}

/** With a notify-send that writes down what it is given. */
function makeScreen(cli: Cli): { path: string; shown: () => string[] } {
  const file = join(cli.home, "shown");
  const script = `for word; do printf '%s\\n' "$word"; done >> '${file}'`;
  const shown = (): string[] => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []);
  return { ...makePrograms(cli, { "notify-send": script }), shown };
}

async function listDeliveries(cli: Cli): Promise<DeliveryView[]> {
  return (await cli.client.call("webhook_list", {})).deliveries;
}

function texts(): string[] {
  return receiver.received.map(({ text }) => (JSON.parse(text) as { text: string }).text);
}

describe("--notify", () => {
  it("tells a receiver of the end in its form, and shows its address nowhere", async () => {
    const cli = makeAllowedCli();
    const to = `slack+${receiver.origin}/services/tellnobody`;
    expect((await cli.run(["run", "--name", "test", "--notify", to, "--", "exit 7"])).code).toBe(7);
    await until(() => receiver.received.length === 1);
    expect(texts()).toEqual(["✗ test failed: exit code 7"]);
    await until(async () => (await listDeliveries(cli))[0]?.state === "delivered");
    const shown = [
      (await cli.run(["show", "test"])).stdout,
      (await cli.run(["show", "test", "--json"])).stdout,
      (await cli.run(["webhook", "list"])).stdout,
      (await cli.run(["events", "test"])).stdout,
      readFileSync(join(cli.home, "server.log"), "utf8"),
    ];
    expect(shown[0]).toContain(`notifies    slack+${receiver.origin}/… (end, question, stall)`);
    expect(shown[2]).toMatch(
      new RegExp(`^[0-9a-f]{8}-\\d+\\.1 +job\\.failed +delivered .*slack\\+${receiver.origin}/…`, "m"),
    );
    expect(shown.join("\n")).not.toContain("tellnobody");
    const [id = ""] = shown[2]?.split("\n")[1]?.split(" ") ?? [];
    expect((await cli.run(["webhook", "redeliver", id])).code).toBe(0);
    await until(() => receiver.received.length === 2);
  });

  it("is taken by every command that starts jobs, with the occasions", async () => {
    const cli = makeAllowedCli({ endpoints: { echo: { type: "local", command: "cat" } } });
    const { path } = makePrograms(cli, { codex: "exit 1", chromium: "exit 1" });
    const env = { PATH: path, LONGHAUL_BROWSER: join(cli.home, "programs", "chromium") };
    const targets = [`${receiver.url}?a`, `${receiver.url}?b`];
    const words = ["--json", "-d", ...targets.flatMap((to) => ["--notify", to]), "--notify-on", "fail,question"];
    const starts = [
      ["run", ...words, "--", "true"],
      ["agent", ...words, "--backend", "codex", "do nothing"],
      ["crawl", ...words, "https://127.0.0.1:9/"],
      ["analyze", ...words, "https://page.example/"],
      ["endpoint", "run", ...words, "echo", "{}"],
      ["start", "run-command", ...words, "--command", "true"],
    ];
    const to = targets.map(() => `${receiver.origin}/…`);
    for (const start of starts) {
      const { stdout, stderr } = await cli.run(start, { env });
      expect(stderr).toBe("");
      expect(JSON.parse(stdout)).toMatchObject({ notify: { on: ["fail", "question"], to } });
    }
  });

  it("that is bad is refused in one sentence with an example, and nothing is started", async () => {
    const cli = makeAllowedCli();
    const refused = async (...words: string[]): Promise<string> => {
      const { code, stderr, stdout } = await cli.run(["run", "-d", ...words, "--", "true"]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      return stderr;
    };
    const examples =
      "ntfy://ntfy.sh/my-topic, https://hooks.slack.com/services/…, https://discord.com/api/webhooks/… or https://example.com/hook";
    expect(await refused("--notify", "carrier-pigeon")).toBe(
      `error: --notify must be "desktop" or a URL: ${examples}.\n`,
    );
    expect(await refused("--notify", "ntfy://ntfy.sh/")).toBe(
      "error: --notify must name a topic of ntfy: ntfy://ntfy.sh/my-topic.\n",
    );
    expect(await refused("--notify", "ntfy+http://127.0.0.1:9/topic")).toBe(
      "error: Notifications to ntfy+http://127.0.0.1:9/… are not allowed: add http://127.0.0.1:9 to webhooks.allow in the server's configuration.\n",
    );
    expect(await refused("--notify", receiver.url, "--notify-on", "sunrise")).toContain(
      'Expected some of end, fail, question, stall, such as "end,question".',
    );
    expect(await refused("--notify-on", "end")).toMatch(
      /^error: --notify-on says when to notify, and nothing says whom: /,
    );
    expect((await cli.json<{ jobs: JobView[] }>(["ps", "-a"])).jobs).toEqual([]);
  });

  it("desktop shows the line on the server's machine, as a plain text", async () => {
    const cli = makeAllowedCli();
    const { path, shown } = makeScreen(cli);
    await cli.run(["run", "--name", "--urgency=low", "--notify", "desktop", "--", "exit 3"], { env: { PATH: path } });
    await until(() => shown().length > 0);
    expect(shown()).toEqual(["--app-name=Longhaul", "--urgency=critical", "--", "✗ --urgency=low failed: exit code 3"]);
    expect(await cli.run(["notify", "test", "desktop"])).toMatchObject({ code: 0, stdout: "✓ desktop took it.\n" });
  });

  it("desktop is refused where there is no program for it, which is named", async () => {
    const cli = makeAllowedCli();
    const { code, stderr } = await cli.run(["run", "--notify", "desktop", "--", "true"], { env: { PATH: cli.home } });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'error: --notify cannot be "desktop", because the program notify-send is not on the server\'s PATH (Debian and Ubuntu have it in libnotify-bin): give a URL instead, such as ntfy://ntfy.sh/my-topic.\n',
    });
  });
});

describe("the notify settings", () => {
  it("tell of jobs that name nobody, but not of one with --no-notify", async () => {
    const cli = makeAllowedCli({ notify: { to: [`${receiver.origin}/mine`], on: ["end"] } });
    await cli.run(["run", "--name", "silent", "--no-notify", "--", "true"]);
    await cli.run(["run", "--name", "told", "--", "true"]);
    await until(() => receiver.received.length > 0);
    expect(texts()).toEqual([expect.stringMatching(/^✓ told succeeded after /)]);
    expect(await listDeliveries(cli)).toHaveLength(1);
  });

  it.each([
    [{ to: ["carrier-pigeon"] }, /notify\.to must be "desktop" or a URL: ntfy:/],
    [{ on: ["sunrise"] }, /notify\.on.*end, fail, question or stall|notify\.on/],
    [{ only_after_s: "soon" }, /notify\.only_after_s/],
    [{ link: "https://longhaul.example/" }, /notify\.link must be .* with \{id\} in it, such as https:/],
  ])("that are bad are refused: %j", async (notify, message) => {
    const cli = makeAllowedCli({ notify });
    const { code, stderr } = await cli.run(["webhook", "secret"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain("carrier-pigeon");
  });
});

describe("notify test", () => {
  it("says what came of it, with an exit code", async () => {
    const cli = makeAllowedCli();
    const target = `discord+${receiver.url}`;
    expect(await cli.run(["notify", "test", target])).toMatchObject({
      code: 0,
      stdout: `✓ discord+${receiver.origin}/… took it.\n`,
    });
    expect(JSON.parse(receiver.received[0]?.text ?? "")).toMatchObject({ content: "✓ Longhaul can reach you here" });
    receiver.answer = (_received, response) => response.writeHead(404).end();
    expect(await cli.run(["notify", "test", target])).toMatchObject({
      code: 1,
      stdout: `✗ discord+${receiver.origin}/… did not take it: the receiver answered 404.\n`,
    });
    expect(await cli.run(["notify", "test", "nonsense"])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error: notify must be "desktop" or a URL: /) as string,
    });
  });
});

describe("a server that is killed between a job's end and its notification", () => {
  it("is followed by one that notifies, once and under the same id", async () => {
    const cli = makeAllowedCli();
    await receiver.stop();
    await cli.run(["run", "--name", "build", "--notify", receiver.url, "--", "true"]);
    await until(async () => (await listDeliveries(cli))[0]?.last_error !== undefined);
    const [delivery] = await listDeliveries(cli);
    await endProcess(cli.serverPid() ?? 0, "SIGKILL");
    await receiver.start();
    await cli.run(["ps"]);
    await until(async () => (await listDeliveries(cli))[0]?.state === "delivered", { timeoutMs: 30_000 });
    expect(receiver.ids).toEqual([delivery?.id]);
    expect(texts()).toEqual([expect.stringMatching(/^✓ build succeeded after /)]);
  });
});
