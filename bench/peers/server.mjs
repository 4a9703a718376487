// node bench/peers/server.mjs [--nemo PYTHON] [--seconds 4] [--rounds 3] [--connections 64] [--json FILE]: requests a second and
// processor time of other guards' servers, of bare proxies and of ours, under the same load in the same run. Build first: npm run
// build. Each has one regex rail on input and one on output before the same instant upstream server. Needs Linux for processor times.
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { describeMachine } from "../harness/report.mjs";
import { installPeers, PEERS_FOLDER } from "./packages.mjs";

const { values } = parseArgs({
  options: {
    nemo: { type: "string", default: process.env.NEMO_PYTHON ?? "" },
    seconds: { type: "string", default: "4" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "64" },
    json: { type: "string" },
  },
});
const SECONDS = Number(values.seconds);
const CONNECTIONS = Number(values.connections);
/** Clock ticks of a second in /proc. */
const TICKS = 100;

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const children = [];

function begin(child) {
  children.push(child);
  return child;
}

const messageOf = async (child) => (await once(child, "message"))[0];

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function ours(kind) {
  const child = begin(fork(here("../server/target.mjs"), [kind, upstream]));
  return { child, url: (await messageOf(child)).url };
}

async function gateway() {
  installPeers();
  const port = await freePort();
  const script = join(PEERS_FOLDER, "node_modules/@portkey-ai/gateway/build/start-server.js");
  const child = begin(spawn(process.execPath, [script, `--port=${port}`, "--headless"], { stdio: "ignore" }));
  const check = [{ "default.regexMatch": { rule: "\\bforbidden\\b", not: true }, deny: true }];
  const config = { provider: "openai", api_key: "sk-bench", custom_host: upstream, input_guardrails: check };
  const headers = { "x-portkey-config": JSON.stringify({ ...config, output_guardrails: check }) };
  return { child, url: `http://127.0.0.1:${port}`, headers };
}

async function nemo() {
  const port = await freePort();
  const env = { ...process.env, OPENAI_API_KEY: "sk-bench" };
  const child = begin(spawn(values.nemo, [here("server.py"), upstream, String(port)], { stdio: "ignore", env }));
  return { child, url: `http://127.0.0.1:${port}` };
}

/** Waits until the server answers, and refuses one whose rails do nothing. */
async function isReady({ url, headers, name }) {
  const ask = async (content) => {
    const body = JSON.stringify({ model: "instant", messages: [{ role: "user", content }] });
    const sent = { "content-type": "application/json", ...headers };
    return (await fetch(`${url}/v1/chat/completions`, { method: "POST", headers: sent, body })).text();
  };
  for (let tries = 0; ; tries += 1) {
    const text = await ask("Is the rye fresh?").catch(() => undefined);
    if (text?.includes("The rye is fresh.")) break;
    if (tries === 60) throw new Error(`${name} does not answer: ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const isBare = name.startsWith("bare");
  if ((await ask("forbidden")).includes("The rye is fresh.") !== isBare) throw new Error(`${name} has no rails`);
}

/** Processor time of a process in milliseconds. */
function cpuOf({ pid }) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return ((Number(fields[11]) + Number(fields[12])) / TICKS) * 1000;
}

async function measure({ url, headers, child }) {
  const before = cpuOf(child);
  load.send({ url, headers, connections: CONNECTIONS, seconds: SECONDS });
  const result = await messageOf(load);
  if (result.failure) throw new Error(result.failure);
  return { perSecond: result.perSecond, cpuMs: (cpuOf(child) - before) / result.count, p99: result.p99 };
}

const upstreamProcess = begin(fork(here("../server/upstream.mjs")));
const { url: upstream } = await messageOf(upstreamProcess);
const load = begin(fork(here("../server/load.mjs")));
const servers = [
  ["langchain-guardrails", () => ours("guarded")],
  ["bare Hono over undici.Pool", () => ours("hono-pool")],
  ["bare Hono over fetch", () => ours("hono-fetch")],
  ["Portkey gateway", gateway],
  ...(values.nemo === "" ? [] : [["NeMo IORails behind FastAPI", nemo]]),
];
if (values.nemo === "") console.error("NeMo Guardrails is left out; `--nemo PYTHON` names an interpreter that has it");

try {
  const rows = [];
  for (const [name, start] of servers) {
    const row = { name, ...(await start()), runs: [] };
    await isReady(row);
    await measure(row);
    rows.push(row);
  }
  // Alternately, so that other work of the machine affects all of them.
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const row of rows) row.runs.push(await measure(row));
  }
  const figures = rows.map(({ name, runs }) => ({
    name,
    perSecond: Math.max(...runs.map(({ perSecond }) => perSecond)),
    cpuMs: Math.min(...runs.map(({ cpuMs }) => cpuMs)),
    p99: Math.min(...runs.map(({ p99 }) => p99)),
  }));
  const [own] = figures;
  for (const { name, perSecond, cpuMs, p99 } of figures) {
    const ratio = `ours has ${(own.perSecond / perSecond).toFixed(2)} times its requests/s`;
    const cells = [`${perSecond.toFixed(0)} requests/s`, `cpu ${cpuMs.toFixed(3)} ms`, `p99 ${p99.toFixed(0)} ms`];
    console.log([name.padEnd(28), ...cells.map((cell) => cell.padEnd(18)), name === own.name ? "" : ratio].join("  "));
  }
  if (values.json)
    writeFileSync(values.json, `${JSON.stringify({ machine: describeMachine(), figures }, undefined, 2)}\n`);
} finally {
  for (const child of children) child.kill();
}
