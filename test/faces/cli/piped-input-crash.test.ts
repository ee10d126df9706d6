import { once } from "node:events";
import { expect, it } from "vitest";
import { until } from "../../until.ts";
import { endProcess, makeCli } from "./cli.ts";

const lines = 400_000;

it("loses nothing and doubles nothing of what is piped into run when the server is killed again and again", async () => {
  const cli = makeCli();
  const running = cli.start(["run", "--", "awk '$1 != NR { bad++ } END { print NR, bad + 0 }'"], { isInputOpen: true });
  const { stdin } = running.process;
  const write = async (from: number, to: number): Promise<void> => {
    const text = Array.from({ length: to - from }, (_, index) => `${from + index + 1}\n`).join("");
    if (stdin?.write(text) === false) await once(stdin, "drain");
  };
  for (let part = 0; part < 40; part++) {
    await write((part * lines) / 40, ((part + 1) * lines) / 40);
    if (part % 12 !== 6) continue;
    await until(() => cli.serverPid() !== undefined);
    await endProcess(cli.serverPid() ?? 0, "SIGKILL");
    await until(async () =>
      cli.client.call("server_status", {}).then(
        () => true,
        () => false,
      ),
    );
  }
  stdin?.end();
  expect(await running.done).toMatchObject({ code: 0, stdout: `${lines} 0\n` });
});
