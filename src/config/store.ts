import { z } from "zod";
import { defined } from "../job/defined.ts";
import { LonghaulError } from "../job/error.ts";
import { parseUrl } from "../job/parse-url.ts";
import { readVariable } from "./read-variable.ts";

const schemaName = z
  .string()
  .regex(/^[a-z_][a-z0-9_]{0,47}$/, "expected a name of lower-case letters, digits and underscores");

/** A database that machines share, instead of the one in the folder. Its address is no field that a complaint may show. */
const postgresSchema = z.strictObject({
  url: z.string().min(1).describe("postgres://user:password@host:port/database"),
  direct_url: z
    .string()
    .min(1)
    .optional()
    .describe("Past a PgBouncer in transaction mode: for LISTEN, which it does not pass on."),
  schema: schemaName.default("longhaul"),
  boss_schema: schemaName.default("longhaul_boss"),
  ca_file: z.string().min(1).optional().describe("Certificates of whoever has signed the server's; asks for TLS."),
  pool: z.int().min(2).max(200).optional().describe("Connections of this process: 10 of a server, 4 of a worker."),
});

/** `store` in the configuration file: an address alone says all that most need. */
export const storeSchema = z.union([z.string().min(1), postgresSchema]);

export interface PostgresConfig {
  /** Without what the address says of TLS, which `tls` has. */
  readonly url: string;
  readonly directUrl?: string;
  readonly schema: string;
  readonly bossSchema: string;
  /** Absent: not encrypted. Else the server's certificate must be valid for its name. */
  readonly tls?: { readonly caFile?: string };
  readonly pool?: number;
  /** As it may be shown. */
  readonly shown: string;
  /** What is hidden wherever it would be shown. */
  readonly secrets: readonly string[];
}

/** The variable first. Undefined: the embedded database in the folder. */
export function readStore(
  file: z.output<typeof storeSchema> | undefined,
  env: NodeJS.ProcessEnv,
): PostgresConfig | undefined {
  const variable = readVariable(env, "LONGHAUL_STORE");
  const given = typeof file === "object" ? file : postgresSchema.parse({ url: file ?? "sqlite" });
  const { schema, boss_schema: bossSchema, pool, direct_url: direct } = given;
  const url = variable ?? given.url;
  if (url === "sqlite") return undefined;
  const main = readAddress(url, variable === undefined ? "store" : "LONGHAUL_STORE");
  const past = direct === undefined ? undefined : readAddress(direct, "store.direct_url");
  const caFile = readVariable(env, "LONGHAUL_STORE_CA") ?? given.ca_file ?? main.caFile;
  const isEncrypted = main.isEncrypted || caFile !== undefined;
  return {
    url: main.url,
    schema,
    bossSchema,
    shown: main.shown,
    secrets: [...main.secrets, ...(past?.secrets ?? [])],
    ...defined({ directUrl: past?.url, pool, tls: isEncrypted ? defined({ caFile }) : undefined }),
  };
}

interface Address {
  readonly url: string;
  readonly shown: string;
  readonly isEncrypted: boolean;
  readonly caFile?: string;
  readonly secrets: string[];
}

/** What is wrong with an address is said without a word of it, because its password stands in it. */
function readAddress(text: string, name: string): Address {
  const url = parseUrl(text);
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw new LonghaulError(
      "invalid_input",
      `${name} must be an address such as postgres://user:password@host:5432/database, or "sqlite" for the database in the folder; special characters in a password are written as %40 and the like.`,
    );
  }
  const mode = url.searchParams.get("sslmode");
  if (mode !== null && !/^(disable|require|verify-ca|verify-full)$/.test(mode)) {
    throw new LonghaulError(
      "invalid_input",
      `sslmode in ${name} must be disable or verify-full, got "${mode}": a connection is either encrypted, with a certificate that is checked, or it is not.`,
    );
  }
  const caFile = url.searchParams.get("sslrootcert") ?? undefined;
  for (const parameter of ["sslmode", "sslrootcert"]) url.searchParams.delete(parameter);
  const password = decodeURIComponent(url.password);
  const shown = new URL(url);
  if (password !== "") shown.password = "***";
  return {
    url: url.href,
    shown: shown.href,
    isEncrypted: mode !== null && mode !== "disable",
    ...defined({ caFile }),
    secrets: password === "" ? [] : [password, url.password],
  };
}
