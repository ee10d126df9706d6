import type { InputOf } from "../../../src/operations/registry.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type Client } from "../../../src/faces/door/local-client.ts";
import { startServer, type ServerProcess } from "../../faces/mcp/server-process.ts";
import { FakeRunpod } from "./fake-runpod.ts";
import { useEach } from "../../use-each.ts";

export interface View {
  readonly live?: Readonly<Record<string, unknown>>;
  readonly id: string;
  readonly state: string;
  readonly error?: { readonly code: string; readonly message: string };
}

/** A whole server in a process of its own, for tests to kill, with a RunPod that outlives it. */
export class ServerWorld {
  readonly home = mkdtempSync(join(tmpdir(), "longhaul-endpoint-server-"));
  readonly client: Client = createClient(join(this.home, "longhaul.sock"));
  readonly runpod: FakeRunpod;
  #server: ServerProcess | undefined;

  constructor(runpod: FakeRunpod) {
    this.runpod = runpod;
  }

  async start(): Promise<void> {
    const { key, url } = this.runpod;
    this.#server = await startServer(this.home, { RUNPOD_API_KEY: key, RUNPOD_SERVERLESS_API_URL: url });
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    await this.#server?.kill(signal);
  }

  async submit(endpoint: string, input: InputOf<"run_endpoint">["input"]): Promise<string> {
    return (await this.client.call("run_endpoint", { endpoint, input })).id;
  }

  look(id: string): Promise<View> {
    return this.client.call("job_get", { id });
  }

  async close(): Promise<void> {
    await this.kill("SIGTERM");
    await this.runpod.close();
    rmSync(this.home, { recursive: true, force: true });
  }
}

export function useServer(): () => ServerWorld {
  return useEach(
    async () => new ServerWorld(await FakeRunpod.start()),
    (world) => world.close(),
  );
}
