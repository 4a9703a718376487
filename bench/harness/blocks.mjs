// Processor time of several works in one process: blocks of calls in turn, so that a drift of the machine falls on all.
import { quantile } from "./statistics.mjs";

const DEFAULTS = { rounds: 30, blockMs: 20, warmCalls: 4000, warmMs: 8000 };
/** Warm-up goes by chunks of this much processor time; it ends after so many in a row that were not faster than the best. */
const CHUNK_MS = 60;
const STEADY_CHUNKS = 6;
const FASTER = 0.97;
/** A round counts when its control is at most this much over the control's fastest blocks. */
const DISTURBED = 1.15;
/** Rounds at most, as a multiple of those that shall count. */
const MOST_ROUNDS = 3;

/**
 * Samples of each work and of the control, in milliseconds of processor time a call: one block of calls for each in a round.
 * Works get the samples of the rounds in which nothing else on the machine disturbed the control; of the control, all are given too.
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
      // Garbage of the block before is not collected in this one.
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

/** Calls all works in turn until none gets faster. V8 optimizes a guarded call only after some thousand calls. */
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
