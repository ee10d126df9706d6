import { defineConfig } from "vitest/config";

const common = {
  // How long a test may take says nothing: a busy machine needs several times as long.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  maxWorkers: 3,
  // What tests take from the build runs as it is.
  server: { deps: { external: [/\/\.build\//] } },
};

/**
 * On CI a test that fails is run again, and named in the report: two cores that others use, too, are no reason to refuse a change. The
 * loops that kill are not: what they see once in a while is what they are there for.
 */
const retry = process.env["CI"] === "true" ? 2 : 0;

/** Loops that kill processes and look at what is left: the longest files, so they begin first (projects go by their names). */
const crashes = ["test/**/*crash.test.ts", "test/kinds/shell/adoption.test.ts"];

/** Files that measure or change the process they run in: its memory, its variables, its tracing. */
const ownProcess = [
  "test/config/private-files.test.ts",
  "test/faces/http/metrics/tracing.test.ts",
  "test/kinds/agent/parallel.test.ts",
  "test/kinds/page/disturbance.test.ts",
  "test/kinds/shell/cap.test.ts",
  "test/net/limits.test.ts",
];

export default defineConfig({
  test: {
    globalSetup: ["test/system-programs.ts", "test/postgres/serve-postgres.ts"],
    projects: [
      { test: { ...common, name: "crash", include: crashes } },
      { test: { ...common, name: "own-process", include: ownProcess } },
      // The sources have no state outside of what is created, so these files share processes and what those have loaded.
      {
        test: {
          ...common,
          name: "shared",
          retry,
          include: ["test/**/*.test.ts"],
          exclude: ["**/node_modules/**", ...crashes, ...ownProcess],
          isolate: false,
        },
      },
    ],
  },
});
