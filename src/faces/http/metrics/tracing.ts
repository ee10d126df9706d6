import type { Attributes, Span, Tracer } from "@opentelemetry/api";
import type { RequestHeaders } from "../route.ts";

type Run<Answer> = (note: (facts: Attributes) => void) => Promise<Answer>;

/** Makes spans, each within the one around it. */
export interface Tracing {
  readonly request: <Answer>(name: string, headers: RequestHeaders, run: Run<Answer>) => Promise<Answer>;
  readonly operation: <Answer>(name: string, run: Run<Answer>) => Promise<Answer>;
}

/** Traces through OpenTelemetry if its API is installed and somebody listens to it; undefined otherwise. */
export async function loadTracing(): Promise<Tracing | undefined> {
  const api = await import("@opentelemetry/api").catch(() => undefined);
  if (api === undefined) return undefined;
  const { context, propagation, trace, ProxyTracerProvider, SpanKind, SpanStatusCode } = api;
  const provider = trace.getTracerProvider();
  const nobody = new ProxyTracerProvider().getDelegate();
  const listener = provider instanceof ProxyTracerProvider ? provider.getDelegate() : provider;
  if (listener.constructor === nobody.constructor) return undefined;
  const tracer: Tracer = trace.getTracer("longhaul");
  const inSpan = async <Answer>(span: Span, run: Run<Answer>): Promise<Answer> => {
    try {
      return await run((facts) => span.setAttributes(facts));
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: String(error) });
      throw error;
    } finally {
      span.end();
    }
  };
  return {
    request: (name, headers, run) => {
      const parent = propagation.extract(context.active(), headers);
      return tracer.startActiveSpan(name, { kind: SpanKind.SERVER }, parent, (span) => inSpan(span, run));
    },
    operation: (name, run) => tracer.startActiveSpan(name, (span) => inSpan(span, run)),
  };
}
