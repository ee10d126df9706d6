import { loadConfig } from "../../src/config/config.ts";
import { serve } from "../../src/server/serve.ts";

/** `longhaul serve`. */
const server = await serve(loadConfig({ port: 0 }), { isBackground: true });
process.stdout.write(`${server.url}/mcp\n`);
process.once("SIGTERM", () => void server.stop());
