import type { Socket } from "node:net";
import { callbackify } from "node:util";
import type { Agent, buildConnector } from "undici";
import type { JobFailure } from "../../job/failure.ts";
import type { Target } from "../address/address-rules.ts";
import { createOpenSocket, type OpenSocket, type SocketOptions } from "./checked-socket.ts";
import { errorCodeOf, netFailure } from "./net-failure.ts";

export interface AgentOptions extends SocketOptions {
  readonly maxHeaderBytes: number;
  readonly idleTimeoutMs: number;
  /** Certificates to trust in place of the system's. */
  readonly ca?: string;
}

type ConnectCallback = (error: Error | null, socket: Socket) => void;

const maxConnectionsPerOrigin = 64;
const keepAliveMs = 10_000;

/** A pool of kept-alive connections per origin. Each was checked when it was made, so using it again needs no check. */
export async function createGuardedAgent(options: AgentOptions): Promise<Agent> {
  const undici = await import("undici");
  const openSocket = createOpenSocket(options);
  const startTls = undici.buildConnector({
    timeout: options.connectTimeoutMs,
    ca: options.ca,
  });
  return new undici.Agent({
    connect: (request, done) => callbackify(connect)(request, openSocket, startTls, done as ConnectCallback),
    connections: maxConnectionsPerOrigin,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: options.maxHeaderBytes,
    headersTimeout: options.idleTimeoutMs,
    bodyTimeout: options.idleTimeoutMs,
  });
}

async function connect(
  request: buildConnector.Options,
  openSocket: OpenSocket,
  startTls: buildConnector.connector,
): Promise<Socket> {
  const isSecure = request.protocol === "https:";
  const target: Target = {
    hostname: request.hostname,
    port: Number(request.port === "" ? (isSecure ? 443 : 80) : request.port),
  };
  const socket = await openSocket(target);
  if (!isSecure) return socket;
  return new Promise((resolve, reject) => {
    startTls({ ...request, httpSocket: socket }, (error, secured) => {
      if (error === null) return resolve(secured);
      socket.destroy();
      reject(toTlsFailure(error, request.hostname));
    });
  });
}

function toTlsFailure(error: Error, hostname: string): JobFailure {
  const code = errorCodeOf(error);
  if (code === "UND_ERR_CONNECT_TIMEOUT") {
    return netFailure("timed_out", `${hostname} did not finish the TLS handshake in time.`, code);
  }
  const isCertificate = /CERT|SIGNATURE|ISSUER|ALTNAME|CHAIN/.test(code);
  const reason = isCertificate ? "its certificate cannot be trusted" : "it does not speak TLS as it should";
  return netFailure("tls_failed", `No secure connection to ${hostname}: ${reason} (${code}).`, code);
}
