// Timing of asynchronous work inside one process: samples after a warm-up, quoted as medians.

/** The middle value; of an even number of samples the mean of the two in the middle. */
export function median(samples) {
  const sorted = [...samples].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Milliseconds per call: the median over samples of `inner` calls each. */
export async function timePerCall(work, { samples = 41, inner = 20, warmup = 3000 } = {}) {
  for (let count = 0; count < warmup; count += 1) await work(count);
  const times = [];
  for (let sample = 0; sample < samples; sample += 1) {
    const start = performance.now();
    for (let count = 0; count < inner; count += 1) await work(count);
    times.push((performance.now() - start) / inner);
  }
  return median(times);
}

/** Two works in turn, A B A B …, so that a drift of the machine's speed falls on both. Milliseconds per call. */
export async function timePaired(first, second, { samples = 41, inner = 20, warmup = 3000 } = {}) {
  for (let count = 0; count < warmup; count += 1) {
    await first(count);
    await second(count);
  }
  const times = [[], []];
  for (let sample = 0; sample < samples; sample += 1) {
    for (const [index, work] of [first, second].entries()) {
      const start = performance.now();
      for (let count = 0; count < inner; count += 1) await work(count);
      times[index].push((performance.now() - start) / inner);
    }
  }
  return { first: median(times[0]), second: median(times[1]) };
}

/**
 * Milliseconds of processor time per call, the median over samples: of synchronous work this is what it costs, whatever else
 * the machine does.
 */
export function cpuPerCall(work, { samples = 41, inner = 20, warmup = 3000 } = {}) {
  for (let count = 0; count < warmup; count += 1) work(count);
  const times = [];
  for (let sample = 0; sample < samples; sample += 1) {
    const start = process.cpuUsage();
    for (let count = 0; count < inner; count += 1) work(count);
    const { user, system } = process.cpuUsage(start);
    times.push((user + system) / 1000 / inner);
  }
  return median(times);
}
