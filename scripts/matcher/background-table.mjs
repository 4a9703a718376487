// Builds the background weights of the embedded matcher from `everyday-requests.txt`, which we wrote ourselves: an 8-bit
// inverse document frequency for every place that a stem can hash to.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const HERE = dirname(fileURLToPath(import.meta.url));
const MATCHER = join(HERE, "../../src/retrieval/matcher");
const PLACES = 8192;
const SEED = 0x51ab;
// A stem in a single request counts as rare as one in none.
const RAREST = 2;

const { hashText, WordReader } = await importSource("words.ts");

/** The generated source file, without its header. */
export function printBackgroundTable() {
  const requests = readFileSync(join(HERE, "everyday-requests.txt"), "utf8").trim().split("\n");
  const counts = new Map();
  for (const request of requests) {
    for (const stem of stemsOf(request)) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  }
  const table = new Uint8Array(PLACES).fill(255);
  const top = Math.log(1 + requests.length / RAREST);
  for (const [stem, count] of counts) {
    const weight = Math.log(1 + requests.length / Math.max(count, RAREST)) / top;
    const place = hashText(stem, SEED) & (PLACES - 1);
    table[place] = Math.min(table[place], Math.round(255 * weight));
  }
  const text = Buffer.from(table).toString("base64");
  return `/** How much the stems that hash to a place say, one byte each, in base64. */\nexport const BACKGROUND_TABLE =\n  "${text}";\n`;
}

function stemsOf(request) {
  const stems = new Set();
  const reader = new WordReader();
  reader.open(request);
  while (reader.next()) stems.add(String.fromCharCode(...reader.stem.subarray(0, reader.stemLength)));
  return stems;
}

/** Loads a source file that imports nothing, so that script and package cannot drift apart. */
async function importSource(name) {
  const source = readFileSync(join(MATCHER, name), "utf8");
  const options = { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 } };
  const { outputText } = ts.transpileModule(source, options);
  return import(`data:text/javascript,${encodeURIComponent(outputText)}`);
}
