import { HumanMessage } from "@langchain/core/messages";
import { dialog, word } from "../configs.mjs";
import { InstantChatModel, InstantLinesModel } from "../instant-model.mjs";

const TOPIC = `topic ${word(7)}`;

/** 100 flows and 500 examples whose intents a model chooses. */
function merged() {
  const { colang } = dialog(100);
  const more = Array.from({ length: 100 }, (_, index) => {
    const topic = word(index);
    return `define user ask about topic ${topic}\n  "where is ${topic}?"\n  "who made ${topic}"\n  "is ${topic} old"\n`;
  });
  return { yaml: "models: []", colang: `${colang}\n${more.join("\n")}` };
}

/** A turn whose one model call returns this completion, and the bare stream of the same model. */
function turn(text, completion) {
  return async (library) => {
    const { Guardrails } = await library.entry();
    const llm = new InstantLinesModel(completion);
    const guardrails = await Guardrails.fromConfig(merged(), { llm });
    const messages = [new HumanMessage(text)];
    return {
      turn: () => guardrails.invoke(messages),
      // The call of the turn is a stream too.
      bare: async () => {
        for await (const _chunk of await llm.stream(messages)) continue;
      },
    };
  };
}

/** A turn to which a flow responds, in `guardrails.invoke` or in a wrapped model. */
async function wrappedDialog(library) {
  const { Guardrails } = await library.entry();
  const model = new InstantChatModel();
  const guarded = (await Guardrails.fromConfig(dialog(100))).wrap(model);
  const messages = [new HumanMessage(`tell me about ${TOPIC}`)];
  return { turn: () => guarded.invoke(messages), bare: () => model.invoke(messages) };
}

const over = ({ turn, bare }) => turn - bare;
const shared = { unit: "ms", value: over };

/** Turns of Colang 1.0 over the bare stream of the model that they call. */
export const dialogRows = [
  {
    ...shared,
    name: "dialog-merged",
    title: "merged dialog turn, a flow takes over",
    conditions: "100 flows, 500 examples, one instant model call",
    target: 0.35,
    open: turn(`what about ${TOPIC} then`, `User intent: ask about ${TOPIC}\n`),
  },
  {
    ...shared,
    name: "dialog-merged-answer",
    title: "merged dialog turn, the model writes the answer",
    conditions: "100 flows, 500 examples, one instant model call",
    target: 0.35,
    open: turn(
      "please sing something for me",
      'User intent: ask for a song\nBot intent: sing\nBot message: "La la la."\n',
    ),
  },
  {
    ...shared,
    name: "dialog-no-call",
    title: "dialog turn without a model call",
    conditions: "100 flows, 500 examples",
    value: ({ turn }) => turn,
    open: turn(`tell me about ${TOPIC}`, ""),
  },
  {
    ...shared,
    name: "dialog-wrapped",
    title: "`wrap(model)`, a flow answers without a model call",
    conditions: "100 flows, embeddings only",
    value: ({ turn }) => turn,
    open: wrappedDialog,
  },
];
