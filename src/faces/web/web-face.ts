import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { z } from "zod";
import type { OpenedSession, SessionBook } from "../../engine/sessions.ts";
import { parseInput } from "../../job/issue.ts";
import { safetyHeaders, toJsonAnswer, type HttpAnswer } from "../door/answer.ts";
import type { Entrance, Exchange, Target } from "../door/door.ts";
import { HttpError } from "../door/http-error.ts";
import { readBody } from "../door/read-body.ts";
import { writeCookie } from "../door/session-cookie.ts";

/** The pages of the app; it finds out by itself which one is meant. */
const views = /^\/(?:(?:jobs|inbox|queues|batches|new|settings)(?:\/.*)?)?$/;

/** Nothing but the app's own files; what others wrote becomes text, and nothing else would run. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "trusted-types 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

interface AppFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly zipped: Buffer;
}

/** The dashboard: its files, and how a browser gets a session. */
export function createWebFace(sessions: SessionBook, folder = join(import.meta.dirname, "app")): Entrance {
  let files: ReadonlyMap<string, AppFile> | undefined;
  const show = async ({ request, response, path }: Exchange): Promise<undefined> => {
    files ??= readFiles(folder);
    const isPage = !path.startsWith("/assets/");
    const file = files.get(isPage ? "index.html" : path.slice("/assets/".length));
    if (file === undefined) throw new HttpError(404, "not_found", `There is no ${path} here: reload the page.`);
    const isZipped = request.headers["accept-encoding"]?.includes("gzip") === true;
    response.writeHead(200, {
      ...safetyHeaders,
      // The names of all other files change with what is in them.
      "cache-control": isPage ? "no-cache" : "public, max-age=31536000, immutable",
      "content-type": file.type,
      "content-security-policy": policy,
      "referrer-policy": "no-referrer",
      vary: "accept-encoding",
      ...(isZipped ? { "content-encoding": "gzip" } : {}),
    });
    response.end(request.method === "HEAD" ? undefined : isZipped ? file.zipped : file.plain);
  };
  const logIn: Record<"code" | "token", Target> = {
    code: { route: "/v1/session", scope: "anybody", answer: (exchange) => openByCode(exchange, sessions) },
    token: {
      route: "/v1/session",
      scope: "read",
      answer: async ({ request, actor }) => tellOpened(await sessions.open(actor), request.headers.origin),
    },
  };
  return {
    name: "web",
    errorForm: "problem",
    find: ({ method, headers }, path) => {
      if (path === "/v1/session" && method === "POST") {
        return headers.authorization === undefined ? logIn.code : logIn.token;
      }
      const isShown = views.test(path) || path.startsWith("/assets/");
      if (!isShown || (method !== "GET" && method !== "HEAD")) return undefined;
      return { route: path.startsWith("/assets/") ? "/assets" : "/", scope: "anybody", answer: show };
    },
  };
}

const maxCodeBytes = 1_000;
const codeSchema = z.strictObject({ code: z.string().max(100) });

async function openByCode({ request }: Exchange, sessions: SessionBook): Promise<HttpAnswer> {
  const { code } = parseInput(codeSchema, await readBody(request, maxCodeBytes), "The login");
  return tellOpened(await sessions.openByCode(code), request.headers.origin);
}

function tellOpened(session: OpenedSession, origin: string | undefined): HttpAnswer {
  const maxAgeSeconds = Math.max(0, Math.floor((session.expiresAt - Date.now()) / 1_000));
  const cookie = writeCookie(session, maxAgeSeconds, origin?.startsWith("https:") === true);
  const body = { session: `${session.id}.${session.secret}`, expires_at: new Date(session.expiresAt).toISOString() };
  return toJsonAnswer(body, 201, { "set-cookie": cookie });
}

/** The job card for chat clients, in one file. */
export function readCard(): Promise<string> {
  return readFile(join(import.meta.dirname, "app", "card.html"), "utf8");
}

function readFiles(folder: string): ReadonlyMap<string, AppFile> {
  const names = ["index.html", ...readdirSync(join(folder, "assets")).map((name) => join("assets", name))];
  return new Map(
    names.map((name) => {
      const plain = readFileSync(join(folder, name));
      const file = {
        type: types[extname(name)] ?? "application/octet-stream",
        plain,
        zipped: gzipSync(plain, { level: 9 }),
      };
      return [name.replace(/^assets[/\\]/, ""), file];
    }),
  );
}
