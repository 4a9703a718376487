// A server whose limits are counted in Redis, as a process of its own: `limited-server.ts URL`. Writes its address, and its
// warnings to stderr.
import { createGuardrailsApp, RedisRateLimits, serve } from "../../../src/server/index.js";
import { Guardrails } from "../../../src/index.js";

const [url = ""] = process.argv.slice(2);
const app = await createGuardrailsApp({
  configs: { main: await Guardrails.fromConfig({ config: {} }) },
  keys: [
    { key: "the key of the shop 1", id: "shop", perMinute: 2 },
    { key: "the key of the stand 1", id: "stand", perMinute: 3 },
  ],
  rateLimits: await RedisRateLimits.connect(url),
  logger: { warn: (line) => process.stderr.write(`${line}\n`), error: (line) => process.stderr.write(`${line}\n`) },
});
const running = await serve(app, { port: 0 });
process.stdout.write(`${running.url}\n`);
