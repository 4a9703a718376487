import { describe, expect, it } from "@jest/globals";
import { defineAction } from "../../../src/actions/define-action.js";
import type { GuardrailsEvent } from "../../../src/engine/events.js";
import { type HostOptions, TestHost } from "../../runtime/colang2/generation/host.js";

const GO = { type: "Go" } as GuardrailsEvent;
const HALT = { type: "Halt" } as GuardrailsEvent;

/** A program whose `main` does this and then waits, beside these flows. */
const program = (main: readonly string[], ...flows: readonly string[]): string =>
  `import core\nimport llm\n\nflow main\n${main.map((line) => `  ${line}\n`).join("")}  wait indefinitely\n\n${flows.join("\n\n")}\n`;

const open = (main: readonly string[], flows: readonly string[] = [], options: HostOptions = {}): Promise<TestHost> =>
  TestHost.open(program(main, ...flows), options);

const logged = ({ access }: TestHost): readonly string[] => access.history.map(({ name, flow }) => `${name} ${flow}`);

describe("polling llm request response", () => {
  it("is there, waits and asks for nothing", async () => {
    const host = await open([
      "start polling llm request response 0.5 as $polling",
      "match Go()",
      "bot say $polling.status",
    ]);
    expect(await host.send(GO)).toEqual(["started"]);
    expect(host.conversation.state.index.byFlow.get("polling llm request response").size).toBe(2);
    expect([...host.conversation.state.index.actions.values()].map(({ name }) => name)).not.toContain("TimerBotAction");
  });
});

describe("an intent that no flow waits for", () => {
  const UNKNOWN = 'send FinishFlow(flow_id="user asked for joke")';

  it("unhandled user intent: returns it", async () => {
    const host = await open(
      ["start caller", "unhandled user intent as $u", 'bot say "{$u.intent}"'],
      [`flow caller\n  match Go()\n  ${UNKNOWN}`],
    );
    expect(await host.send(GO)).toEqual(["user asked for joke"]);
  });

  it("unhandled user intent: is not one that was taken, nor what is no intent of a user", async () => {
    const host = await open(
      ["start user asked for joke", "start caller", "unhandled user intent", 'bot say "unhandled"'],
      [
        `flow caller\n  match Go()\n  ${UNKNOWN}\n  send FinishFlow(flow_id="bot waves")`,
        "flow user asked for joke\n  match Joke()",
      ],
    );
    expect(await host.send(GO)).toEqual([]);
  });

  it("continuation on unhandled user intent: asks the model what comes next", async () => {
    const host = await open(["activate continuation on unhandled user intent", "match Go()", UNKNOWN], [], {
      llm: ['bot intent: bot tell joke\nbot action: bot say "Knock!"'],
    });
    expect(await host.send(GO)).toEqual(["Knock!"]);
    expect(host.added).toEqual([]);
  });

  it("tracking unhandled user intent state: keeps the last one until an intent is understood", async () => {
    const host = await open(
      [
        "activate tracking unhandled user intent state and automating intent detection",
        "match Go()",
        UNKNOWN,
        "user asked for help",
      ],
      ["flow user asked for help\n  match Help()"],
    );
    const state = (): unknown => host.access.globals["user_intent_state"] ?? null;
    expect(state()).toBeNull();
    await host.send(GO);
    expect(state()).toBe("user asked for joke");
    await host.send({ type: "Help" } as GuardrailsEvent);
    expect(state()).toBeNull();
  });
});

describe("what comes next", () => {
  const AWAY: HostOptions = {
    actions: [defineAction({ name: "GenerateFlowContinuationAction" }, () => Promise.reject(new Error("away")))],
    local: ["RetrieveRelevantChunksAction", "AddFlowsAction", "RemoveFlowsAction", "CheckFlowDefinedAction"],
  };
  const REPLY = 'bot intent: bot tell joke\nbot action: bot say "Knock!"';

  it("llm generate interaction continuation flow: adds it and gives its name", async () => {
    const host = await open(
      ["match Go()", "$name = await llm generate interaction continuation flow", 'bot say "{$name}"'],
      [],
      { llm: [REPLY] },
    );
    const [name] = await host.send(GO);
    expect(name).toMatch(/^_dynamic_\w{8} bot tell joke$/);
    expect(host.added).toEqual([name]);
  });

  it("llm generate interaction continuation flow: none when it cannot be written", async () => {
    const host = await open(
      ["match Go()", "$name = await llm generate interaction continuation flow", 'bot say "{$name}"'],
      [],
      AWAY,
    );
    expect(await host.send(GO)).toEqual(["None"]);
  });

  it.each<[string, HostOptions, readonly string[]]>([
    ["does it and removes it", { llm: [REPLY] }, ["Knock!", "on"]],
    ["fails when there is none", AWAY, ["off"]],
  ])("llm continue interaction: %s", async (_, options, said) => {
    const host = await open(
      ["match Go()", "when llm continue interaction", '  bot say "on"', "else", '  bot say "off"'],
      [],
      options,
    );
    expect(await host.send(GO)).toEqual(said);
    expect(host.added).toEqual([]);
  });
});

describe("automating intent detection", () => {
  const FLOWS = [
    "flow user asked for help\n  match Help()",
    'flow bot offers help\n  bot say "Sure."',
    "@meta(user_intent=True)\nflow user left\n  match Bye()",
    '@meta(bot_intent=True)\nflow bot says bye\n  bot say "Bye."',
  ];
  const HELP = { type: "Help" } as GuardrailsEvent;
  const BYE = { type: "Bye" } as GuardrailsEvent;

  it("marking and logging marked user intent flows, and those of the bot: flows of these names", async () => {
    const host = await open(["activate automating intent detection", "user asked for help", "bot offers help"], FLOWS);
    expect(host.access.globals["user_intent_uids"]).toHaveLength(1);
    expect(await host.send(HELP)).toEqual(["Sure."]);
    expect(logged(host)).toEqual([
      "UserIntentLog user asked for help",
      "BotActionLog bot say",
      "BotIntentLog bot offers help",
    ]);
    expect(host.access.globals).toMatchObject({ user_intent_uids: [], bot_intent_uids: [] });
  });

  it("logs tagged ones once", async () => {
    const host = await open(["activate automating intent detection", "user left", "bot says bye"], FLOWS);
    await host.send(BYE);
    expect(logged(host).filter((log) => log.includes("Intent"))).toEqual([
      "UserIntentLog user left",
      "BotIntentLog bot says bye",
    ]);
    expect(host.access.globals["user_intent_uids"] ?? []).toEqual([]);
  });

  it("does not log, and forgets, a cancelled one", async () => {
    const host = await open(
      [
        "activate automating intent detection",
        "while True",
        "  when user asked for help",
        "    pass",
        "  or when Halt()",
        "    pass",
      ],
      FLOWS,
    );
    for (let turn = 0; turn < 5; turn += 1) await host.send(HALT);
    expect(logged(host)).toEqual([]);
    expect(host.access.globals["user_intent_uids"]).toHaveLength(1);
  });
});
