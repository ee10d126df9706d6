import {
  context,
  propagation,
  trace,
  type Span,
  type SpanOptions,
  type Tracer,
  type TracerProvider,
} from "@opentelemetry/api";
import { afterEach, describe, expect, it } from "vitest";
import { Door } from "../../../../src/faces/door/door.ts";
import { createGatekeeper } from "../../../../src/faces/door/gatekeeper.ts";
import { patience } from "../../../../src/faces/door/listen.ts";
import { createHttpFace } from "../../../../src/faces/http/face.ts";
import { loadTracing } from "../../../../src/faces/http/metrics/tracing.ts";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { useHttpWorld } from "../world.ts";

const world = useHttpWorld();

interface Made {
  readonly name: string;
  readonly attributes: Record<string, unknown>;
  isEnded: boolean;
}

/** A provider as an SDK registers one, which only takes notes. */
function takeNotes(made: Made[]): TracerProvider {
  const startSpan = (name: string): Span => {
    const note: Made = { name, attributes: {}, isEnded: false };
    made.push(note);
    const span: Partial<Span> = {
      setAttributes: (attributes) => {
        Object.assign(note.attributes, attributes);
        return span as Span;
      },
      setStatus: () => span as Span,
      end: () => {
        note.isEnded = true;
      },
      isRecording: () => true,
    };
    return span as Span;
  };
  const startActiveSpan = (name: string, ...rest: (SpanOptions | object | ((span: Span) => unknown))[]): unknown =>
    (rest.at(-1) as (span: Span) => unknown)(startSpan(name));
  return { getTracer: (): Tracer => ({ startSpan, startActiveSpan }) };
}

describe("traces", () => {
  afterEach(() => {
    trace.disable();
    context.disable();
    propagation.disable();
  });

  it("cost nothing when nobody listens", async () => {
    expect(await loadTracing()).toBeUndefined();
  });

  it("have a span for the request and one for the operation, with the job's id", async () => {
    const made: Made[] = [];
    trace.setGlobalTracerProvider(takeNotes(made));
    const { engine, metrics } = world();
    const face = createHttpFace({
      engine,
      server: { version: "1.2.3", startedAt: 0, home: "", url: undefined },
      metrics,
      tracing: await loadTracing(),
    });
    const gatekeeper = createGatekeeper({ admit: async () => ({ actor: {} }) });
    const door = new Door({ gatekeeper, entrances: [face], onFault: () => undefined });
    const server = createServer(patience, door.listener);
    await new Promise<void>((listening) => {
      server.listen(0, "127.0.0.1", listening);
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    await (await fetch(`${url}/v1/jobs/${id}`)).text();
    await (await fetch(`${url}/v1/jobs/nobody`)).text();
    face.close();
    door.close();
    server.closeAllConnections();
    server.close();
    const request = { "http.request.method": "GET", "http.route": "/v1/jobs/{id}" };
    expect(made).toEqual([
      { name: "GET /v1/jobs/{id}", attributes: { ...request, "http.response.status_code": 200 }, isEnded: true },
      { name: "job_get", attributes: { "longhaul.job.id": id }, isEnded: true },
      { name: "GET /v1/jobs/{id}", attributes: { ...request, "http.response.status_code": 404 }, isEnded: true },
      { name: "job_get", attributes: { "longhaul.job.id": "nobody" }, isEnded: true },
    ]);
  });
});
