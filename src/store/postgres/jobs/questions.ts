import type { JobId } from "../../../job/id.ts";
import type { Answer, AskedQuestion, Question } from "../../../job/question.ts";
import { decideAnswer, decideAsk } from "../../rules/questions.ts";
import type { AnswerResult, HeldLease } from "../../store.ts";
import type { Lookup, SetStatement, Unit } from "../writing/unit.ts";
import { applyChange, findHeld } from "./change.ts";
import { entries } from "./rows.ts";

export interface QuestionRow {
  readonly key: string;
  readonly question: string;
  readonly asked_at: number;
  readonly answer: string | null;
  readonly answered_at: number | null;
}

/** By job and key. */
const asked: Lookup<AskedQuestion> = {
  name: "question",
  order: 3,
  load: async (session, keys) => {
    const wanted = keys.map((key) => JSON.parse(key) as [JobId, string]);
    const rows = await session.query<QuestionRow & { n: number }>(
      `SELECT w.n, q.* FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS w (job, key, n) JOIN longhaul.questions q USING (job, key)`,
      [wanted.map(([job]) => job), wanted.map(([, key]) => key)],
    );
    return new Map(rows.map((row) => [keys[row.n - 1] ?? "", toAsked(row)]));
  },
};

const upsertQuestions: SetStatement = {
  order: 20,
  sql: `INSERT INTO longhaul.questions (job, key, question, asked_at, answer, answered_at)
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::bigint[])
    ON CONFLICT (job, key) DO UPDATE SET answer = excluded.answer, answered_at = excluded.answered_at`,
};

export function askQuestion(
  unit: Unit,
  lease: HeldLease,
  asking: { key: string; question: Question; at: number },
): AskedQuestion | undefined {
  const found = findHeld(unit, lease);
  if (found === undefined) return undefined;
  const known = unit.read(asked, toKey(lease.id, asking.key));
  const decided = decideAsk(found.stored.job, lease, known, asking);
  if (decided.isNew) store(unit, lease.id, decided.asked);
  if (decided.change !== undefined) applyChange(unit, found, decided.change, asking.at);
  return decided.asked;
}

export function answerQuestion(
  unit: Unit,
  id: JobId,
  answering: { key: string; answer: Answer; at: number; by?: string },
): AnswerResult {
  const { key, answer, at } = answering;
  const found = unit.read(entries, id);
  if (found === undefined) return "not_asked";
  const known = unit.read(asked, toKey(id, key));
  const { result, change } = decideAnswer(found.stored.job, known, answering);
  if (change === undefined || known === undefined) return result;
  store(unit, id, { ...known, answer, answeredAt: at });
  applyChange(unit, found, change, at);
  return result;
}

function store(unit: Unit, id: JobId, question: AskedQuestion): void {
  unit.assume(asked, toKey(id, question.key), question);
  const answer = question.answer === undefined ? null : JSON.stringify(question.answer);
  const row = [
    id,
    question.key,
    JSON.stringify(question.question),
    question.askedAt,
    answer,
    question.answeredAt ?? null,
  ];
  unit.write(upsertQuestions, row, toKey(id, question.key));
}

function toKey(id: JobId, key: string): string {
  return JSON.stringify([id, key]);
}

export function toAsked(row: QuestionRow): AskedQuestion {
  return {
    key: row.key,
    question: JSON.parse(row.question) as Question,
    askedAt: row.asked_at,
    ...(row.answer === null ? {} : { answer: JSON.parse(row.answer) as Answer }),
    ...(row.answered_at === null ? {} : { answeredAt: row.answered_at }),
  };
}
