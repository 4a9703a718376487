import { HumanMessage } from "@langchain/core/messages";
import { Guardrails } from "langchain-guardrails";
import { dialog, word } from "../configs.mjs";
import { InstantChatModel } from "../instant-model.mjs";
import { median } from "../measure.mjs";

const MARKS = [1, 10, 100, 1000];
const REPEATS = 15;

/** Whether a turn costs the same however long the conversation is: many conversations, the same turn of each. */
export async function conversationCases() {
  const guardrails = await Guardrails.fromConfig(dialog(200));
  const guarded = guardrails.wrap(new InstantChatModel());
  const conversation = async (id, turns, record) => {
    for (let turn = 1; turn <= turns; turn += 1) {
      const message = new HumanMessage(`tell me about topic ${word(turn % 200)}`);
      const start = performance.now();
      await guarded.invoke([message], { configurable: { thread_id: id } });
      record?.(turn, performance.now() - start);
    }
  };
  await conversation("warm-up", 5000);
  const samples = new Map(MARKS.map((mark) => [mark, []]));
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    await conversation(`thread ${repeat}`, 1002, (turn, time) => {
      // Three neighbouring turns stand for a mark: one sample alone is mostly noise.
      const mark = MARKS.find((candidate) => turn >= candidate && turn < candidate + 3);
      if (mark !== undefined) samples.get(mark).push(time);
    });
  }
  const times = new Map([...samples].map(([mark, values]) => [mark, median(values)]));
  const rows = MARKS.map((mark) => ({
    name: `turn ${mark} with 200 flows`,
    value: times.get(mark),
    unit: "ms",
  }));
  rows.push({
    name: "turn 1,000 / turn 1",
    value: times.get(1000) / times.get(1),
    unit: "×",
    limit: 1.1,
  });
  return rows;
}
