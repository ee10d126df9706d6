import { setTimeout as delay } from "node:timers/promises";
import { join } from "node:path";
import { createProgramCaller } from "./call-program.ts";
import { demandPlain, type ServiceManager, type ServicePlaces, type ServiceProgram } from "./service.ts";

const label = "longhaul.server";

/** A service that has just been told to end may need a moment before it can be started again. */
const maxTries = 20;
const tryAgainMs = 500;

/** An agent of macOS, in the session of the user. */
export function createLaunchdManager({ home, uid, searchPath }: ServicePlaces): ServiceManager {
  const file = join(home, "Library", "LaunchAgents", `${label}.plist`);
  const launchctl = createProgramCaller("launchctl", searchPath);
  const domain = `gui/${uid}`;
  const service = `${domain}/${label}`;
  const end = (): Promise<unknown> => launchctl.ask("bootout", service);
  const bootstrap = async (): Promise<void> => {
    for (let tries = 1; tries < maxTries; tries++) {
      if ((await launchctl.ask("bootstrap", domain, file)) !== undefined) return;
      await delay(tryAgainMs);
    }
    await launchctl.demand("bootstrap", domain, file);
  };
  return {
    title: "launchd",
    file,
    describe: toPropertyList,
    isAnswering: async () => (await launchctl.ask("print", domain)) !== undefined,
    start: async () => {
      await end();
      await launchctl.demand("enable", service);
      await bootstrap();
    },
    stop: async () => void (await end()),
    forget: async () => undefined,
    state: async () => {
      const shown = await launchctl.ask("print", service);
      return { isEnabled: shown !== undefined, isRunning: shown?.includes("state = running") === true };
    },
    startByHand: `launchctl bootstrap ${domain} ${file}`,
    startNote: async () => "It starts when you log in.",
  };
}

/** The launcher and the commands outlive the server: launchd must end the server alone. */
function toPropertyList({ argv, env }: ServiceProgram): string {
  demandPlain([...argv, ...Object.values(env)]);
  const words = argv.map((word) => `    <string>${escape(word)}</string>`);
  const variables = Object.entries(env).flatMap(([name, value]) => [
    `    <key>${escape(name)}</key>`,
    `    <string>${escape(value)}</string>`,
  ]);
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Written by longhaul service install; longhaul service remove removes it. -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${label}</string>
  <key>ProgramArguments</key>
  <array>
${words.join("\n")}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables.join("\n")}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>AbandonProcessGroup</key>
  <true/>
</dict>
</plist>
`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
