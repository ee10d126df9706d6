import { defineCommand } from "../command.ts";

const everyMs = 1_000;

export const migrate = defineCommand<object>({
  run: async (cli, { json }) => {
    const { screen } = cli;
    let toldAt = performance.now();
    const report = await cli.migrate(({ table, moved }) => {
      if (performance.now() - toldAt < everyMs) return;
      toldAt = performance.now();
      screen.note(`${table}: ${moved.toLocaleString("en")} ${table === "output" ? "bytes" : "rows"}`);
    });
    if (json === true) {
      screen.printJson(report);
      return;
    }
    for (const { table, rows } of report.tables) {
      if (rows > 0) screen.print(`${String(rows).padStart(10)}  ${screen.style.dim(table)}`);
    }
    screen.print(
      `All of it is in ${report.to} now, compared row by row. The old database is kept as ${report.kept}: remove it when you no longer want it.`,
    );
    screen.print(
      "Start a server or a worker on this folder, with the same LONGHAUL_STORE: commands that run are adopted here.",
    );
  },
});
