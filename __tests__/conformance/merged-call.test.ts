import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "@jest/globals";
import { load } from "js-yaml";
import { loadConfigFromContent } from "../../src/config/load/load.js";
import type { LanguageModel, ModelCompletion, ModelPiece, ModelPrompt } from "../../src/llm/model.js";
import type { LlmCallRecord } from "../../src/llm/task/call-model.js";
import { createRuntime } from "../../src/runtime/create/create-runtime.js";
import type { TurnMessage } from "../../src/turn/options.js";
import { silentTracker } from "../../src/turn/run-tracker.js";
import { promptText } from "../support/language-models/scripted-language-model.js";
import { readScenarios, type Scenario, type ScenarioTurn } from "./scenario-file.js";

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), "colang1");

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

/** Responds to classic prompts from a script, and to merged ones piece by piece. */
class AgreeingModel implements LanguageModel {
  readonly engine = "agreeing";
  readonly name = "agreeing";
  readonly family = "text";
  readonly native = undefined;
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
  const settings = load(scenario.yaml === "" ? "{}" : scenario.yaml) as Record<string, unknown>;
  const rails = (settings["rails"] ?? {}) as object;
  const single = { dialog: { single_call: isClassic ? { enabled: false } : {} } };
  const runtime = await createRuntime({
    config: await loadConfigFromContent({
      colang: scenario.colang,
      config: { ...settings, rails: { ...rails, ...single } },
    }),
    models: { main: model, byType: {} },
    actions: ACTIONS,
    tracker: silentTracker,
    pickVariant: (variants) => variants[0] ?? "",
  });
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
)("%s %s: one call says what three say", async (_id, _title, scenario) => {
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
