import { describe, expect, it } from "vitest";
import { secretParts } from "../../src/text/secret-parts.ts";

describe("the parts of a secret file", () => {
  it.each([
    ["API_KEY=abc123def", ["abc123def"]],
    ['export API_KEY="two words here"', ["two words here"]],
    ["PASSWORD: sunflower", ["sunflower"]],
    ["# OLD_TOKEN=abc123def", ["abc123def"]],
    ["DB=postgres://ann:hunter22@db/x", ["postgres://ann:hunter22@db/x", "hunter22"]],
    ['  "private_key": "-----BEGIN KEY-----MIIEvQIB",', ["-----BEGIN KEY-----MIIEvQIB"]],
    ['{"x509_name":1,"token":"abc123def"}', ['{"x509_name":1,"token":"abc123def"}', "abc123def"]],
    ["MIIEvQIBADANBgkq", ["MIIEvQIBADANBgkq"]],
    ["sunflower", ["sunflower"]],
  ])("%j gives itself away by %j", (line, parts) => expect(secretParts(line)).toEqual(parts));

  it.each([
    "",
    "NODE_ENV=production",
    "DB_HOST=localhost",
    "PORT=3000",
    "# Database",
    "-----BEGIN RSA PRIVATE KEY-----",
  ])("%j does not give itself away", (line) => expect(secretParts(line)).toEqual([]));
});
