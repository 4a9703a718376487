import { AIMessageChunk, HumanMessage } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { Guardrails } from "langchain-guardrails";
import { dialog, word } from "../configs.mjs";
import { InstantChatModel } from "../instant-model.mjs";
import { timePaired } from "../measure.mjs";

/** Streams a whole dialog turn in three lines, at once. */
class InstantDialogModel extends InstantChatModel {
  async *_streamResponseChunks(_messages, _options, runManager) {
    for (const line of this.text.split(/(?<=\n)/)) {
      yield new ChatGenerationChunk({ text: line, message: new AIMessageChunk(line) });
      await runManager?.handleLLMNewToken(line);
    }
  }
}

/** A turn of 100 flows and 500 examples: the one call of a model that answers at once, and no call at all. */
export async function dialogCases() {
  const { colang } = dialog(100);
  const examples = Array.from(
    { length: 100 },
    (_, index) =>
      `define user ask about topic ${word(index)}\n  "where is ${word(index)}?"\n  "who made ${word(index)}"\n  "is ${word(index)} old"\n`,
  );
  const config = { yaml: "models: []", colang: `${colang}\n${examples.join("\n")}` };
  const rows = [];
  const ask = async (name, text, completion) => {
    const llm = new InstantDialogModel(completion);
    const guardrails = await Guardrails.fromConfig(config, { llm });
    const messages = [new HumanMessage(text)];
    const { first, second } = await timePaired(
      () => guardrails.invoke(messages),
      async () => {
        // The bare call is a stream too, so the cost of LangChain's own stream is not counted.
        for await (const _chunk of await llm.stream(messages)) continue;
      },
      { warmup: 1500 },
    );
    rows.push({ name, value: first - second, unit: "ms", limit: 1, detail: `${first.toFixed(3)} the turn` });
  };
  const topic = `topic ${word(7)}`;
  await ask(
    "dialog turn, one call, a flow takes over",
    `what about ${topic} then`,
    `User intent: ask about ${topic}\n`,
  );
  await ask(
    "dialog turn, one call, the model answers",
    "please sing something for me",
    'User intent: ask for a song\nBot intent: sing\nBot message: "La la la."\n',
  );
  await ask("dialog turn, no call", `tell me about ${topic}`, "");
  return rows;
}
