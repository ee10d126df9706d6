import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findProgram } from "../../../src/text/find-program.ts";
import { call, toolResults, useAgents } from "./world.ts";

const world = useAgents();
const hasBubblewrap = findProgram("bwrap", process.env["PATH"] ?? "") !== undefined;
const secret = "nobody-may-read-this";

/** A folder of the server within the one that agents work in. */
function hidePlace(): string {
  const place = join(world().root, "state");
  mkdirSync(place);
  writeFileSync(join(place, "token"), secret);
  symlinkSync(place, join(world().root, "link"));
  symlinkSync(join(place, "token"), join(world().root, "token-link"));
  return place;
}

describe("the server's own folder within an agent's", () => {
  it("is refused to every tool that reads or writes, links resolved, and is not listed", async () => {
    const place = hidePlace();
    world().write("notes", "nothing");
    await world().open({ hidden: () => [place] });
    const paths = ["state/token", "link/token", "token-link", "./x/../state/token", join(place, "token")];
    world().models.script(
      "m",
      ...paths.map((filePath) => call("read_file", { filePath })),
      call("list", { dirPath: "state" }),
      call("list", { dirPath: "." }),
      call("grep", { pattern: "nobody" }),
      call("glob", { pattern: "**/*" }),
      call("write_file", { filePath: "link/config.json", content: "{}" }),
      call("write_file", { filePath: "state/config.json", content: "{}" }),
      { text: "Done." },
    );
    const job = await world().run({ files: ["state/token"] });
    expect(job.state.status).toBe("succeeded");
    const answers = toolResults(world().models.heard.at(-1)?.body ?? {});
    expect(answers).toHaveLength(paths.length + 6);
    expect(JSON.stringify(world().models.heard.map(({ body }) => body))).not.toContain(secret);
    expect(answers.slice(0, paths.length + 1).every((text) => text.includes("belongs to the server itself"))).toBe(
      true,
    );
    expect(answers[paths.length + 1]).not.toMatch(/^state/m);
    expect(world().has("state/config.json")).toBe(false);
  });

  it.skipIf(!hasBubblewrap)("is not there for the commands of an agent that are kept from it", async () => {
    await world().open({ confinesCommands: () => true });
    const token = join(world().base, "home", "token");
    writeFileSync(token, secret);
    world().models.script("m", call("run_command", { command: `cat ${token}` }), { text: "Done." });
    expect((await world().run({})).state.status).toBe("succeeded");
    expect(toolResults(world().models.heard.at(-1)?.body ?? {})[0]).toMatch(/No such file/);
  });
});
