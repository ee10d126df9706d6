import { describe, expect, it } from "vitest";
import { checkWebhookSecret, parseWebhookUrl, showUrl, toDeliveryType } from "../../src/job/webhook.ts";

const url = "https://a.example/";

describe("a webhook's secret", () => {
  const secretOf = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 1).toString("base64")}`;

  it.each([24, 25, 26, 32, 63, 64])("may have %d bytes", (bytes) => {
    expect(() => checkWebhookSecret(secretOf(bytes), "it")).not.toThrow();
  });

  it.each([
    ["too short", secretOf(23)],
    ["too long", secretOf(65)],
    ["of another kind", Buffer.alloc(32).toString("base64")],
    ["not base64", `whsec_${"?".repeat(32)}`],
    ["base64 of another kind", `whsec_${"_-".repeat(16)}`],
  ])("is refused without being shown if it is %s", (_what, secret) => {
    expect(() => checkWebhookSecret(secret, "webhooks.secret")).toThrow(
      /^webhooks\.secret must be "whsec_" and the base64 text of 24 to 64 random bytes\.$/,
    );
  });
});

describe("a webhook's address", () => {
  it("is shown without its query", () => {
    expect(showUrl(parseWebhookUrl("https://a.example/b/c?d=e#f", "it"))).toBe("https://a.example/b/c?…");
    expect(showUrl(parseWebhookUrl("http://127.0.0.1:8080/b", "it"))).toBe("http://127.0.0.1:8080/b");
  });

  it.each(["", "a.example", "javascript:alert(1)", "https://a@b.example", `https://a.example/${"x".repeat(2_000)}`])(
    "is refused: %s",
    (text) => {
      expect(() => parseWebhookUrl(text, "webhook.url")).toThrow(/^webhook\.url must be an http or https address/);
    },
  );
});

describe("what a webhook tells of", () => {
  it("is ends and questions, each if it is wanted", () => {
    const end = { type: "job-finished", status: "timed_out", attempt: 1 } as const;
    const question = { type: "question-asked", key: "q", question: { message: "Which?" } } as const;
    expect(toDeliveryType(end, { url, on: ["end"] })).toBe("job.timed_out");
    expect(toDeliveryType(end, { url, on: ["question"] })).toBeUndefined();
    expect(toDeliveryType(question, { url, on: ["question"] })).toBe("job.question");
    expect(toDeliveryType(question, { url, on: ["end"] })).toBeUndefined();
    expect(toDeliveryType({ type: "job-active-again" }, { url, on: ["end", "question"] })).toBeUndefined();
  });
});
