import { describe, expect, it } from "vitest";
import { useAccessWorld, localToken } from "../door/access-world.ts";
import { present } from "../../present.ts";
import { until } from "../../until.ts";

const world = useAccessWorld();

interface Browser {
  /** `ID.SECRET`, as the page keeps it. */
  readonly session: string;
  readonly cookie: string;
}

async function logIn(token: string): Promise<Browser> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return readLogin(await fetch(`${world().url}/v1/session`, { method: "POST", headers, body: "{}" }));
}

async function readLogin(response: Response): Promise<Browser> {
  const { session } = (await response.json()) as { session: string };
  return { session, cookie: present((response.headers.get("set-cookie") ?? "").split(";")[0]) };
}

function enter(code: string): Promise<Response> {
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ code }) };
  return fetch(`${world().url}/v1/session`, init);
}

/** As the page would send it, but for what differs. */
function ask(browser: Browser, changes: Record<string, string | undefined> = {}, path = "/v1/jobs"): Promise<Response> {
  const sent: Record<string, string | undefined> = {
    cookie: browser.cookie,
    "x-longhaul-session": browser.session,
    "sec-fetch-site": "same-origin",
    ...changes,
  };
  const headers = Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return fetch(`${world().url}${path}`, { headers });
}

describe("a browser's session", () => {
  it("counts only whole: with the cookie, the secret of its origin, and from a page of this server", async () => {
    const browser = await logIn(localToken);
    const other = await logIn(localToken);
    const status = async (changes: Record<string, string | undefined>): Promise<number> =>
      (await ask(browser, changes)).status;
    expect(await status({})).toBe(200);
    // What a page on another port of the host can send: the cookie comes along, and nothing else.
    expect(await status({ "x-longhaul-session": undefined, "sec-fetch-site": "same-site" })).toBe(401);
    expect(await status({ "sec-fetch-site": "same-site" })).toBe(401);
    expect(await status({ "sec-fetch-site": undefined })).toBe(401);
    expect(await status({ cookie: undefined })).toBe(401);
    expect(await status({ cookie: other.cookie })).toBe(401);
    expect(await status({ "x-longhaul-session": other.session })).toBe(401);
    expect(await status({ cookie: `${browser.cookie}; ${other.cookie}` })).toBe(200);
  });

  it("has a cookie that no script reads and no other site sends", async () => {
    const headers = { authorization: `Bearer ${localToken}`, "content-type": "application/json" };
    const response = await fetch(`${world().url}/v1/session`, { method: "POST", headers, body: "{}" });
    const cookie = response.headers.get("set-cookie");
    expect(cookie).toMatch(/^longhaul_[0-9a-f]{12}=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=431\d\d$/);
  });

  it("is no token: neither half of it opens anything as one", async () => {
    const { session, cookie } = await logIn(localToken);
    const [id = "", secret = ""] = session.split(".");
    for (const part of [secret, cookie.split("=")[1] ?? ""]) {
      const headers = { authorization: `Bearer lh_${id}_${part}` };
      expect((await fetch(`${world().url}/v1/jobs`, { headers })).status).toBe(401);
    }
    const { tokens } = (await (await ask(await logIn(localToken), {}, "/v1/tokens")).json()) as { tokens: unknown[] };
    expect(JSON.stringify(tokens)).not.toContain("session");
  });

  it("may what its token may, and no more", async () => {
    const token = await world().give({ name: "reader of ada", owner: "ada", scope: "read" });
    const browser = await logIn(token);
    expect((await ask(browser)).status).toBe(200);
    expect((await ask(browser, {}, "/v1/tokens")).status).toBe(403);
    const { sessions } = (await (await ask(browser, {}, "/v1/sessions")).json()) as { sessions: { of: string }[] };
    expect(sessions.map(({ of }) => of)).toEqual(["reader of ada"]);
  });

  it("ends with its token, and an open stream with it", async () => {
    const token = await world().give({ name: "short", owner: "ada", scope: "admin" });
    const browser = await logIn(token);
    const job = await world().engine.submit({ kind: "other", input: {} }, { owner: "ada" });
    const headers = { accept: "text/event-stream" };
    const stream = await ask(browser, headers, `/v1/jobs/${job.id}/events`);
    expect(stream.status).toBe(200);
    const ended = readToEnd(stream);
    await world().engine.tokens.revoke("short");
    await ended;
    const refused = await ask(browser);
    expect(refused.status).toBe(401);
    expect(await refused.text()).toContain("The token of the session was ended.");
  });

  it("ends when somebody revokes it, and an open stream with it", async () => {
    const browser = await logIn(localToken);
    const job = await world().engine.submit({ kind: "other", input: {} });
    const stream = await ask(browser, { accept: "text/event-stream" }, `/v1/jobs/${job.id}/events`);
    const ended = readToEnd(stream);
    await world().engine.sessions.revoke(present(browser.session.split(".")[0]), {});
    await ended;
    expect((await ask(browser)).status).toBe(401);
  });

  it("is opened by a code once, and says how to get a new one", async () => {
    const code = world().engine.sessions.createCode({ by: "local (cli)" });
    const browser = await readLogin(await enter(code));
    expect((await ask(browser)).status).toBe(200);
    const again = await enter(code);
    expect(again.status).toBe(410);
    expect(await again.text()).toContain("`longhaul open` makes a new one");
  });

  it("cannot be opened for a running command", async () => {
    const { token, end } = await world().startCommand();
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    expect((await fetch(`${world().url}/v1/session`, { method: "POST", headers, body: "{}" })).status).toBe(403);
    await end();
  });

  it("ends by itself after twelve hours, and a code after a minute", async () => {
    const browser = await logIn(localToken);
    const code = world().engine.sessions.createCode({ by: "local (cli)" });
    world().passTime(61_000);
    expect((await enter(code)).status).toBe(410);
    expect((await ask(browser)).status).toBe(200);
    world().passTime(12 * 3_600_000);
    await until(async () => (await ask(browser)).status === 401);
    expect(await (await ask(browser)).text()).toContain("has expired");
  });
});

/** Resolves when the server hangs up. */
async function readToEnd(stream: Response): Promise<void> {
  const reader = present(stream.body ?? undefined).getReader();
  try {
    while (!(await reader.read()).done);
  } catch {
    // Hung up in the middle.
  }
}
