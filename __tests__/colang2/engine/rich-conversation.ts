import { compileColang2, compileAddedFlows } from "../../../src/colang2/compile.js";
import { EngineConversation } from "../../../src/colang2/engine/conversation.js";
import { type StoredState, writeState } from "../../../src/colang2/engine/state/stored/encode.js";
import { parseColang2 } from "../../../src/colang2/parse/parse.js";
import type { Colang2Program, CompiledFlow } from "../../../src/colang2/program.js";
import { createSourceFile } from "../../../src/diagnostics/source-file.js";

/** A program whose conversation has one value of each kind that can be stored. */
export const RICH_SOURCE = `@active
@loop("watch", priority=3)
flow watcher
  match ColangError() as $error
  send Watched(type=$error.type)

flow lamp $level
  priority 0.9
  await LampAction(level=$level) as $action

flow asker
  when lamp 3 as $lamp
    send LampDone()
  or when Skip() as $skip
    send Skipped(n=$skip.n)

flow chooser
  await (lamp 1 or lamp 2) and proceeding
  send Chosen()

flow proceeding
  match Proceed()

@interruptible
flow story
  match Report(part=1)
  match Report(part=2)
  send Reported()

flow aside
  match Report(part=9)
  match AsideOver()

flow sleeper
  global $lamp
  match $lamp.Finished()
  send Woken()

flow quitter
  abort

flow typed $x
  global $wanted
  match Typed(what=$wanted, like=regex("^a"), n=less_than(3), set={1}, list=[$x])
  send Seen()

@meta(user_intent=True)
flow user asked something
  match Asked() as $event

flow main
  global $wanted, $lamp, $held
  $wanted = "a"
  $held = [1, {"deep": [2]}]
  ($held.append($held))
  $spec = flow("lamp", level=4)
  $same = $held
  start LampAction(level=9) as $lamp
  activate asker
  activate story
  activate aside
  activate quitter
  activate typed $held
  start chooser
  start sleeper
  start user asked something as $asked
  match Go() as $go
  send PauseFlow(flow_id="sleeper")
  $wanted = "abc"
  match Never()
`;

export const ADDED_SOURCE = "flow added\n  match Added()\n  send WasAdded()\n";

export function compileRich(): Colang2Program {
  const { ast } = parseColang2(createSourceFile("rich.co", RICH_SOURCE));
  const { program, diagnostics } = compileColang2({ modules: [{ name: "rich.co", ast }] });
  if (program === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return program;
}

export function compileAdded(source: string): readonly CompiledFlow[] {
  return compileAddedFlows(createSourceFile("added.co", source), new Map()).flows;
}

/** The conversation after some events, with flows that were added and removed. */
export function playRich(program: Colang2Program): EngineConversation {
  const conversation = new EngineConversation(program, { seed: 5, context: { city: "Bern" } });
  conversation.begin();
  conversation.addFlows(compileAdded(ADDED_SOURCE), ADDED_SOURCE);
  conversation.removeFlows(["user asked something"]);
  conversation.process({ type: "Report", part: 1 });
  conversation.process({ type: "Report", part: 9 });
  conversation.process({ type: "Go", uid: "g1", list: [1, 2] });
  const [lamp] = conversation.state.index.actions.keys();
  conversation.process({ type: "LampActionStarted", action_uid: lamp });
  conversation.process({ type: "LampActionFinished", action_uid: lamp, is_success: true });
  return conversation;
}

export function storeRich(program: Colang2Program): StoredState {
  return JSON.parse(JSON.stringify(writeState(playRich(program).state))) as StoredState;
}
