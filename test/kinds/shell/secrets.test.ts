import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../../until.ts";
import { useShell } from "./world.ts";

const world = useShell();
const known = "hunter2-correct-horse";
const hidden = "[redacted]";

describe("secrets", () => {
  it("are given to the command but hidden in the view of its input", async () => {
    const engine = await world().open({ secrets: [known] });
    const input = {
      command: `echo ${known} && echo $API_KEY $PLAIN && cat && echo --password=opensesame`,
      env: { API_KEY: "key-0123456789", PLAIN: `before ${known} after` },
      stdin: `stdin has ${known} too\n`,
    };
    const job = await world().run(input);
    expect(await world().stdout(job.id)).toBe(
      `${known}\nkey-0123456789 before ${known} after\nstdin has ${known} too\n--password=opensesame\n`,
    );
    expect(await engine.input(job.id)).toEqual({
      command: `echo ${hidden} && echo $API_KEY $PLAIN && cat && echo --password=${hidden}`,
      env: { API_KEY: hidden, PLAIN: `before ${hidden} after` },
      stdin: `stdin has ${hidden} too\n`,
    });
  });

  it("are hidden in an argv, also in the word behind a flag", async () => {
    const engine = await world().open({ secrets: [known] });
    const argv = [
      "printf",
      "%s\\n",
      known,
      "--token",
      "abcdef123456",
      "--api-key=zyxwvu",
      "-H",
      "Authorization: Bearer abcdefgh12345678",
    ];
    const job = await world().run({ argv });
    expect(await world().stdout(job.id)).toBe(`${argv.slice(2).join("\n")}\n`);
    expect(await engine.input(job.id)).toEqual({
      argv: [
        "printf",
        "%s\\n",
        hidden,
        "--token",
        hidden,
        `--api-key=${hidden}`,
        "-H",
        `Authorization: Bearer ${hidden}`,
      ],
    });
  });

  it("are not found by a search, while what is beside them is", async () => {
    const engine = await world().open({ secrets: [known] });
    const { id } = await world().run({ command: `echo marvellous ${known}`, env: { DB_PASSWORD: "swordfish77" } });
    await until(async () => (await engine.list({ text: "marvellous" })).jobs.length === 1);
    expect((await engine.list({ text: "marvellous" })).jobs[0]?.id).toBe(id);
    expect((await engine.list({ text: "hunter2" })).jobs).toEqual([]);
    expect((await engine.list({ text: "swordfish77" })).jobs).toEqual([]);
  });

  it("are hidden in the message of a failure and in the events, also where the message is cut", async () => {
    const engine = await world().open({ secrets: [known] });
    for (const padding of [0, 50, 60, 65, 70, 75]) {
      const job = await world().run(`exit 4 # ${"x".repeat(padding)} ${known}`);
      const shown = JSON.stringify([job.state, await engine.events(job.id)]);
      expect(shown).toContain("exited with code 4");
      for (let length = 6; length <= known.length; length++) expect(shown).not.toContain(known.slice(0, length));
    }
  });

  it("are hidden in the last line of a status, also where the line is cut", async () => {
    await world().open({ secrets: [known] });
    for (const padding of [10, 180, 190, 195]) {
      const job = await world().submit(`printf '%s' ${known}; printf '%0${padding}d' 0; read -r go`);
      await until(async () => ((await world().engine.inspect(job.id))["last_line"] ?? "") !== "");
      const { last_line: line } = await world().live(job.id);
      for (let from = 0; from <= known.length - 6; from++) expect(line).not.toContain(known.slice(from));
      expect(line.length).toBeLessThanOrEqual(200);
    }
  });

  it("are in no file that others can read, and in no event", async () => {
    await world().open({ secrets: [known] });
    const job = await world().run({ command: "true", env: { SECRET: known } });
    expect(JSON.stringify(await world().engine.events(job.id))).not.toContain(known);
    const folder = join(world().home, "output");
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const file of files) expect(readFileSync(join(file.parentPath, file.name), "utf8")).not.toContain(known);
  });
});
