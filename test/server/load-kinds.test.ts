import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { loadKinds } from "../../src/server/load-kinds.ts";
import { useEach } from "../use-each.ts";

const library = pathToFileURL(join(import.meta.dirname, "../../dist/index.js")).href;
const zod = import.meta.resolve("zod");

const folder = useEach(
  () => mkdtemp(join(tmpdir(), "longhaul-kinds-")),
  (path) => rm(path, { recursive: true }),
);

async function write(name: string, code: string): Promise<string> {
  const file = join(folder(), name);
  await writeFile(file, code, { mode: 0o600 });
  return file;
}

const kindCode = (name: string): string => `
  import { defineKind } from "${library}";
  import { z } from "${zod}";
  export const kind = defineKind({ name: "${name}", onInterrupt: "restart", input: z.object({}), run: async () => null });
`;

describe("modules with kinds of one's own", () => {
  it("are loaded, with all kinds that they export", async () => {
    const file = await write("good.mjs", kindCode("good"));
    const { kinds, problems } = await loadKinds([file], []);
    expect([kinds.map(({ name }) => name), problems]).toEqual([["good"], []]);
  });

  it("are named and left out when they throw, export no kind or are missing; the others are there", async () => {
    const files = [
      await write("throws.mjs", "throw new Error('no database');"),
      await write("leaves.mjs", "process.exit(1);"),
      await write("empty.mjs", "export const nothing = 1;"),
      join(folder(), "missing.mjs"),
      await write("good.mjs", kindCode("good")),
    ];
    const { kinds, problems } = await loadKinds(files, []);
    expect(kinds.map(({ name }) => name)).toEqual(["good"]);
    const [throws, leaves, empty, missing] = files;
    expect(problems).toEqual([
      `The kinds of ${throws} are left out: no database`,
      `The kinds of ${leaves} are left out: it ends the process that loads it.`,
      `The kinds of ${empty} are left out: it exports nothing that defineKind has made.`,
      `The kinds of ${missing} are left out: there is no such file.`,
    ]);
  });

  it("are named and left out when they loop or never end: the server does not wait for ever", async () => {
    const loops = await write("loops.mjs", "for (;;);");
    const hangs = await write("hangs.mjs", "setInterval(() => {}, 1000); await new Promise(() => {});");
    expect(await loadKinds([loops, hangs], [], 2_000)).toEqual({
      kinds: [],
      problems: [
        `The kinds of ${loops} are left out: it was not loaded within 2 s.`,
        `The kinds of ${hangs} are left out: it was not loaded within 2 s.`,
      ],
    });
  });

  it("may not take a name that is taken, be changed by others, or be TypeScript where Node cannot load it", async () => {
    const twice = await write("twice.mjs", kindCode("good"));
    const first = await write("first.mjs", kindCode("good"));
    const verb = await write("verb.mjs", kindCode("command"));
    const open = await write("open.mjs", kindCode("open"));
    await chmod(open, 0o666);
    const { kinds, problems } = await loadKinds([first, twice, verb, open], []);
    expect(kinds.map(({ name }) => name)).toEqual(["good"]);
    expect(problems).toEqual([
      `The kind "good" of ${twice} is left out: there is a kind of this name already.`,
      `The kind "command" of ${verb} is left out: there is an operation "run_command" already.`,
      expect.stringContaining(`${open} can be changed by other users`) as string,
    ]);
  });
});
