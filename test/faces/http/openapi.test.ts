import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Validator } from "@seriousme/openapi-schema-validator";
import { beforeAll, describe, expect, it } from "vitest";
import { createOpenApi } from "../../../src/faces/http/openapi.ts";
import { createRoutes } from "../../../src/faces/http/routes.ts";
import { operations } from "../../../src/operations/registry.ts";
import { installPackage, installTimeoutMs } from "../../install-package.ts";
import { useHttpWorld } from "./world.ts";

const routes = createRoutes(operations);

const world = useHttpWorld();
const run = promisify(execFile);
const folder = join(import.meta.dirname, "generated-client");

describe("the OpenAPI document", () => {
  it("is valid", async () => {
    const document = (await (await world().fetch("/openapi.json", { token: null })).json()) as Record<string, unknown>;
    expect(await new Validator().validate(document)).toEqual({ valid: true });
  });

  it("has every route, with its scope and its problems, each under a name of its own", () => {
    const { paths } = createOpenApi(routes, "1.2.3");
    const described = Object.values(paths).flatMap((methods) => Object.values(methods));
    expect(described).toHaveLength(routes.length);
    expect(new Set(described.map(({ operationId }) => operationId)).size).toBe(routes.length);
    for (const { responses, description } of described) {
      expect(responses["default"]).toEqual({ $ref: "#/components/responses/Problem" });
      expect(description).toMatch(/^Needs (no token|the token of a running command|the scope `(read|run|admin)`)\.$/);
    }
  });

  it("refers to nothing that is not in it", () => {
    const document = createOpenApi(routes, "1.2.3");
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(10);
    for (const [, group = "", name = ""] of references) expect(document.components[group]).toHaveProperty(name);
    expect(JSON.stringify(document)).not.toContain("#/$defs");
  });

  it("offers every operation", () => {
    const offered = new Set(routes.map((route) => ("operation" in route ? route.operation.name : "")));
    const missing = operations.map(({ name }) => name).filter((name) => !offered.has(name));
    expect(missing).toEqual([]);
  });
});

describe("a client that is generated from the OpenAPI document", () => {
  beforeAll(() => installPackage(folder), installTimeoutMs);

  it("compiles with types, and drives the server", async () => {
    const program = (name: string): string => join(folder, "node_modules", name);
    const made = join(folder, "made");
    await mkdir(made, { recursive: true });
    const url = `http://127.0.0.1:${world().port}`;
    await writeFile(join(made, "openapi.json"), await (await fetch(`${url}/openapi.json`)).text());
    const node = async (...args: string[]): Promise<string> => {
      try {
        return (await run(process.execPath, args, { cwd: folder })).stdout;
      } catch (error) {
        const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
        throw new Error(`${args[0] ?? ""}: ${stdout}${stderr}`, { cause: error });
      }
    };
    await node(program("openapi-typescript/bin/cli.js"), join(made, "openapi.json"), "-o", join(made, "schema.d.ts"));
    await node(program("typescript/bin/tsc"), "-p", folder);
    expect(JSON.parse(await node(join(made, "client.js"), url, "root"))).toEqual({
      state: "running",
      names: ["typed"],
      isReached: false,
      cancelled: true,
      kinds: ["puppet"],
      refused: [404, "not_found"],
    });
  });
});
