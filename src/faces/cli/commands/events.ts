import { setTimeout as delay } from "node:timers/promises";
import type { JobEvent } from "../../../job/event.ts";
import type { JobView } from "../../../operations/job-view.ts";
import { defineCommand } from "../command.ts";
import { describeEvent } from "../event-text.ts";
import { exitCodes } from "../exit-code.ts";
import type { Front } from "../front.ts";
import { listenForInterrupt } from "../interrupt.ts";
import { isFinished } from "../job-text.ts";

interface EventsOptions {
  readonly follow?: true;
}

const lookMs = 500;
const pageSize = 1_000;

export const events = defineCommand<EventsOptions, [id: string]>({
  describe: (command) => {
    command
      .argument("<id>", "id, end of an id, or name")
      .option("-f, --follow", "go on as things happen, until the job ends");
  },
  run: async (front, options, id) => {
    const { screen } = front;
    const interrupt = listenForInterrupt();
    const print = (event: JobEvent): void =>
      options.json === true ? screen.printJsonLine(event) : screen.print(describeEvent(event, screen.style));
    try {
      for await (const event of readEvents(front, id, options.follow === true, interrupt.signal)) print(event);
      return exitCodes.done;
    } catch (error) {
      if (!interrupt.signal.aborted) throw error;
      return exitCodes.interrupted;
    } finally {
      interrupt.stop();
    }
  },
});

async function* readEvents(
  { client }: Front,
  id: string,
  isFollowing: boolean,
  signal: AbortSignal,
): AsyncGenerator<JobEvent> {
  let after = 0;
  for (;;) {
    // The state is read first: what a finished job has to tell is there by then.
    const job = isFollowing ? await client.call<JobView>("job_get", { id }, signal) : undefined;
    let page: { events: JobEvent[] };
    do {
      page = await client.call("job_events", { id: job?.id ?? id, after, limit: pageSize }, signal);
      yield* page.events;
      after = page.events.at(-1)?.seq ?? after;
    } while (page.events.length === pageSize);
    if (job === undefined || isFinished(job)) return;
    await delay(lookMs, undefined, { signal });
  }
}
