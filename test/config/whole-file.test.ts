import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadConfig } from "../../src/config/config.ts";
import { readWebhookSecret } from "../../src/config/webhook-secret.ts";
import { readOrMakeFile, writeWholeFile } from "../../src/config/whole-file.ts";
import { makeTempFolder } from "../temp-folder.ts";

it("a file is made when it is first needed, for its owner alone, and then kept", () => {
  const folder = makeTempFolder();
  const file = join(folder, "below", "secret");
  expect(readOrMakeFile(file, () => "one\n")).toBe("one");
  expect(readOrMakeFile(file, () => "two\n")).toBe("one");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(folder, "below"))).toEqual(["secret"]);
});

it.each(["", "\n"])("a file that a power cut has left with %j in it is made anew", (left) => {
  const file = join(makeTempFolder(), "secret");
  writeFileSync(file, left, { mode: 0o644 });
  expect(readOrMakeFile(file, () => "new")).toBe("new");
  expect(readFileSync(file, "utf8")).toBe("new");
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it("a file is replaced as a whole: it is another one, and nothing is left beside it", () => {
  const folder = makeTempFolder();
  const file = join(folder, "facts");
  writeFileSync(file, "old");
  const before = statSync(file).ino;
  writeWholeFile(file, "new");
  expect([readFileSync(file, "utf8"), readdirSync(folder)]).toEqual(["new", ["facts"]]);
  expect(statSync(file).ino).not.toBe(before);
});

it("a file that cannot be replaced leaves nothing beside it", () => {
  const folder = makeTempFolder();
  mkdirSync(join(folder, "taken"));
  expect(() => writeWholeFile(join(folder, "taken"), "text")).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect(readdirSync(folder)).toEqual(["taken"]);
});

it("an empty secret of webhooks is made anew", () => {
  const home = makeTempFolder();
  const config = loadConfig({}, { LONGHAUL_HOME: home });
  writeFileSync(config.paths.webhookSecret, "", { mode: 0o600 });
  const secret = readWebhookSecret(config);
  expect(secret).toMatch(/^whsec_/);
  expect(readWebhookSecret(config)).toBe(secret);
});
