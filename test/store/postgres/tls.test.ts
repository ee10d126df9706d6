import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inspectDatabase } from "../../../src/store/postgres/inspect.ts";
import { findPostgres, startPostgres, type PostgresServer } from "../../postgres/server.ts";
import { until } from "../../until.ts";
import { useOnce } from "../../use-each.ts";
import { Client } from "pg";

interface EncryptedServer {
  readonly server: PostgresServer;
  readonly certificate: string;
  readonly folder: string;
}

/** A server of its own, with a certificate for 127.0.0.1 that it has signed itself. */
async function startEncrypted(): Promise<EncryptedServer> {
  const server = await startPostgres();
  const folder = mkdtempSync(join(tmpdir(), "longhaul-tls-"));
  chmodSync(folder, 0o755);
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  const flags = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", certificate];
  execFileSync("openssl", [...flags, ...subject], { stdio: "ignore" });
  chmodSync(key, 0o600);
  if (process.getuid?.() === 0) chownSync(key, 65_534, 65_534);
  const client = new Client({ connectionString: server.url("postgres") });
  await client.connect();
  await client.query(`ALTER SYSTEM SET ssl_key_file = '${key}'`);
  await client.query(`ALTER SYSTEM SET ssl_cert_file = '${certificate}'`);
  await client.query("ALTER SYSTEM SET ssl = on");
  await client.query("SELECT pg_reload_conf()");
  await until(async () => {
    const { rows } = await client.query<{ ssl: string }>("SHOW ssl");
    return rows[0]?.ssl === "on";
  });
  await client.end();
  return { server, certificate, folder };
}

describe.skipIf(findPostgres() === undefined)("a connection that is to be encrypted", () => {
  const world = useOnce(startEncrypted, async ({ server, folder }) => {
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  });
  const inspect = async (tls: { caFile?: string }, host = "127.0.0.1"): Promise<boolean> => {
    const url = Object.assign(new URL(world().server.url("postgres")), { hostname: host }).href;
    return (await inspectDatabase({ url, schema: "longhaul", tls })).isEncrypted;
  };

  it("is, with a server whose certificate was signed by whom the file names and is for its host", async () => {
    expect(await inspect({ caFile: world().certificate })).toBe(true);
  });

  it("is refused with a certificate that nobody has signed whom we trust", async () => {
    await expect(inspect({})).rejects.toThrow(/^Postgres at .* cannot be trusted \(.*\): name the file/);
  });

  it("is refused with a certificate for another host", async () => {
    await expect(inspect({ caFile: world().certificate }, "localhost")).rejects.toThrow(/cannot be trusted/);
  });

  it("says what file cannot be read", async () => {
    await expect(inspect({ caFile: "/nowhere/ca.pem" })).rejects.toThrow(/nowhere\/ca\.pem.*Correct store\.ca_file/);
  });
});
