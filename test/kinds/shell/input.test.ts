import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { containing } from "../../containing.ts";
import { until } from "../../until.ts";
import { exited, useShell } from "./world.ts";
import { refusal } from "../../engine/world.ts";

const world = useShell();

describe("text that is sent", () => {
  it("reaches a command that waits for it", async () => {
    const engine = await world().open();
    const job = await world().submit('read -r name && echo "hello $name" && read -r age && echo "$age years"');
    await world().pid(job.id);
    await engine.send(job.id, "Ada Lovelace\n");
    await world().untilOutput(job.id, "hello Ada Lovelace\n");
    await engine.send(job.id, "36\n");
    expect((await world().end(job.id)).state.status).toBe("succeeded");
    expect(await world().stdout(job.id)).toBe("hello Ada Lovelace\n36 years\n");
  });

  it("reaches a command that has only just been started", async () => {
    const engine = await world().open();
    for (let round = 0; round < 20; round++) {
      const job = await world().submit("read -r line; echo $line");
      await until(async () => {
        try {
          await engine.send(job.id, "early\n");
          return true;
        } catch (error) {
          // Until it is started; never because its input is not yet open.
          expect(error).toMatchObject(refusal("conflict", /it (is queued|takes no input)/));
          return false;
        }
      });
      await world().end(job.id);
      expect(await world().stdout(job.id)).toBe("early\n");
    }
  });

  it("may be larger than a pipe holds, and arrives whole", async () => {
    const engine = await world().open();
    const text = "0123456789abcde\n".repeat(20_000);
    const job = await world().submit(`head -c ${text.length} | sha1sum; echo; head -c 3`);
    await world().pid(job.id);
    await engine.send(job.id, text);
    await engine.send(job.id, "end");
    await world().end(job.id);
    const expected = await world().stdoutOf({ command: "sha1sum", stdin: text });
    expect(await world().stdout(job.id)).toBe(`${expected}\nend`);
  });

  it("is refused when the command does not read: nobody waits for ever", async () => {
    const engine = await world().open();
    const job = await world().submit({ argv: ["sleep", "60"] });
    await world().pid(job.id);
    await expect(engine.send(job.id, "x".repeat(200_000))).rejects.toMatchObject(
      refusal("conflict", /does not read its input: \d+ bytes could not be written/),
    );
  });

  it("is refused by a job that has ended", async () => {
    const engine = await world().open();
    const { id } = await world().run("true");
    await expect(engine.send(id, "hello\n")).rejects.toMatchObject(refusal("conflict", /it has succeeded/));
  });

  it("is refused by a job whose input was given at its start, and leaves that as it is", async () => {
    const engine = await world().open();
    const job = await world().submit({ command: "until [ -e go ]; do sleep 0.02; done; cat", stdin: "what was given" });
    await world().pid(job.id);
    await expect(engine.send(job.id, "something else\n")).rejects.toMatchObject(
      refusal("conflict", /no more can be sent/),
    );
    writeFileSync(world().path("go"), "");
    await world().end(job.id);
    expect(await world().stdout(job.id)).toBe("what was given");
  });
});

describe("input that is given at the start", () => {
  it("ends: the command reads it to its end", async () => {
    await world().open();
    expect(await world().stdoutOf({ command: "cat; echo; echo the end", stdin: "a\nb" })).toBe("a\nb\nthe end\n");
    expect(await world().stdoutOf({ argv: ["wc", "-c"], stdin: "" })).toBe("0\n");
  });
});

describe("a terminal", () => {
  it("is what a command on one sees", async () => {
    await world().open();
    const plain = await world().run("tty");
    expect(await world().stdout(plain.id)).toBe("not a tty\n");
    const onTerminal = await world().stdoutOf({ command: "tty; stty size; echo $TERM", pty: true });
    expect(onTerminal).toMatch(/^\/dev\/pts\/\d+\r\n40 120\r\nxterm-256color\r\n$/);
  });

  it("runs an argv word by word too", async () => {
    await world().open();
    expect(await world().stdoutOf({ argv: ["printf", "[%s]", "it's", "a b", "$HOME", ""], pty: true })).toBe(
      "[it's][a b][$HOME][]",
    );
  });

  it("lets one talk to a program that wants one: a REPL of Python", async () => {
    const engine = await world().open();
    const job = await world().submit({ command: "python3 -q", pty: true });
    await world().untilOutput(job.id, ">>> ");
    await engine.send(job.id, "6 * 7\n");
    await world().untilOutput(job.id, "42");
    await engine.send(job.id, "import sys; sys.exit(5)\n");
    expect((await world().end(job.id)).state).toMatchObject(exited(5));
  });

  it("lets one talk to a program that wants one: a REPL of Node", async () => {
    const engine = await world().open();
    const job = await world().submit({ argv: [process.execPath], pty: true });
    await world().untilOutput(job.id, "> ");
    await engine.send(job.id, "'li' + 'ne ' + (20 + 3)\n");
    await world().untilOutput(job.id, "'line 23'");
    // What a person types to end it.
    await engine.send(job.id, "\u0004");
    expect((await world().end(job.id)).state.status).toBe("succeeded");
  });

  it("has a window of the size that it is given, and of another when it is resized", async () => {
    const engine = await world().open();
    const command = "trap 'stty size' WINCH; stty size; while :; do sleep 0.02; done";
    const job = await world().submit({ command, pty: true, window: { columns: 90, rows: 30 } });
    await world().untilOutput(job.id, "30 90");
    await engine.resize(job.id, { columns: 77, rows: 22 });
    await world().untilOutput(job.id, "22 77");
    // Without a size what is shown is drawn anew. A shell may miss a signal that comes while it heeds the one before.
    await until(async () => {
      await engine.resize(job.id);
      return (await world().stdout(job.id)).split("22 77").length > 2;
    });
    await engine.cancel(job.id);
    expect((await world().end(job.id)).state.status).toBe("cancelled");
  });

  it("is what there must be to be resized", async () => {
    const engine = await world().open();
    const job = await world().submit("sleep 60");
    await world().pid(job.id);
    await expect(engine.resize(job.id, { columns: 80, rows: 24 })).rejects.toMatchObject(
      refusal("conflict", /the command has no terminal/),
    );
  });

  it("shows nothing of what is typed where the command wants it so", async () => {
    const engine = await world().open();
    const command = "read -rsp 'Password: ' secret; echo; echo ${#secret} characters";
    const job = await world().submit({ command, pty: true });
    await world().untilOutput(job.id, "Password: ");
    await engine.send(job.id, "opensesame\n");
    await world().end(job.id);
    expect(await world().stdout(job.id)).toBe("Password: \r\n10 characters\r\n");
  });

  it("passes on all that is written to it, also at the end", async () => {
    await world().open();
    const lines = Array.from({ length: 200_000 }, (_, index) => `${index + 1}\r\n`).join("");
    expect(await world().stdoutOf({ command: "seq 200000", pty: true })).toBe(lines);
  });

  it("takes a text that is given at the start, and its end", async () => {
    await world().open();
    const shown = await world().stdoutOf({ command: "stty -echo; cat; echo the end", stdin: "a\nb", pty: true });
    expect(shown.replace(/^a\r\nb/, "")).toBe("a\r\nbthe end\r\n");
  });

  it("lets keys be pressed that are sent once, however often: Ctrl-C interrupts", async () => {
    const engine = await world().open();
    const job = await world().submit({ command: "trap 'echo interrupted; exit 7' INT; echo up; sleep 60", pty: true });
    await world().untilOutput(job.id, "up");
    await engine.feed(job.id, { bytes: Buffer.from("\u0003"), sender: "keys", offset: 0 });
    expect((await world().end(job.id)).state).toMatchObject(exited(7));
  });

  it("is taken away from a command that does not heed a cancel, before the command is killed", async () => {
    const engine = await world().open({ termGraceMs: 30_000 });
    const command = "trap '' TERM; trap 'echo hung up; exit' HUP; echo up; while :; do sleep 0.1; done";
    const job = await world().submit({ command, pty: true });
    await world().untilOutput(job.id, "up");
    await engine.cancel(job.id);
    expect((await world().end(job.id)).state.status).toBe("cancelled");
    expect(await world().stdout(job.id)).toContain("hung up");
  });

  it("hands on the command's exit code and ends with a cancel", async () => {
    const engine = await world().open();
    expect((await world().run({ command: "exit 9", pty: true })).state).toMatchObject(exited(9));
    const job = await world().submit({ command: "sleep 100 & sleep 200", pty: true });
    const pid = await world().pid(job.id);
    await until(async () => (await world().live(job.id)).processes >= 3);
    await engine.cancel(job.id);
    expect((await world().end(job.id)).state.status).toBe("cancelled");
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
  });
});

describe("input that is streamed", () => {
  const bytes = (text: string): Uint8Array => Buffer.from(text);

  it("reaches the command as it comes, and ends", async () => {
    const engine = await world().open();
    const job = await world().submit({ command: "head -n 1; echo one; cat; echo the end", stream_stdin: true });
    await world().pid(job.id);
    await engine.feed(job.id, { bytes: bytes("first\n") });
    await world().untilOutput(job.id, "one\n");
    await engine.feed(job.id, { bytes: bytes("second\n"), isEnd: true });
    expect((await world().end(job.id)).state.status).toBe("succeeded");
    expect(await world().stdout(job.id)).toBe("first\none\nsecond\nthe end\n");
  });

  it("counts once what a sender sends again, wherever it was cut", async () => {
    const engine = await world().open();
    const job = await world().submit({ argv: ["cat"], stream_stdin: true });
    await world().pid(job.id);
    const text = Array.from({ length: 40_000 }, (_, index) => `${index}\n`).join("");
    const send = (from: number, to: number): Promise<number> =>
      engine.feed(job.id, { bytes: bytes(text.slice(from, to)), sender: "s", offset: from });
    await send(0, 10_000);
    await send(0, 10_000);
    await send(5_000, 60_000);
    await send(60_000, text.length);
    await engine.feed(job.id, { bytes: bytes("other"), sender: "another", offset: 0, isEnd: true });
    await world().end(job.id);
    expect(await world().stdout(job.id)).toBe(`${text}other`);
  });

  it("is taken no faster than the command reads it, and nothing of it is lost", async () => {
    const engine = await world().open();
    const job = await world().submit({ command: "until [ -e go ]; do sleep 0.02; done; sha1sum", stream_stdin: true });
    await world().pid(job.id);
    const data = Buffer.alloc(4_000_000, "0123456789abcdefghijklmnopqrstuvwxyz");
    const taken = await engine.feed(job.id, { bytes: data, sender: "s", offset: 0 });
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(data.length);
    writeFileSync(world().path("go"), "");
    for (let offset = taken; offset < data.length;) {
      offset += await engine.feed(job.id, { bytes: data.subarray(offset), sender: "s", offset });
    }
    await engine.feed(job.id, { bytes: bytes(""), sender: "s", offset: data.length, isEnd: true });
    await world().end(job.id);
    const expected = createHash("sha1").update(data).digest("hex");
    expect(await world().stdout(job.id)).toBe(`${expected}  -\n`);
  });

  it("is refused as closed once the command reads no more", async () => {
    const engine = await world().open();
    const job = await world().submit({ command: "exec 0<&-; echo closed; sleep 60", stream_stdin: true });
    await world().untilOutput(job.id, "closed");
    await until(async () => {
      const sent = engine.feed(job.id, { bytes: bytes("x"), sender: "s", offset: 0 });
      return sent.then(
        () => false,
        (error: unknown) => {
          expect(error).toMatchObject({ ...refusal("conflict", /input is closed/), details: { input: "closed" } });
          return true;
        },
      );
    });
  });

  it("cannot be ended, and counts no offsets, where the command was started to stay open for what is sent", async () => {
    const engine = await world().open();
    const job = await world().submit({ argv: ["cat"] });
    await world().pid(job.id);
    const refused = refusal("conflict", /stays open and counts no bytes, because it was not started with stream_stdin/);
    await expect(engine.feed(job.id, { bytes: bytes(""), isEnd: true })).rejects.toMatchObject(refused);
    await expect(engine.feed(job.id, { bytes: bytes("x"), sender: "s", offset: 0 })).rejects.toMatchObject(refused);
  });

  it("is not given to a second attempt, which therefore is none", async () => {
    const engine = await world().open();
    const request = { limits: { attempts: 3 } };
    const job = await world().submit({ command: "cat; exit 3", stream_stdin: true }, request);
    await world().pid(job.id);
    await engine.feed(job.id, { bytes: bytes("data\n"), isEnd: true });
    const { state } = await world().end(job.id);
    expect(state).toMatchObject({ ...exited(3), attempt: 1 });
    expect(state).toMatchObject({ failure: { message: containing("What was piped into it is gone") } });
    await engine.retry(job.id);
    expect((await world().end(job.id)).state).toMatchObject({ status: "failed", failure: { code: "input_gone" } });
  });

  it("is none for every attempt if it was none for the first", async () => {
    const engine = await world().open();
    const request = { limits: { attempts: 2 } };
    const job = await world().submit({ command: "cat; echo end; exit 3", stream_stdin: true }, request);
    await world().pid(job.id);
    await engine.feed(job.id, { bytes: bytes(""), sender: "s", offset: 0, isEnd: true });
    expect((await world().end(job.id)).state).toMatchObject({ ...exited(3), attempt: 2 });
    expect(await world().stdout(job.id)).toBe("end\n");
  });
});
