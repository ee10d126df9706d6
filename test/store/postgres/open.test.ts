import { describe, expect, it } from "vitest";
import { loadPeer } from "../../../src/store/postgres/database/driver.ts";
import { openDatabase, refuseOld, type DatabaseOptions } from "../../../src/store/postgres/database/open-database.ts";
import { migrations } from "../../../src/store/postgres/database/schema.ts";
import { createDatabase, lacksPostgres, type Database } from "../../postgres/database.ts";
import { useEach } from "../../use-each.ts";

describe.skipIf(lacksPostgres)("opening a store on Postgres", () => {
  const database = useEach(createDatabase, ({ remove }) => remove());

  const open = async (options: Partial<DatabaseOptions> = {}): Promise<void> => {
    const connections = await openDatabase({
      url: database().url,
      schema: "longhaul",
      size: 2,
      migrates: true,
      ...options,
    });
    await connections.close();
  };
  const at = (change: Partial<Pick<URL, "port" | "password" | "pathname" | "username">>): string =>
    Object.assign(new URL(database().url), change).href;
  const version = async ({ run }: Database, schema = "longhaul"): Promise<unknown> =>
    (await run(`SELECT version FROM "${schema}".meta`))[0];

  it("makes the schema once, however many servers start at the same time", async () => {
    await Promise.all([open(), open(), open()]);
    expect(await version(database())).toEqual({ version: migrations.length });
    await open();
    expect(await version(database())).toEqual({ version: migrations.length });
  });

  it("keeps to the schema of the configuration", async () => {
    await open({ schema: "other_jobs" });
    expect(await version(database(), "other_jobs")).toEqual({ version: migrations.length });
    expect(await database().run("SELECT to_regnamespace('longhaul') AS none")).toEqual([{ none: null }]);
  });

  it("lets a worker wait for the schema that a server makes", async () => {
    const worker = open({ migrates: false });
    await open();
    await expect(worker).resolves.toBeUndefined();
  });

  it("refuses a newer schema, and leaves it as it is", async () => {
    await open();
    await database().run("UPDATE longhaul.meta SET version = 99");
    await expect(open()).rejects.toMatchObject({
      code: "store_too_new",
      message: expect.stringContaining("update Longhaul"),
    });
    await expect(open({ migrates: false })).rejects.toMatchObject({ code: "store_too_new" });
    expect(await version(database())).toEqual({ version: 99 });
  });

  it.each(["CREATE TABLE longhaul.jobs (id INTEGER)", "CREATE TABLE longhaul.meta (version INTEGER)"])(
    "refuses a schema of somebody else (%s), and leaves it as it is",
    async (theirs) => {
      await database().run(`CREATE SCHEMA longhaul; ${theirs}`);
      await expect(open()).rejects.toMatchObject({
        code: "store_damaged",
        message: expect.stringContaining("belongs to another program"),
      });
      const tables = await database().run("SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = 'longhaul'");
      expect(tables).toEqual([{ n: 1 }]);
    },
  );

  it("says in one sentence what is wrong with an address", async () => {
    const refused: [url: string, sentence: RegExp][] = [
      [at({ port: "1" }), /^Postgres at 127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\): start it/],
      [at({ password: "wrong" }), /^Postgres at .* refuses the user "longhaul": correct the user and password/],
      [at({ pathname: "/nothing" }), /^Postgres at .* has no database "nothing": create it/],
      ["nonsense", /^The address of the store must be like postgres:/],
    ];
    for (const [url, sentence] of refused) {
      await expect(open({ url })).rejects.toMatchObject({
        name: "LonghaulError",
        message: expect.stringMatching(sentence),
      });
    }
    await expect(open({ schema: 'a"b' })).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("says which right is missing, and makes nothing", async () => {
    const name = `guest_${crypto.randomUUID().slice(0, 8)}`;
    await database().run(`CREATE ROLE ${name} LOGIN PASSWORD 'guest'`);
    try {
      const opening = open({ url: at({ username: name, password: "guest" }) });
      await expect(opening).rejects.toMatchObject({ message: expect.stringContaining(`run GRANT CREATE ON DATABASE`) });
    } finally {
      await database().run(`DROP ROLE ${name}`);
    }
    expect(await database().run("SELECT to_regnamespace('longhaul') AS none")).toEqual([{ none: null }]);
  });

  it("refuses a Postgres that is too old, and a package that is missing", async () => {
    expect(() => refuseOld("13.12 (Debian)", "db:5432")).toThrow(
      /db:5432 is version 13\.12 \(Debian\), and the store needs 14 or later/,
    );
    expect(() => refuseOld("14.0", "db")).not.toThrow();
    const missing = Object.assign(new Error("Cannot find package 'pg' imported from x"), {
      code: "ERR_MODULE_NOT_FOUND",
    });
    await expect(loadPeer("pg", () => Promise.reject(missing))).rejects.toThrow(
      /needs the package pg, which is not installed: run "npm install/,
    );
  });
});
