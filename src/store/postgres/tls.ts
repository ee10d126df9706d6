import { readFileSync } from "node:fs";
import { checkServerIdentity, type ConnectionOptions } from "node:tls";
import { LonghaulError } from "../../job/error.ts";
import { messageOf } from "../../job/failure.ts";

/** Always checks the certificate, and that it is of this host: the driver by itself compares with "localhost" where the host is an IP address. */
export function toTlsOptions({ caFile }: { readonly caFile?: string }, hostAndPort: string): ConnectionOptions {
  const host = new URL(`tcp://${hostAndPort}`).hostname.replace(/^\[|\]$/g, "");
  return {
    rejectUnauthorized: true,
    checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate),
    ...(caFile === undefined ? {} : { ca: readCertificates(caFile) }),
  };
}

function readCertificates(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new LonghaulError(
      "storage_failed",
      `The file with the certificates for Postgres cannot be read: ${messageOf(error)}. Correct store.ca_file, LONGHAUL_STORE_CA or sslrootcert.`,
      { cause: error },
    );
  }
}
