import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { present } from "../../present.ts";
import { until } from "../../until.ts";
import { hasBrowser, useWebWorld } from "./web-world.ts";

describe.skipIf(!hasBrowser)("the dashboard", () => {
  const world = useWebWorld();

  const start = (command: string, words: readonly string[] = []): Promise<string> => world().cli.detach(command, words);
  const stateOf = async (id: string): Promise<string> => (await world().cli.client.call("job_get", { id })).state;
  const button = (page: Page, name: string): ReturnType<Page["getByRole"]> =>
    page.getByRole("button", { name, exact: true });

  it("starts a job from a form, shows what is wrong beside its field, and the output as it is written", async () => {
    const { page, go } = await world().view();
    await go("/new/run_command");
    await page.getByText("Name, tags, limits, notices").click();
    await page.getByLabel("Priority").fill("many");
    await button(page, "Start shell job").click();
    await page.getByText("This must be a number.").waitFor();
    await page.getByLabel("Priority").fill("5000");
    await page.getByLabel("command", { exact: true }).fill('echo first; read line; echo "got $line"');
    await button(page, "Start shell job").click();
    expect(await page.locator(".field", { hasText: "priority" }).locator(".wrong").textContent()).toContain("1000");
    await page.getByLabel("Priority").fill("5");
    await button(page, "Start shell job").click();
    await page.locator(".line", { hasText: "first" }).waitFor();
    await page.getByLabel("stdin").fill("a word");
    await button(page, "Send").click();
    await page.locator(".line", { hasText: "got a word" }).waitFor();
    await page.locator(".job-head .state-succeeded").waitFor();
    await page.context().close();
  });

  it("answers questions in the overview and in the inbox", async () => {
    const first = await start('longhaul ask "Deploy the first?" --yes-no && echo yes');
    const { page, go } = await world().view();
    const asking = page.getByRole("form", { name: "Question: Deploy the first?" });
    await asking.getByRole("checkbox").check();
    await asking.getByRole("button", { name: "Answer" }).click();
    await until(async () => (await stateOf(first)) === "succeeded");
    await go("/inbox");
    const second = await start('longhaul ask "Which one?" --choice red --choice blue');
    const choosing = page.getByRole("form", { name: "Question: Which one?" });
    await choosing.getByRole("combobox").selectOption("blue");
    await choosing.getByRole("button", { name: "Answer" }).click();
    await until(async () => (await stateOf(second)) === "succeeded");
    await page.getByText("Which one?", { exact: true }).waitFor({ state: "detached" });
    expect((await world().cli.client.call("job_output", { id: second })).text).toContain("blue");
    await page.context().close();
  });

  it("cancels, retries, and runs again with changes", async () => {
    const id = await start("sleep 600");
    const { page, go } = await world().view();
    await go(`/jobs/${id}`);
    await button(page, "Cancel").click();
    await button(page, "Cancel the job").click();
    await page.locator(".job-head .state-cancelled").waitFor();
    await button(page, "Retry").click();
    await page.locator(".job-head .state-running").waitFor();
    await button(page, "Cancel").click();
    await button(page, "Cancel the job").click();
    await button(page, "Run with changes").click();
    await page.getByLabel("command", { exact: true }).fill("echo changed");
    await button(page, "Start with these changes").click();
    await page.locator(".line", { hasText: "changed" }).waitFor();
    expect(page.url()).not.toContain(id);
    await page.context().close();
  });

  it("retries all that match, searches, and has a view in its address", async () => {
    const jobs = Array.from({ length: 30 }, (_job, index) => ({
      kind: "shell",
      input: { command: `exit ${index === 0 ? 0 : 3}` },
      name: `bulk-${index}`,
      tags: ["bulk"],
    }));
    await world().cli.client.call("job_submit", { jobs });
    const { page, go } = await world().view();
    await go("/jobs?q=tag:bulk state:failed");
    await page.getByText("29 jobs").waitFor();
    await page.locator(".row").first().getByRole("checkbox").check();
    await button(page, "Select all that match").click();
    await button(page, "Retry").click();
    await page.getByRole("dialog").getByRole("button", { name: "Retry" }).click();
    await page.getByText(/29 (jobs )?retried/).waitFor();
    await page.getByLabel("Filter").fill("tag:bulk name:bulk-0");
    await page.getByText("1 job", { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get("q")).toBe("tag:bulk name:bulk-0");
    const other = await world().view();
    await other.page.goto(page.url());
    await other.page.getByText("1 job", { exact: true }).waitFor();
    await page.getByLabel("Filter").fill("colour:red");
    await page.locator("#filter-said", { hasText: 'there is no "colour:"' }).waitFor();
    await page.getByLabel("Filter").fill("tag:bulk name:bulk-0");
    await page.locator(".row").first().getByRole("checkbox").check();
    await button(page, "Delete").click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No job matches").waitFor();
    await Promise.all([page.context().close(), other.context.close()]);
  });

  it("says that the server is away, comes back when it does, and has missed nothing", async () => {
    const id = await start('i=0; while [ $i -lt 400 ]; do i=$((i+1)); echo "count $i"; sleep 0.02; done');
    const { page, go } = await world().view();
    await go(`/jobs/${id}`);
    await page.locator(".line", { hasText: "count " }).first().waitFor();
    await world().kill();
    await page.getByText("The server is away").waitFor();
    await world().start();
    await page.getByText("The server is away").waitFor({ state: "detached" });
    await page.locator(".job-head .state-succeeded").waitFor();
    await button(page, "Copy").waitFor();
    const numbers = await page.evaluate(() => document.querySelector(".lines > div")?.getAttribute("style") ?? "");
    // 400 lines of 20 pixels: none is missing, none came twice.
    expect(numbers).toContain("block-size: 8000px");
    await page.context().close();
  });

  it("shows a token that may only read no buttons, and the server refuses it", async () => {
    const token = await world().token(["reader", "--scope", "read"]);
    const id = await start("exit 7");
    const { page, go } = await world().view({ token });
    await go(`/jobs/${id}`);
    await page.locator(".job-head .state-failed").waitFor();
    expect(await page.getByRole("button", { name: /Retry|Run again|Run with changes|Delete|Cancel/ }).count()).toBe(0);
    expect(await page.getByRole("link", { name: "New job" }).count()).toBe(0);
    const status = await page.evaluate(
      async (job) =>
        (
          await fetch("/call/job_retry", {
            method: "POST",
            headers: {
              "content-type": "application/json",
              "x-longhaul-session": localStorage.getItem("longhaul.session") ?? "",
            },
            body: JSON.stringify({ ids: [job] }),
          })
        ).status,
      id,
    );
    expect(status).toBe(403);
    await page.context().close();
  });

  it("shows two owners their own jobs alone, also those that come while they look", async () => {
    const names = ["ada", "bob"];
    const views = await Promise.all(
      names.map(async (owner) => {
        const token = await world().token([owner, "--owner", owner]);
        const view = await world().view({ token });
        await view.go("/jobs");
        return { owner, token, ...view };
      }),
    );
    for (const { owner, token } of views) {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const body = JSON.stringify({
        kind: "crawl",
        input: { action: "markdown", url: "http://127.0.0.1:9/" },
        name: `of-${owner}`,
      });
      expect((await fetch(`${world().url}/v1/jobs`, { method: "POST", headers, body })).status).toBe(201);
    }
    for (const { owner, page } of views) {
      await page.getByText(`of-${owner}`).waitFor();
      expect(await page.locator(".row").count()).toBe(1);
      await page.context().close();
    }
  });

  it("is not let in from a page on another port, whose requests have its cookie", async () => {
    const { page, context } = await world().view();
    let cookies = "";
    const foreign = createServer((request, response) => {
      cookies = request.headers.cookie ?? "";
      response.writeHead(200, { "content-type": "text/html" }).end("<p>foreign</p>");
    });
    await new Promise<void>((resolve) => foreign.listen(0, "127.0.0.1", resolve));
    await page.goto(`http://127.0.0.1:${(foreign.address() as AddressInfo).port}/`);
    // This is the browser's flaw that the session's second half is for.
    expect(cookies).toContain("longhaul_");
    const replayed = await fetch(`${world().url}/v1/jobs`, {
      headers: { cookie: cookies, "sec-fetch-site": "same-origin" },
    });
    expect(replayed.status).toBe(401);
    foreign.close();
    await context.close();
  });

  it("logs out a page whose session was ended elsewhere", async () => {
    const token = await world().token(["leaver"]);
    const { page } = await world().view({ token });
    await world().cli.client.call("token_revoke", { token: "leaver" });
    await page.getByLabel("Token").waitFor();
    expect(await page.evaluate(() => localStorage.getItem("longhaul.session"))).toBeNull();
    await page.context().close();
  });

  it("keeps eight tabs live, of which those in the background hold no stream", async () => {
    const { page, context, go } = await world().view();
    await go("/jobs");
    for (let tab = 0; tab < 7; tab++) {
      const other = await context.newPage();
      await other.goto(`${world().url}/jobs`);
      await other.locator(".row").first().waitFor();
      // Headless, every tab counts as seen.
      await other.evaluate(() => {
        Object.defineProperty(document, "hidden", { value: true });
        document.dispatchEvent(new Event("visibilitychange"));
      });
    }
    await start("true", ["--name", "seen-by-the-first"]);
    await page.getByText("seen-by-the-first").waitFor();
    expect(context.pages()).toHaveLength(8);
    await context.close();
  });

  it("runs nothing of what names, output, results and questions say", async () => {
    const evil = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>\u202egnp.exe';
    const id = await start(`printf '%s\\n' '${evil}'; longhaul ask '${evil} [click](javascript:window.hacked=1)'`, [
      "--name",
      evil,
    ]);
    const { page, go, problems } = await world().view();
    await until(async () => (await stateOf(id)) === "waiting");
    for (const path of ["/", "/jobs", "/inbox", `/jobs/${id}`, `/jobs/${id}?tab=input`, `/jobs/${id}?tab=events`]) {
      await go(path);
      await page.getByText("onerror").first().waitFor();
    }
    expect(await page.evaluate(() => Object.hasOwn(globalThis, "hacked"))).toBe(false);
    expect(await page.locator("img[src=x]").count()).toBe(0);
    expect(problems).toEqual([]);
    expect(await page.locator("body").textContent()).not.toContain("\u202e");
    await page.context().close();
  });

  it.each(["light", "dark"] as const)("has nothing serious to hinder anybody, in any view (%s)", async (scheme) => {
    const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    const id = await start("echo hello; exit 1", ["--batch", "night", "--name", "plain"]);
    await until(async () => (await stateOf(id)) === "failed");
    const { page, context, go } = await world().view({ scheme });
    const found: string[] = [];
    const check = async (path: string): Promise<void> => {
      // The policy of the page lets no script in but its own: axe runs in a world of its own.
      const session = await context.newCDPSession(page);
      const { frameTree } = await session.send("Page.getFrameTree");
      const isolated = await session.send("Page.createIsolatedWorld", { frameId: frameTree.frame.id });
      const run = `${axe};axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id, nodes }) => id + " " + nodes[0].html))`;
      const { result } = await session.send("Runtime.evaluate", {
        expression: run,
        contextId: isolated.executionContextId,
        awaitPromise: true,
        returnByValue: true,
      });
      for (const text of (result.value ?? ["axe did not run"]) as string[]) found.push(`${path}: ${text}`);
      await session.detach();
    };
    for (const path of [
      "/",
      "/jobs",
      `/jobs/${id}`,
      `/jobs/${id}?tab=events`,
      `/jobs/${id}?tab=input`,
      "/inbox",
      "/queues",
      "/batches",
      "/batches/night",
      "/new/run_command",
      "/settings",
    ]) {
      await go(path);
      await page.locator("main, .one-batch").first().waitFor();
      await until(async () => (await page.locator(".skeleton").count()) === 0);
      await check(path);
    }
    await page.keyboard.press("Control+k");
    await page.getByRole("listbox").waitFor();
    await check("palette");
    expect(found).toEqual([]);
    await context.close();
  });

  it("is reached by keys alone", async () => {
    const { page, go } = await world().view();
    await go("/jobs");
    await page.locator(".row").first().waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.getByText("1 selected").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/jobs\/[0-9a-f-]{36}/);
    await page.keyboard.press("g");
    await page.keyboard.press("i");
    await page.waitForURL(/\/inbox$/);
    expect(present(await page.title())).toContain("Inbox");
    await page.context().close();
  });
});
