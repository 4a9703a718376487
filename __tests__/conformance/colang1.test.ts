import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "@jest/globals";
import { load } from "js-yaml";
import { actionResult } from "../../src/actions/dispatcher.js";
import { loadConfigFromContent } from "../../src/config/load/load.js";
import type { TurnMessage, TurnOptions } from "../../src/turn/options.js";
import type { TurnResult } from "../../src/turn/result.js";
import type { Runtime } from "../../src/runtime/runtime.js";
import { createRuntime } from "../../src/runtime/create/create-runtime.js";
import { silentTracker } from "../../src/turn/run-tracker.js";
import { ScriptedLanguageModel, promptText } from "../support/language-models/scripted-language-model.js";
import { readScenarios, type Scenario, type ScenarioTurn } from "./scenario-file.js";
import type { LanguageModel, ModelCompletion, ModelPiece, ModelPrompt } from "../../src/llm/model.js";
import type { LlmCallRecord } from "../../src/llm/task/call-model.js";

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), "colang1");
const INTERNAL_ERROR = "⟨internal error⟩";

/** The actions that the scenarios name. */
const ACTIONS: Readonly<Record<string, unknown>> = {
  add: ({ a, b }: { a: number; b: number }) => a + b,
  "fetch order": () => ({ qty: 4 }),
  "find nothing": () => null,
  joke: () => actionResult({ events: [{ type: "StartUtteranceBotAction", script: "Knock knock." }] }),
  "joke and stop": () =>
    actionResult({
      events: [
        { type: "StartUtteranceBotAction", script: "Knock knock." },
        { type: "BotIntent", intent: "stop" },
      ],
    }),
  remember: () => actionResult({ contextUpdates: { bay: 7 } }),
  touch: () => true,
  explode: () => {
    throw new Error("boom");
  },
  acceptable: (_params: unknown, { context }: { context: Readonly<Record<string, unknown>> }) =>
    !String(context["last_bot_message"]).includes("bad"),
};

interface Bench {
  readonly runtime: Runtime;
  readonly model: ScriptedLanguageModel;
}

async function open(
  colang: string,
  yaml: string,
  completions: readonly string[],
  actions: Readonly<Record<string, unknown>> = ACTIONS,
): Promise<Bench> {
  const model = new ScriptedLanguageModel(completions);
  const settings = merge(load(yaml === "" ? "{}" : yaml) as Record<string, unknown>);
  const config = await loadConfigFromContent({ colang, config: settings });
  const runtime = await createRuntime({
    config,
    models: { main: model, byType: {} },
    actions,
    tracker: silentTracker,
    pickVariant: (variants) => variants[0] ?? "",
  });
  return { runtime, model };
}

const SHARED = new Map<string, Promise<Bench>>();

/** The runtime of a source: all conversations with it are separate states. */
function openShared({ colang, yaml }: Scenario): Promise<Bench> {
  const key = JSON.stringify([colang, yaml]);
  const shared = SHARED.get(key) ?? open(colang, yaml, []);
  SHARED.set(key, shared);
  return shared;
}

/** The scenarios are written for the classic three calls. */
function merge(settings: Record<string, unknown>): Record<string, unknown> {
  const rails = (settings["rails"] ?? {}) as Record<string, unknown>;
  return { ...settings, rails: { ...rails, dialog: { single_call: { enabled: false } } } };
}

function messagesOf(turn: ScenarioTurn): TurnMessage[] {
  const messages: TurnMessage[] = [];
  if (turn.context) messages.push({ role: "context", content: turn.context });
  if (turn.event) messages.push({ role: "event", event: turn.event as { type: string } });
  if (turn.text !== undefined) messages.push({ role: "user", content: turn.text });
  if (turn.assistant !== undefined) messages.push({ role: "assistant", content: turn.assistant });
  return messages;
}

/** The list form of NeMo Guardrails names the only stages that run. */
function optionsOf(turn: ScenarioTurn): TurnOptions {
  const only = turn.options?.["rails"];
  if (!Array.isArray(only)) return {};
  const on = (stage: string): boolean => only.includes(stage);
  return { rails: { input: on("input"), output: on("output"), retrieval: on("retrieval"), dialog: on("dialog") } };
}

function expectedText(turn: ScenarioTurn, runtime: Runtime): string {
  const { messages } = runtime.config.settings;
  return turn.lines
    .map((line) =>
      line === INTERNAL_ERROR
        ? messages.internal_error
        : line.replace(/^⟨action missing: (.*)⟩$/, (_all, name: string) =>
            messages.action_missing.replaceAll("{name}", name),
          ),
    )
    .join("\n");
}

async function play(scenario: Scenario): Promise<TurnResult[]> {
  const { runtime, model } = await openShared(scenario);
  model.script(...scenario.completions);
  const results: TurnResult[] = [];
  let state: unknown = {};
  for (const turn of scenario.turns) {
    const options = { ...optionsOf(turn), state, log: { internalEvents: true } };
    const result = await runtime.turn(messagesOf(turn), options);
    results.push(result);
    if (turn.exception === undefined) expect(result.text).toBe(expectedText(turn, runtime));
    else expect([result.status, result.exception?.type]).toEqual(["exception", turn.exception]);
    // A state that went through JSON continues the same conversation.
    state = JSON.parse(JSON.stringify(result.state));
  }
  expect(model.left).toBe(0);
  return results;
}

const SCENARIOS = readScenarios(FOLDER);

function scenario(id: string): Scenario {
  const found = SCENARIOS.find((candidate) => candidate.id === id);
  if (!found) throw new Error(`no scenario ${id}`);
  return found;
}

describe("Colang 1.0 conformance", () => {
  it("has every scenario of the tables", () => {
    expect(SCENARIOS.map(({ id }) => id)).toEqual(
      Array.from({ length: 83 }, (_value, index) => `S${String(index + 1).padStart(2, "0")}`),
    );
  });

  it.each(SCENARIOS.map((each) => [each.id, each.title, each] as const))("%s %s", async (_id, _title, each) => {
    await play(each);
  });

  it("sends the comment above a message as its instructions", async () => {
    const [result] = await play(scenario("S02"));
    expect(botIntents(result)).toEqual([{ intent: "give chain advice", instructions: "Mention the weather." }]);
  });

  it("shortens the step of the model at a comma", async () => {
    const [result] = await play(scenario("S04"));
    expect(botIntents(result)).toEqual([{ intent: "explain tubes" }]);
  });

  it("shows the instructions of a generated value to the model", async () => {
    const { colang, yaml, completions } = scenario("S39");
    const { runtime, model } = await open(colang, yaml, completions);
    await runtime.turn([{ role: "user", content: "1" }]);
    expect(model.calls[1]?.text).toContain("The number of bikes. Use 1 when unclear.");
  });

  it("emits eight messages in one turn", async () => {
    const { colang } = scenario("S01");
    const flow = `define flow eight\n  user ping\n${"  bot hi\n".repeat(8)}`;
    const { runtime } = await open(`${colang}\n${flow}`, "", ["ping"]);
    const result = await runtime.turn([{ role: "user", content: "1" }]);
    expect(result.utterances).toEqual(Array.from({ length: 8 }, () => "Hi."));
  });

  it("runs only the rails that the options name", async () => {
    const { colang, yaml } = scenario("S57");
    const { runtime } = await open(colang, yaml, ["echo"]);
    const result = await runtime.turn([{ role: "user", content: "hey" }], { rails: { input: ["trim b"] } });
    expect(result.text).toBe("hey?");
  });

  it("continues after a restart from the stored state", async () => {
    const { colang } = scenario("S07");
    const first = await open(colang, "", ["book repair"]);
    const asked = await first.runtime.turn([{ role: "user", content: "1" }], { state: {} });
    const second = await open(colang, "", ["give bike"]);
    const stored: unknown = JSON.parse(JSON.stringify(asked.state));
    const answered = await second.runtime.turn([{ role: "user", content: "2" }], { state: stored });
    expect([asked.text, answered.text]).toEqual(["Which bike?", "Which day?"]);
  });

  it("checks every user message without a response", async () => {
    const { colang, yaml } = scenario("S58");
    const { runtime, model } = await open(colang, yaml, []);
    const messages: TurnMessage[] = [
      { role: "user", content: "LOUD" },
      { role: "user", content: "and now?" },
    ];
    expect((await runtime.turn(messages)).text).toBe("Not that.");
    expect(model.calls).toEqual([]);
  });

  it("cancels the other parallel rails when one blocks", async () => {
    const { colang } = scenario("S01");
    const rails = `
define subflow slow
  execute wait
define subflow closed
  bot deny
  stop`;
    let cancelled = false;
    const wait = (_params: unknown, { signal }: { signal: AbortSignal }): Promise<never> =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          cancelled = true;
          reject(signal.reason as Error);
        });
      });
    const yaml = "rails: {input: {parallel: true, flows: [slow, closed]}}";
    const { runtime } = await open(`${colang}\n${rails}`, yaml, [], { wait });
    const result = await runtime.turn([{ role: "user", content: "1" }], { log: { internalEvents: true } });
    expect(result.text).toBe("Not that.");
    expect(cancelled).toBe(true);
    expect(result.log.internalEvents?.map(({ type }) => type)).not.toContain("InputRailFinished");
  });

  it("reads the configuration in conditions", async () => {
    const { colang } = scenario("S01");
    const flow = `
define flow door
  user ping
  if $config.custom_data.mode == "closed"
    bot deny
  else
    bot hi`;
    const answers = await Promise.all(
      ["closed", "open"].map(async (mode) => {
        const { runtime } = await open(`${colang}\n${flow}`, `custom_data: {mode: ${mode}}`, ["ping"]);
        return (await runtime.turn([{ role: "user", content: "1" }])).text;
      }),
    );
    expect(answers).toEqual(["Not that.", "Hi."]);
  });

  it("refuses a subflow that does not exist when the configuration is loaded", async () => {
    const { colang } = scenario("S01");
    await expect(open(`${colang}\ndefine flow x\n  user ping\n  do nothing here`, "", [])).rejects.toMatchObject({
      code: "CO-204",
    });
  });

  it("loads two identical unnamed flows with a warning", async () => {
    const { colang } = scenario("S07");
    const twice = "define flow\n  user knock\n  bot hi\n".repeat(2);
    const { runtime } = await open(`${colang}\n${twice}`, "", []);
    expect(runtime.warnings.map(({ code }) => code)).toContain("CO-306");
  });

  it("shows the public events in their order", async () => {
    const { colang } = scenario("S01");
    const flow = "define flow one\n  user ping\n  bot hi";
    const { runtime } = await open(`${colang}\n${flow}`, "", ["ping"]);
    const { log } = await runtime.turn([{ role: "user", content: "1" }], { log: { internalEvents: true } });
    const types = log.internalEvents?.map(({ type }) => type) ?? [];
    const shown = ["UserMessage", "UserIntent", "BotIntent", "BotMessage", "StartUtteranceBotAction", "Listen"];
    expect(types.filter((type) => shown.includes(type))).toEqual(shown);
    // The options of the call come in as variables before its first event.
    expect(types.find((type) => type !== "ContextUpdate")).toBe("UtteranceUserActionFinished");
  });

  it("runs the input rails before a flow on the raw utterance", async () => {
    const { colang } = scenario("S01");
    const flow = `
define flow eager
  event UtteranceUserActionFinished(final_transcript="...")
  bot hi
define subflow closed
  bot deny
  stop`;
    const blocked = await open(`${colang}\n${flow}`, "rails: {input: {flows: [closed]}}", []);
    expect((await blocked.runtime.turn([{ role: "user", content: "1" }])).text).toBe("Not that.");
    const free = await open(`${colang}\n${flow}`, "", []);
    expect((await free.runtime.turn([{ role: "user", content: "1" }])).text).toBe("Hi.");
  });
});

function botIntents(result: TurnResult | undefined): readonly object[] {
  return (result?.log.internalEvents ?? [])
    .filter(({ type }) => type === "BotIntent")
    .map(({ intent, instructions }) => (instructions === undefined ? { intent } : { intent, instructions }));
}

describe("merged calls", () => {
  /** First contact, conversations, arbitration, splicing, control flow, values and messages. */
  const GROUPS: ReadonlySet<string> = new Set(
    ["S01-S19", "S21-S25", "S36-S49"].flatMap((range) => {
      const [from = 0, to = 0] = range.split("-").map((id) => Number(id.slice(1)));
      return Array.from({ length: to - from + 1 }, (_value, index) => `S${String(from + index).padStart(2, "0")}`);
    }),
  );

  const ACTIONS = {
    add: ({ a, b }: { a: number; b: number }) => a + b,
    "fetch order": () => ({ qty: 4 }),
    "find nothing": () => null,
    touch: () => true,
  };

  /** Responds to classic prompts from a script, and to merged ones chunk by chunk. */
  class AgreeingModel {
    merged = "";
    readonly answer: (prompt: string) => string;

    constructor(answer: (prompt: string) => string) {
      this.answer = answer;
    }

    async generate(prompt: ModelPrompt): Promise<ModelCompletion> {
      return { text: this.answer(promptText(prompt)) };
    }

    async *stream(): AsyncGenerator<ModelPiece> {
      for (const text of this.merged.match(/[\s\S]{1,5}/g) ?? []) yield { text };
    }
  }

  const AGREEING = new Map<string, ReturnType<typeof openWithModel>>();

  function openAgreeing({ colang, yaml }: Scenario, isClassic: boolean): ReturnType<typeof openWithModel> {
    const key = JSON.stringify([colang, yaml, isClassic]);
    const shared = AGREEING.get(key) ?? openWithModel(colang, yaml, isClassic);
    AGREEING.set(key, shared);
    return shared;
  }

  async function openWithModel(colang: string, yaml: string, isClassic: boolean) {
    const settings = load(yaml === "" ? "{}" : yaml) as Record<string, unknown>;
    const rails = (settings["rails"] ?? {}) as object;
    const single = { dialog: { single_call: isClassic ? { enabled: false } : {} } };
    let current = new AgreeingModel(() => "");
    const main: LanguageModel = {
      engine: "agreeing",
      name: "agreeing",
      family: "text",
      native: undefined,
      generate: (prompt) => current.generate(prompt),
      stream: () => current.stream(),
    };
    const runtime = await createRuntime({
      config: await loadConfigFromContent({ colang, config: { ...settings, rails: { ...rails, ...single } } }),
      models: { main, byType: {} },
      actions: ACTIONS,
      tracker: silentTracker,
      pickVariant: (variants) => variants[0] ?? "",
    });
    return { runtime, use: (model: AgreeingModel) => void (current = model) };
  }

  interface Played {
    readonly texts: readonly string[];
    readonly calls: readonly (readonly LlmCallRecord[])[];
  }

  async function play(
    scenario: Scenario,
    isClassic: boolean,
    model: AgreeingModel,
    before: (index: number) => void,
  ): Promise<Played> {
    const { runtime, use } = await openAgreeing(scenario, isClassic);
    use(model);
    const texts: string[] = [];
    const calls: (readonly LlmCallRecord[])[] = [];
    let state: unknown = {};
    for (const [index, turn] of scenario.turns.entries()) {
      before(index);
      const result = await runtime.turn(messagesOf(turn), { state, log: { llmCalls: true } });
      texts.push(result.text);
      calls.push(result.log.llmCalls ?? []);
      state = result.state;
    }
    return { texts, calls };
  }

  function messagesOf({ context, event, text }: ScenarioTurn): TurnMessage[] {
    return [
      ...(context ? [{ role: "context", content: context } as const] : []),
      ...(event ? [{ role: "event", event: event as { type: string } } as const] : []),
      ...(text === undefined ? [] : [{ role: "user", content: text } as const]),
    ];
  }

  /** The response to a merged prompt that corresponds to the responses to the three prompts. */
  function joined(records: readonly LlmCallRecord[]): string {
    const of = (task: string): LlmCallRecord | undefined => records.find((record) => record.task === task);
    const words = of("generate_bot_message");
    const step = of("generate_next_steps")?.completion ?? words?.prompt.slice(words.prompt.lastIndexOf("\nbot ") + 1);
    return [of("generate_user_intent")?.completion, step, words?.completion]
      .filter((part) => part !== undefined)
      .join("\n");
  }

  it.each(
    readScenarios(FOLDER)
      .filter(({ id }) => GROUPS.has(id))
      .map((each) => [each.id, each.title, each] as const),
  )("%s %s: one call gives the same texts as three", async (_id, _title, scenario) => {
    const completions = [...scenario.completions];
    const classicModel = new AgreeingModel(() => completions.shift() ?? "");
    const classic = await play(scenario, true, classicModel, () => undefined);

    const completionOf = new Map(classic.calls.flat().map(({ prompt, completion }) => [prompt, completion]));
    const model = new AgreeingModel((prompt) => {
      const answer = completionOf.get(prompt);
      if (answer === undefined) throw new Error(`a prompt that the classic calls did not have:\n${prompt}`);
      return answer;
    });
    const merged = await play(scenario, false, model, (index) => {
      model.merged = joined(classic.calls[index] ?? []);
    });

    expect(merged.texts).toEqual(classic.texts);
    for (const [index, records] of classic.calls.entries()) {
      const tasks = records.map(({ task }) => task);
      const count = merged.calls[index]?.length ?? 0;
      expect(count).toBeLessThanOrEqual(records.length);
      if (tasks.join() === "generate_user_intent,generate_next_steps,generate_bot_message") expect(count).toBe(1);
    }
  });
});
