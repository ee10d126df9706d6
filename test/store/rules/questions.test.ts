import { describe, expect, it } from "vitest";
import { decideAnswer, decideAsk } from "../../../src/store/rules/questions.ts";
import { second, t0 } from "../drafts.ts";
import { changed, ended, running, token } from "./stored-jobs.ts";

const asking = { key: "q", question: { message: "Which?" }, at: t0 };
const open = { key: "q", question: { message: "Which?" }, askedAt: t0 };
const answered = { ...open, answer: { action: "decline" as const }, answeredAt: t0 };

describe("asking", () => {
  it("a new question is stored and the job waits", () => {
    const { asked, isNew, change } = decideAsk(running().job, token, undefined, asking);
    expect({ asked, isNew }).toEqual({ asked: open, isNew: true });
    expect(change?.state).toMatchObject({ status: "waiting", openQuestions: ["q"] });
  });

  it("a question that was answered before gives its answer, and the job does not wait", () => {
    const decision = decideAsk(running().job, token, answered, asking);
    expect(decision).toEqual({ asked: answered, isNew: false, change: undefined });
  });

  it("a question that is open already is waited for as it was first asked", () => {
    const again = { ...asking, question: { message: "Which one?" }, at: t0 + second };
    const { asked, isNew, change } = decideAsk(running().job, token, open, again);
    expect({ asked, isNew }).toEqual({ asked: open, isNew: false });
    expect(change?.events).toEqual([{ type: "question-asked", key: "q", question: open.question }]);
  });
});

describe("answering", () => {
  const job = (() => {
    const stored = running();
    return changed(stored, decideAsk(stored.job, token, undefined, asking).change).job;
  })();

  it("the answer to an open question sets the job running again", () => {
    const { result, change } = decideAnswer(job, open, { key: "q", at: t0, by: "ann" });
    expect(result).toBe("answered");
    expect(change?.state.status).toBe("running");
    expect(change?.events).toEqual([{ type: "question-answered", key: "q", by: "ann" }]);
  });

  it("a question is answered once, only if it was asked, and only while its job goes on", () => {
    const answer = { key: "q", at: t0 };
    expect(decideAnswer(job, answered, answer)).toEqual({ result: "already_answered" });
    expect(decideAnswer(job, undefined, answer)).toEqual({ result: "not_asked" });
    expect(decideAnswer(ended("failed").job, open, answer)).toEqual({ result: "finished" });
  });

  it("that a question was answered is said even when its job has ended since", () => {
    expect(decideAnswer(ended("failed").job, answered, { key: "q", at: t0 })).toEqual({ result: "already_answered" });
  });
});
