// A process that takes some turns of a Colang 2.x conversation: `colang2-talker.ts FOLDER STATE SAYS`, the last two as JSON.
// Prints what the bot said and the state afterwards.
import { type ConversationState, Guardrails } from "../../../src/index.js";

const [folder = "", stored = "{}", says = "[]"] = process.argv.slice(2);
const guardrails = await Guardrails.fromPath(folder);
const said: unknown[] = [];
let state: ConversationState | undefined = JSON.parse(stored) as ConversationState;
for (const text of JSON.parse(says) as readonly string[]) {
  const turn = await guardrails.generate(text, { state: state ?? {} });
  said.push(turn.response);
  state = turn.state;
}
console.log(JSON.stringify({ said, state }));
