import { expect, it } from "vitest";
import { until } from "../../until.ts";
import { readEvents, textOf } from "./event-reader.ts";
import { useHttpWorld } from "./world.ts";

const world = useHttpWorld();
const crowd = 500;
const lines = Array.from({ length: 2_000 }, (_, index) => `line ${index}\n`);

it("500 live readers of one job's output all get all lines, once and in order", async () => {
  const id = await world().submit();
  const attempt = await world().puppet.next();
  const url = `http://127.0.0.1:${world().port}/v1/jobs/${id}/output`;
  const readers = await Promise.all(Array.from({ length: crowd }, () => readEvents(url)));
  for (let at = 0; at < lines.length; at += 200) {
    attempt.context.output().write(lines.slice(at, at + 200).join(""));
    const [first] = readers;
    await until(() => textOf(first?.events ?? []).includes(`line ${at}\n`));
  }
  attempt.succeed();
  expect(await Promise.all(readers.map(({ ended }) => ended))).toEqual(readers.map(() => true));
  const expected = lines.join("");
  expect(readers.filter(({ events }) => textOf(events) !== expected)).toEqual([]);
});
