// The control: a bare call of an instant chat model. It shows how fast the machine is, and how much other work it has.
import { median, spread } from "./statistics.mjs";

/** Microseconds of the control for which targets in milliseconds are not scaled. */
const REFERENCE = { from: 4, to: 8 };
/** Largest spread of the control in a quiet run. */
export const QUIET = 0.05;

/** The call of the control. */
export async function openControl() {
  const { HumanMessage } = await import("@langchain/core/messages");
  const { InstantChatModel } = await import("../instant-model.mjs");
  const model = new InstantChatModel();
  const messages = [new HumanMessage("When do you open?")];
  return () => model.invoke(messages);
}

/**
 * Figures of the control from its samples in milliseconds a call; `scale` is the factor for targets that are times.
 *
 * @param all - samples of all rounds, a list for each process, for the spread
 * @param quiet - samples of the rounds that count
 */
export function describeControl(all, quiet) {
  if (quiet.length === 0) return undefined;
  const middle = median(quiet) * 1000;
  const scale = middle > REFERENCE.to ? middle / REFERENCE.to : middle < REFERENCE.from ? middle / REFERENCE.from : 1;
  // Differences between processes are not noise of the machine.
  const off = spread(all.flatMap(overMedian));
  return { median: middle, min: Math.min(...quiet) * 1000, unit: "µs", spread: off, noisy: off > QUIET, scale };
}

function overMedian(samples) {
  const middle = median(samples);
  return samples.map((sample) => sample / middle);
}
