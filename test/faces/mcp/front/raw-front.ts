import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { until } from "../../../until.ts";
import type { ServerProcess } from "../server-process.ts";

export interface Answer {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Record<string, unknown> & { readonly _meta?: Record<string, unknown> };
  readonly result?: {
    readonly tools?: unknown[];
    readonly content?: { readonly text: string }[];
    readonly isError?: boolean;
    readonly [name: string]: unknown;
  };
  readonly error?: { readonly code: number; readonly message?: string };
}

export type Revision = "2026-07-28" | "2025-11-25" | "2025-06-18";

export const modernMeta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "0.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** A front that is talked to in bytes. */
export class RawFront {
  readonly child: ChildProcess;
  readonly lines: string[] = [];
  readonly #answers: Answer[] = [];
  readonly #revision: Revision;
  readonly #exited: Promise<unknown>;

  constructor(front: ServerProcess["front"], revision: Revision) {
    this.#revision = revision;
    this.child = spawn(front.command, front.args, { env: front.env, stdio: ["pipe", "pipe", "pipe"] });
    this.#exited = once(this.child, "exit");
    if (this.child.stdout !== null)
      createInterface({ input: this.child.stdout }).on("line", (line) => this.lines.push(line));
  }

  write(text: string): void {
    this.child.stdin?.write(text);
  }

  message(message: Record<string, unknown>): void {
    this.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  send(id: number, method: string, params: Record<string, unknown> = {}): void {
    const meta = { ...(params["_meta"] as object | undefined), ...(this.#revision === "2026-07-28" ? modernMeta : {}) };
    this.message({ id, method, params: { ...params, _meta: meta } });
  }

  /** Begins a session; the newest revision has none. */
  async initialize(capabilities: Record<string, unknown> = {}): Promise<void> {
    if (this.#revision === "2026-07-28") return;
    const clientInfo = { name: "raw", version: "0.0.0" };
    this.send(0, "initialize", { protocolVersion: this.#revision, capabilities, clientInfo });
    await this.answer(0);
    this.message({ method: "notifications/initialized" });
  }

  /** The answer of a tool, as text. */
  async call(id: number, name: string, args: Record<string, unknown> = {}): Promise<string> {
    this.send(id, "tools/call", { name, arguments: args });
    return textOf(await this.answer(id));
  }

  /** Every line must be a message: stdout carries nothing else. */
  answers(): readonly Answer[] {
    for (const line of this.lines.slice(this.#answers.length)) this.#answers.push(JSON.parse(line) as Answer);
    return this.#answers;
  }

  async answer(id: number): Promise<Answer> {
    const find = (): Answer | undefined => this.answers().find((each) => each.id === id && each.method === undefined);
    await until(async () => find() !== undefined);
    return find() as Answer;
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async end(): Promise<number | null> {
    this.child.stdin?.end();
    await this.#exited;
    return this.child.exitCode;
  }
}

export function textOf({ result, error }: Answer): string {
  return result?.content?.map(({ text }) => text).join("\n") ?? JSON.stringify(error);
}
