import { describe, expect, it } from "@jest/globals";
import { actionResult } from "../../src/actions/dispatcher.js";
import type { ActionContext } from "../../src/actions/action.js";
import type { TurnMessage } from "../../src/turn/options.js";
import { openBench } from "./bench.js";
import { defineAction } from "../../src/actions/define-action.js";
import { checkTool, runStage } from "../support/language-models/one-shot.js";
import { ConfigError, GuardrailsError } from "../../src/diagnostics/errors.js";

const user = (content: string): TurnMessage[] => [{ role: "user", content }];
const saying = (text: string) => async () => ({ text });

const DENY = 'define bot deny\n  "Not that."\n';
const CLASSIC = "dialog: {single_call: {enabled: false}}";

describe("rails exceptions", () => {
  const flows = (stage: string) => `
define subflow guard
  if $config.enable_rails_exceptions
    create event ${stage}RailException(message="blocked at ${stage}")
  else
    bot deny
  execute never
define user ask
  "ask"
define bot answer
  "An answer."
define flow
  user ask
  bot answer
  bot say more
`;
  it.each(["input", "output", "retrieval"] as const)(
    "at %s: the event is emitted and all text is dropped",
    async (stage) => {
      let ran = 0;
      const name = `${stage[0]?.toUpperCase()}${stage.slice(1)}`;
      const { runtime } = await openBench({
        colang: DENY + flows(name),
        yaml: `enable_rails_exceptions: true\nrails: {${stage}: {flows: [guard]}, ${CLASSIC}}`,
        actions: { never: () => (ran += 1) },
        answers: stage === "input" ? [] : ["ask", '"More."'],
      });
      const result = await runtime.turn(user("hi"), { state: {} });
      expect([result.status, result.text, result.utterances]).toEqual(["exception", "", []]);
      expect(result.exception).toMatchObject({ type: `${name}RailException`, message: `blocked at ${name}` });
      expect(result.decisions[0]).toMatchObject({ status: "blocked", stage });
      expect(ran).toBe(0);
    },
  );
});

describe("library rails in whole turns", () => {
  it("self check facts runs for one response only", async () => {
    const { runtime, model } = await openBench({
      colang:
        "define flow\n  event UserMessage\n  if $user_message == 'check'\n    $check_facts = True\n  bot say it\n",
      yaml: `rails: {output: {flows: [self check facts]}, ${CLASSIC}}`,
      answers: ['"Bikes are blue."', "no", '"Bikes are blue."'],
    });
    const context = { relevant_chunks: "Bikes are red." };
    const first = await runtime.turn(user("check"), { state: {}, context });
    expect([first.status, first.decisions[0]?.score]).toEqual(["blocked", 0]);
    const second = await runtime.turn(user("again"), { state: first.state });
    expect([second.text, second.decisions[0]?.status, model.left]).toEqual(["Bikes are blue.", "passed", 0]);
  });

  it("evidence in the response turns the fact check on", async () => {
    const { runtime } = await openBench({
      yaml: "rails: {output: {flows: [self check facts]}}",
      answers: ["no"],
    });
    const generator = async () => ({ text: "Blue.", relevantChunks: ["Red."] });
    expect((await runtime.turn(user("colour?"), { generator })).status).toBe("blocked");
  });

  it.each([
    ["no", "blocked", "I'm sorry, I don't know the answer to that."],
    ["yes", "answered", "It was in 1901."],
  ])("self check hallucination calls the main model again; its judge says %s", async (verdict, status, text) => {
    const { runtime, model } = await openBench({
      colang: "define flow\n  event UserMessage\n  $check_hallucination = True\n  bot say it\n",
      yaml: `rails: {output: {flows: [self check hallucination]}, ${CLASSIC}}`,
      answers: ['"It was in 1901."', "In 1950.", "In 1960.", verdict],
    });
    const result = await runtime.turn(user("when?"));
    expect([result.status, result.text, model.left]).toEqual([status, text, 0]);
    expect(result.log.stats.llmCallsCount).toBe(4);
  });
});

describe("predefined messages", () => {
  const colang = `${DENY}define flow\n  event UserMessage\n  bot hello\ndefine bot hello\n  "Hello."\ndefine subflow star\n  $bot_message = "*" + $bot_message\n`;
  it.each([
    [false, "Hello."],
    [true, "*Hello."],
  ])("pass the output rails when check_predefined is %p: %j", async (check, text) => {
    const { runtime } = await openBench({
      colang,
      yaml: `rails: {output: {flows: [star], check_predefined: ${check}}}`,
    });
    expect((await runtime.turn(user("hi"))).text).toBe(text);
  });
});

describe("a rail with an utterance", () => {
  const nag = (meta: string) => `define bot nag\n  "Be nice."\ndefine subflow nag\n${meta}  bot nag\n`;
  const yaml = "rails: {input: {flows: [nag]}}";
  it("blocks even if it does not stop", async () => {
    const { runtime } = await openBench({ colang: nag(""), yaml });
    expect(runtime.warnings.map(({ code }) => code)).toContain("CO-310");
    const result = await runtime.turn(user("hi"), { generator: saying("answer") });
    expect([result.status, result.text, result.generated]).toEqual(["blocked", "Be nice.", undefined]);
  });

  it("continues if its meta allows it", async () => {
    const { runtime } = await openBench({ colang: nag('  meta {"continue": true}\n'), yaml });
    const result = await runtime.turn(user("hi"), { generator: saying("answer") });
    expect([result.status, result.utterances]).toEqual(["answered", ["Be nice.", "answer"]]);
  });
});

describe("rails with parameters", () => {
  it.each([
    ["check $word=red $other", "red"],
    ['check(word="blue")', "blue"],
    ["check", null],
  ])("%s", async (reference, expected) => {
    const seen: unknown[] = [];
    const { runtime } = await openBench({
      colang: "define subflow check\n  execute look(word=$word)\n",
      yaml: `rails: {input: {flows: ['${reference}']}}`,
      actions: { look: ({ word }: { word: unknown }) => void seen.push(word) },
      answers: ["ok"],
    });
    await runtime.turn(user("hi"));
    expect(seen).toEqual([expected]);
  });
});

describe("overriding", () => {
  const HI = 'define bot hi\n  "Hi."\n';
  it.each<[string, string, string]>([
    [
      "process user input",
      'define parallel flow process user input\n  event UtteranceUserActionFinished(final_transcript="...")\n  create event UserMessage(text="replaced")\n',
      "echo replaced",
    ],
    ["run input rails", "define subflow run input rails\n  $user_message = 'unchecked'\n", "echo unchecked"],
    ["run dialog rails", `${HI}define flow run dialog rails\n  event UserMessage\n  bot hi\n`, "Hi."],
    ["generate user intent", `${HI}define subflow generate user intent\n  bot hi\n`, "Hi."],
    [
      "process bot message",
      'define parallel extension flow process bot message\n  priority 100\n  event BotMessage\n  create event StartUtteranceBotAction(script="mine")\n',
      "mine",
    ],
    ["run output rails", "define subflow run output rails\n  $bot_message = 'out'\n", "out"],
  ])("the flow `%s`", async (_id, colang, text) => {
    const { runtime } = await openBench({
      colang: `define subflow none\n  pass\n${colang}`,
      yaml: "rails: {input: {flows: [none]}, output: {flows: [none]}}",
    });
    const generator = async ({ userMessage }: { userMessage: string }) => ({ text: `echo ${userMessage}` });
    expect((await runtime.turn(user("hi"), { generator })).text).toBe(text);
  });

  it.each<[string, () => unknown, string]>([
    ["generate_user_intent", () => actionResult({ events: [{ type: "UserIntent", intent: "leave" }] }), "Bye."],
    ["generate_next_step", () => actionResult({ events: [{ type: "BotIntent", intent: "bye" }] }), "Bye."],
    ["generate_bot_message", () => actionResult({ events: [{ type: "BotMessage", text: "mine" }] }), "mine"],
    ["retrieve_relevant_chunks", () => actionResult({ contextUpdates: { relevant_chunks: "own" } }), "Chunks: own."],
  ])("the action `%s`", async (name, action, text) => {
    const { runtime } = await openBench({
      colang: `
define user leave
  "leave"
define user stay
  "stay"
define user chunks
  "chunks"
define bot bye
  "Bye."
define bot tell chunks
  "Chunks: $relevant_chunks."
define flow
  user leave
  bot bye
define flow
  user chunks
  bot tell chunks
`,
      yaml: `rails: {${CLASSIC}}`,
      actions: { [name]: action },
      answers: [name === "retrieve_relevant_chunks" ? "chunks" : name === "generate_next_step" ? "stay" : "leave"],
    });
    expect((await runtime.turn(user("hi"))).text).toBe(text);
  });
});

describe("concurrent turns", () => {
  it("share nothing", async () => {
    const { runtime } = await openBench({
      colang: `${DENY}
define subflow no odd
  $odd = execute is odd
  if $odd
    bot deny
    stop
define subflow mark
  $bot_message = $bot_message + " for " + $name`,
      yaml: "rails: {input: {flows: [no odd]}, output: {flows: [mark]}}",
      actions: {
        "is odd": async (_params: unknown, { context }: ActionContext) => {
          await new Promise((resolve) => setImmediate(resolve));
          return Number(context["user_message"]) % 2 === 1;
        },
      },
    });
    const turns = Array.from({ length: 100 }, (_value, index) =>
      runtime.turn(user(String(index)), {
        context: { name: `n${index}` },
        outputVars: ["name", "odd"],
        generator: async ({ userMessage, context }) => {
          await new Promise((resolve) => setImmediate(resolve));
          return { text: `${userMessage} of ${String(context["name"])}` };
        },
      }),
    );
    for (const [index, result] of (await Promise.all(turns)).entries()) {
      const odd = index % 2 === 1;
      expect(result.text).toBe(odd ? "Not that." : `${index} of n${index} for n${index}`);
      expect([result.outputData, result.decisions.length]).toEqual([{ name: `n${index}`, odd }, odd ? 1 : 2]);
    }
  });
});

it("a flow may execute `create_event`, and other flows receive the event", async () => {
  const colang = `
define user ring
  "ring"
define bot answer
  "Who is there?"
define flow ring
  user ring
  execute create_event(event={"type": "Bell", "times": 2})
define flow door
  event Bell(times=2)
  bot answer
`;
  const { runtime } = await openBench({ colang });
  const result = await runtime.turn([{ role: "user", content: "ring" }]);
  expect([result.text, result.log.errors, runtime.warnings]).toEqual(["Who is there?", [], []]);
});

// Rails that only judge see the text as rewriting rails of their stage left it, in any order of the list.

const STAGES = [
  ["input", "user_message", '"covered"'],
  ["output", "bot_message", '"covered"'],
  ["retrieval", "relevant_chunks", '"covered"'],
  ["tool_output", "tool_args", '{"a": "covered"}'],
  ["tool_input", "tool_message", '"covered"'],
] as const;

async function seenByJudge([stage, name, value]: (typeof STAGES)[number]): Promise<unknown> {
  const seen: unknown[] = [];
  const { runtime } = await openBench({
    colang: `
define subflow judge
  $allowed = execute judge(value=$${name})
  if not $allowed
    stop
define subflow cover
  $${name} = ${value}
`,
    yaml: `rails: {${stage}: {flows: [judge, cover]}}`,
    actions: { judge: defineAction({ name: "judge", verdict: true }, ({ value: given }) => (seen.push(given), true)) },
  });
  const call = { tool: "pay", args: { a: "raw" }, callId: "c1" };
  if (stage === "tool_output") await checkTool(runtime, stage, call);
  else if (stage === "tool_input") await checkTool(runtime, stage, { ...call, result: "raw" });
  else await runStage(runtime, stage, { userMessage: "raw", botMessage: "raw", relevantChunks: ["raw"] });
  return seen;
}

describe("a rail that rewrites, listed after one that judges", () => {
  it.each(STAGES.filter(([stage]) => stage !== "retrieval"))("runs first in %s if it assigns `$%s`", async (...row) => {
    expect(await seenByJudge(row)).toEqual([row[1] === "tool_args" ? { a: "covered" } : "covered"]);
  });

  it("runs second in retrieval, in the listed order", async () => {
    expect(await seenByJudge(STAGES[2])).toEqual(["raw"]);
  });
});

describe("diagnostics", () => {
  const user = (content: string) => [{ role: "user" as const, content }];
  const generator = async () => ({ text: "fine" });
  const PASSING = "define subflow open\n  $seen = True";
  const LISTED = "rails: {input: {flows: [open]}}";

  describe("diagnostics of an opened configuration", () => {
    it.each([
      [
        "CF-201",
        { yaml: "models: []" },
        undefined,
        "the configuration has no rails and no flows, so nothing is guarded",
      ],
      [
        "CF-204",
        { yaml: "rails: {input: {flows: [self check input]}}", bare: true },
        "self check input",
        "the rail `self check input` has no model to ask, so it blocks everywhere but in `wrap(model)`",
      ],
    ])("%s is a warning", async (code, given, underlined, message) => {
      const { runtime } = await openBench(given);
      const found = runtime.warnings.find((warning) => warning.code === code);
      expect(found).toMatchObject({ severity: "warning", message });
      expect(found?.span?.source.text.slice(found.span.start, found.span.end)).toBe(underlined);
    });

    it.each([
      [
        "rails: {output: {flows: [self check input]}}",
        "`self check input` is not a valid output rail",
        "rails.input.flows",
      ],
      [
        "rails: {input: {flows: [hallucination warning]}}",
        "`hallucination warning` is not a valid input rail",
        "by itself",
      ],
    ])("CF-110: %s", async (yaml, message, hint) => {
      const error: unknown = await openBench({ yaml }).catch((thrown: unknown) => thrown);
      if (!ConfigError.isInstance(error)) throw error;
      expect(error.diagnostics).toEqual([
        expect.objectContaining({ code: "CF-110", message, hint: expect.stringContaining(hint) }),
      ]);
    });
  });

  describe("diagnostics of a turn", () => {
    it("RL-104: a listener that fails is reported and changes no verdict", async () => {
      const { runtime } = await openBench({
        colang: PASSING,
        yaml: LISTED,
        onDecision: () => {
          throw new Error("listener is broken");
        },
      });
      const result = await runtime.turn(user("hi"), { generator });
      expect([result.status, result.text]).toEqual(["answered", "fine"]);
      expect(result.log.errors).toMatchObject([{ code: "RL-104", message: "`onDecision` failed: listener is broken" }]);
    });

    it("RL-302: a verdict that cannot be read blocks", async () => {
      const { runtime } = await openBench({
        yaml: "rails: {input: {flows: [self check input]}}",
        answers: ["perhaps", "perhaps", "perhaps"],
      });
      const result = await runtime.turn(user("hi"), { generator });
      expect(result.status).toBe("blocked");
      expect(result.decisions).toMatchObject([{ status: "error", metadata: { code: "RL-302" } }]);
    });

    it.each([
      ["another version", { version: 2 }],
      ["no state", "hello"],
      ["a state without a history", { version: 1, engine: {} }],
    ])("RL-402: %s", async (_title, state) => {
      const { runtime } = await openBench({ colang: PASSING, yaml: LISTED });
      const error: unknown = await runtime.turn(user("hi"), { generator, state }).catch((thrown: unknown) => thrown);
      expect(GuardrailsError.isInstance(error) && error.code).toBe("RL-402");
    });
  });
});
