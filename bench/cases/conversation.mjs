import { HumanMessage } from "@langchain/core/messages";
import { Guardrails } from "langchain-guardrails";
import { dialog, word } from "../configs.mjs";
import { InstantChatModel } from "../instant-model.mjs";
import { median } from "../measure.mjs";

const MARKS = [1, 10, 100, 1000];
const REPEATS = 8;
const NEIGHBOURS = 60;

/** Cost of a turn at different lengths of a conversation, which should be equal: the same turn of many conversations. */
export async function conversationCases() {
  const guardrails = await Guardrails.fromConfig(dialog(200));
  const guarded = guardrails.wrap(new InstantChatModel());
  const turnOf = async (id, turn) => {
    const message = new HumanMessage(`tell me about topic ${word(turn % 200)}`);
    const start = performance.now();
    await guarded.invoke([message], { configurable: { thread_id: id } });
    return performance.now() - start;
  };
  const conversation = async (id, turns) => {
    for (let turn = 1; turn <= turns; turn += 1) await turnOf(id, turn);
  };
  await conversation("warm-up", 5000);
  // A conversation stands before each mark, and their turns take turns: what else the machine does meets all alike.
  const samples = new Map(MARKS.map((mark) => [mark, []]));
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    for (const mark of MARKS) await conversation(`thread ${repeat} before ${mark}`, mark - 1);
    for (let at = 0; at < NEIGHBOURS; at += 1) {
      for (const mark of MARKS) {
        // The first turn has no neighbours.
        const id = mark === 1 ? `thread ${repeat} of ${at}` : `thread ${repeat} before ${mark}`;
        samples.get(mark).push(await turnOf(id, mark + at));
      }
    }
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
