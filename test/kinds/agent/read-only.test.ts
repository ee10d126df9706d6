import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { call, toolResults, useAgents } from "./world.ts";

const world = useAgents();

describe("a run that only reads", () => {
  it("has no tool that changes anything, and calls of them change nothing", async () => {
    const { models } = world();
    world().write("a.txt", "as it was\n");
    await world().open();
    models.script(
      "m",
      call("write_file", { filePath: "b.txt", content: "x" }),
      call("apply_patch", { input: "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch" }),
      call("run_command", { command: "rm a.txt" }),
      call("grep", { pattern: "x; touch pwned #", searchPath: ".; touch pwned" }),
      call("grep", { pattern: "$(touch pwned)", searchPath: "." }),
      call("glob", { pattern: "`touch pwned`*" }),
      { text: "I could not." },
    );
    const job = await world().run({ read_only: true });
    expect(job.state.status).toBe("succeeded");
    const offered = models.heard[0]?.body["tools"] as { function: { name: string } }[];
    expect(offered.map((tool) => tool.function.name)).toEqual([
      "read_file",
      "list",
      "glob",
      "grep",
      "todo_list",
      "ask_user",
      "delegate",
      "give_up",
    ]);
    const results = toolResults(models.heard.at(-1)?.body ?? {});
    for (const result of results.slice(0, 3)) expect(result).toMatch(/^There is no tool/);
    expect(world().read("a.txt")).toBe("as it was\n");
    expect([world().has("b.txt"), world().has("pwned")]).toEqual([false, false]);
  });

  it("may be started by who may not run commands; one that may change things may not", async () => {
    const { models } = world();
    const engine = await world().open();
    models.script("m", { text: "ok" });
    const input = { task: "look" };
    const remote = { barredKinds: ["shell"] };
    const submit = (more: object, actor: object): Promise<unknown> =>
      engine.submit({ kind: "agent", input: { ...input, ...more } }, actor);
    await expect(submit({}, remote)).rejects.toMatchObject({ code: "not_allowed" });
    await expect(submit({ read_only: true, backend: "codex" }, remote)).rejects.toMatchObject({ code: "not_allowed" });
    await expect(submit({}, { kinds: ["agent"] })).rejects.toMatchObject({ code: "not_allowed" });
    await expect(submit({ read_only: true }, remote)).resolves.toMatchObject({ kind: "agent" });
    const { id } = await engine.submit({ kind: "agent", input });
    await world().end(id);
    await expect(engine.retry(id, remote)).rejects.toMatchObject({ code: "not_allowed" });
  });
});

describe("the folder of a run", () => {
  it.each([
    ["../outside/secret", "is outside"],
    ["OUTSIDE/secret", "is outside"],
    ["link-to-file", "is outside"],
    ["link-to-folder/secret", "is outside"],
    ["inner/../../outside/secret", "is outside"],
    ["/etc/passwd", "is outside"],
    ["a\0b", "zero bytes"],
    [".env", "is secret by configuration"],
    ["link-to-env", "is secret by configuration"],
    ["inner/key.pem", "is secret by configuration"],
    ["pipe", "is not a regular file"],
  ])("is not left by reading %s", async (path, why) => {
    const { models, root, base } = world();
    plant(base, root);
    await world().open();
    const filePath = path.replace("OUTSIDE", join(base, "outside"));
    models.script("m", call("read_file", { filePath }), call("grep", { pattern: "TOP", searchPath: filePath }), {
      text: "ok",
    });
    await world().run({ read_only: true, files: [filePath] });
    const [read, grep] = toolResults(models.heard.at(-1)?.body ?? {});
    expect(read).toContain(why);
    expect(grep).not.toMatch(/secret:\d|TOP SECRET/);
    expect(JSON.stringify(models.heard)).not.toContain("TOP SECRET");
  });

  it("is not left by walking: links are not followed, secret files are not searched", async () => {
    const { models, root, base } = world();
    plant(base, root);
    await world().open();
    models.script(
      "m",
      call("grep", { pattern: "TOP" }),
      call("glob", { pattern: "**" }),
      call("list", { showHidden: true }),
      { text: "ok" },
    );
    await world().run({ read_only: true });
    const [grep, glob, list] = toolResults(models.heard.at(-1)?.body ?? {});
    expect(grep).toBe("Nothing matches.");
    expect(glob).toBe("inner/plain.txt");
    expect(list).toBe("inner/\nlink-to-env@\nlink-to-file@\nlink-to-folder@\npipe");
  });

  it.each(["../outside/new", "link-to-folder/new", "link-to-file", "link-to-folder/deep/er/new", ".env", "."])(
    "is not left by writing %s",
    async (filePath) => {
      const { models, root, base } = world();
      plant(base, root);
      await world().open();
      const patch = `*** Begin Patch\n*** Add File: ${filePath}\n+x\n*** End Patch`;
      models.script("m", call("write_file", { filePath, content: "x" }), call("apply_patch", { input: patch }), {
        text: "ok",
      });
      await world().run();
      const results = toolResults(models.heard.at(-1)?.body ?? {});
      for (const result of results) expect(result).toMatch(/is outside|is a link|is secret|is the folder itself/);
      expect(world().read("../outside/secret")).toBe("TOP SECRET\n");
      expect([world().has("../outside/new"), world().has("../outside/deep")]).toEqual([false, false]);
    },
  );
});

function plant(base: string, root: string): void {
  const outside = join(base, "outside");
  mkdirSync(outside);
  mkdirSync(join(root, "inner"));
  writeFileSync(join(outside, "secret"), "TOP SECRET\n");
  writeFileSync(join(root, ".env"), "KEY=TOP SECRET\n");
  writeFileSync(join(root, "inner/key.pem"), "TOP SECRET\n");
  writeFileSync(join(root, "inner/plain.txt"), "plain\n");
  symlinkSync(join(outside, "secret"), join(root, "link-to-file"));
  symlinkSync(outside, join(root, "link-to-folder"));
  symlinkSync(".env", join(root, "link-to-env"));
  execFileSync("mkfifo", [join(root, "pipe")]);
}
