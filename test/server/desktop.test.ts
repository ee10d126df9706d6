import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createDesktop } from "../../src/server/desktop.ts";
import { makeTempFolder } from "../temp-folder.ts";

const signal = AbortSignal.timeout(60_000);

/** A folder for PATH with a program that writes down what it is given, a word a line, and ends so. */
function makeProgram(name: string, exitCode = 0): { folder: string; words: () => string[] } {
  const folder = makeTempFolder();
  const file = join(folder, "words");
  const script = `#!/bin/sh\nfor word; do printf '%s\\n' "$word"; done > '${file}'\necho 'no display' >&2\nexit ${exitCode}\n`;
  writeFileSync(join(folder, name), script, { mode: 0o755 });
  return { folder, words: () => readFileSync(file, "utf8").trimEnd().split("\n") };
}

describe("a desktop", () => {
  it("is shown a notice by notify-send, whose options no text can set", async () => {
    const { folder, words } = makeProgram("notify-send");
    const desktop = createDesktop({ PATH: folder }, "linux");
    expect(desktop.problem()).toBeUndefined();
    await desktop.show("--icon=x", { isUrgent: false, signal });
    expect(words()).toEqual(["--app-name=Longhaul", "--urgency=normal", "--", "--icon=x"]);
    await desktop.show("help", { isUrgent: true, signal });
    expect(words()).toContain("--urgency=critical");
  });

  it("is shown a notice by osascript on macOS, where no text is part of the script", async () => {
    const { folder, words } = makeProgram("osascript");
    const text = '" & (do shell script "true") & "';
    await createDesktop({ PATH: folder }, "darwin").show(text, { isUrgent: true, signal });
    const script = words().slice(0, -1);
    expect(words().at(-1)).toBe(text);
    expect(script.filter((word) => word === "-e")).toHaveLength(3);
    expect(script.join("\n")).not.toContain("shell script");
  });

  it("without its program says which is missing", async () => {
    const env = { PATH: makeTempFolder() };
    expect(createDesktop(env, "linux").problem()).toMatch(/^the program notify-send is not on the server's PATH/);
    expect(createDesktop(env, "darwin").problem()).toBe("the program osascript is not on the server's PATH");
    await expect(createDesktop(env, "linux").show("x", { isUrgent: false, signal })).rejects.toThrow(
      /notify-send is not/,
    );
  });

  it("that cannot be reached is told as a failure, with what the program said", async () => {
    const { folder } = makeProgram("notify-send", 1);
    await expect(createDesktop({ PATH: folder }, "linux").show("x", { isUrgent: false, signal })).rejects.toThrow(
      /^notify-send said: no display$/,
    );
  });
});
