import { HumanMessage } from "@langchain/core/messages";
import { Guardrails } from "langchain-guardrails";
import { MemoryThreadStore } from "langchain-guardrails/threads";
import { actions } from "../configs.mjs";
import { InstantChatModel } from "../instant-model.mjs";
import { median } from "../measure.mjs";

const YAML = 'colang_version: "2.x"\nmodels: []\n';

const WRAPPED = {
  yaml: `${YAML}rails:\n  input:\n    flows: [check words]\n  output:\n    flows: [check answer]\n`,
  colang: `import core

flow check words
  global $user_message
  $allowed = await CheckWordsAction(text=$user_message)
  if not $allowed
    bot say "I cannot talk about that."
    abort

flow check answer
  global $bot_message
  $allowed = await CheckAnswerAction(text=$bot_message)
  if not $allowed
    bot say "I cannot talk about that."
    abort
`,
};

const DIALOG = {
  yaml: YAML,
  colang: `import core
import guardrails

flow input rails $input_text
  if search("forbidden", $input_text)
    bot say "I cannot talk about that."
    abort

flow output rails $output_text
  if search("forbidden", $output_text)
    abort

flow answering
  user said something as $said
  bot say "You asked: {$said.transcript}"

flow main
  activate answering
  activate tracking bot talking state
  activate tracking user talking state
  wait indefinitely
`,
};

const LISTENERS = {
  yaml: YAML,
  colang: `import core

flow listen $id
  match E(id=$id)
  send Received(id=$id)

flow answering
  user said something as $said
  bot say "You asked: {$said.transcript}"

flow main
  activate answering
  $id = 0
  while $id < 1000
    activate listen $id
    $id += 1
  wait indefinitely
`,
};

const question = (turn) => `when do you open on day ${turn}, and where can one leave a bicycle?`;

/** Turns of Colang 2.x through the whole runtime: what they cost, how long the conversation may be, and what is kept. */
export async function colang2TurnCases() {
  const guarded = (await Guardrails.fromConfig(WRAPPED, { actions })).wrap(new InstantChatModel());
  const wrapped = await turns((messages, config) => guarded.invoke(messages, config));
  const threads = new MemoryThreadStore();
  const guardrails = await Guardrails.fromConfig(DIALOG, { threads });
  const dialog = await turns((messages, config) => guardrails.invoke(messages, config));
  const kept = (thread) => JSON.stringify(threads.get(thread).state).length / 1024;
  await converse((messages, config) => guardrails.invoke(messages, config), "short", 40);
  return [
    { name: "turn 1, model between two rails", value: wrapped.first, unit: "ms", limit: 2 },
    { name: "turn 200 / turn 1, model between two rails", value: wrapped.last / wrapped.first, unit: "×", limit: 1.1 },
    { name: "turn 1, dialog with the guardrails library", value: dialog.first, unit: "ms", limit: 2 },
    { name: "turn 200 / turn 1, dialog", value: dialog.last / dialog.first, unit: "×", limit: 1.1 },
    { name: "kept after 40 turns", value: kept("short"), unit: "KiB", limit: 16 },
    { name: "kept after 200 turns", value: kept("thread 0"), unit: "KiB", limit: 16 },
    ...(await listenerCases()),
  ];
}

/** Many conversations of the same turns: the medians of the first and of the last. */
async function turns(invoke) {
  const first = [];
  const last = [];
  for (let repeat = 0; repeat < 40; repeat += 1) {
    await converse(invoke, `thread ${repeat}`, 202, (turn, time) => {
      // Three neighbouring turns stand for one; the first conversations only warm up.
      if (repeat >= 10 && turn <= 3) first.push(time);
      if (repeat >= 10 && turn >= 200) last.push(time);
    });
  }
  return { first: median(first), last: median(last) };
}

async function converse(invoke, thread, count, record) {
  for (let turn = 1; turn <= count; turn += 1) {
    const messages = [new HumanMessage(question(turn))];
    const start = process.cpuUsage();
    await invoke(messages, { configurable: { thread_id: thread } });
    const { user, system } = process.cpuUsage(start);
    record?.(turn, (user + system) / 1000);
  }
}

/** A thousand flows that wait: a turn of a stored conversation, and an event of a session. */
async function listenerCases() {
  const guardrails = await Guardrails.fromConfig(LISTENERS);
  const times = [];
  await converse(
    (messages, config) => guardrails.invoke(messages, config),
    "listeners",
    40,
    (turn, time) => {
      if (turn > 10) times.push(time);
    },
  );
  const session = guardrails.events();
  await session.settled();
  let id = 0;
  const event = async () => {
    session.send({ type: "E", id: (id = (id + 7) % 1000) });
    await session.settled();
    await session[Symbol.asyncIterator]().next();
  };
  const perEvent = await cpuPerEvent(event);
  session.close();
  return [
    { name: "stored turn with 1,000 waiting flows", value: median(times), unit: "ms" },
    { name: "event of a session with 1,000 waiting flows", value: perEvent * 1000, unit: "µs" },
  ];
}

async function cpuPerEvent(event) {
  for (let count = 0; count < 3000; count += 1) await event();
  const times = [];
  for (let sample = 0; sample < 31; sample += 1) {
    const start = process.cpuUsage();
    for (let count = 0; count < 200; count += 1) await event();
    const { user, system } = process.cpuUsage(start);
    times.push((user + system) / 1000 / 200);
  }
  return median(times);
}
