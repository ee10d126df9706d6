import { defined } from "../../job/defined.ts";
import type { JobId } from "../../job/id.ts";
import type { Answer, AskedQuestion, Question } from "../../job/question.ts";
import { isTerminal } from "../../job/state.ts";
import { ask, closeQuestion } from "../../job/transitions.ts";
import type { AnswerResult, HeldLease } from "../store.ts";
import { applyChange, findHeld } from "./change.ts";
import type { Database } from "./database.ts";
import { findJob } from "./rows.ts";

interface QuestionRow {
  key: string;
  question: string;
  asked_at: number;
  answer: string | null;
  answered_at: number | null;
}

export function askQuestion(
  db: Database,
  lease: HeldLease,
  asking: { key: string; question: Question; at: number },
): AskedQuestion | undefined {
  const found = findHeld(db, lease);
  if (found === undefined) return undefined;
  const asked = findQuestion(db, found.num, asking.key);
  if (asked?.answer !== undefined) return asked;
  if (asked === undefined) {
    db.sql("INSERT INTO questions (job, key, question, asked_at) VALUES (?, ?, ?, ?)").run(
      found.num,
      asking.key,
      JSON.stringify(asking.question),
      asking.at,
    );
  }
  const change = ask(found.job, lease, { ...asking, question: asked?.question ?? asking.question });
  if (change !== undefined) applyChange(db, found, change, asking.at);
  return asked ?? { key: asking.key, question: asking.question, askedAt: asking.at };
}

export function answerQuestion(
  db: Database,
  id: JobId,
  answering: { key: string; answer: Answer; at: number; by?: string },
): AnswerResult {
  const { key, answer, at, by } = answering;
  const found = findJob(db, id);
  if (found === undefined) return "not_asked";
  const asked = findQuestion(db, found.num, key);
  if (asked === undefined) return "not_asked";
  if (asked.answer !== undefined) return "already_answered";
  if (isTerminal(found.job.state)) return "finished";
  db.sql("UPDATE questions SET answer = ?, answered_at = ? WHERE job = ? AND key = ?").run(
    JSON.stringify(answer),
    at,
    found.num,
    key,
  );
  const change = closeQuestion(found.job, { key, at, ...defined({ by }) });
  if (change !== undefined) applyChange(db, found, change, at);
  return "answered";
}

export function listQuestions(db: Database, id: JobId): AskedQuestion[] {
  const rows = db
    .sql("SELECT * FROM questions WHERE job = (SELECT num FROM jobs WHERE id = ?) ORDER BY asked_at, key")
    .all(id) as QuestionRow[];
  return rows.map(toAsked);
}

function findQuestion(db: Database, num: number, key: string): AskedQuestion | undefined {
  const row = db.sql("SELECT * FROM questions WHERE job = ? AND key = ?").get(num, key);
  return row === undefined ? undefined : toAsked(row as QuestionRow);
}

function toAsked(row: QuestionRow): AskedQuestion {
  return {
    key: row.key,
    question: JSON.parse(row.question) as Question,
    askedAt: row.asked_at,
    ...(row.answer === null ? {} : { answer: JSON.parse(row.answer) as Answer }),
    ...(row.answered_at === null ? {} : { answeredAt: row.answered_at }),
  };
}
