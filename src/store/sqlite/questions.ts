import type { JobId } from "../../job/id.ts";
import type { Answer, AskedQuestion, Question } from "../../job/question.ts";
import { decideAnswer, decideAsk } from "../rules/questions.ts";
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
  const known = findQuestion(db, found.num, asking.key);
  const { asked, isNew, change } = decideAsk(found.job, lease, known, asking);
  if (isNew) {
    db.sql("INSERT INTO questions (job, key, question, asked_at) VALUES (?, ?, ?, ?)").run(
      found.num,
      asked.key,
      JSON.stringify(asked.question),
      asked.askedAt,
    );
  }
  if (change !== undefined) applyChange(db, found, change, asking.at);
  return asked;
}

export function answerQuestion(
  db: Database,
  id: JobId,
  answering: { key: string; answer: Answer; at: number; by?: string },
): AnswerResult {
  const { key, answer, at } = answering;
  const found = findJob(db, id);
  if (found === undefined) return "not_asked";
  const { result, change } = decideAnswer(found.job, findQuestion(db, found.num, key), answering);
  if (change === undefined) return result;
  db.sql("UPDATE questions SET answer = ?, answered_at = ? WHERE job = ? AND key = ?").run(
    JSON.stringify(answer),
    at,
    found.num,
    key,
  );
  applyChange(db, found, change, at);
  return result;
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
