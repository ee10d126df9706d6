import { describe, expect, it } from "vitest";
import { nameTarget, parseNotifyTarget, showTarget, toNoticeType, type NotifyOccasion } from "../../src/job/notify.ts";
import type { EventBody } from "../../src/job/event.ts";

describe("whom to notify", () => {
  it.each([
    ["desktop", "desktop", "desktop:", "desktop"],
    ["ntfy://ntfy.sh/my-topic", "ntfy", "https://ntfy.sh/my-topic", "ntfy+https://ntfy.sh/…"],
    ["ntfy://push.example:8443/t", "ntfy", "https://push.example:8443/t", "ntfy+https://push.example:8443/…"],
    ["https://ntfy.sh/my-topic?auth=abc", "ntfy", "https://ntfy.sh/my-topic?auth=abc", "ntfy+https://ntfy.sh/…"],
    ["ntfy+http://10.0.0.2/t", "ntfy", "http://10.0.0.2/t", "ntfy+http://10.0.0.2/…"],
    [
      "https://hooks.slack.com/services/T0/B0/X",
      "slack",
      "https://hooks.slack.com/services/T0/B0/X",
      "slack+https://hooks.slack.com/…",
    ],
    ["slack+https://chat.example/hooks/x", "slack", "https://chat.example/hooks/x", "slack+https://chat.example/…"],
    [
      "https://discord.com/api/webhooks/1/x",
      "discord",
      "https://discord.com/api/webhooks/1/x",
      "discord+https://discord.com/…",
    ],
    ["https://discord.com/channels/1", "plain", "https://discord.com/channels/1", "https://discord.com/…"],
    ["http://example.com/hook?token=x", "plain", "http://example.com/hook?token=x", "http://example.com/…"],
    [
      "https://hooks.slack.com.example/x",
      "plain",
      "https://hooks.slack.com.example/x",
      "https://hooks.slack.com.example/…",
    ],
  ])("%s is read as %s", (text, format, url, shown) => {
    const target = parseNotifyTarget(text, "notify");
    expect(target).toEqual({ format, url });
    expect(showTarget(target)).toBe(shown);
  });

  it.each([
    "",
    "Desktop",
    "nonsense",
    "mailto:hunter2@example.com",
    "ftp://example.com/hunter2",
    "https://",
    "https://user:hunter2@example.com/",
    "teams+https://example.com/hunter2",
    "slack+ftp://example.com/hunter2",
    `https://example.com/${"hunter2".repeat(400)}`,
  ])("%s is refused in one sentence with examples, and not shown", (text) => {
    expect(() => parseNotifyTarget(text, "notify")).toThrow(
      /^notify must be "desktop" or a URL: ntfy:\/\/ntfy\.sh\/my-topic, https:\/\/hooks\.slack\.com\/services\/…, .*\/hook\.$/,
    );
    expect(() => parseNotifyTarget(text, "notify")).not.toThrow(/hunter2/);
  });

  it.each(["ntfy://ntfy.sh", "ntfy://ntfy.sh/", "https://ntfy.sh/a%20b", `ntfy://ntfy.sh/${"x".repeat(65)}`])(
    "%s is refused for want of a topic",
    (text) => {
      expect(() => parseNotifyTarget(text, "notify")).toThrow(
        "notify must name a topic of ntfy: ntfy://ntfy.sh/my-topic.",
      );
    },
  );
});

describe("what people are told of", () => {
  const finished = (status: "succeeded" | "failed" | "timed_out" | "cancelled"): EventBody => ({
    type: "job-finished",
    status,
    attempt: 1,
  });
  const asked: EventBody = { type: "question-asked", key: "q", question: { message: "Which?" } };
  const stalled: EventBody = { type: "job-stalled", idleMs: 1_000 };

  it.each<[NotifyOccasion[], EventBody, string | undefined]>([
    [["end"], finished("succeeded"), "job.succeeded"],
    [["end"], finished("cancelled"), "job.cancelled"],
    [["fail"], finished("succeeded"), undefined],
    [["fail"], finished("cancelled"), undefined],
    [["fail"], finished("failed"), "job.failed"],
    [["fail"], finished("timed_out"), "job.timed_out"],
    [["end", "fail"], finished("failed"), "job.failed"],
    [["question"], finished("failed"), undefined],
    [["question"], asked, "job.question"],
    [["end"], asked, undefined],
    [["stall"], stalled, "job.stalled"],
    [["end"], stalled, undefined],
    [["end", "fail", "question", "stall"], { type: "job-active-again" }, undefined],
  ])("on %j of %o: %s", (on, event, type) => {
    expect(toNoticeType(event, { to: [], on }, 0)).toBe(type);
  });

  it("a time that a job must have taken keeps back its end alone", () => {
    const notify = { to: [], on: ["end", "question", "stall"] as const, afterMs: 1_000 };
    expect(toNoticeType(finished("failed"), notify, 999)).toBeUndefined();
    expect(toNoticeType(finished("failed"), notify, 1_000)).toBe("job.failed");
    expect(toNoticeType(asked, notify, 0)).toBe("job.question");
    expect(toNoticeType(stalled, notify, 0)).toBe("job.stalled");
  });
});

it("a target can be named so that it is read as the same again", () => {
  const texts = ["desktop", "ntfy://ntfy.sh/my-topic", "slack+https://chat.example/hook", "https://a.example/b?c=d"];
  const targets = texts.map((text) => parseNotifyTarget(text, "notify"));
  expect(targets.map((target) => parseNotifyTarget(nameTarget(target), "notify"))).toEqual(targets);
});
