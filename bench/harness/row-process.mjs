// node --expose-gc bench/harness/row-process.mjs NAME [--roots A,B] [--rounds 30]: samples one row in this process and prints
// them as JSON. With --cpu-prof it profiles a row.
import { parseArgs } from "node:util";
import { sampleBlocks } from "./blocks.mjs";
import { openControl } from "./control.mjs";
import { HERE, libraryAt } from "./library.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    roots: { type: "string", default: HERE },
    data: { type: "string" },
    rounds: { type: "string" },
    module: { type: "string" },
  },
});
const { rows } = await import(values.module ?? "../rows/index.mjs");
const row = rows.find(({ name }) => name === positionals[0]);
// LangGraph gives LangChain an AsyncLocalStorage, which slows the control down too, so targets scale with the control
// from before.
const before = row.langgraph ? await sampleBlocks(await openControl()) : undefined;
if (row.langgraph) await import("@langchain/langgraph");
const libraries = values.roots.split(",").map(libraryAt);
const report = await (row.once === undefined ? sampleWorks() : sampleOnce());
if (process.send === undefined) console.log(JSON.stringify(report));
else await new Promise((resolve) => process.send(report, resolve));
process.exit(0);

/** Operations of all builds and the control, in blocks. */
async function sampleWorks() {
  const sides = [];
  for (const library of libraries) sides.push(await attempt(() => row.open(library, values)));
  const [first] = sides;
  if (first.missing !== undefined) throw new Error(first.missing);
  const works = Object.assign({}, ...sides.map(({ result }, side) => named(result, side)));
  const rounds = values.rounds === undefined ? {} : { rounds: Number(values.rounds) };
  const samples = await sampleBlocks(await openControl(), works, { ...row.blocks, ...rounds });
  return {
    control: samples.control,
    quietControl: (before ?? samples).quietControl,
    sides: sides.map(({ missing }, side) =>
      missing === undefined ? { works: unnamed(samples.works, side) } : { missing },
    ),
  };
}

/** Rows that take their own samples; their values are not processor time of calls. */
async function sampleOnce() {
  const sides = [];
  for (const library of libraries) {
    const { result, missing } = await attempt(() => row.once(library, values));
    sides.push(missing === undefined ? { works: result } : { missing });
  }
  const none = { control: [], quietControl: [] };
  const { control, quietControl } = row.control === false ? none : await sampleBlocks(await openControl());
  return { control, quietControl, sides };
}

async function attempt(open) {
  try {
    return { result: await open() };
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
}

function named(works, side) {
  return Object.fromEntries(Object.entries(works ?? {}).map(([name, work]) => [`${side} ${name}`, work]));
}

function unnamed(samples, side) {
  const own = Object.entries(samples).filter(([name]) => name.startsWith(`${side} `));
  return Object.fromEntries(own.map(([name, values]) => [name.slice(`${side} `.length), values]));
}
