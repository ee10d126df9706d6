import { chmodSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { toRetention, type LoadedConfig } from "../config/config.ts";
import { checkFile, checkFolder } from "../config/private-files.ts";
import { readWebhookSecret } from "../config/webhook-secret.ts";
import { writeWholeFile } from "../config/whole-file.ts";
import type { Engine } from "../engine/engine.ts";
import type { WebhookOptions } from "../engine/webhooks/webhook-settings.ts";
import { defined } from "../job/defined.ts";
import { LonghaulError } from "../job/error.ts";
import type { Kind } from "../job/kind.ts";
import { createCrawlKind } from "../kinds/crawl/crawl.ts";
import { createEndpointKind } from "../kinds/endpoint/endpoint.ts";
import { createPageKind } from "../kinds/page/page.ts";
import { Launcher } from "../kinds/shell/launcher.ts";
import { inheritEnv } from "../kinds/shell/policy.ts";
import { createShellKind, type InsideVariables, type ShellSettings } from "../kinds/shell/shell.ts";
import { makeFolder } from "../store/files/make-folder.ts";
import { createPatternPool } from "../text/pattern-pool.ts";
import { createRedactor, secretValues, type Redactor } from "../text/redact.ts";
import { createWebAccess } from "./agent-web.ts";
import { chooseKinds } from "./choose-kinds.ts";
import { openCrawlSettings } from "./crawl-settings.ts";
import { createDesktop } from "./desktop.ts";
import { createInsideVariables } from "./inside-variables.ts";
import { loadKinds } from "./load-kinds.ts";
import { createLog, type Log } from "./log-file.ts";
import { openAgentKind } from "./open-agent-kind.ts";
import { openDoors, readToken, type Doors, type ListeningFacts } from "./open-doors.ts";
import { openEndpoints } from "./open-endpoints.ts";
import { openEngine } from "./open-engine.ts";
import { openDesignLibrary } from "./open-design-library.ts";
import { openIsolation } from "./open-isolation.ts";
import { openWeb } from "./open-web.ts";
import { readCard } from "../faces/web/web-face.ts";
import { startGauges } from "./gauges.ts";
import { readVersion } from "./version.ts";

export interface RunningServer {
  readonly url: string;
  readonly socket: string;
  readonly version: string;
  /** Running commands go on; the next server adopts them. */
  readonly stop: () => Promise<void>;
}

interface ServeOptions {
  readonly isBackground: boolean;
  /** A worker runs jobs of a store that machines share; its doors are for this machine. */
  readonly role?: "server" | "worker";
  /** Kinds besides the five. */
  readonly moreKinds?: readonly Kind[];
}

/** The composition root: builds the kinds, the engine and the faces, and listens. */
export async function serve(config: LoadedConfig, options: ServeOptions): Promise<RunningServer> {
  const { paths } = config;
  if (options.role === "worker" && config.store === undefined) {
    throw new LonghaulError(
      "invalid_input",
      "A worker needs a store that machines share: set LONGHAUL_STORE to postgres://user:password@host/database, as of the servers.",
    );
  }
  makePrivateFolder(paths.home);
  makePrivateFolder(dirname(paths.socket));
  const redactor = createRedactor([...config.redact, ...config.endpoints.secrets, ...secretValues(config.env)]);
  const log = createLog({ redact: redactor.text, ...(options.isBackground ? { file: paths.log } : {}) });
  const token = readToken(paths.token);
  const { variables, setAddress } = createInsideVariables(paths);
  const inside = { secret: token, variables };
  let isDraining = false;
  let address: string | undefined;
  const opened = await openEngineWithKinds(config, { redactor, log, inside, ...options, address: () => address });
  const { engine, close } = opened;
  const server: ListeningFacts = { ...opened.server, isDraining: () => isDraining };
  const { version } = server;
  let doors: Doors | undefined;
  try {
    doors = await openDoors({ config, engine, server, log, token });
    const { url } = doors;
    setAddress(url);
    address = url;
    writeWholeFile(paths.server, JSON.stringify({ pid: process.pid, version, url }));
    log("info", "server started", { pid: process.pid, version, url, home: paths.home });
    const stop = async (): Promise<void> => {
      isDraining = true;
      if (config.store !== undefined) await engine.drain(config.worker.drain_s * 1_000);
      await doors?.close();
      // Before the engine lets go of the folder: from then on these may be the next server's.
      rmSync(paths.socket, { force: true });
      rmSync(paths.server, { force: true });
      await close();
      log("info", "server stopped", { pid: process.pid });
    };
    return { url, socket: paths.socket, version, stop };
  } catch (error) {
    await doors?.close();
    await close();
    throw error;
  }
}

interface EngineExtras extends Pick<ServeOptions, "moreKinds" | "role"> {
  readonly redactor: Redactor;
  readonly log: Log;
  /** Lets commands act on their own jobs, where a server listens for them. */
  readonly inside?: { readonly secret: string; readonly variables: InsideVariables };
  /** Where the server listens, once it does. */
  readonly address?: () => string | undefined;
}

/** The engine with all the kinds that a configuration gives it, and what the server tells of itself. */
export async function openEngineWithKinds(
  config: LoadedConfig,
  { redactor, log, inside, role, address, moreKinds = [] }: EngineExtras,
): Promise<{ engine: Engine; server: ListeningFacts; close: () => Promise<void> }> {
  for (const file of databaseFiles(config.paths.home)) checkFile(file, { isSecret: false });
  const launcher = new Launcher(inheritEnv(config.shell.inherit_env, config.env));
  const patterns = createPatternPool();
  const insideVariables = inside?.variables;
  const shell = toShellSettings(config, { launcher, redactor, patterns, ...defined({ insideVariables }) });
  makePrivateFolder(dirname(config.paths.browser));
  const web = openWeb(config);
  const crawl = openCrawlSettings(config, web);
  const agent = openAgentKind(config, { ...shell, web: createWebAccess(crawl.settings) });
  const { endpoints, close: closeEndpoints } = await openEndpoints(config);
  const { library, keep } = openDesignLibrary(config, log);
  const kinds: Kind[] = [
    createShellKind(shell),
    agent.kind,
    createPageKind({ ...web, concurrency: config.browser.max_pages, ...defined({ keep }) }),
    createCrawlKind({ ...crawl.settings, ...defined({ askModel: agent.readData }) }),
    createEndpointKind({ directory: endpoints, redactor }),
  ];
  const own = await loadKinds(config.kinds, [...kinds, ...moreKinds]);
  for (const problem of own.problems) log("error", problem);
  const engine = await openEngine({
    home: config.paths.home,
    patterns,
    kinds: chooseKinds([...kinds, ...moreKinds, ...own.kinds], config.worker),
    labels: config.worker.labels,
    ...defined({ postgres: config.store, role, address }),
    outputCapBytes: config.shell.output_cap_mb * 1_000_000,
    retention: toRetention(config),
    webhooks: toWebhookOptions(config, redactor),
    ...defined({ attemptSecret: inside?.secret }),
    netAllow: config.net.allow,
    pruneMs: config.backgroundJob.cleanupIntervalMs,
    log: ({ level, message, ...facts }) => log(level, message, facts),
  });
  const close = async (): Promise<void> => {
    await engine.stop();
    gauges.stop();
    await Promise.all([
      agent.close(),
      web.close(),
      crawl.close(),
      launcher.close(),
      closeEndpoints(),
      library?.close(),
    ]);
  };
  const gauges = startGauges(config.paths.home, databaseFiles(config.paths.home));
  const server = {
    version: readVersion(),
    startedAt: Date.now(),
    home: config.paths.home,
    url: undefined,
    endpoints,
    agents: agent.agents,
    ...defined({ library }),
    readCard,
    gauges,
    ...(own.problems.length === 0 ? {} : { problems: own.problems }),
    hasBrowser: () => web.browser.executable !== undefined,
  };
  return { engine, server, close };
}

function databaseFiles(home: string): string[] {
  return ["", "-wal", "-shm", "-journal"].map((end) => join(home, `longhaul.db${end}`));
}

function toWebhookOptions(config: LoadedConfig, redactor: Redactor): WebhookOptions {
  const { allow, default_url: defaultUrl } = config.webhooks;
  const { to, on, only_after_s: afterS, all_owners: allOwners, link } = config.notify;
  const onlyAfterMs = afterS === undefined ? undefined : afterS * 1_000;
  const desktop = createDesktop(config.env);
  const notify = { to, allOwners, desktop, redact: redactor.text, ...defined({ on, onlyAfterMs, link }) };
  return { allow, secret: () => readWebhookSecret(config), defaultUrl, notify };
}

function toShellSettings(
  config: LoadedConfig,
  parts: Pick<ShellSettings, "launcher" | "redactor" | "patterns" | "insideVariables">,
): ShellSettings {
  const { shell } = config;
  return {
    ...parts,
    shell: shell.shell,
    concurrency: shell.concurrency,
    termGraceMs: shell.term_grace_ms,
    isolation: openIsolation(config),
    policy: {
      allow: shell.allow.map((text) => new RegExp(text)),
      allowEnv: shell.allow_env,
      deny: shell.deny.map((text) => new RegExp(text)),
      roots: shell.roots,
      defaultCwd: shell.roots[0] ?? homedir(),
    },
  };
}

export function makePrivateFolder(path: string): void {
  checkFolder(path);
  try {
    makeFolder(path);
    chmodSync(path, 0o700);
  } catch (error) {
    throw new LonghaulError(
      "storage_failed",
      `${path} cannot be used: ${error instanceof Error ? error.message : String(error)}. Set LONGHAUL_HOME to a folder that you can write to.`,
      { cause: error },
    );
  }
}
