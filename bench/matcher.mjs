// node bench/matcher.mjs --data FOLDER [--only banking77,clinc150] [--json FILE]: accuracy of the embedded matcher, and
// its processor time. The folder contains banking77/, chitchat/ and clinc150/ as JSON lines; nothing is copied from it.
// Run `npm run build` first.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createIntentMatcher } from "../build/retrieval/matcher/intent-matcher.js";

const OUTSIDE = "oos";
const RUNS = [
  { data: "banking77", index: "index.jsonl", perIntent: 3, bars: { accuracy: 0.58, buildMs: 250 } },
  { data: "banking77", index: "index.jsonl", perIntent: 1, bars: { accuracy: 0.46 } },
  {
    data: "banking77",
    index: "index.jsonl",
    perIntent: Infinity,
    bars: { accuracy: 0.88, buildMs: 1500, queryMs: 0.15 },
  },
  { data: "chitchat", index: "index.jsonl", perIntent: 3, bars: { accuracy: 0.62, buildMs: 250 } },
  { data: "chitchat", index: "index.jsonl", perIntent: Infinity, bars: { accuracy: 0.79, queryMs: 0.15 } },
  { data: "clinc150", index: "train.jsonl", perIntent: Infinity, bars: { auroc: 0.95, buildMs: 1500, queryMs: 0.15 } },
];

const { values } = parseArgs({
  options: { data: { type: "string" }, only: { type: "string" }, json: { type: "string" } },
});
if (values.data === undefined) {
  console.error("usage: node bench/matcher.mjs --data FOLDER [--only NAME,...] [--json FILE]");
  process.exit(2);
}
const chosen = values.only?.split(",");
const results = RUNS.filter(({ data }) => chosen === undefined || chosen.includes(data)).map(measure);
console.table(results.map(({ misses, ...row }) => ({ ...row, holds: misses.length === 0 ? "yes" : misses.join() })));
if (values.json) writeFileSync(values.json, `${JSON.stringify(results, undefined, 2)}\n`);
if (results.some(({ misses }) => misses.length > 0)) process.exitCode = 1;

function measure({ data, index, perIntent, bars }) {
  const rows = readRows(data, index).filter(({ intent }) => intent !== OUTSIDE);
  const examples = firstOfEach(rows, perIntent);
  const tests = readRows(data, "dev.jsonl");
  const started = process.cpuUsage();
  const matcher = createIntentMatcher({ examples });
  const { threshold } = matcher;
  const buildMs = millisecondsSince(started);
  // The first queries run code that is not compiled yet.
  for (const { text } of tests) matcher.rank(text, 1);
  const warm = process.cpuUsage();
  const answers = tests.map(({ text, intent }) => {
    const [best] = matcher.rank(text, 1);
    return { intent, isRight: best?.intent === intent, score: best?.score ?? 0 };
  });
  const queryMs = millisecondsSince(warm) / tests.length;
  const inside = answers.filter(({ intent }) => intent !== OUTSIDE);
  const outside = answers.filter(({ intent }) => intent === OUTSIDE);
  const right = inside.filter(({ isRight }) => isRight);
  const found = {
    data,
    k: perIntent === Infinity ? "all" : perIntent,
    examples: examples.length,
    accuracy: round(right.length / inside.length),
    auroc: outside.length === 0 ? undefined : round(auroc(inside, outside)),
    threshold: round(threshold),
    rightAccepted: round(shareAccepted(right, threshold)),
    outsideAccepted: outside.length === 0 ? undefined : round(shareAccepted(outside, threshold)),
    buildMs: Math.round(buildMs),
    queryMs: round(queryMs),
  };
  return { ...found, misses: Object.keys(bars).filter((name) => !holds(name, found[name], bars[name])) };
}

function millisecondsSince(start) {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function holds(name, value, bar) {
  return name.endsWith("Ms") ? value <= bar : value >= bar;
}

function readRows(data, file) {
  const lines = readFileSync(join(values.data, data, file), "utf8")
    .split("\n")
    .filter(Boolean);
  return lines
    .map((line) => JSON.parse(line))
    .map(({ text, intent, canonical }) => ({ text, intent: canonical ?? intent }));
}

function firstOfEach(rows, perIntent) {
  const counts = new Map();
  return rows.filter(({ intent }) => {
    const count = counts.get(intent) ?? 0;
    counts.set(intent, count + 1);
    return count < perIntent;
  });
}

/** The chance that an in-scope text scores higher than an out-of-scope one; a tie is half a win. */
function auroc(inside, outside) {
  let wins = 0;
  for (const { score } of inside) {
    for (const other of outside) wins += score > other.score ? 1 : score === other.score ? 0.5 : 0;
  }
  return wins / (inside.length * outside.length);
}

function shareAccepted(answers, threshold) {
  return answers.filter(({ score }) => score >= threshold).length / answers.length;
}

function round(value) {
  return Math.round(value * 10_000) / 10_000;
}
