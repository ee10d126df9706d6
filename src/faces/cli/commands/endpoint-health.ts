import { defineCommand } from "../command.ts";

interface HealthAnswer {
  readonly jobs: Record<string, number>;
  readonly workers: Record<string, number>;
  readonly hint?: string;
}

export const endpointHealth = defineCommand<object, [endpoint: string]>({
  describe: (command) => {
    command.argument("<endpoint>", "its name");
  },
  run: async ({ client, screen }, options, endpoint) => {
    const answer = await client.call<HealthAnswer>("endpoint_health", { endpoint });
    if (options.json === true) {
      screen.printJson(answer);
      return;
    }
    for (const part of ["jobs", "workers"] as const) {
      const counts = Object.entries(answer[part]).map(([name, count]) => `${count} ${name}`);
      screen.print(`${screen.style.dim(part.padEnd(7))} ${counts.join(", ")}`);
    }
    if (answer.hint !== undefined) screen.print(`${screen.style.dim("queue".padEnd(7))} ${answer.hint}`);
  },
});
