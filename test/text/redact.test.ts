import { describe, expect, it } from "vitest";
import { createRedactor, createShownTexts, secretValues } from "../../src/text/redact.ts";

const { text, env } = createRedactor([]);

describe("redacting text", () => {
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
    [`login github_pat_${"a1".repeat(20)} now`, "login [redacted] now"],
    [`login glpat-${"a1".repeat(10)} now`, "login [redacted] now"],
    [`echo ${btoa(`glpat-${"a1".repeat(10)}`)} | base64 -d`, "echo [redacted] | base64 -d"],
    ["curl -u ann:hunter2 https://x.test", "curl -u ann:[redacted] https://x.test"],
    ["curl -uann:hunter2 x", "curl -uann:[redacted] x"],
    ["curl --user 'ann:hunter2' x", "curl --user 'ann:[redacted]' x"],
    ["mysql -uann -phunter2 prod", "mysql -uann -p[redacted] prod"],
    ["mysqldump -p'correct horse' prod", "mysqldump -p[redacted] prod"],
    ["sshpass -p hunter2 ssh ann@host", "sshpass -p [redacted] ssh ann@host"],
    ["PASS=hunter2 make", "PASS=[redacted] make"],
    ["DB_PASS=hunter2 MYSQL_PWD=hunter3 make", "DB_PASS=[redacted] MYSQL_PWD=[redacted] make"],
    ["curl -H 'Cookie: sid=abc; theme=dark' x", "curl -H 'Cookie: [redacted]' x"],
    ["Set-Cookie: sid=abc; Path=/\nnext", "Set-Cookie: [redacted]\nnext"],
    ["curl --cookie sid=abcdef x", "curl --cookie [redacted] x"],
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
    "docker run -u 1000:1000 -p 8080:80 image",
    "mkdir -p a/b && ssh -p2222 ann@host",
    "PWD=/srv/app OLDPWD=/srv BYPASS=1 make compass=north",
    "the cookie jar is empty",
    "größer als 5 €",
    "",
  ])("leaves ordinary text as it is: %j", (ordinary) => {
    expect(text(ordinary)).toBe(ordinary);
  });

  it("changes nothing when it is done again", () => {
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

describe("known values", () => {
  const secret = "correct-horse-battery";
  const { text: hide } = createRedactor([secret]);

  it.each(["", "a", "ab", "ann:"])("are hidden in base64, also behind %j", (before) => {
    const shown = hide(`echo ${Buffer.from(`${before}${secret}!`).toString("base64")} end`);
    expect(shown).toMatch(/^echo [\w+/]{0,6}\[redacted\][\w+/]{0,3}=* end$/);
    const inUrl = hide(`x?${Buffer.from(`${before}${secret}`).toString("base64url")}`);
    expect(inUrl).toMatch(/^x\?[\w-]{0,6}\[redacted\][\w-]{0,3}$/);
  });

  it("are hidden when there are very many of them, also where they stand together", () => {
    const many = createRedactor(Array.from({ length: 500 }, (_, index) => `secret-value-${index}-`));
    expect(many.known("a secret-value-7-secret-value-499- b secret-value-500- c")).toBe(
      "a [redacted][redacted] b secret-value-500- c",
    );
    expect(many.unfinished("a secret-value-4")).toBe("secret-value-4".length);
    expect(many.unfinished(`${"secret-value-4".repeat(10_000)}!`)).toBe(0);
  });
});

/** Each was, or would be with a careless expression, looked at again from each of its places. */
const unkind = [
  "key",
  "-eyJ",
  "key=",
  'key:"',
  "key='",
  "bearer ",
  "://a:",
  "authorization: ",
  "curl -u a",
  "mysql -p",
  "cookie:",
  "cookie: \n",
  "sk-",
  "eyJaaaaaaaaaa.",
  "key   ",
  "curl -u====",
  "--password ",
  "Z2hwX",
  "pass_",
  "token=\"a'",
  "  ",
];

describe("a long text", () => {
  /** How often a text of this length can be redacted in some time of the processor; neighbours do not count. */
  const cost = (shown: string): number => {
    const before = process.cpuUsage();
    text(shown);
    const { user } = process.cpuUsage(before);
    return user;
  };

  it.each(unkind)("takes time in proportion to its length, if it is %j again and again", (part) => {
    const growth = [1, 2, 3].map(() => {
      const [short, long] = [4_000, 64_000].map((length) => cost(part.repeat(length)));
      return (long ?? 0) / Math.max(1_000, short ?? 0);
    });
    // Sixteen times as long; it would be 256 times if each place were looked at from each other.
    expect(Math.min(...growth)).toBeLessThan(64);
  });

  it("is cut off where an input shows it, and no secret with it", () => {
    const redactor = createRedactor(["known-secret-value"]);
    const show = createShownTexts(redactor);
    expect(show("PASS=hunter2")).toBe("PASS=[redacted]");
    const long = show(`${"x".repeat(99_940)}known-secret-value and more`);
    expect(long).toMatch(/^x+… \[99967 characters\]$/);
    expect(show("nothing is left for this")).toBe("… [24 characters]");
  });
});

describe("redacting variables", () => {
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
