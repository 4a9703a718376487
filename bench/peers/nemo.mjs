// NeMo Guardrails in processes of Python.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { sampleBlocks } from "../harness/blocks.mjs";
import { openControl } from "../harness/control.mjs";

const SCRIPT = fileURLToPath(new URL("nemo.py", import.meta.url));
const BATCH = 256;
const run = promisify(execFile);

const over = ({ guarded, bare }) => guarded - bare;
const perSecond = { unit: "calls/CPU s", least: true, value: ({ batch }) => (BATCH * 1000) / batch };
const local = { row: "local", unit: "ms", conditions: "local, regular expressions", value: over };
const judges = { row: "judges", unit: "ms", conditions: "judges, instant", value: over };

/** Rows of `nemo.py`; `row` names the row of the bench whose conditions they share. */
export const nemoRows = [
  { ...local, name: "local-iorails", peer: "IORails" },
  { ...local, name: "local-llmrails", peer: "LLMRails" },
  { ...local, name: "local-langchain", peer: "RunnableRails" },
  { ...judges, name: "judges-iorails", peer: "IORails" },
  { ...judges, name: "judges-llmrails", peer: "LLMRails" },
  { ...judges, name: "judges-langchain", peer: "RunnableRails" },
  {
    row: "resent-total",
    name: "resent",
    peer: "IORails",
    unit: "×",
    conditions: "re-sent, local",
    value: ({ guarded10, guarded1000 }) => guarded1000 / guarded10,
  },
  {
    row: "resent-ms",
    name: "resent",
    peer: "IORails",
    unit: "ms",
    conditions: "re-sent, local",
    value: ({ guarded1000 }) => guarded1000,
  },
  {
    row: "windows",
    name: "windows",
    peer: "IORails",
    unit: "×",
    conditions: "judge, wall time",
    value: ({ guarded, bare }) => guarded / bare,
  },
  {
    row: "windows-pulled",
    name: "windows-pulled",
    peer: "IORails",
    unit: "×",
    conditions: "judge, wall time",
    value: ({ guarded, bare }) => guarded / bare,
  },
  { ...perSecond, row: "throughput-local", name: "throughput-local", peer: "IORails", conditions: "local, 32 at once" },
  {
    ...perSecond,
    row: "throughput-judges",
    name: "throughput-judges",
    peer: "IORails",
    conditions: "judges, 32 at once",
  },
  {
    row: "colang2-library",
    name: "colang2-library",
    peer: "LLMRails",
    unit: "ms",
    conditions: "no model call",
    value: ({ turn }) => turn,
  },
  {
    row: "colang2-stored",
    name: "colang2-stored",
    peer: "LLMRails",
    unit: "ms",
    conditions: "state written and read",
    value: ({ turn }) => turn,
  },
  {
    row: "first-load",
    name: "first-load",
    peer: "LLMRails",
    unit: "ms",
    conditions: "fresh process",
    samples: 5,
    value: ({ load }) => load,
  },
  {
    row: "warm-load",
    name: "warm-load",
    peer: "LLMRails",
    unit: "ms",
    conditions: "same process",
    value: ({ load }) => load,
  },
  {
    row: "first-answer",
    name: "first-answer",
    peer: "IORails",
    unit: "ms",
    conditions: "local, fresh process",
    samples: 5,
    over: "first-answer-core",
    value: ({ cpu, coreCpu }) => cpu - coreCpu,
  },
  {
    row: "rss",
    name: "first-answer",
    peer: "IORails",
    unit: "MiB",
    conditions: "local, fresh process",
    samples: 5,
    over: "first-answer-core",
    value: ({ rss, coreRss }) => rss - coreRss,
  },
];

/** Samples of a row as the harness gives them; processes of Python and blocks of the control take turns. */
export async function sampleNemo(row, { python, processes, rounds }) {
  const control = await openControl();
  const works = {};
  const blocks = { control: [], quietControl: [] };
  for (let at = 0; at < (row.samples ?? processes); at += 1) {
    const block = await sampleBlocks(control, {}, { rounds: 5, warmMs: at === 0 ? 600 : 20 });
    for (const key of Object.keys(blocks)) blocks[key].push(...block[key]);
    add(works, await samplesOf(python, row.name, rounds));
    if (row.over !== undefined) add(works, prefixed("core", await samplesOf(python, row.over, rounds)));
  }
  return { ...blocks, control: [blocks.control], sides: [{ works }] };
}

async function samplesOf(python, name, rounds) {
  const { stdout } = await run(python, [SCRIPT, name, "--rounds", String(rounds ?? 20)], { maxBuffer: 1 << 26 });
  return JSON.parse(stdout.trim().split("\n").at(-1));
}

function add(works, samples) {
  for (const [name, values] of Object.entries(samples)) (works[name] ??= []).push(...values);
}

function prefixed(prefix, samples) {
  const rename = (name) => prefix + name[0].toUpperCase() + name.slice(1);
  return Object.fromEntries(Object.entries(samples).map(([name, values]) => [rename(name), values]));
}
