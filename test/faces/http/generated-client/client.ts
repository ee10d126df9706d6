import createClient from "openapi-fetch";
import type { paths } from "./made/schema.js";

declare const process: { readonly argv: readonly string[]; readonly stdout: { write(text: string): void } };

/** Drives the server with nothing but what the document says; tells on stdout what it got. */
const [, , baseUrl = "", token = ""] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });

const submitted = await client.POST("/v1/jobs", { body: { kind: "puppet", input: { label: "typed" }, name: "typed" } });
if (submitted.data === undefined || "jobs" in submitted.data) throw new Error("expected one job");
const { id } = submitted.data;
const shown = await client.GET("/v1/jobs/{id}", { params: { path: { id } } });
const listed = await client.GET("/v1/jobs", { params: { query: { state: ["queued", "running"], limit: 5 } } });
const waited = await client.GET("/v1/jobs/{id}/wait", { params: { path: { id }, query: { timeout_ms: 0 } } });
const cancelled = await client.POST("/v1/jobs/{id}/cancel", { params: { path: { id } }, body: { reason: "typed" } });
const kinds = await client.GET("/v1/kinds");
const refused = await client.GET("/v1/jobs/{id}", { params: { path: { id: "nobody" } } });
const status: number | undefined = refused.error?.status;

process.stdout.write(
  JSON.stringify({
    state: shown.data?.state,
    names: listed.data?.jobs.map(({ name }) => name),
    isReached: waited.data?.reached,
    cancelled: cancelled.data?.id === id,
    kinds: kinds.data?.kinds.map(({ name }) => name),
    refused: [status, refused.error?.code],
  }),
);
