import { monitorEventLoopDelay } from "node:perf_hooks";
import { examplesOf } from "../matcher-data.mjs";

/**
 * Training on all examples: processor time of all threads, and the longest time for which the event loop was blocked.
 */
async function build(library, options) {
  const { createIntentMatcher } = await library.entry("./matcher");
  const { train } = examplesOf(options.data);
  const delay = monitorEventLoopDelay({ resolution: 2 });
  const matcher = createIntentMatcher({ examples: train });
  const start = process.cpuUsage();
  delay.enable();
  await matcher.prepare();
  delay.disable();
  const { user, system } = process.cpuUsage(start);
  return { build: [(user + system) / 1e6], stall: [delay.max / 1e6] };
}

async function queries(library, options) {
  const { createIntentMatcher } = await library.entry("./matcher");
  const { train, test } = examplesOf(options.data);
  const matcher = createIntentMatcher({ examples: train });
  await matcher.prepare();
  let at = 0;
  return { query: () => matcher.rank(test[(at += 1) % test.length], 1) };
}

const shared = { conditions: "all examples of 77 intents" };

/** The matcher with all examples of a large data set; `--data` names a folder of real ones. */
export const matcherRows = [
  {
    ...shared,
    name: "matcher-build",
    title: "matcher: build",
    unit: "s",
    target: 1.5,
    value: ({ build }) => build,
    once: build,
  },
  {
    ...shared,
    name: "matcher-stall",
    title: "matcher: longest pause of the event loop during the build",
    unit: "ms",
    target: 50,
    value: ({ stall }) => stall,
    once: build,
  },
  {
    ...shared,
    name: "matcher-query",
    title: "matcher: query",
    unit: "ms",
    target: 0.15,
    value: ({ query }) => query,
    open: queries,
  },
];
