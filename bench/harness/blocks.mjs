// Processor time of several operations in one process, in alternating blocks of calls, so a drift of the machine
// affects all of them.
import { quantile } from "./statistics.mjs";

const DEFAULTS = { rounds: 30, blockMs: 20, warmCalls: 4000, warmMs: 8000 };
/**
 * Processor time of one chunk of the warm-up; it ends after this many consecutive chunks that were not faster than the
 * best.
 */
const CHUNK_MS = 60;
const STEADY_CHUNKS = 6;
const FASTER = 0.97;
/** Largest ratio of a round's control to the control's fastest blocks with which the round counts. */
const DISTURBED = 1.15;
/** Maximum number of rounds, as a multiple of those that shall count. */
const MOST_ROUNDS = 3;

/**
 * Samples of each operation and of the control, in milliseconds of processor time a call: one block of calls for each
 * in a round. Operations get the samples of the rounds in which nothing else on the machine disturbed the control; all
 * samples of the control are returned too.
 *
 * @param control - the call of the control
 * @param works - by name, a function or `{ call, drain, calls }`: `drain` waits for work that calls left behind and counts as
 * theirs; `calls` fixes the calls of a block
 */
export async function sampleBlocks(control, works = {}, options = {}) {
  const { rounds, blockMs, ...warm } = { ...DEFAULTS, ...options };
  const [first, ...others] = [["control", control], ...Object.entries(works)].map(openEntry);
  const entries = [first, ...others];
  await warmUp(entries, warm);
  for (const entry of entries) {
    entry.size = entry.calls ?? Math.min(5000, Math.max(1, Math.round(blockMs / Math.max(entry.perCall, 1e-4))));
  }
  for (let round = 0; round < rounds * MOST_ROUNDS && quietRounds(first.samples).length < rounds; round += 1) {
    for (let at = 0; at < entries.length; at += 1) {
      const entry = entries[(at + round) % entries.length];
      // Collect the garbage of the previous block before this one.
      globalThis.gc?.({ type: "minor" });
      entry.samples.push(await block(entry, entry.size));
    }
  }
  const quiet = quietRounds(first.samples);
  const kept = others.map(({ name, samples }) => [name, quiet.map((round) => samples[round])]);
  return {
    control: first.samples,
    quietControl: quiet.map((round) => first.samples[round]),
    works: Object.fromEntries(kept),
  };
}

function openEntry([name, work]) {
  return { name, ...(typeof work === "function" ? { call: work } : work), samples: [] };
}

/** Numbers of the rounds in which the control was nearly as fast as in its fastest ones. */
function quietRounds(control) {
  if (control.length === 0) return [];
  const limit = quantile(control, 0.1) * DISTURBED;
  return control.flatMap((sample, round) => (sample <= limit ? [round] : []));
}

/**
 * Calls all operations alternately until none gets faster. V8 optimizes a guarded call only after some thousand calls.
 */
async function warmUp(entries, { warmCalls, warmMs }) {
  for (const entry of entries)
    Object.assign(entry, { done: 0, spent: 0, steady: 0, best: Infinity, perCall: 0, next: 1 });
  for (let open = entries; open.length > 0;) {
    for (const entry of open) await warmChunk(entry);
    open = open.filter(({ done, spent, steady }) => spent < warmMs && (done < warmCalls || steady < STEADY_CHUNKS));
  }
}

async function warmChunk(entry) {
  const calls = entry.next;
  entry.perCall = await block(entry, calls);
  entry.done += calls;
  entry.spent += entry.perCall * calls;
  const isSteady = entry.perCall > entry.best * FASTER;
  entry.steady = isSteady ? entry.steady + 1 : 0;
  entry.best = Math.min(entry.best, entry.perCall);
  entry.next = Math.max(1, Math.min(calls * 4, Math.round(CHUNK_MS / Math.max(entry.perCall, 1e-4))));
}

async function block({ call, drain }, calls) {
  const start = process.cpuUsage();
  for (let count = 0; count < calls; count += 1) await call();
  if (drain !== undefined) await drain();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000 / calls;
}
