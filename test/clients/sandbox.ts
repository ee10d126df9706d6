import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { serveModels, type ModelServer } from "./model/model-server.ts";
import { ScriptedModel } from "./model/scripted-model.ts";
import { killAll, kill, processesOf } from "./processes.ts";
import { runProgram, type Ended } from "./run-program.ts";

/** A user of this machine with nothing but one client and Longhaul: a home, a project, a model, and no way out. */
export interface Sandbox {
  readonly longhaulFolder: string;
  readonly home: string;
  readonly project: string;
  readonly model: ScriptedModel;
  /** The one that `run_agent` asks. */
  readonly agentModel: ScriptedModel;
  readonly server: ModelServer;
  readonly env: Readonly<Record<string, string>>;
  readonly write: (path: string, content: object | string) => void;
  readonly run: (words: readonly string[], env?: Record<string, string>, timeoutMs?: number) => Promise<Ended>;
  readonly longhaul: (...words: string[]) => Promise<Ended>;
  readonly close: () => void;
}

/** `longhaulFolder` has the package of Longhaul that is used there. */
export async function openSandbox(longhaulFolder: string): Promise<Sandbox> {
  const folder = mkdtempSync(join(tmpdir(), "longhaul-client-"));
  const [home, project] = [join(folder, "home"), join(folder, "project")];
  for (const each of [home, project]) mkdirSync(each);
  const [model, agentModel] = [new ScriptedModel(), new ScriptedModel()];
  const server = await serveModels(model, agentModel);
  const env = {
    HOME: home,
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    TMPDIR: folder,
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
  };
  const run: Sandbox["run"] = (words, more = {}, timeoutMs = 120_000) =>
    runProgram(words, { cwd: project, env: { ...env, ...more }, timeoutMs });
  const sandbox: Sandbox = {
    longhaulFolder,
    home,
    project,
    model,
    agentModel,
    server,
    env,
    run,
    write: (path, content) => {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), typeof content === "string" ? content : JSON.stringify(content, null, 2));
    },
    longhaul: (...words) => run([process.execPath, join(longhaulFolder, "dist", "server", "main.js"), ...words]),
    close: () => {
      killAll(home);
      server.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  const lab = { type: "openai-compatible", base_url: `${server.url}/agent/v1`, api_key_env: "HOME" };
  sandbox.write(".local/state/longhaul/config.json", {
    agent: { providers: { lab }, classes: { standard: ["lab/scripted"] } },
  });
  return sandbox;
}

/** The server's process; undefined if none runs. */
export function serverPid({ home }: Sandbox): number | undefined {
  return processesOf(home).find(({ words }) => words.includes("serve"))?.pid;
}

export function killServer(sandbox: Sandbox): number {
  const pid = serverPid(sandbox);
  if (pid === undefined) throw new Error("No server runs that could be killed.");
  kill(pid);
  return pid;
}

export function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}
