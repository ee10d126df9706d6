import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { JobFailure, messageOf } from "../../job/failure.ts";

/** What the browser is told in place of a response. */
export interface Answer {
  readonly status: string;
  readonly message: string;
}

export interface Refusals {
  readonly count: number;
  /** The latest of them. */
  readonly recent: readonly Refusal[];
}

export interface Refusal {
  /** A URL, or host:port where only that is known. */
  readonly target: string;
  /** A `NetErrorCode`. */
  readonly reason: string;
}

const maxRefusalsKept = 100;

export function createRefusalLog(): {
  /** The answer to a request that failed; what the rules refused is noted. */
  readonly explain: (target: string, error: unknown) => Answer;
  readonly read: () => Refusals;
} {
  const recent: Refusal[] = [];
  let count = 0;
  return {
    explain: (target, error) => {
      const isRefusal = error instanceof JobFailure && (error.code === "blocked_address" || error.code === "bad_url");
      if (!isRefusal) return { status: "502 Bad Gateway", message: messageOf(error) };
      count += 1;
      recent.push({ target: target.slice(0, 500), reason: error.code });
      if (recent.length > maxRefusalsKept) recent.shift();
      return { status: "403 Forbidden", message: error.message };
    },
    read: () => ({ count, recent: [...recent] }),
  };
}

const challenge = 'Basic realm="Longhaul"';

export function answerRequest(response: ServerResponse, { status, message }: Answer): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(Number(status.slice(0, 3)), { "content-type": "text/plain", "proxy-authenticate": challenge });
  response.end(message);
}

export function answerSocket(client: Duplex, { status, message }: Answer): void {
  const headers = `content-type: text/plain\r\nproxy-authenticate: ${challenge}\r\nconnection: close`;
  client.on("error", () => client.destroy());
  client.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${message}`);
}
