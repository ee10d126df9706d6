import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { NodeMessage, NodeRequest } from "./node.ts";

type Started = Extract<NodeMessage, { type: "started" }>;

export interface Node {
  readonly pid: number;
  readonly kill: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts workers; each tells what it begins. */
export async function startNode(request: NodeRequest, onStarted: (started: Started) => void): Promise<Node> {
  const child = fork(new URL("./node.js", import.meta.url));
  child.send(request);
  await new Promise<void>((resolve, reject) => {
    child.once("exit", () => reject(new Error("a worker ended before it was ready")));
    child.on("message", (message: NodeMessage) => {
      if (message.type === "ready") resolve();
      else onStarted(message);
    });
  });
  return {
    pid: child.pid ?? 0,
    kill: () => end(child, () => child.kill("SIGKILL")),
    stop: () => end(child, () => child.send("stop")),
  };
}

async function end(child: ChildProcess, act: () => unknown): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  act();
  await exited;
}
