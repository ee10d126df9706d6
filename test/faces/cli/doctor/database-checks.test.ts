import { describe, expect, it } from "vitest";
import { readStore } from "../../../../src/config/store.ts";
import { checkSharedDatabase } from "../../../../src/faces/cli/doctor/database-checks.ts";
import type { Finding } from "../../../../src/faces/cli/doctor/finding.ts";
import { defined } from "../../../../src/job/defined.ts";
import { inspectPostgres } from "../../../../src/server/open-store.ts";
import { openDatabase } from "../../../../src/store/postgres/database/open-database.ts";
import { createDatabase, lacksPostgres } from "../../../postgres/database.ts";
import { useOnce } from "../../../use-each.ts";

describe.skipIf(lacksPostgres)("what doctor says of a database that machines share", () => {
  const database = useOnce(createDatabase, ({ remove }) => remove());

  const check = async (url: string | undefined): Promise<Finding[] | undefined> =>
    checkSharedDatabase({
      inspectDatabase: async () => {
        const store = readStore(undefined, defined({ LONGHAUL_STORE: url }));
        return store && inspectPostgres(store);
      },
    });
  const brief = (findings: Finding[] | undefined): string[] | undefined =>
    findings?.map(({ name, status }) => `${name} ${status}`);

  it("is nothing where the store is in the folder", async () => {
    expect(await check(undefined)).toBeUndefined();
  });

  it("is its version, its schema, and that it is reached and listened to; looking makes no schema", async () => {
    const url = `${database().url}?application_name=doctor`;
    expect(brief(await check(url))).toEqual(["database ok", "schema note", "tls ok", "notify ok"]);
    expect(await database().run("SELECT to_regnamespace('longhaul') AS none")).toEqual([{ none: null }]);
    const made = await openDatabase({ url: database().url, schema: "longhaul", size: 2, migrates: true });
    await made.close();
    const [first, second] = (await check(url)) ?? [];
    expect(first?.message).toMatch(/^Postgres \d+.* answers, with the database "test_/);
    expect(second?.message).toMatch(/^Its schema has version \d+, as this program's/);
  });

  it("is one sentence with what to do where it cannot be reached, without its password", async () => {
    const [finding, ...others] = (await check(Object.assign(new URL(database().url), { port: "1" }).href)) ?? [];
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ name: "database", status: "bad" });
    expect(finding?.message).toMatch(/^Postgres at 127\.0\.0\.1:1 cannot be reached .*: start it/);
    expect(JSON.stringify(finding)).not.toContain(encodeURIComponent("only for tests"));
  });

  it("warns of a database elsewhere without encryption, and of notifications that do not come", async () => {
    const report = {
      host: "db.example:5432",
      database: "jobs",
      version: "16.4",
      schemaVersion: undefined,
      newestSchema: 1,
      isEncrypted: false,
      isOnThisMachine: false,
      isListening: false,
      mayCreateSchema: false,
    };
    const findings = await checkSharedDatabase({ inspectDatabase: async () => report });
    expect(brief(findings)).toEqual(["database ok", "schema bad", "tls note", "notify note"]);
    expect(findings?.map(({ advice }) => advice ?? "").join(" ")).toMatch(
      /GRANT CREATE .*sslmode=verify-full.*direct_url/,
    );
  });
});
