import type { Socket } from "node:net";
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { until } from "../until.ts";
import { listenHttp, listenTcp, type Listener } from "./listeners.ts";
import { guardedFetch } from "./world.ts";

const megabyte = 1_000_000;
/** Fast, because the test is not about how small a bomb can be made. */
const compress = (body: Uint8Array): Buffer =>
  brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
const text = "naïve ".repeat(1_000);

/** A server that answers each request with these bytes, whatever they are, and leaves the connection open. */
async function listenRaw(answer: (socket: Socket) => void): Promise<Listener> {
  return listenTcp((socket) => socket.once("data", () => answer(socket)));
}

async function listenEncoded(encoding: string, body: Uint8Array): Promise<Listener> {
  return listenHttp((_request, response) => response.writeHead(200, { "content-encoding": encoding }).end(body));
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe("the body of a response", () => {
  it.each([
    ["gzip", gzipSync(text)],
    ["x-gzip", gzipSync(text)],
    ["deflate", deflateSync(text)],
    ["deflate", deflateRawSync(text)],
    ["br", brotliCompressSync(text)],
    ["gzip, br", brotliCompressSync(gzipSync(text))],
    ["identity", Buffer.from(text)],
  ])("is decompressed from %s, whole and as a stream", async (encoding, body) => {
    const server = await listenEncoded(encoding, body);
    const { fetch, stream } = guardedFetch(["127.0.0.1"]);
    expect(Buffer.from((await fetch(server.origin)).body).toString()).toBe(text);
    expect((await readAll((await stream(server.origin)).body)).toString()).toBe(text);
  });

  it("may be empty though it is called compressed, and is for HEAD", async () => {
    const server = await listenEncoded("gzip", Buffer.alloc(0));
    const { fetch } = guardedFetch(["127.0.0.1"]);
    expect((await fetch(server.origin)).body).toHaveLength(0);
    const whole = await listenEncoded("br", brotliCompressSync(text));
    expect((await fetch(whole.origin, { method: "HEAD" })).body).toHaveLength(0);
  });

  it("is refused in an encoding that was not asked for, or in too many", async () => {
    for (const encoding of ["zstd", "gzip, gzip, gzip", "exotic"]) {
      const server = await listenEncoded(encoding, gzipSync(text));
      await expect(guardedFetch(["127.0.0.1"]).fetch(server.origin)).rejects.toMatchObject({ code: "bad_response" });
    }
  });

  it("is refused when it is not what its encoding says", async () => {
    for (const encoding of ["gzip", "deflate", "br"]) {
      const server = await listenEncoded(encoding, Buffer.from("\u0000\u0001 not compressed at all"));
      await expect(guardedFetch(["127.0.0.1"]).fetch(server.origin)).rejects.toMatchObject({ code: "bad_response" });
    }
  });

  it("ends at its bound, as an error or cut off, by choice", async () => {
    const server = await listenHttp((_request, response) => response.end(Buffer.alloc(1_001, "x")));
    const { fetch, stream } = guardedFetch(["127.0.0.1"]);
    expect((await fetch(server.origin, { maxBodyBytes: 1_001 })).isTruncated).toBe(false);
    const failure = { code: "body_too_large", retryable: false };
    await expect(fetch(server.origin, { maxBodyBytes: 1_000 })).rejects.toMatchObject(failure);
    const cut = await fetch(server.origin, { maxBodyBytes: 1_000, whenTooLarge: "truncate" });
    expect([cut.body.length, cut.isTruncated]).toEqual([1_000, true]);
    const { body } = await stream(server.origin, { maxBodyBytes: 1_000 });
    await expect(readAll(body)).rejects.toMatchObject(failure);
  });
});

describe("servers that mean no good", () => {
  it("cannot make a bomb of ten gigabytes cost more than the bound", async () => {
    // A megabyte of zeros that is compressed again and again as one stream, so that making it costs little.
    const zeros = Buffer.alloc(megabyte);
    const member = gzipSync(zeros);
    const bomb = Buffer.concat(Array.from({ length: 10_000 }, () => member));
    const layered = compress(Buffer.alloc(32 * megabyte));
    const { fetch, stream } = guardedFetch(["127.0.0.1"], { limits: { maxBodyBytes: 16 * megabyte } });
    for (const [encoding, body] of [
      ["gzip", bomb],
      ["br", layered],
      ["gzip, br", compress(gzipSync(Buffer.alloc(32 * megabyte)))],
    ] as const) {
      const server = await listenEncoded(encoding, body);
      const before = process.memoryUsage().arrayBuffers;
      await expect(fetch(server.origin)).rejects.toMatchObject({ code: "body_too_large" });
      const cut = await fetch(server.origin, { maxBodyBytes: 1_000, whenTooLarge: "truncate" });
      expect([cut.body.length, cut.isTruncated]).toEqual([1_000, true]);
      await expect(readAll((await stream(server.origin)).body)).rejects.toMatchObject({ code: "body_too_large" });
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(120 * megabyte);
    }
  });

  it("cannot send without end", async () => {
    const server = await listenRaw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const flood = (): void => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536)));
      };
      socket.on("drain", flood);
      flood();
    });
    const { fetch } = guardedFetch(["127.0.0.1"], { limits: { maxBodyBytes: 4 * megabyte } });
    await expect(fetch(server.origin)).rejects.toMatchObject({ code: "body_too_large" });
    await expect(fetch(server.origin, { method: "POST", body: "x" })).rejects.toMatchObject({ code: "body_too_large" });
  });

  it("cannot send headers without end", async () => {
    const server = await listenRaw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const flood = (): void => {
        while (!socket.destroyed && socket.write(`x-more: ${"x".repeat(8_000)}\r\n`));
      };
      socket.on("drain", flood);
      flood();
    });
    await expect(guardedFetch(["127.0.0.1"]).fetch(server.origin)).rejects.toMatchObject({ code: "headers_too_large" });
  });

  it("cannot keep us waiting: in silence, before the body, within it, or by single bytes", async () => {
    const trickle = (socket: Socket): void => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const timer = setInterval(() => socket.write("x"), 20);
      socket.once("close", () => clearInterval(timer));
    };
    const manners: ((socket: Socket) => void)[] = [
      () => undefined,
      (socket) => socket.write("HTTP/1.1 200 OK\r\nx: "),
      (socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n"),
      (socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf"),
      trickle,
    ];
    for (const manner of manners) {
      const server = await listenRaw(manner);
      const { fetch } = guardedFetch(["127.0.0.1"], { limits: { timeoutMs: 400, idleTimeoutMs: 200 } });
      await expect(fetch(server.origin)).rejects.toMatchObject({ code: "timed_out", retryable: true });
    }
  });

  it("cannot keep us waiting for a name or a connection", async () => {
    const never = new Promise<never>(() => undefined);
    const { fetch } = guardedFetch([], { resolve: () => never, limits: { connectTimeoutMs: 50 } });
    await expect(fetch("http://slow.example/")).rejects.toMatchObject({ code: "timed_out" });
  });

  it.each([
    ["a length that is too great", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\nconnection: close\r\n\r\nhalf"],
    ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"],
    ["chunks that are none", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n"],
    ["something that is not HTTP", "SSH-2.0-OpenSSH_9.2\r\n\r\n"],
    ["nothing", ""],
  ])("that send %s are failures, not results", async (_what, answer) => {
    const server = await listenRaw((socket) => socket.end(answer));
    await expect(guardedFetch(["127.0.0.1"]).fetch(server.origin)).rejects.toMatchObject({
      code: expect.stringMatching(/^(bad_response|connect_failed)$/) as string,
    });
  });

  it("that nobody runs are a failed connection, whose sentence tells no address but the one that was asked for", async () => {
    const { fetch } = guardedFetch(["inside.example"], { resolve: async () => [{ address: "127.0.0.1", family: 4 }] });
    const failure: unknown = await fetch("http://inside.example:9/").catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "blocked_address" });
    const closed: unknown = await fetch("http://inside.example:59999/").catch((error: unknown) => error);
    expect(closed).toMatchObject({ code: "connect_failed", retryable: true });
    expect(JSON.stringify(closed) + String(closed)).not.toContain("127.0.0.1");
  });
});

describe("a caller", () => {
  it("who gives up gets their own reason, and the connection ends", async () => {
    let isClosed = false;
    const server = await listenRaw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf");
      socket.once("close", () => (isClosed = true));
    });
    const { fetch, stream } = guardedFetch(["127.0.0.1"]);
    for (const start of [
      (signal: AbortSignal) => fetch(server.origin, { signal }),
      async (signal: AbortSignal) => readAll((await stream(server.origin, { signal })).body),
    ]) {
      isClosed = false;
      const connections = server.connections();
      const controller = new AbortController();
      const reason = new Error("no longer wanted");
      const answer = start(controller.signal).catch((error: unknown) => error);
      await until(() => server.connections() > connections);
      controller.abort(reason);
      expect(await answer).toBe(reason);
      await until(() => isClosed);
    }
    await expect(fetch(server.origin, { signal: AbortSignal.abort("before") })).rejects.toBe("before");
  });

  it("who sends headers that are none is told so", async () => {
    const server = await listenHttp((_request, response) => response.end());
    const { fetch } = guardedFetch(["127.0.0.1"]);
    const failure = { name: "LonghaulError", code: "invalid_input" };
    await expect(fetch(server.origin, { headers: { "bad name": "x" } })).rejects.toMatchObject(failure);
    await expect(fetch(server.origin, { headers: { name: "a\r\nb: c" } })).rejects.toMatchObject(failure);
  });

  it("who asks often uses connections again, and leaves none after closing", async () => {
    const server = await listenHttp((request, response) => response.end(request.url));
    const guarded = guardedFetch(["127.0.0.1"]);
    for (let request = 0; request < 10; request++) await guarded.fetch(`${server.origin}/${request}`);
    expect(server.connections()).toBeLessThan(3);
    await guarded.close();
    await expect(guarded.fetch(server.origin)).rejects.toMatchObject({ code: "connect_failed" });
  });
});
