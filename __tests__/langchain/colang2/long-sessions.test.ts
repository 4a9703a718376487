import { describe, expect, it } from "@jest/globals";
import { Guardrails, type RailDecision } from "../../../src/index.js";
import { OwnRails } from "../../../src/runtime/colang2/rails/own-rails.js";

const SESSION = `import core
import guardrails
flow main
  activate polite
  activate careless
flow careless
  match Slip()
  $x = 1 / 0
flow polite
  user said something as $ref
  $text = $ref.transcript
  bot say "you said {$text}"
flow input rails $input_text
  if "attack" in $input_text
    bot say "no"
    abort
  if "error" in $input_text
    $x = 1 / 0
flow output rails $output_text
  pass
`;
const said = (text: string) => ({ type: "UtteranceUserActionFinished", final_transcript: text });

describe("the state of a long conversation", () => {
  it("does not grow in a session of events", async () => {
    const guardrails = await Guardrails.fromConfig({ colang: SESSION, config: { colang_version: "2.x" } });
    const session = guardrails.events();
    const sizes: number[] = [];
    for (let turn = 100; turn < 190; turn += 1) {
      session.send(said(turn % 3 === 0 ? `attack ${turn}` : `hello ${turn}`));
      await session.settled();
      if (turn % 10 === 0) sizes.push(JSON.stringify(await session.state()).length);
    }
    session.close();
    expect(sizes.at(-1)).toBeLessThan(1.02 * Math.max(...sizes.slice(4, 7)));
  });

  it("does not hold every text that own rails ever blocked", () => {
    const turn = { now: () => 0, decide: () => undefined, userTexts: [""], decisions: [] };
    const run = { turn, events: [], engine: { globals: {} } };
    const services = { ownRailFlows: new Set(["input rails"]), program: { flows: [] }, onError: "block" };
    const own = new OwnRails(services as never, run as never);
    for (let count = 0; count < 10_000; count += 1) {
      turn.userTexts = [`attack ${count}`];
      const instance = String(count);
      own.note([
        { type: "started", flow: "input rails", instance },
        { type: "aborted", flow: "input rails", instance, why: "failed" },
      ] as never);
    }
    expect(own.blocked).toHaveLength(1_000);
    expect(own.blocked.at(-1)).toBe("attack 9999");
    expect(own.isPending).toBe(false);
  });
});

describe("a block of own rails in a session", () => {
  it.each([
    ["of a rail that failed", [said("error")]],
    ["of a flow that is no rail", [{ type: "Slip" }]],
  ])("is no error because of an earlier failure %s", async (_title, earlier) => {
    const decisions: RailDecision[] = [];
    const guardrails = await Guardrails.fromConfig(
      { colang: SESSION, config: { colang_version: "2.x" } },
      { logger: false, onDecision: (decision) => decisions.push(decision) },
    );
    const session = guardrails.events();
    for (const event of [...earlier, said("attack")]) {
      session.send(event);
      await session.settled();
    }
    session.close();
    expect(decisions.findLast(({ stage }) => stage === "input")?.status).toBe("blocked");
  });
});
