import { HumanMessage } from "@langchain/core/messages";
import { actions, oneRail, windowed } from "../configs.mjs";
import { InstantChatModel, InstantStreamModel, PacedStreamModel } from "../instant-model.mjs";

const TOKENS = 300;
const messages = [new HumanMessage("When do you open?")];

/** 400 tokens at 50 per second and a judge of 300 ms, all twice as fast. */
const PACE = { tokens: 400, perToken: 10, judge: 150 };
const STREAMS = 5;

async function drain(runnable) {
  for await (const _chunk of await runnable.stream(messages)) continue;
}

/** A rail around a stream whose tokens arrive at once. */
async function perToken(library) {
  const { Guardrails } = await library.entry();
  const model = new InstantStreamModel(TOKENS);
  const guarded = (await Guardrails.fromConfig(oneRail, { actions })).wrap(model);
  return { guarded: () => drain(guarded), bare: () => drain(model) };
}

/** Streams at a provider's pace, guarded and bare ones at the same time: they only wait. */
async function windows(library, waits) {
  const { Guardrails } = await library.entry();
  const model = new PacedStreamModel({ ...PACE, waits });
  const judge = new InstantChatModel("No", PACE.judge);
  const guardrails = await Guardrails.fromConfig(windowed, { models: { self_check_output: judge } });
  const guarded = guardrails.wrap(model);
  await guarded.invoke(messages);
  const timed = async (runnable) => {
    const start = performance.now();
    await drain(runnable);
    return (performance.now() - start) / 1000;
  };
  const many = (runnable) => Promise.all(Array.from({ length: STREAMS }, () => timed(runnable)));
  const [guardedTimes, bareTimes] = await Promise.all([many(guarded), many(model)]);
  return { guarded: guardedTimes, bare: bareTimes };
}

/** Fields of both rows of windows, which take one run in wall time. */
const WINDOWS = {
  conditions: "judge, 400 tokens at 50/s, wall time, twice as fast",
  unit: "×",
  target: 1.15,
  value: ({ guarded, bare }) => guarded / bare,
  control: false,
  processes: 1,
};

/** Streamed responses. */
export const streamRows = [
  {
    name: "windows",
    title: "windows 40/10 with a 300 ms judge, total ÷ bare",
    once: (library) => windows(library, false),
    ...WINDOWS,
  },
  {
    name: "windows-pulled",
    title: "windows 40/10 with a 300 ms judge, total ÷ bare, the model waits for its reader",
    once: (library) => windows(library, true),
    ...WINDOWS,
  },
  {
    name: "stream-token",
    title: "one local output rail around a stream, per token over the bare stream",
    conditions: "local, 300 tokens",
    unit: "µs",
    value: ({ guarded, bare }) => ((guarded - bare) / TOKENS) * 1000,
    open: perToken,
  },
];
