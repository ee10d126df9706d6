import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../../until.ts";
import { useServer } from "./server-world.ts";
import { workersOf } from "./world.ts";

const world = useServer();

describe("a server that is killed", () => {
  it("leaves no worker behind, not even one that hears nothing; its job runs again", async () => {
    const { home } = world();
    const script = `process.stdin.resume(); console.log("up"); setInterval(() => undefined, 1000); for (;;) if (require("node:fs").existsSync("${home}/go")) break;
      require("node:fs").writeSync(1, JSON.stringify({ output: "free" }) + "\\n");`;
    const stubborn = { type: "local", argv: [process.execPath, "-e", script], mode: "warm", cwd: home };
    writeFileSync(join(home, "config.json"), JSON.stringify({ endpoints: { stubborn } }));
    await world().start();
    const id = await world().submit("stubborn", {});
    await until(() => workersOf(home).length >= 2);
    const before = workersOf(home);
    await world().kill();
    await until(() => workersOf(home).length === 0);
    await world().start();
    await until(() => workersOf(home).length >= 2);
    expect(workersOf(home).some((pid) => before.includes(pid))).toBe(false);
    // Killed again, and followed at once: the next server ends what it finds.
    await world().kill();
    writeFileSync(join(home, "go"), "");
    await world().start();
    await until(async () => (await world().look(id)).state === "succeeded");
    await world().kill("SIGTERM");
    expect(workersOf(home)).toEqual([]);
  });
});
