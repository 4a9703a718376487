import { HumanMessage } from "@langchain/core/messages";
import { actions, colang2 } from "../configs.mjs";
import { InstantChatModel } from "../instant-model.mjs";

const question = (turn) => new HumanMessage(`when do you open on day ${turn}, and where can one leave a bicycle?`);

/** Turns of conversations of 64 turns each. */
function conversations(invoke) {
  let turn = 0;
  return () => {
    turn += 1;
    return invoke([question(turn)], { configurable: { thread_id: `thread ${(turn >> 6) & 63}` } });
  };
}

async function wrapped(library) {
  const { Guardrails } = await library.entry();
  const model = new InstantChatModel();
  const guarded = (await Guardrails.fromConfig(colang2.wrapped, { actions })).wrap(model);
  return {
    turn: conversations((messages, config) => guarded.invoke(messages, config)),
    bare: conversations((messages, config) => model.invoke(messages, config)),
  };
}

async function withLibrary(library) {
  const { Guardrails } = await library.entry();
  const { MemoryThreadStore } = await library.entry("./threads");
  const guardrails = await Guardrails.fromConfig(colang2.dialog, { threads: new MemoryThreadStore() });
  return { turn: conversations((messages, config) => guardrails.invoke(messages, config)) };
}

/** Turns of one conversation in which 1,000 flows wait. */
async function stored(library) {
  const { Guardrails } = await library.entry();
  const guardrails = await Guardrails.fromConfig(colang2.listeners);
  let turn = 0;
  const config = { configurable: { thread_id: "listeners" } };
  return { turn: () => guardrails.invoke([question((turn += 1))], config) };
}

/** Size of that conversation as it is stored. */
async function storedSize(library) {
  const { Guardrails } = await library.entry();
  const { MemoryThreadStore } = await library.entry("./threads");
  const threads = new MemoryThreadStore();
  const guardrails = await Guardrails.fromConfig(colang2.listeners, { threads });
  for (let turn = 1; turn <= 5; turn += 1) {
    await guardrails.invoke([question(turn)], { configurable: { thread_id: "listeners" } });
  }
  const thread = await threads.get("listeners");
  return { size: [JSON.stringify(thread.state).length / 1024] };
}

/** Events of a session in which 1,000 flows wait. */
async function events(library) {
  const { Guardrails } = await library.entry();
  const session = (await Guardrails.fromConfig(colang2.listeners)).events();
  await session.settled();
  let id = 0;
  return {
    event: async () => {
      session.send({ type: "E", id: (id = (id + 7) % 1000) });
      await session.settled();
      await session[Symbol.asyncIterator]().next();
    },
  };
}

/** Turns of Colang 2.x through the whole runtime. */
export const colang2Rows = [
  {
    name: "colang2-library",
    title: "Colang 2: `guardrails` library turn",
    conditions: "thread, no model call",
    unit: "ms",
    target: 0.5,
    value: ({ turn }) => turn,
    open: withLibrary,
  },
  {
    name: "colang2-stored",
    title: "Colang 2: stored turn with 1,000 waiting flows",
    conditions: "thread, no model call",
    unit: "ms",
    target: 3,
    value: ({ turn }) => turn,
    blocks: { blockMs: 30 },
    open: stored,
  },
  {
    name: "colang2-stored-size",
    title: "Colang 2: that conversation as stored",
    conditions: "thread",
    unit: "KiB",
    value: ({ size }) => size,
    control: false,
    processes: 1,
    once: storedSize,
  },
  {
    name: "colang2-wrapped",
    title: "Colang 2: `wrap(model)` between two local rails, over the bare call",
    conditions: "local, thread",
    unit: "ms",
    value: ({ turn, bare }) => turn - bare,
    open: wrapped,
  },
  {
    name: "colang2-event",
    title: "Colang 2: event of a session for 1 of 1,000 waiting flows",
    conditions: "session",
    unit: "µs",
    value: ({ event }) => event * 1000,
    open: events,
  },
];
