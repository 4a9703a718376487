// Times of consecutive streamed responses: when the first text came, when it ended, and what the provider wrote after a
// block.
import { median } from "./harness/statistics.mjs";
import { EVIL, FORBIDDEN } from "./paced-server.mjs";

/** Default size of a window in chunks. */
const WINDOW = 64;
const GOOD = "tell me about bread";

/**
 * @param server - a paced server
 * @param wirings - rows of `{ name, stream }`, where `stream(text)` gives the texts that a user sees; the first one is bare
 * @param options - `judge`: what a verdict takes, in milliseconds; `repeats` per row; rows are measured in turn, so that a drift of the machine falls on all
 */
export async function measureWirings(server, wirings, { repeats = 3, judge = 0 } = {}) {
  const samples = new Map(wirings.map(({ name }) => [name, []]));
  for (const { stream } of wirings) await readStream(stream(GOOD));
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    for (const { name, stream } of wirings) samples.get(name).push(await readStream(stream(GOOD)));
  }
  const rows = [];
  for (const { name, stream } of wirings) {
    const own = samples.get(name);
    const block = await blocked(server, stream);
    rows.push({
      name,
      first: median(own.map(({ first }) => first)),
      total: median(own.map(({ total }) => total)),
      ...block,
    });
  }
  const [bare] = rows;
  const earliest = Math.max(judge, median(samples.get(bare.name).map(({ window }) => window)));
  return rows.map((row) => ({
    ...row,
    firstRatio: row.first / bare.first,
    windowRatio: row.first / earliest,
    totalRatio: row.total / bare.total,
  }));
}

async function readStream(opening) {
  const started = performance.now();
  let first;
  let window;
  let pieces = 0;
  for await (const piece of await opening) {
    if (piece === "") continue;
    pieces += 1;
    first ??= performance.now() - started;
    if (pieces === WINDOW) window = performance.now() - started;
  }
  const total = performance.now() - started;
  return { first: first ?? total, window: window ?? total, total };
}

/** A forbidden response: the number of all tokens, and of those written after the end of the stream was known. */
async function blocked(server, stream) {
  server.reset();
  let text = "";
  try {
    for await (const piece of await stream(EVIL)) text += piece;
  } catch {
    // Some guards end a stream with an error.
  }
  const atEnd = server.stats.generated;
  await new Promise((resolve) => setTimeout(resolve, 500));
  const generated = server.stats.generated;
  const shown = text.includes(FORBIDDEN) ? "SHOWN" : "held back";
  return { generated, after: generated - atEnd, shown };
}

export function printLatency(title, rows) {
  console.log(title);
  console.table(
    rows.map((row) => ({
      what: row.name,
      "first text (ms)": Math.round(row.first),
      "× bare": row.firstRatio.toFixed(2),
      "× verdict or first window": row.windowRatio.toFixed(2),
      "total (ms)": Math.round(row.total),
      "× bare ": row.totalRatio.toFixed(2),
      "tokens written on a block": row.generated,
      "after the refusal": row.after,
      "forbidden text": row.shown,
    })),
  );
}
