import { type AIMessageChunk, HumanMessage } from "@langchain/core/messages";
import { Guardrails, verdictOf } from "langchain-guardrails";
import { start, type ExampleOptions } from "../start.js";

const CONFIG = {
  yaml: "rails:\n  output:\n    flows: [check prices]",
  colang: `
define bot refuse prices
  "Please ask at the counter for prices."

define subflow check prices
  $found = execute mentions_price(text=$bot_message)
  if $found
    bot refuse prices
    stop
`,
};
const actions = { mentions_price: ({ text }: { text: string }) => /\d+ euros?/.test(text) };

export const REPLIES = ["Flour, water, salt and time.", "We have rye and wheat bread. A loaf of rye is 4 euros."];

export async function run({ llm }: ExampleOptions): Promise<readonly string[]> {
  // Windows of five chunks, so that the first of them leaves before the price is written.
  const streaming = { chunkSize: 5, contextSize: 2 };
  const guardrails = await Guardrails.fromConfig(CONFIG, { actions, streaming });
  const model = guardrails.wrap(llm);

  // #region handler
  async function handler(request: Request): Promise<Response> {
    const { text, thread } = (await request.json()) as { text: string; thread: string };
    const options = { signal: request.signal, configurable: { thread_id: thread } };
    const chunks = await model.stream([new HumanMessage(text)], options);
    const events = new TransformStream<AIMessageChunk, string>({
      transform(chunk, controller) {
        const event = verdictOf(chunk)?.replaces === true ? "replace" : "text";
        controller.enqueue(`event: ${event}\ndata: ${JSON.stringify(chunk.text)}\n\n`);
      },
      flush: (controller) => controller.enqueue("event: done\ndata: {}\n\n"),
    });
    return new Response(chunks.pipeThrough(events).pipeThrough(new TextEncoderStream()), {
      headers: { "content-type": "text/event-stream", "cache-control": "no-cache" },
    });
  }
  // #endregion

  const lines: string[] = [];
  for (const text of ["What is in bread?", "Which bread do you have, and for how much?"]) {
    const body = JSON.stringify({ text, thread: "ann" });
    const response = await handler(new Request("http://localhost/chat", { method: "POST", body }));
    lines.push(`> ${text}`, ...(await response.text()).trimEnd().split(/\n+/));
  }
  return lines;
}

await start(import.meta.url, run, REPLIES);
