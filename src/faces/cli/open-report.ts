import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { z } from "zod";
import type { artifactAnswerSchema } from "../../operations/job-artifact.ts";
import type { Front } from "./front.ts";

/** Copies a job's report to a file of its own and opens it; says where it is when there is nothing to open it with. */
export async function openReport({ client, screen }: Front, id: string): Promise<void> {
  const pieces: Buffer[] = [];
  let from: number | undefined = 0;
  while (from !== undefined) {
    const words: object = { id, name: "report.html", from };
    const answer: z.output<typeof artifactAnswerSchema> = await client.call("job_artifact", words);
    pieces.push(Buffer.from(answer.content ?? "", "base64"));
    from = answer.next;
  }
  const file = join(mkdtempSync(join(tmpdir(), "longhaul-report-")), "report.html");
  writeFileSync(file, Buffer.concat(pieces), { mode: 0o600 });
  const opener = spawn(process.platform === "darwin" ? "open" : "xdg-open", [file], {
    detached: true,
    stdio: "ignore",
  });
  opener.on("error", () => undefined);
  opener.unref();
  screen.note(screen.noteStyle.dim(`report: ${file}`));
}
