import { describe, expect, it } from "@jest/globals";
import { explainFlow } from "../../../src/colang2/engine/explain/explain-flow.js";
import type { GuardrailsEvent } from "../../../src/engine/events.js";
import { Driver } from "../engine-driver.js";

const CONTEST = `flow hear $t
  match Say(text=$t)

flow deep
  await hear "hi"
  send Deep()

flow shallow
  match Say()
  send Shallow()

flow polite
  when Say()
    send Polite()
  else
    pass

flow awaiting
  await failing
  send Never()

flow failing
  match Say()
  abort

flow broken
  match Say()
  $x = 1 + None

flow endless
  match Say()
  while True
    $x = 1

flow sleeping
  match Say() and Never()

flow refused $a
  match Never()

flow asking
  match Say()
  start refused $b=1

@loop("alone")
flow alone
  match Say()
  send Alone()

flow main
  activate deep and shallow and broken and endless and alone
  start awaiting
  start sleeping
  start asking
  match Never()
`;

const CASES: readonly (readonly [flow: string, outcome: string, reasons: readonly RegExp[]])[] = [
  ["deep", "decided", [/^it did `Deep` \(main\.co:6\); `shallow` fitted worse: 0\.9 under 1$/, /^it finished$/]],
  [
    "shallow",
    "lost",
    [
      /^it wanted `Shallow` \(main\.co:10\), but `deep` fitted better: 1 over 0\.9$/,
      /^it failed: another flow acted instead$/,
      /^it waits for `Say` \(main\.co:9\)$/,
    ],
  ],
  ["alone", "decided", [/^it did `Alone` \(main\.co:\d+\)$/]],
  ["failing", "aborted", [/^it failed: it gave up$/]],
  ["awaiting", "aborted", [/^it failed: it could not go on after `FlowFailed` of `failing`$/]],
  ["broken", "failed", [/^an error \(main\.co:\d+\): /, /^it failed: error: /]],
  ["endless", "failed", [/does not come to a wait within 10000 steps$/, /^it failed: budget: /]],
  ["sleeping", "unseen", [/^no event concerned it$/, /^it waits for `Never` \(main\.co:\d+\)$/]],
  ["refused", "not-started", [/^it did not start: flow `refused` has no parameter `\$b`$/]],
  ["polite", "unseen", [/^no flow has started it$/]],
];

describe("the explanation of a flow", () => {
  const driver = new Driver(CONTEST);
  driver.batch();
  const say: GuardrailsEvent = { type: "Say", text: "hi" };
  const { trace } = driver.conversation.process(say);

  it.each(CASES)("%s: %s", (flow, outcome, reasons) => {
    const explained = explainFlow(trace, flow, driver.conversation.state);
    expect(explained).toMatchObject({ flow, outcome });
    for (const reason of reasons) expect(explained.reasons).toContainEqual(expect.stringMatching(reason));
  });

  it("names a spent budget, pauses and resumed flows", () => {
    const paused = new Driver(
      `flow job\n  match Go()\n  send Done()\n\nflow main\n  start job\n  match Pause()\n  send PauseFlow(flow_id="job")\n  match Resume()\n  send ResumeFlow(flow_id="job")\n  match Never()\n`,
    );
    paused.batch();
    expect(explainFlow(paused.conversation.process({ type: "Pause" }).trace, "job")).toMatchObject({
      outcome: "suspended",
    });
    expect(explainFlow(paused.conversation.process({ type: "Resume" }).trace, "job").reasons).toEqual([
      "it was resumed",
    ]);
    const mad = new Driver(
      `flow mad\n  match Go()\n  while True\n    send X()\n\nflow main\n  start mad\n  match Never()\n`,
      { limits: { internalEventsPerRound: 20 } },
    );
    mad.batch();
    expect(explainFlow(mad.conversation.process({ type: "Go" }).trace, "mad").reasons.at(-1)).toBe("it failed: budget");
  });

  it("reports the same decision to winner and losers", () => {
    const decided = trace.flatMap((event) => (event.type === "decided" && event.others.length > 0 ? [event] : []));
    expect(decided).toMatchObject([
      { winner: { flow: "deep", scores: [1, 1] }, others: [{ flow: "shallow", scores: [0.9] }] },
    ]);
  });
});
