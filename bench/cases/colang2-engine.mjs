import { compileColang2 } from "../../build/colang2/compile.js";
import { EngineConversation } from "../../build/colang2/engine/conversation.js";
import { writeState } from "../../build/colang2/engine/state/stored/encode.js";
import { resolveImports } from "../../build/colang2/imports/imports.js";
import { createSourceFile } from "../../build/diagnostics/source-file.js";
import { cpuPerCall, median } from "../measure.mjs";

const LISTENERS = `flow listen $id
  match E(id=$id)
  send Received(id=$id)

flow main
  $id = 0
  while $id < 1000
    activate listen $id
    $id += 1
  match Never()
`;

const RAILS = `import core
import guardrails

flow input rails $input_text
  if search("attack", $input_text)
    bot say "No."
    abort

flow output rails $output_text
  if search("secret", $output_text)
    abort

flow answering
  user said something as $said
  bot say "You said {$said.transcript}"

flow main
  activate answering
  activate tracking bot talking state
  activate tracking user talking state
  match Never()
`;

function compile(text) {
  const { program, diagnostics } = compileColang2(resolveImports({ sources: [createSourceFile("main.co", text)] }));
  if (program === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return program;
}

/** Cost of an event for the engine of Colang 2.x when many flows wait, and of a turn in a long conversation. */
export async function colang2EngineCases() {
  const listeners = compile(LISTENERS);
  const begun = () => {
    const conversation = new EngineConversation(listeners);
    conversation.begin();
    return conversation;
  };
  const conversation = begun();
  const oneOfMany = cpuPerCall((count) => conversation.process({ type: "E", id: (count * 7) % 1000 }), {
    samples: 41,
    inner: 500,
    warmup: 4000,
  });
  const begin = cpuPerCall(begun, { samples: 11, inner: 2, warmup: 10 });
  const turns = turnsOfRails(compile(RAILS));
  return [
    { name: "event for 1 of 1,000 waiting flows", value: oneOfMany * 1000, unit: "µs", limit: 50 },
    { name: "begin with 1,000 flows", value: begin, unit: "ms" },
    { name: "turn 1 with the guardrails library", value: turns.first, unit: "ms", limit: 2 },
    { name: "turn 200 / turn 1", value: turns.last / turns.first, unit: "×", limit: 1.1 },
    { name: "stored after 40 turns", value: turns.size / 1024, unit: "KiB", limit: 16 },
  ];
}

/** Many conversations of the same turns: the medians of the first and of the last. */
function turnsOfRails(program) {
  const first = [];
  const last = [];
  let size = 0;
  for (let repeat = 0; repeat < 60; repeat += 1) {
    const conversation = new EngineConversation(program);
    feed(conversation, conversation.begin().events);
    for (let turn = 1; turn <= 202; turn += 1) {
      const start = performance.now();
      say(conversation, turn);
      const time = performance.now() - start;
      // Three neighbouring turns stand for one; the first conversations only warm up.
      if (repeat >= 20 && turn <= 3) first.push(time);
      if (repeat >= 20 && turn >= 200) last.push(time);
      if (turn === 40) size = JSON.stringify(writeState(conversation.state)).length;
    }
  }
  return { first: median(first), last: median(last), size };
}

function say(conversation, turn) {
  const action_uid = `u${turn}`;
  const final_transcript = `hello ${turn}`;
  feed(conversation, [
    { type: "UtteranceUserActionStarted", action_uid },
    { type: "UtteranceUserActionFinished", action_uid, final_transcript, is_success: true },
  ]);
}

/** Feeds back what is sent, and finishes utterances at once, as the host of a chat does. */
function feed(conversation, events) {
  for (let input = events; input.length > 0;) {
    const sent = input.flatMap((event) => conversation.process(event).events);
    input = sent.flatMap((event) => {
      if (event.type !== "StartUtteranceBotAction") return [event];
      const { action_uid, script } = event;
      return [
        event,
        { type: "UtteranceBotActionStarted", action_uid },
        { type: "UtteranceBotActionFinished", action_uid, final_script: script, is_success: true },
      ];
    });
  }
}
