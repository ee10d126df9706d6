import { loadConfig } from "../../src/config/config.ts";
import { serve } from "../../src/server/serve.ts";
import { createChaosKinds } from "./kinds.ts";

/** A server or a worker as the program runs it, with the kinds of the chaos, and with a clock that is wrong. Arguments: role, records, skew in ms. */
async function main([role, records = "", skew = "0"]: string[]): Promise<void> {
  const tellTime = Date.now;
  Date.now = () => tellTime() + Number(skew);
  const moreKinds = createChaosKinds(records);
  const flags = role === "server" ? { port: 0, kinds: "none" } : { port: 0 };
  const isServer = role === "server";
  const running = await serve(loadConfig(flags), {
    isBackground: true,
    role: isServer ? "server" : "worker",
    moreKinds,
  });
  process.once("SIGTERM", () => void running.stop().then(() => process.exit(0)));
  console.log(JSON.stringify({ url: running.url, socket: running.socket }));
}

await main(process.argv.slice(2));
