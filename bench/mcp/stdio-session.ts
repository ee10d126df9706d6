import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "0.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

interface Reply {
  readonly id?: number;
  readonly result?: unknown;
}

/** A server that is spoken to over standard input and output. */
export class StdioSession {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #count = 0;

  constructor(file: URL, args: readonly string[] = [], env: NodeJS.ProcessEnv = process.env) {
    this.#child = spawn(process.execPath, [fileURLToPath(file), ...args], { env, stdio: ["pipe", "pipe", "inherit"] });
    if (this.#child.stdout === null) throw new Error("The process has no output.");
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      const reply = JSON.parse(line) as Reply;
      this.#waiting.get(reply.id ?? -1)?.(reply);
    });
  }

  /** Milliseconds until the answer, and the answer. */
  async time(method: string, params: Record<string, unknown> = {}): Promise<{ ms: number; result: unknown }> {
    const id = ++this.#count;
    const startedAt = performance.now();
    const replied = new Promise<Reply>((resolve) => this.#waiting.set(id, resolve));
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } })}\n`);
    const { result } = await replied;
    if (result === undefined) throw new Error(`${method} was refused.`);
    return { ms: performance.now() - startedAt, result };
  }

  call(name: string, args: Record<string, unknown>): Promise<{ ms: number; result: unknown }> {
    return this.time("tools/call", { name, arguments: args });
  }

  async end(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.stdin?.end();
    await exited;
  }
}
