import { describe, expect, it } from "@jest/globals";

import { EngineConversation } from "../../src/colang2/engine/conversation.js";
import { compileText } from "./engine-driver.js";

/** Warnings of an engine about a running program, by code. */
function warningsOf(text: string, ...events: readonly string[]): readonly string[] {
  const conversation = new EngineConversation(compileText(text), {});
  const steps = [conversation.begin(), ...events.map((type) => conversation.process({ type }))];
  return steps.flatMap(({ trace }) => trace.flatMap((one) => (one.type === "warning" ? [one.code] : [])));
}

describe("warnings of the engine", () => {
  it.each([
    ["C2-403", 'flow main\n  send StartFlow(flow_id="main")\n  match Never()'],
    ["C2-404", 'flow main\n  send PauseFlow(flow_id="main")\n  match Never()'],
    ["C2-405", "flow main\n  start_new_flow_instance:\n  match Never()"],
  ])("%s", (code, text) => {
    expect(warningsOf(text)).toContain(code);
  });

  it("C2-406: a wait for what is over", () => {
    const text = "flow job\n  match Done()\nflow main\n  start job as $j\n  match Other()\n  match $j.Finished()";
    expect(warningsOf(text, "Done", "Other")).toContain("C2-406");
  });
});
