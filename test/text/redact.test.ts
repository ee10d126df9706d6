import { describe, expect, it } from "vitest";
import { createRedactor, secretValues } from "../../src/text/redact.ts";

const { text, env } = createRedactor([]);

describe("text", () => {
  it.each([
    ["Authorization: Bearer abcdef123456.xyz", "Authorization: Bearer [redacted]"],
    ["authorization: basic dXNlcjpwYXNzd29yZA==", "authorization: basic [redacted]"],
    ["git clone https://ann:hunter2@example.com/x.git", "git clone https://ann:[redacted]@example.com/x.git"],
    ["psql postgres://ann:hunter2@db/prod", "psql postgres://ann:[redacted]@db/prod"],
    ["mysql --password hunter2 prod", "mysql --password [redacted] prod"],
    ["mysql --password=hunter2 prod", "mysql --password=[redacted] prod"],
    ["deploy --token abcd1234 --api-key efgh5678 now", "deploy --token [redacted] --api-key [redacted] now"],
    ["API_KEY=abcd1234 make", "API_KEY=[redacted] make"],
    ["export MY_API_KEY='abcd1234'; make", "export MY_API_KEY=[redacted]; make"],
    ["GITHUB_TOKEN=abcd1234 gh pr list", "GITHUB_TOKEN=[redacted] gh pr list"],
    ["curl -H 'X-Api-Key: abcd1234' x", "curl -H 'X-Api-Key: [redacted]' x"],
    ["curl 'https://x.test/?a=1&token=abcd1234&b=2'", "curl 'https://x.test/?a=1&token=[redacted]&b=2'"],
    ['{"password": "hunter2", "name": "ann"}', '{"password": [redacted], "name": "ann"}'],
    [`login sk-${"a1".repeat(10)} now`, "login [redacted] now"],
    [`login ghp_${"a1".repeat(12)} now`, "login [redacted] now"],
    [`login lh_${"0a".repeat(6)}_${"A-_z".repeat(10)}abc now`, "login [redacted] now"],
    ["login AKIAABCDEFGHIJKLMNOP now", "login [redacted] now"],
    ["jwt eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.c2lnbmF0dXJl end", "jwt [redacted] end"],
  ])("hides the secret in %j and leaves the rest", (shown, hidden) => {
    expect(text(shown)).toBe(hidden);
  });

  it.each([
    "npm run build && npm test",
    "https://example.com:8080/a/b@c?d=e",
    "tokens are counted, keys are sorted",
    "echo password",
    "git commit -m 'Rename the key column'",
    "ssh ann@example.com uptime",
    "PORT=8080 NODE_ENV=production node server.js",
    "größer als 5 €",
    "",
  ])("leaves ordinary text as it is: %j", (ordinary) => {
    expect(text(ordinary)).toBe(ordinary);
  });

  it("that was hidden once does not change when it is hidden again", () => {
    const once = text("API_KEY=abcd1234 curl -H 'Authorization: Bearer abcdef123456' https://a:bcdef@x.test");
    expect(text(once)).toBe(once);
  });

  it("hides known values wherever they occur, the longest first", () => {
    const known = createRedactor(["abcdef", "abcdef-ghijkl"]);
    expect(known.text("xabcdef-ghijklx abcdef abc")).toBe("x[redacted]x [redacted] abc");
    expect(createRedactor(["a.c$&+"]).text("a.c$&+ abc$&+")).toBe("[redacted] abc$&+");
  });

  it("does not hide known values that are so short that they occur in ordinary words", () => {
    expect(createRedactor(["", "a", "abcde"]).text("a abcde")).toBe("a abcde");
  });

  it("hides a secret whose name goes on after the word that tells it", () => {
    expect(text("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG aws s3 ls")).toBe(
      "AWS_SECRET_ACCESS_KEY=[redacted] aws s3 ls",
    );
  });

  it("hides a quoted secret to its closing quote", () => {
    expect(text("mysql --password 'correct horse battery' prod")).not.toMatch(/horse|battery/);
    expect(text('PASSWORD="correct horse battery" make')).not.toMatch(/horse|battery/);
  });

  it("hides a password in a URL that has an @ of its own", () => {
    expect(text("psql postgres://ann:hunter@2secret@db/prod")).not.toContain("2secret");
  });

  it("leaves the words basic and bearer alone where they are ordinary words", () => {
    expect(text("echo basic installation of the bearer certificate")).toBe(
      "echo basic installation of the bearer certificate",
    );
  });
});

describe("env", () => {
  it("hides the values of variables whose names look secret, whole, and secrets in the others", () => {
    const shown = env({
      API_KEY: "x",
      GITHUB_TOKEN: "two words",
      DB_PASSWORD: "p",
      AWS_SECRET_ACCESS_KEY: "s",
      SESSION_ID: "1",
      DATABASE_URL: "postgres://ann:hunter2@db/prod",
      PATH: "/usr/bin",
    });
    expect(shown).toEqual({
      API_KEY: "[redacted]",
      GITHUB_TOKEN: "[redacted]",
      DB_PASSWORD: "[redacted]",
      AWS_SECRET_ACCESS_KEY: "[redacted]",
      SESSION_ID: "[redacted]",
      DATABASE_URL: "postgres://ann:[redacted]@db/prod",
      PATH: "/usr/bin",
    });
  });
});

describe("secret values", () => {
  it("are those of the variables whose names say so", () => {
    expect(secretValues({ API_KEY: "one", PATH: "/bin", my_token: "two", AUTH: undefined })).toEqual(["one", "two"]);
  });
});
