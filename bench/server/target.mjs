// One server under test: node target.mjs guarded|hono-fetch|hono-pool UPSTREAM [SETTINGS]. Sends { url }, and its
// processor time and memory on request; after a collection if the message says so. (A forced collection drops all
// optimized code: the next 1,500 requests take four times the processor time, so it must not precede the measured part.)
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hono } from "hono";
import { serve as listen } from "@hono/node-server";
import { Pool } from "undici";

const [kind, upstream, settings = "{}"] = process.argv.slice(2);
const url = await { guarded, "hono-fetch": () => proxy(overFetch), "hono-pool": () => proxy(overPool) }[kind]();
process.send({ url, cpu: process.cpuUsage(), rss: process.memoryUsage.rss() });
process.on("message", ({ collect = false }) => {
  if (collect) globalThis.gc();
  const peak = process.resourceUsage().maxRSS * 1024;
  process.send({ cpu: process.cpuUsage(), rss: process.memoryUsage.rss(), peak, heap: process.memoryUsage().heapUsed });
});

async function guarded() {
  const { createGuardrailsApp, serve } = await import("langchain-guardrails/server");
  process.env.OPENAI_API_KEY = "sk-bench";
  const patterns = { patterns: ["\\bforbidden\\b"] };
  const folder = mkdtempSync(join(tmpdir(), "bench-server-"));
  writeFileSync(
    join(folder, "config.yml"),
    // JSON is YAML.
    JSON.stringify({
      models: [{ type: "main", engine: "openai", model: "instant", parameters: { base_url: upstream } }],
      rails: {
        input: { flows: ["regex check input"] },
        output: { flows: ["regex check output"], streaming: { enabled: true, chunk_size: 8, context_size: 4 } },
        config: { regex_detection: { input: patterns, output: patterns } },
      },
    }),
  );
  const app = await createGuardrailsApp({ configs: { bench: folder }, ...JSON.parse(settings) });
  rmSync(folder, { recursive: true });
  return (await serve(app, { port: 0 })).url;
}

function proxy(forward) {
  const app = new Hono();
  app.post("/v1/chat/completions", async (context) => forward(await context.req.text()));
  return new Promise((resolve) => {
    listen({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => resolve(`http://127.0.0.1:${port}`));
  });
}

async function overFetch(body) {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${upstream}/chat/completions`, { method: "POST", headers, body });
  return new Response(response.body, { status: response.status, headers });
}

let pool;
async function overPool(body) {
  const { origin } = new URL(upstream);
  pool ??= new Pool(origin, { connections: 256 });
  const headers = { "content-type": "application/json" };
  const answer = await pool.request({ path: "/v1/chat/completions", method: "POST", headers, body });
  return new Response(await answer.body.text(), { status: answer.statusCode, headers });
}
