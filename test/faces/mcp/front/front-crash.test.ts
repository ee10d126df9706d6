import { mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../../../until.ts";
import { endProcess, listServers } from "../../cli/cli.ts";
import { RawFront, type Revision } from "./raw-front.ts";
import { frontIn } from "../server-process.ts";

const revisions: Revision[] = ["2026-07-28", "2025-11-25", "2025-06-18"];
/** Each kill meets two calls of each revision: 204 calls in all. */
const kills = 34;
const jobId = /[0-9a-f]{8}-[0-9a-f-]{27}/;

/** A client that keeps the books: every call, and what it may count on. */
class Client {
  readonly front: RawFront;
  readonly #folder: string;
  readonly #name: string;
  #calls = 0;
  /** Commands by the word that they leave behind, and the job that was acknowledged for each. */
  readonly started = new Map<string, string>();

  constructor(folder: string, revision: Revision) {
    this.#folder = folder;
    this.#name = revision;
    this.front = new RawFront(frontIn(folder), revision);
  }

  get calls(): number {
    return this.#calls;
  }

  get marks(): string {
    return join(this.#folder, "marks");
  }

  /** One call, chosen by chance; resolves when it is answered. */
  async call(): Promise<void> {
    const id = ++this.#calls;
    const known = [...this.started.values()].at(-1);
    const choice = known === undefined ? 0 : Math.floor(Math.random() * 6);
    if (choice <= 2) return this.#start(id);
    const name = ["job_get", "job_wait", "job_list"][choice - 3] ?? "";
    const args = { job_get: { id: known }, job_wait: { ids: [known], timeout_s: 20 }, job_list: {} }[name] ?? {};
    const text = await this.front.call(id, name, args);
    if (name !== "job_list") expect(text).toContain(known?.slice(-6));
    return undefined;
  }

  async #start(id: number): Promise<void> {
    const mark = `${this.#name}/${id}`;
    const command = `echo ${mark} >> ${this.marks}; sleep ${(Math.random() * 0.3).toFixed(2)}`;
    const wait_s = Math.random() < 0.5 ? 0 : 10;
    const text = await this.front.call(id, "run_command", { command, wait_s });
    const job = jobId.exec(text)?.[0];
    expect(job, `${mark} was answered with: ${text}`).toBeDefined();
    this.started.set(mark, job ?? "");
  }
}

describe("sessions of three revisions on a server that is killed again and again", () => {
  let home = "";
  const clients: Client[] = [];
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "longhaul-front-crash-"));
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map(({ front }) => front.end()));
    await until(async () => {
      await Promise.all(listServers(home).map((pid) => endProcess(pid)));
      return listServers(home).length === 0;
    });
    await rm(home, { recursive: true, force: true });
  });

  /** At each point of a call: before it is read, while it is worked on, and while its answer is on the way. */
  const kill = async (): Promise<void> => {
    const [pid] = listServers(home);
    if (pid === undefined) return;
    if (Math.random() < 0.3) process.kill(pid, "SIGSTOP");
    await delay(Math.random() * 120);
    await endProcess(pid, "SIGKILL");
  };

  it("go on: each call is answered once, each command runs once, and nothing acknowledged is lost", async () => {
    clients.push(...revisions.map((revision) => new Client(home, revision)));
    await Promise.all(clients.map(({ front }) => front.initialize()));
    await Promise.all(clients.map((client) => client.call()));
    for (let round = 0; round < kills; round++) {
      const calling = clients.flatMap((client) => [client.call(), client.call()]);
      await Promise.all([kill(), ...calling]);
    }
    for (const client of clients) {
      const { front } = client;
      expect(front.isAlive).toBe(true);
      const ids = front
        .answers()
        .flatMap(({ id, method }) => (typeof id === "number" && method === undefined ? [id] : []));
      const asked = Array.from({ length: client.calls }, (_, index) => index + 1);
      expect(ids.filter((id) => id > 0).toSorted((a, b) => a - b)).toEqual(asked);
      const jobs = [...client.started.values()];
      await front.call(10_000, "job_wait", { ids: jobs, timeout_s: 40 });
      const got = await Promise.all(jobs.map((job, index) => front.call(20_000 + index, "job_get", { id: job })));
      expect(got.filter((text) => !text.includes("succeeded"))).toEqual([]);
      expect(new Set(jobs).size).toBe(jobs.length);
    }
    const marks = readFileSync(join(home, "marks"), "utf8").trim().split("\n").toSorted();
    expect(marks).toEqual(clients.flatMap(({ started }) => [...started.keys()]).toSorted());
  }, 600_000);
});
