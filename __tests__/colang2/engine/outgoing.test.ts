import { describe, expect, it } from "@jest/globals";
import { Driver } from "../engine-driver.js";

const types = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type);

/** A flow that sends, one that hears of errors, and one that goes on whatever happens. */
function program(statement: string): string {
  return `flow sender
  match Go()
  ${statement}
  send Sent()
  match Never()

@loop("reports")
flow reports
  match ColangError() as $e
  send Report(type=$e.type, flow=$e.flow_id, error=$e.error)
  match Never()

flow main
  activate reports
  start sender as $sender
  when $sender.Failed() as $end
    send Over(reason=$end.reason)
  match Never()
`;
}

describe("an event that may not leave fails the flow that sends it", () => {
  it.each([
    ["a script that is no text", "start UtteranceBotAction(script=5)", "`script` of `StartUtteranceBotAction`"],
    ["a script that is nothing", "await UtteranceBotAction(script=None)", "`script` of `StartUtteranceBotAction`"],
    ["an interim script", "send UtteranceBotActionScriptUpdated(interim_script=[1])", "`interim_script` of"],
    ["a final script", 'send UtteranceBotActionFinished(final_script={"a": 1})', "`final_script` of"],
    ["a transcript", "send UtteranceUserActionFinished(final_transcript=1.5)", "`final_transcript` of"],
    ["an uid", "send Thing(uid=7)", "`uid` of `Thing`"],
    ["a time", "send Thing(event_created_at=0)", "`event_created_at` of `Thing`"],
    ["a source", "send Thing(source_uid=None)", "`source_uid` of `Thing`"],
    ["a time of an action", "send WalkActionFinished(action_finished_at=3)", "`action_finished_at` of"],
    ["a success that is none", 'send WalkActionFinished(is_success="yes")', "`is_success` of `WalkActionFinished`"],
    ["a failure without a reason", "send WalkActionFinished(is_success=False)", "needs a `failure_reason`"],
  ])("%s", (_title, statement, message) => {
    const driver = new Driver(program(statement), { roundTrips: true });
    driver.batch();
    const sent = driver.batch({ type: "Go" });
    expect(types(sent).sort()).toEqual(["Over", "Report"]);
    expect(sent.find(({ type }) => type === "Report")).toMatchObject({
      type: "Report",
      flow: "sender",
      error: expect.stringContaining(message),
    });
    expect(sent.find(({ type }) => type === "Over")).toMatchObject({ reason: "error" });
  });

  it.each([
    ["a text of a plain event", "send Thing(script=5)", "Thing"],
    ["an end with a reason", 'send WalkActionFinished(is_success=False, failure_reason="rain")', "WalkActionFinished"],
    ["an end with success", "send WalkActionFinished(is_success=True)", "WalkActionFinished"],
    ["an uid of its own", 'send Thing(uid="mine")', "Thing"],
  ])("%s leaves", (_title, statement, type) => {
    const driver = new Driver(program(statement));
    driver.batch();
    expect(types(driver.batch({ type: "Go" }))).toEqual([type, "Sent"]);
  });

  it("takes nothing from those it competes with", () => {
    const source = `flow sender
  match Go()
  send Thing(uid=7)

flow other
  match Go()
  send Fine()

flow main
  start sender
  start other
  match Never()
`;
    for (let seed = 0; seed < 8; seed += 1) {
      const driver = new Driver(source, { seed });
      driver.batch();
      expect(types(driver.batch({ type: "Go" }))).toEqual(["Fine"]);
    }
  });

  it("can be caught only by a flow that waits for the failed one", () => {
    const driver = new Driver(`flow speaks
  start UtteranceBotAction(script=5)

flow main
  when speaks
    send Wrong()
  else
    send Caught()
  match Never()
`);
    expect(types(driver.batch())).toEqual(["Caught"]);
  });
});
