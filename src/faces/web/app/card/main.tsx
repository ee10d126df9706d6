import { signal } from "@preact/signals";
import { render, type JSX } from "preact";
import { isOpen, JobHead } from "../job/job-head.tsx";
import { Output } from "../job/output.tsx";
import { attempt, Button, Notes } from "../ui/parts.tsx";
import { connectToHost } from "./bridge.ts";
import { openCardJob } from "./card-job.ts";

const source = signal<ReturnType<typeof openCardJob> | undefined>(undefined);
const jobIdPattern = /\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/;

interface HostContext {
  readonly theme?: "light" | "dark";
  readonly styles?: { readonly variables?: Readonly<Record<string, string | undefined>> };
}

function applyContext({ theme, styles }: HostContext): void {
  const { style } = document.documentElement;
  if (theme !== undefined) style.colorScheme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {}))
    if (value !== undefined) style.setProperty(name, value);
}

/** The id is in the call or in its answer, whichever comes first. */
function show(told: unknown): void {
  const [id] = jobIdPattern.exec(JSON.stringify(told)) ?? [];
  if (id !== undefined && source.value?.id !== id) {
    source.value?.close();
    source.value = openCardJob(id, host);
  }
}

const host = connectToHost({
  "ui/notifications/tool-input": show,
  "ui/notifications/tool-result": show,
  "ui/notifications/host-context-changed": applyContext,
  "ui/resource-teardown": () => source.value?.close(),
});

function Card(): JSX.Element {
  const { value: shown } = source;
  const job = shown?.job.value;
  if (shown === undefined || job === undefined) return <p class="muted card">Waiting for the job…</p>;
  return (
    <main class="card">
      <JobHead source={shown} />
      <Output source={shown} isSmall />
      <div class="actions">
        {isOpen(job) ? (
          <Button label="Cancel" icon="ban" look="danger" onPress={() => shown.act({ verb: "cancel" })} />
        ) : (
          job.state !== "succeeded" && (
            <Button label="Retry" icon="retry" onPress={() => shown.act({ verb: "retry" })} />
          )
        )}
      </div>
      <Notes />
    </main>
  );
}

async function start(): Promise<void> {
  const appInfo = { name: "longhaul", version: "1" };
  const init = await host.request<{ hostContext?: HostContext }>("ui/initialize", {
    appInfo,
    appCapabilities: {},
    protocolVersion: "2026-01-26",
  });
  applyContext(init.hostContext ?? {});
  host.notify("ui/notifications/initialized", {});
  new ResizeObserver(() => {
    const { scrollWidth: width, scrollHeight: height } = document.documentElement;
    host.notify("ui/notifications/size-changed", { width, height });
  }).observe(document.body);
}

const root = document.getElementById("app");
if (root !== null) render(<Card />, root);
// A link of the card is opened by the host, which asks its user.
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link === null) return;
  event.preventDefault();
  if (/^https?:/.test(link.href)) void attempt(() => host.request("ui/open-link", { url: link.href }));
});
void attempt(start);
