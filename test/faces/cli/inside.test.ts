import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { JobView } from "../../../src/operations/job-view.ts";
import type { AnswerOf } from "../../../src/operations/registry.ts";
import { findProgram } from "../../../src/text/find-program.ts";
import { present } from "../../present.ts";
import { until } from "../../until.ts";
import { call } from "../door/access-world.ts";
import { endProcess, makeCli, makeSharedCli, type Cli } from "./cli.ts";

const shared = makeSharedCli();
const hasBubblewrap = findProgram("bwrap", process.env["PATH"]) !== undefined;

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "longhaul-inside-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function untilState(cli: Cli, id: string, state: JobView["state"]): Promise<AnswerOf<"job_get">> {
  await until(async () => (await cli.client.call("job_get", { id })).state === state, { timeoutMs: 60_000 });
  return cli.client.call("job_get", { id });
}

async function untilEnd(cli: Cli, id: string): Promise<string> {
  await cli.client.call("job_wait", { ids: [id], timeout_ms: 60_000 });
  return (await cli.client.call("job_output", { id })).text;
}

/** Runs all in one command: each is answered with one line, and exit code 2. */
async function expectRefusals(cases: readonly (readonly [words: string, sentence: string])[]): Promise<void> {
  const script = cases.map(([words]) => `longhaul ${words} 2>&1; echo "exit $?"`).join("; ");
  const { stdout } = await shared.run(["run", "--", script]);
  const lines = stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(2 * cases.length);
  for (const [index, [, sentence]] of cases.entries()) {
    expect(lines[2 * index]).toMatch(/^error: /);
    expect(lines[2 * index]).toContain(sentence);
    expect(lines[2 * index + 1]).toBe("exit 2");
  }
}

describe.concurrent("inside a command", () => {
  it("a server that is not there is told of in one sentence", async () => {
    const env = { LONGHAUL_JOB_TOKEN: "lhj_x", LONGHAUL_JOB_URL: "http://127.0.0.1:1" };
    const { code, stderr } = await shared.run(["progress", "40"], { env });
    expect(code).toBe(3);
    expect(stderr).toBe(
      "error: The Longhaul server does not answer at http://127.0.0.1:1: it has stopped, or this command has no network.\n",
    );
  }, 120_000);

  it("progress is told as a percentage, as a share, and in words", async () => {
    const steps = ["40 compiling the parser", "3/4", "linking"].map((words) => `longhaul progress ${words}`);
    const id = await shared.detach(`${steps[0]} && read -r && ${steps[1]} && read -r && ${steps[2]} && read -r`);
    const progress = async (): Promise<JobView["progress"]> => (await shared.client.call("job_get", { id })).progress;
    await until(async () => (await progress())?.percent === 40);
    expect(await progress()).toMatchObject({ percent: 40, message: "compiling the parser" });
    await shared.client.call("job_send", { id, text: "on" });
    await until(async () => (await progress())?.percent === 75);
    expect(await progress()).toMatchObject({ percent: 75, done: 3, total: 4 });
    await shared.client.call("job_send", { id, text: "on" });
    await until(async () => (await progress())?.message === "linking");
    expect(await progress()).toMatchObject({ percent: 75, message: "linking" });
    await shared.client.call("job_send", { id, text: "on" });
    expect(await untilEnd(shared, id)).toBe("");
  });

  it("progress that is none is refused in one sentence", async () => {
    await expectRefusals([
      ["progress 120", "percent must be at most 100, got 120."],
      ["progress 5/3", "must not have more done than total"],
      ["progress 1/0", "total must be more than 0, got 0."],
      ["progress ''", "must have percent, done or message"],
    ]);
  });

  it.each([
    ["--yes-no", "answer=yes", "yes\nexit 0\n"],
    ["--yes-no", "answer=no", "no\nexit 1\n"],
    ["--text", "answer=in a moment", "in a moment\nexit 0\n"],
    ["--choice red --choice green", "answer=green", "green\nexit 0\n"],
    [
      "--field 'where=a|b' --field 'count=whole' --field 'note?'",
      "where=b count=3",
      '{"where":"b","count":3}\nexit 0\n',
    ],
    [`--form '{"properties":{"tags":{"type":"array"}}}'`, "tags=x,y", "x\ny\nexit 0\n"],
    ["", "--decline", "exit 4\n"],
    ["", "--text=why not", "why not\nexit 0\n"],
  ])("a question with %s is answered with %s", async (options, answer, output) => {
    const id = await shared.detach(`longhaul ask "Deploy?" ${options}; echo "exit $?"`);
    await untilState(shared, id, "waiting");
    const words = answer.includes("--") || options.startsWith("--text") ? [answer] : answer.split(" ");
    expect((await shared.run(["answer", id, ...words])).code).toBe(0);
    expect(await untilEnd(shared, id)).toBe(output);
  });

  it("an answer is told as JSON, and one that was dismissed by its exit code", async () => {
    const id = await shared.detach(`longhaul ask "Deploy?" --key now --json; echo "exit $?"`);
    await untilState(shared, id, "waiting");
    await shared.client.call("job_answer", { id, answer: { action: "cancel" } });
    const text = await untilEnd(shared, id);
    expect(JSON.parse(text.slice(0, text.indexOf("exit")))).toEqual({ key: "now", action: "cancel" });
    expect(text).toContain("exit 5");
  });

  it("a question under a key is asked once: a later attempt finds the answer", async () => {
    const id = await shared.detach(`longhaul ask "Which?" --text --key which; exit 7`);
    await untilState(shared, id, "waiting");
    await shared.run(["answer", id, "--text", "that one"]);
    await untilState(shared, id, "failed");
    await shared.run(["retry", id]);
    await untilState(shared, id, "failed");
    const job = await shared.client.call("job_get", { id });
    expect(job.attempt).toBe(2);
    expect((await shared.client.call("job_output", { id })).text).toBe("that one\n");
  });

  it("a question that nobody answers in time is given up with 124 and stays open", async () => {
    const id = await shared.detach(`longhaul ask "Which?" --key which --timeout 1s; echo "exit $?"; read -r`);
    await until(async () => (await shared.client.call("job_output", { id })).text.includes("exit 124"));
    expect(await shared.client.call("job_get", { id })).toMatchObject({
      state: "waiting",
      questions: [{ key: "which" }],
    });
    await shared.run(["answer", id]);
    expect((await shared.client.call("job_get", { id })).state).toBe("running");
  });

  it("a question that cannot be asked is refused in one sentence each, and nothing is asked", async () => {
    const cases = [
      ["--yes-no --text", "Give only one of"],
      ["--field 1x", "--field must be NAME or NAME=TYPE"],
      ["--field 'n=shape'", "--field must be NAME or NAME=TYPE"],
      ["--form '{'", "--form must be a JSON Schema such as"],
      ["--form @/no/such/file", "cannot be read"],
      [`--form '{"properties":{},"required":["x"]}'`, "must have a property for every name in required"],
      ["--key 'a b'", "--key must be 1 to 100 letters"],
      ["--timeout soon", "Expected a time such as"],
    ] as const;
    await expectRefusals(cases.map(([options, sentence]) => [`ask "Deploy?" ${options}`, sentence]));
  });

  it("a file is kept with the job, whole, under its own or another name and type, and shown", async () => {
    const folder = makeFolder();
    const bytes = Buffer.alloc(5_000_001, "0123456789");
    writeFileSync(join(folder, "My data.bin"), bytes);
    writeFileSync(join(folder, "empty"), "");
    const script = `longhaul artifact "My data.bin" && longhaul artifact empty --name notes.txt --type text/markdown --json`;
    const id = await shared.detach(script, ["--cwd", folder]);
    expect(JSON.parse(await untilEnd(shared, id))).toEqual({
      id,
      artifact: { name: "notes.txt", media_type: "text/markdown", bytes: 0 },
    });
    const { stdout } = await shared.run(["show", id]);
    expect(stdout).toContain("My-data.bin (5000001 bytes), notes.txt (0 bytes)");
    const parts: Buffer[] = [];
    for (let from: number | undefined = 0; from !== undefined;) {
      const answer: AnswerOf<"job_artifact"> = await shared.client.call("job_artifact", {
        id,
        name: "My-data.bin",
        from,
      });
      parts.push(Buffer.from(present(answer.content), "base64"));
      from = answer.next;
    }
    expect(Buffer.concat(parts).equals(bytes)).toBe(true);
  });

  it("a file that cannot be kept is refused in one sentence", async () => {
    await expectRefusals([
      ["artifact /no/such/file", "cannot be read"],
      ["artifact /", "is not a regular file"],
      ["artifact /etc/hostname --name ../up", "An artifact's name must"],
      ["artifact /etc/hostname --type lots", "--type must be a media type such as text/plain"],
    ]);
  });

  it("a script in any language acts on its job by curl", async () => {
    const post = (what: string, body: string): string =>
      `curl -sS "$LONGHAUL_JOB_URL/v1/attempt/${what}" -H "Authorization: Bearer $LONGHAUL_JOB_TOKEN" -H 'content-type: application/json' -d '${body}'`;
    const id = await shared.detach(`${post("progress", '{"percent":10,"message":"by curl"}')} && read -r`);
    await until(async () => (await shared.client.call("job_get", { id })).progress?.message === "by curl");
    expect((await shared.client.call("job_output", { id })).text).toBe(JSON.stringify({ id }));
  });

  it("an installed longhaul on the PATH is used, and nothing is added to the PATH then", async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, "longhaul"), "#!/bin/sh\necho mine\n", { mode: 0o755 });
    const PATH = `${folder}:/usr/bin:/bin`;
    const { stdout } = await shared.run([
      "run",
      "--env",
      `PATH=${PATH}`,
      "--",
      "longhaul; echo $PATH; echo $LONGHAUL_NODE",
    ]);
    expect(stdout).toBe(`mine\n${PATH}\n\n`);
  });

  it("the token is in no record of the job, and opens nothing once its attempt has ended", async () => {
    const folder = makeFolder();
    const file = join(folder, "token");
    const id = await shared.detach(
      `printf %s "$LONGHAUL_JOB_TOKEN $LONGHAUL_JOB_URL" > ${file}; longhaul progress "$LONGHAUL_JOB_TOKEN"; read -r`,
    );
    await until(async () => (await shared.client.call("job_get", { id })).progress !== undefined);
    const [token = "", url = ""] = readFileSync(file, "utf8").split(" ");
    const records = [
      await shared.run(["show", id]),
      await shared.run(["show", "--json", id]),
      await shared.run(["events", "--json", id]),
    ];
    expect(JSON.stringify(records)).not.toContain(token);
    expect((await call(url, "attempt_progress", { token, body: { percent: 1 } })).status).toBe(200);
    expect((await call(url, "job_get", { token, body: { id } })).status).toBe(403);
    await shared.client.call("job_send", { id, text: "on" });
    await untilEnd(shared, id);
    const late = await call(url, "attempt_progress", { token, body: { percent: 2 } });
    expect(late).toMatchObject({
      status: 401,
      body: { detail: "The attempt that this token was given to has ended." },
    });
  });
});

describe("without a job around it", () => {
  it.each([
    ["progress", "40"],
    ["ask", "Deploy?"],
    ["artifact", "/etc/hostname"],
  ])("longhaul %s says so in one sentence, exits with 2, and starts no server", async (...words) => {
    const cli = makeCli();
    const { code, stderr } = await cli.run(words);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: `longhaul \w+` acts on the job that runs it, and this is none [^\n]+\n$/);
    expect(existsSync(join(cli.home, "server.json"))).toBe(false);
  });
});

it("a question outlives kill -9 of the server under the same key, and its command gets the answer from the next one", async () => {
  const cli = makeCli();
  const id = await cli.detach(`longhaul ask "Deploy?" --yes-no --key deploy; echo "exit $?"`);
  await untilState(cli, id, "waiting");
  await endProcess(present(cli.serverPid()), "SIGKILL");
  const { stdout } = await cli.run(["show", "--json", id]);
  expect(JSON.parse(stdout)).toMatchObject({ state: "waiting", attempt: 1, questions: [{ key: "deploy" }] });
  expect((await cli.run(["answer", id, "answer=yes"])).code).toBe(0);
  expect(await untilEnd(cli, id)).toBe("yes\nexit 0\n");
});

it("a server that a command starts is not taken for a process of its job, and does not know its token", async () => {
  const cli = makeCli();
  const other = makeFolder();
  const script = `LONGHAUL_HOME=${other} LONGHAUL_PORT=0 longhaul server restart >/dev/null; tr '\\0' '\\n' < /proc/$(grep -o '"pid":[0-9]*' ${other}/server.json | cut -d: -f2)/environ; LONGHAUL_HOME=${other} longhaul server stop`;
  const { stdout } = await cli.run(["run", "--", script]);
  expect(stdout).toContain(`LONGHAUL_HOME=${other}`);
  expect(stdout).not.toMatch(/LONGHAUL_JOB|LONGHAUL_NODE/);
});

describe.skipIf(!hasBubblewrap)("inside a command of somebody else, which does not reach the server's folder", () => {
  it("longhaul acts on its job over HTTP", async () => {
    const cli = makeCli();
    await cli.run(["server", "restart"]);
    const { url } = await cli.client.call("server_status", {});
    const { token } = await cli.client.call("token_create", { name: "ada", owner: "ada" });
    const folder = makeFolder();
    const command = `env | grep -c LONGHAUL_JOB_SOCKET; ls ${cli.home} | wc -l; longhaul progress 40 building && longhaul artifact /etc/hostname --name host.txt && longhaul ask "Go?" --yes-no`;
    const started = await call(present(url), "run_command", { token, body: { command, cwd: folder } });
    const { id } = started.body as JobView;
    const waiting = await untilState(cli, id, "waiting");
    expect(waiting).toMatchObject({ progress: { percent: 40 }, artifacts: [{ name: "host.txt" }] });
    await cli.run(["answer", id, "answer=yes"]);
    expect(await untilEnd(cli, id)).toBe("0\n0\nyes\n");
    expect(await cli.client.call("job_get", { id })).toMatchObject({ state: "succeeded" });
  });
});
