import { readBackgroundJobSettings } from "../../../src/config/background-job.ts";

/** What a profile is built with where nothing is configured. */
export const parts = {
  server: { version: "0.0.0", startedAt: 0, home: "", url: undefined },
  backgroundJob: readBackgroundJobSettings({}),
};
