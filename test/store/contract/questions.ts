import { describe, expect, it } from "vitest";
import type { Answer, Question } from "../../../src/job/question.ts";
import { second, t0, unknownId } from "../drafts.ts";
import { outcomes, useWorld, type OpenStore } from "../world.ts";
import { present } from "../../present.ts";

const question: Question = {
  message: "Which branch?",
  form: { type: "object", properties: { branch: { type: "string" } }, required: ["branch"] },
};
const accept: Answer = { action: "accept", content: { branch: "main" } };
const decline: Answer = { action: "decline" };

export function describeQuestions(open: OpenStore): void {
  describe("questions", () => {
    const world = useWorld(open);

    it("a job that asks waits, still under its lease", async () => {
      const { job, lease } = await world().start();
      const asked = await world().store.ask(lease, { key: "q", question, at: t0 + 5 });
      expect(asked).toEqual({ key: "q", question, askedAt: t0 + 5 });
      const waiting = await world().job(job.id);
      expect(waiting.state).toEqual({
        ...job.state,
        status: "waiting",
        openQuestions: ["q"],
        waitingSince: t0 + 5,
      });
      expect(await world().store.questions(job.id)).toEqual([asked]);
      expect((await world().events(job.id)).at(-1)).toMatchObject({ type: "question-asked", key: "q", question });
    });

    it("a question and its answer outlive a restart", async () => {
      const { job, lease } = await world().start();
      await world().store.ask(lease, { key: "q", question, at: t0 });
      await world().restart();
      expect(await world().status(job.id)).toBe("waiting");
      expect(await world().store.answer(job.id, { key: "q", answer: accept, at: t0 + 9, by: "ann" })).toBe("answered");
      await world().restart();
      expect(await world().store.questions(job.id)).toEqual([
        { key: "q", question, askedAt: t0, answer: accept, answeredAt: t0 + 9 },
      ]);
      expect((await world().events(job.id)).at(-1)).toMatchObject({
        type: "question-answered",
        key: "q",
        by: "ann",
        at: t0 + 9,
      });
    });

    it("an answered job runs again, and the time it waited is counted", async () => {
      const { job, lease } = await world().start();
      await world().store.ask(lease, { key: "q", question, at: t0 + second });
      await world().store.answer(job.id, { key: "q", answer: accept, at: t0 + 4 * second });
      expect((await world().job(job.id)).state).toEqual({ ...job.state, waitedMs: 3 * second });
    });

    it("a job with two open questions runs again after the last answer", async () => {
      const { job, lease } = await world().start();
      await world().store.ask(lease, { key: "a", question, at: t0 + 1 });
      await world().store.ask(lease, { key: "b", question, at: t0 + 2 });
      expect((await world().job(job.id)).state).toMatchObject({ openQuestions: ["a", "b"], waitingSince: t0 + 1 });
      await world().store.answer(job.id, { key: "a", answer: accept, at: t0 + 3 });
      expect((await world().job(job.id)).state).toMatchObject({ status: "waiting", openQuestions: ["b"] });
      await world().store.answer(job.id, { key: "b", answer: decline, at: t0 + 4 });
      expect((await world().job(job.id)).state).toMatchObject({ status: "running", waitedMs: 3 });
      expect(await world().store.questions(job.id)).toMatchObject([
        { key: "a", answer: accept },
        { key: "b", answer: decline },
      ]);
    });

    it("asking again under a key finds the open question and opens no second one", async () => {
      const { job, lease } = await world().start();
      const first = await world().store.ask(lease, { key: "q", question, at: t0 });
      const other = { message: "Something else?" };
      expect(await world().store.ask(lease, { key: "q", question: other, at: t0 + 1 })).toEqual(first);
      expect(await world().store.questions(job.id)).toEqual([first]);
      expect((await world().eventTypes(job.id)).filter((type) => type === "question-asked")).toHaveLength(1);
    });

    it("asking again under a key finds the answer, and the job runs on", async () => {
      const { job, lease } = await world().start();
      await world().store.ask(lease, { key: "q", question, at: t0 });
      await world().store.answer(job.id, { key: "q", answer: accept, at: t0 + 1 });
      const again = await world().store.ask(lease, { key: "q", question, at: t0 + 2 });
      expect(again).toEqual({ key: "q", question, askedAt: t0, answer: accept, answeredAt: t0 + 1 });
      expect(await world().status(job.id)).toBe("running");
    });

    it("a job that was requeued finds the answer that came while it was queued", async () => {
      const { job, lease } = await world().start();
      await world().store.ask(lease, { key: "q", question, at: t0 });
      await world().store.settle(lease, { type: "interrupted", cause: "test", isLoss: true }, { now: t0 });
      expect(await world().store.answer(job.id, { key: "q", answer: accept, at: t0 + 1 })).toBe("answered");
      expect(await world().status(job.id)).toBe("queued");
      const again = await world().claimJob(job);
      expect(await world().store.ask(again.lease, { key: "q", question, at: t0 + 2 })).toMatchObject({
        answer: accept,
      });
      expect(await world().status(job.id)).toBe("running");
    });

    it("a job that was requeued waits for its open question again", async () => {
      const { job, lease } = await world().start();
      await world().store.ask(lease, { key: "q", question, at: t0 });
      await world().store.settle(lease, { type: "interrupted", cause: "test", isLoss: true }, { now: t0 });
      const again = await world().claimJob(job);
      const asked = await world().store.ask(again.lease, { key: "q", question, at: t0 + 2 });
      expect(asked).toEqual({ key: "q", question, askedAt: t0 });
      expect((await world().job(job.id)).state).toMatchObject({ status: "waiting", openQuestions: ["q"] });
      await world().store.answer(job.id, { key: "q", answer: accept, at: t0 + 3 });
      expect(await world().status(job.id)).toBe("running");
    });

    it("a question is answered once", async () => {
      const { job, lease } = await world().start();
      await world().store.ask(lease, { key: "q", question, at: t0 });
      const answers = await Promise.all([
        world().store.answer(job.id, { key: "q", answer: accept, at: t0 + 1 }),
        world().store.answer(job.id, { key: "q", answer: decline, at: t0 + 2 }),
      ]);
      expect(answers.toSorted()).toEqual(["already_answered", "answered"]);
      const stored = answers[0] === "answered" ? accept : decline;
      expect(await world().store.questions(job.id)).toMatchObject([{ answer: stored }]);
      expect((await world().eventTypes(job.id)).filter((type) => type === "question-answered")).toHaveLength(1);
    });

    it("an answer to a question that nobody asked is told so", async () => {
      const { job } = await world().start();
      expect(await world().store.answer(job.id, { key: "q", answer: accept, at: t0 })).toBe("not_asked");
      expect(await world().store.answer(unknownId, { key: "q", answer: accept, at: t0 })).toBe("not_asked");
      expect(await world().job(job.id)).toEqual(job);
    });

    it("an answer that comes after the job's end is told so, and not stored", async () => {
      const { job, lease } = await world().start();
      const asked = await world().store.ask(lease, { key: "q", question, at: t0 });
      const ended = await world().store.settle(lease, outcomes.cancelled, { now: t0 });
      expect(await world().store.answer(job.id, { key: "q", answer: accept, at: t0 })).toBe("finished");
      expect(await world().store.questions(job.id)).toEqual([asked]);
      expect(await world().job(job.id)).toEqual(ended);
    });

    it("questions are listed in the order in which they were asked", async () => {
      const { job, lease } = await world().start();
      for (const [index, key] of ["c", "a", "b"].entries()) {
        await world().store.ask(lease, { key, question, at: t0 + index });
      }
      expect((await world().store.questions(job.id)).map(({ key }) => key)).toEqual(["c", "a", "b"]);
    });

    it("a question may have the same key in two jobs", async () => {
      const [one, two] = [await world().start({ kind: "one" }), await world().start({ kind: "two" })];
      await world().store.ask(one.lease, { key: "q", question, at: t0 });
      await world().store.ask(two.lease, { key: "q", question, at: t0 });
      await world().store.answer(one.job.id, { key: "q", answer: accept, at: t0 });
      expect(await world().statuses([one.job, two.job])).toEqual(["running", "waiting"]);
      expect(present((await world().store.questions(two.job.id))[0])).not.toHaveProperty("answer");
    });
  });
}
