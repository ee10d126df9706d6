import type { EventBody } from "../job/event.ts";
import type { Store } from "../store/store.ts";
import type { Run } from "./run.ts";
import type { Settings } from "./settings.ts";

interface NoteParts {
  readonly store: Store;
  readonly settings: Settings;
}

/** Puts something on the record of an attempt; what it tells of has happened, whether it can be stored or not. */
export function note(run: Run, event: EventBody, { store, settings }: NoteParts): void {
  store.append(run.lease, [event], settings.clock.now()).catch((error: unknown) => {
    settings.log({ level: "warn", message: "an event could not be stored", job: run.id, error });
  });
}
