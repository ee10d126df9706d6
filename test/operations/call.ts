import { expect } from "vitest";
import type { Actor, Engine } from "../../src/index.ts";
import { operations } from "../../src/operations/registry.ts";

/** What the operations are told about the server. */
export const server = { version: "1.2.3", startedAt: 0, home: "/srv/longhaul", url: undefined };

/** Calls an operation by its name; what it answers must be what its own schema says, and no more. */
export async function call(engine: Engine, name: string, input: unknown = {}, actor: Actor = {}): Promise<unknown> {
  const operation = operations.find((known) => known.name === name);
  if (operation === undefined) throw new Error(`there is no operation ${name}`);
  const answer = await operation.call({ engine, actor, server }, input);
  expect(operation.output.parse(answer)).toEqual(answer);
  return answer;
}
