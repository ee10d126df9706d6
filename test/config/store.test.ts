import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig, type ConfigFlags, type LoadedConfig } from "../../src/config/config.ts";
import { makeTempFolder } from "../temp-folder.ts";

function load(config: object, env: Record<string, string> = {}, flags: ConfigFlags = {}): LoadedConfig {
  const home = makeTempFolder();
  writeFileSync(join(home, "config.json"), JSON.stringify(config));
  return loadConfig(flags, { LONGHAUL_HOME: home, ...env });
}

const address = "postgres://ada:s3cret%40word@db.example:5432/jobs";

describe("the store of the configuration", () => {
  it("is the database in the folder unless an address is given, in the file or the environment, which counts more", () => {
    expect(load({}).store).toBeUndefined();
    expect(load({ store: address }, { LONGHAUL_STORE: "sqlite" }).store).toBeUndefined();
    expect(load({ store: address }).store).toMatchObject({
      url: address,
      schema: "longhaul",
      bossSchema: "longhaul_boss",
      shown: "postgres://ada:***@db.example:5432/jobs",
    });
    const own = { url: "postgres://elsewhere/x", schema: "mine", boss_schema: "mine_boss", pool: 5 };
    expect(load({ store: own }, { LONGHAUL_STORE: address }).store).toMatchObject({
      url: address,
      schema: "mine",
      bossSchema: "mine_boss",
      pool: 5,
    });
  });

  it("hides its password wherever it would be shown, also as it stands in the address", () => {
    expect(load({}, { LONGHAUL_STORE: address }).redact).toEqual(
      expect.arrayContaining(["s3cret@word", "s3cret%40word"]),
    );
  });

  it("is encrypted when a certificate or sslmode asks for it, and then the certificate is always checked", () => {
    const tlsOf = (store: object | string, env = {}): unknown => load({ store }, env).store?.tls;
    expect(tlsOf(address)).toBeUndefined();
    expect(tlsOf(`${address}?sslmode=disable`)).toBeUndefined();
    expect(tlsOf(`${address}?sslmode=require`)).toEqual({});
    expect(tlsOf(`${address}?sslmode=verify-full&sslrootcert=/ca.pem`)).toEqual({ caFile: "/ca.pem" });
    expect(tlsOf({ url: address, ca_file: "/own.pem" })).toEqual({ caFile: "/own.pem" });
    expect(tlsOf(address, { LONGHAUL_STORE_CA: "/other.pem" })).toEqual({ caFile: "/other.pem" });
    expect(load({ store: `${address}?sslmode=require&application_name=x` }).store?.url).toBe(
      `${address}?application_name=x`,
    );
  });

  it.each([
    ["mysql://ada:s3cret-word@db/jobs", "postgres://"],
    ["ada:s3cret-word@db/jobs", "LONGHAUL_STORE"],
    ["postgres://ada:s3cret-word@db:99999/jobs", "%40"],
    ["postgres://ada:s3cret-word@db/jobs?sslmode=prefer", "sslmode"],
  ])("refuses %s by what is wrong with it, and without its password", (url, said) => {
    expect(() => load({}, { LONGHAUL_STORE: url })).toThrow(said);
    expect(() => load({}, { LONGHAUL_STORE: url })).not.toThrow("s3cret-word");
    expect(() => load({ store: url })).not.toThrow("s3cret-word");
  });

  it("refuses names of schemas that would have to be quoted", () => {
    expect(() => load({ store: { url: address, schema: 'x"; DROP' } })).toThrow("lower-case letters");
    expect(() => load({ store: { url: address, shema: "x" } })).not.toThrow("s3cret");
  });
});

describe("the worker of the configuration", () => {
  it("takes flags before variables before the file", () => {
    const file = { worker: { kinds: ["page"], labels: ["gpu"], concurrency: { page: 2 } } };
    expect(load(file).worker).toEqual({ ...file.worker, drain_s: 10 });
    const env = { LONGHAUL_KINDS: "shell, crawl", LONGHAUL_LABELS: "eu", LONGHAUL_CONCURRENCY: "8" };
    expect(load(file, env).worker).toMatchObject({ kinds: ["shell", "crawl"], labels: ["eu"], concurrency: 8 });
    const flags = { kinds: "none", labels: "us,big", concurrency: "shell=8,page=0" };
    expect(load(file, env, flags).worker).toMatchObject({
      kinds: [],
      labels: ["us", "big"],
      concurrency: { shell: 8, page: 0 },
    });
  });

  it.each([
    [{ concurrency: "lots" }, '"lots"'],
    [{ concurrency: "8,page=2" }, "by kind"],
    [{ concurrency: "5000" }, "1000"],
    [{ labels: "a b" }, '"a b"'],
  ])("refuses %j", (flags, said) => {
    expect(() => load({}, {}, flags)).toThrow(said);
  });

  it("refuses a server's name that a proxy could not find in a session's id", () => {
    expect(load({}, { LONGHAUL_SERVER_NAME: "a1" }).server.name).toBe("a1");
    expect(() => load({}, { LONGHAUL_SERVER_NAME: "a-1" })).toThrow("a-1");
    expect(() => load({ server: { name: "A" } })).toThrow("server.name");
  });
});
