import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { loadConfig } from "../../src/config/config.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { until } from "../until.ts";
import { renderChart } from "./render-chart.ts";

const root = join(import.meta.dirname, "..", "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const isThere = (program: string): boolean => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly template: { readonly spec: { readonly containers: Container[] } } };
}

interface Container {
  readonly args: string[];
  readonly env: { readonly name: string; readonly value?: string }[];
}

interface Package {
  readonly version: string;
  readonly devDependencies: Record<string, string>;
}

const packageFile = JSON.parse(read("package.json")) as Package;

describe("the manifests for Kubernetes", () => {
  const rendered = renderChart(join(root, "deploy/helm/longhaul"), "longhaul");

  it("are what the chart makes with its own values", async () => {
    await expect(rendered).toMatchFileSnapshot("../../deploy/kubernetes/longhaul.yaml");
  });

  it("are whole, and run commands and settings that the program knows", () => {
    const documents = parseAllDocuments(rendered, { uniqueKeys: true });
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    const manifests = documents.map((document) => document.toJS() as Manifest);
    expect(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      "ConfigMap longhaul-config",
      "Service longhaul",
      "Deployment longhaul-server",
      "PodDisruptionBudget longhaul-server",
      "StatefulSet longhaul-worker",
      "Service longhaul-worker",
      "PodDisruptionBudget longhaul-worker",
    ]);
    const pods = manifests.filter(({ kind }) => /^(Deployment|StatefulSet)$/.test(kind));
    const [server, worker] = pods.map(({ spec }) => spec.template.spec.containers[0]);
    expect(server?.args).toEqual(["serve", "--host", "0.0.0.0", "--port", "7800", "--kinds", "none"]);
    expect(worker?.args).toEqual(["worker"]);
    const variables = Object.fromEntries(
      (worker?.env ?? []).map(({ name, value = "postgres://db/jobs" }) => [name, value]),
    );
    const [map] = manifests as unknown as [{ data: { "config.json": string } }];
    const home = makeTempFolder();
    writeFileSync(join(home, "config.json"), map.data["config.json"]);
    const config = loadConfig({}, { ...variables, LONGHAUL_HOME: home, LONGHAUL_CONFIG: join(home, "config.json") });
    expect(config.worker.drain_s).toBe(120);
    expect(config.server.hosts).toEqual(["longhaul"]);
  });

  it("carry the version of the package", () => {
    const chart = parse(read("deploy/helm/longhaul/Chart.yaml")) as { version: string; appVersion: string };
    expect([chart.version, chart.appVersion]).toEqual([packageFile.version, packageFile.version]);
  });
});

describe("the image", () => {
  const lines = read("Dockerfile").split("\n");
  const last = (instruction: string): string | undefined =>
    lines.findLast((line) => line.startsWith(`${instruction} `));

  it("runs as nobody special, under an init, with the packages that a store on Postgres needs", () => {
    expect(last("USER")).toBe("USER 10001");
    expect(last("ENTRYPOINT")).toContain('"tini"');
    for (const peer of ["pg", "pg-boss"]) {
      expect(read("Dockerfile")).toContain(` ${peer}@${packageFile.devDependencies[peer]}`);
    }
  });
});

describe("the compose file", () => {
  interface Compose {
    readonly services: Record<string, { command?: string[]; environment?: Record<string, string>; volumes?: string[] }>;
  }
  const { services } = parse(read("deploy/compose/compose.yaml"), { merge: true }) as Compose;

  it("has Postgres, two servers with names of their own behind nginx, and two workers with folders of their own", () => {
    const names = Object.keys(services).toSorted();
    expect(names).toEqual(["nginx", "postgres", "server-1", "server-2", "worker-1", "worker-2"]);
    const running = names.filter((name) => /^(server|worker)/.test(name)).map((name) => services[name]);
    expect(running.map((service) => service?.command?.[0])).toEqual(["serve", "serve", "worker", "worker"]);
    expect(new Set(running.map((service) => service?.volumes?.[0])).size).toBe(4);
    const proxy = read("deploy/nginx/longhaul.conf");
    for (const name of ["server-1", "server-2"]) {
      const serverName = services[name]?.environment?.["LONGHAUL_SERVER_NAME"] ?? "";
      expect(proxy).toMatch(new RegExp(`~\\^${serverName}-\\s+longhaul_${serverName};`));
      expect(proxy).toMatch(new RegExp(`upstream longhaul_${serverName} \\{\\s+server ${name}:7800;`));
    }
  });
});

describe.skipIf(!isThere("systemd-analyze"))("the units for systemd", () => {
  it.each(readdirSync(join(root, "deploy/systemd")))("are understood, and end the program alone: %s", (file) => {
    const folder = makeTempFolder();
    const program = join(folder, "longhaul");
    writeFileSync(program, "#!/bin/sh\n");
    chmodSync(program, 0o755);
    const unit = read(`deploy/systemd/${file}`).replace("ExecStart=/usr/bin/longhaul", `ExecStart=${program}`);
    writeFileSync(join(folder, file), unit);
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", join(folder, file)], { encoding: "utf8" });
    expect([status, stderr.split("\n").filter((line) => line.includes(file))]).toEqual([0, []]);
    expect(unit).toContain("\nKillMode=process\n");
  });
});

describe.skipIf(!isThere("nginx"))("the example for nginx", () => {
  const listen = async (answer: string): Promise<{ server: Server; port: number }> => {
    const server = createServer((_request, response) => response.end(answer));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { server, port: (server.address() as AddressInfo).port };
  };

  it("sends sessions to the server whose name begins their ids, and everything else to either", async () => {
    const folder = makeTempFolder();
    const [first, second, free] = [await listen("s1"), await listen("s2"), await listen("")];
    free.server.close();
    const site = read("deploy/nginx/longhaul.conf")
      .replaceAll("server-1:7800", `127.0.0.1:${first.port}`)
      .replaceAll("server-2:7800", `127.0.0.1:${second.port}`)
      .replace("listen 7800", `listen 127.0.0.1:${free.port}`);
    const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    mkdirSync(join(folder, "logs"));
    writeFileSync(
      join(folder, "nginx.conf"),
      `daemon off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${places.join(" ")} ${site} }`,
    );
    execFileSync("nginx", ["-t", "-p", folder, "-c", join(folder, "nginx.conf")], { stdio: "pipe" });
    const nginx = spawn("nginx", ["-p", folder, "-c", join(folder, "nginx.conf")], { stdio: "ignore" });
    onTestFinished(async () => {
      nginx.kill("SIGQUIT");
      await once(nginx, "exit");
    });
    const ask = async (session?: string): Promise<string> => {
      const headers: Record<string, string> = session === undefined ? {} : { "mcp-session-id": session };
      return (await fetch(`http://127.0.0.1:${free.port}/mcp`, { headers })).text();
    };
    await until(() =>
      ask().then(
        () => true,
        () => false,
      ),
    );
    const several = async (session?: string): Promise<string[]> => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => ask(session)));
      return [...new Set(answers)].toSorted();
    };
    expect(await several("s1-0af7")).toEqual(["s1"]);
    expect(await several("s2-0af7")).toEqual(["s2"]);
    expect(await several()).toEqual(["s1", "s2"]);
  });
});
