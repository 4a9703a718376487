import { HumanMessage } from "@langchain/core/messages";
import { actions, dialog, twoRails, word } from "../configs.mjs";
import { InstantChatModel, InstantStreamModel } from "../instant-model.mjs";

const TOKENS = 200;
const messages = [new HumanMessage("When do you open?")];

/**
 * Live memory after two thirds of the calls and at the end, in MiB.
 *
 * @param open - gives the call, which gets its number
 */
function heapAfter(count, open) {
  return async (library) => {
    const call = await open(library);
    const third = count / 3;
    let early;
    for (let index = 1; index <= count; index += 1) {
      await call(index);
      if (index === Math.round(2 * third)) early = await heapUsed();
    }
    return { early: [early], late: [await heapUsed()] };
  };
}

/** The heap after a full collection; finalizers and weak references need some turns of the event loop. */
async function heapUsed() {
  for (let round = 0; round < 4; round += 1) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return process.memoryUsage().heapUsed / 1048576;
}

async function calls(library) {
  const { Guardrails } = await library.entry();
  const guarded = (await Guardrails.fromConfig(twoRails, { actions })).wrap(new InstantChatModel());
  return (index) => guarded.invoke([new HumanMessage(`When do you open on day ${index}?`)]);
}

/** Streams that are read to the end, closed half-way and aborted, alternately. */
async function streams(library) {
  const { Guardrails } = await library.entry();
  const guarded = (await Guardrails.fromConfig(twoRails, { actions })).wrap(new InstantStreamModel(TOKENS));
  const read = async (stop, signal) => {
    let count = 0;
    for await (const _chunk of await guarded.stream(messages, { signal })) {
      count += 1;
      if (count === TOKENS / 2 && stop?.() === "leave") return;
    }
  };
  const kinds = [
    () => read(),
    () => read(() => "leave"),
    async () => {
      const controller = new AbortController();
      // The stream ends with the error of the abort.
      await read(() => controller.abort(), controller.signal).catch(() => {});
    },
  ];
  return (index) => kinds[index % kinds.length]();
}

async function dialogTurns(library) {
  const { Guardrails } = await library.entry();
  const guardrails = await Guardrails.fromConfig(dialog(100));
  return (index) => guardrails.invoke([new HumanMessage(`tell me about topic ${word(index % 100)}`)]);
}

/** A new conversation of two turns each; the store keeps 500. */
async function threads(library) {
  const { Guardrails } = await library.entry();
  const { MemoryThreadStore } = await library.entry("./threads");
  const guardrails = await Guardrails.fromConfig(dialog(100), { threads: new MemoryThreadStore({ max: 500 }) });
  return async (index) => {
    const config = { configurable: { thread_id: `thread ${index}` } };
    for (const turn of [1, 2]) {
      await guardrails.invoke([new HumanMessage(`tell me about topic ${word((index * turn) % 100)}`)], config);
    }
  };
}

const shared = { unit: "MiB", value: ({ early, late }) => late - early, control: false, processes: 1 };

/** Growth of the heap over the last third of many calls. */
export const heapRows = [
  {
    ...shared,
    name: "heap-streams",
    title: "heap over the last 2,000 of 6,000 streams of 200 tokens",
    conditions: "local; read, left half-way, aborted",
    target: 3,
    once: heapAfter(6000, streams),
  },
  {
    ...shared,
    name: "heap-calls",
    title: "heap over the last third of 20,000 calls",
    conditions: "local",
    target: 1,
    once: heapAfter(20_000, calls),
  },
  {
    ...shared,
    name: "heap-dialog",
    title: "heap over the last third of 5,000 dialog turns",
    conditions: "100 flows, embeddings only",
    target: 1,
    once: heapAfter(5000, dialogTurns),
  },
  {
    ...shared,
    name: "heap-threads",
    title: "heap over the last third of 2,000 threads",
    conditions: "thread, a store of 500",
    target: 1,
    once: heapAfter(2000, threads),
  },
];
