import { rmSync } from "node:fs";
import { join } from "node:path";
import { createProgramCaller } from "./call-program.ts";
import { demandPlain, type ServiceManager, type ServicePlaces, type ServiceProgram } from "./service.ts";

const unit = "longhaul.service";

/** A unit of the user's own systemd. */
export function createSystemdManager(places: ServicePlaces): ServiceManager {
  const { home, configHome, searchPath, userName } = places;
  const folder = join(configHome ?? join(home, ".config"), "systemd", "user");
  const systemctl = createProgramCaller("systemctl", searchPath);
  const isAnswering = async (): Promise<boolean> => (await systemctl.ask("--user", "show-environment")) !== undefined;
  return {
    title: "systemd",
    file: join(folder, unit),
    describe: toUnit,
    isAnswering,
    start: async () => {
      await systemctl.demand("--user", "daemon-reload");
      await systemctl.demand("--user", "enable", unit);
      await systemctl.demand("--user", "restart", unit);
    },
    stop: () => systemctl.demand("--user", "disable", "--now", unit),
    forget: async () => {
      // Where systemd did not answer, nobody has taken away what `enable` had made.
      rmSync(join(folder, "default.target.wants", unit), { force: true });
      await systemctl.ask("--user", "daemon-reload");
      await systemctl.ask("--user", "reset-failed", unit);
    },
    state: async () => {
      const shown = await systemctl.ask("--user", "show", unit, "--property=ActiveState,UnitFileState");
      if (shown === undefined) return { isEnabled: undefined, isRunning: undefined };
      const facts = new Set(shown.split("\n"));
      return { isEnabled: facts.has("UnitFileState=enabled"), isRunning: facts.has("ActiveState=active") };
    },
    startByHand: `systemctl --user daemon-reload && systemctl --user enable --now ${unit}`,
    startNote: async () => {
      const lingers = await createProgramCaller("loginctl", searchPath).ask("show-user", userName, "--property=Linger");
      if (lingers === "Linger=yes") return "It starts when the machine does.";
      return "It starts when you log in and ends when you log out; `loginctl enable-linger` makes it start with the machine and stay.";
    },
  };
}

/** The launcher and the commands outlive the server: systemd must end the server alone. */
function toUnit({ argv, env }: ServiceProgram): string {
  demandPlain([...argv, ...Object.values(env)]);
  const variables = Object.entries(env).map(([name, value]) => `Environment=${quote(`${name}=${value}`)}`);
  return `# Written by \`longhaul service install\`; \`longhaul service remove\` removes it.
[Unit]
Description=Longhaul, which runs long work

[Service]
Type=exec
ExecStart=${argv.map((word) => quote(word).replaceAll("$", "$$$$")).join(" ")}
${[...variables, "Restart=on-failure", "RestartSec=5"].join("\n")}
# Commands that run go on when the server stops, and the next server takes them over.
KillMode=process

[Install]
WantedBy=default.target
`;
}

function quote(text: string): string {
  return `"${text.replaceAll(/[\\"]/g, String.raw`\$&`).replaceAll("%", "%%")}"`;
}
