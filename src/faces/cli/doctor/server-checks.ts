import { existsSync, readFileSync, statSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import type { Paths } from "../../../config/paths.ts";
import { messageOf } from "../../../job/failure.ts";
import type { AnswerOf } from "../../../operations/registry.ts";
import { askServer } from "../server/connect.ts";
import type { CliContext } from "../cli-context.ts";
import { readProgram } from "../server/read-program.ts";
import { isAlive } from "../server/process-life.ts";
import { compareVersions } from "../server/version-order.ts";
import { bad, note, ok, type Finding } from "./finding.ts";

/** Who owns the folder, and whether it answers. No server is started. */
export async function checkServer(cli: Pick<CliContext, "environment" | "version">): Promise<Finding[]> {
  const { paths } = cli.environment;
  let status: AnswerOf<"server_status"> | undefined;
  try {
    status = await askServer(cli);
  } catch (error) {
    return [
      bad("server", `The server does not answer properly: ${messageOf(error)}.`, "longhaul server restart"),
      checkOwner(paths, false),
    ];
  }
  const isRunning = status !== undefined;
  const program = status === undefined ? readProgram(paths.program) : status.program;
  if (program !== undefined) {
    return [checkSocket(paths.socket, isRunning), checkOwner(paths, isRunning), sayProgram(program, status)];
  }
  return [
    checkSocket(paths.socket, isRunning),
    checkOwner(paths, isRunning),
    status === undefined
      ? note("server", "No server is running; the next command that needs one starts it.")
      : checkVersion(status, cli.version),
    ...(status?.problems ?? []).map((problem) => bad("kinds", problem, "longhaul server restart, when it is cured")),
    checkToken(paths.token, isRunning),
    ...(status?.url === undefined ? [] : [await checkAddress(status.url)]),
  ];
}

/** A home that the processes of a program share: there is no server, no token and no address. */
function sayProgram(program: string, status: AnswerOf<"server_status"> | undefined): Finding {
  return status === undefined
    ? note(
        "program",
        `The jobs here are those of the program "${program}", which is not running; they go on when it is.`,
      )
    : ok("program", `The program "${program}" runs the jobs here: process ${status.pid}, Longhaul ${status.version}.`);
}

function checkSocket(path: string, isAnswering: boolean): Finding {
  if (!existsSync(path)) return note("socket", `${path} is not there, because no server is running.`);
  if (!isAnswering) return note("socket", `${path} was left by a server that died; the next one replaces it.`);
  const mode = statSync(path).mode & 0o777;
  if ((mode & 0o077) === 0) return ok("socket", `${path} answers, and only you can use it.`);
  return bad("socket", `${path} is open to other users (mode ${mode.toString(8)}).`, "longhaul server restart");
}

/** The lock itself ends with its process; the file beside it only says who that was. */
function checkOwner({ home }: Paths, isAnswering: boolean): Finding {
  const file = join(home, "longhaul.db.owner");
  if (!existsSync(file))
    return ok("owner", isAnswering ? "The server has the database." : "Nobody has the database open.");
  const pid = Number(readFileSync(file, "utf8"));
  if (!(pid > 0)) return note("owner", `${file} was left empty by a power cut; that does no harm.`);
  if (!isAlive(pid)) return note("owner", `Process ${pid} had the database and died; that does no harm.`);
  if (isAnswering) return ok("owner", `Process ${pid} has the database.`);
  return bad(
    "owner",
    `Process ${pid} is said to have the database, but no server answers.`,
    `If it is a Longhaul server that hangs (ps -p ${pid}), end it: kill ${pid}. If it is something else, start a server: longhaul ps.`,
  );
}

function checkVersion({ version, pid }: AnswerOf<"server_status">, own: string): Finding {
  const order = compareVersions(version, own);
  if (order === 0) return ok("server", `The server is running: version ${version}, process ${pid}.`);
  if (order < 0)
    return note(
      "server",
      `The server is version ${version}, older than this command (${own}); the next command restarts it.`,
    );
  return bad(
    "server",
    `The server is version ${version}, newer than this command (${own}).`,
    `npm install -g longhaul@${version}`,
  );
}

function checkToken(path: string, isRunning: boolean): Finding {
  if (!existsSync(path)) {
    return isRunning
      ? bad("token", `${path} is gone: no program can use HTTP.`, "longhaul server restart")
      : note("token", "There is no token for HTTP yet; the first server makes it.");
  }
  const mode = statSync(path).mode & 0o777;
  if ((mode & 0o077) === 0) return ok("token", `Only you can read ${path}.`);
  return bad("token", `${path} can be read by other users (mode ${mode.toString(8)}).`, `chmod 600 ${path}`);
}

/** Without the token the answer is a refusal, which is answer enough. */
function checkAddress(url: string): Promise<Finding> {
  const advice = "longhaul server restart, with another port in LONGHAUL_PORT if need be.";
  return new Promise((resolve) => {
    const request = get(url, { timeout: 3_000 }, (response) => {
      response.resume();
      resolve(ok("http", `${url} answers.`));
    });
    request.once("timeout", () => request.destroy(new Error("no answer within 3 s")));
    request.once("error", (error) => resolve(bad("http", `${url} does not answer: ${error.message}.`, advice)));
  });
}
