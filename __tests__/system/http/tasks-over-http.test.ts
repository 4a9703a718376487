import { describe, expect, it } from "@jest/globals";
import { ChatOpenAI } from "@langchain/openai";
import * as fc from "fast-check";
import { Guardrails, type GenerationOptions } from "../../../src/index.js";
import {
  type ScriptedServer,
  scriptedServer,
  type ServerRequest,
  type ServerScript,
} from "../../../src/testing/index.js";

const COLANG = `
define user ask price
  "how much is it"
define user ask hours
  "when do you open"
define user book
  "book it"
define bot give price
  "Four euros."
define bot confirm
  "Booked for $day."
define flow price
  user ask price
  bot give price
define flow hours
  user ask hours
  bot give hours
define flow book
  user book
  # The day of the week.
  $day = ...
  bot confirm
`;

const LOWEST = 0;
const classic = { rails: { dialog: { single_call: { enabled: false } } } };
const single = { rails: { dialog: { single_call: { enabled: true } } } };
const NO_ANSWER = "Sorry, I do not have an answer to that.";

const client = (server: ScriptedServer): ChatOpenAI =>
  new ChatOpenAI({
    model: "any",
    apiKey: "none",
    maxRetries: 0,
    temperature: 0.5,
    configuration: { baseURL: server.url },
  });

interface Expected {
  readonly text: string;
  /** Per request: the task, the temperature, whether it is a stream. */
  readonly calls: readonly (readonly [task: string, temperature: number, stream: boolean])[];
  /** A text of each prompt, one per request. */
  readonly prompts?: readonly string[];
}

interface Setting {
  readonly config?: object;
  readonly colang?: string;
  readonly options?: GenerationOptions;
}

async function play(says: string, replies: ServerScript, { config, colang, options }: Setting) {
  await using server = await scriptedServer(replies);
  const guardrails = await Guardrails.fromConfig(
    { colang: colang ?? COLANG, config: { models: [], ...config } },
    { llm: client(server) },
  );
  const result = await guardrails.generate(says, { ...options, log: { llmCalls: true, internalEvents: true } });
  server.assertDone();
  return { result, requests: [...server.requests] };
}

const shown = ({ body }: ServerRequest): string => JSON.stringify(body["messages"]);

const INTENT = "generate_user_intent";
const STEP = "generate_next_steps";
const WORDS = "generate_bot_message";
const MERGED = "generate_intent_steps_message";
const STEPS = "generate_steps_message";

describe("every task of a dialogue, over HTTP", () => {
  it.each<[string, string, readonly string[], Setting, Expected]>([
    [
      "three calls",
      "colour?",
      ["User intent: ask colour", "Bot intent: name colour", 'Bot message: "Red."'],
      { config: classic },
      {
        text: "Red.",
        calls: [
          [INTENT, LOWEST, false],
          [STEP, LOWEST, false],
          [WORDS, 0.5, false],
        ],
        prompts: ["colour?", "ask colour", "name colour"],
      },
    ],
    [
      "one call",
      "colour?",
      ['User intent: ask colour\nBot intent: name colour\nBot message: "Red."'],
      {},
      { text: "Red.", calls: [[MERGED, LOWEST, true]], prompts: ["colour?"] },
    ],
    [
      "a single call that is read as a whole",
      "colour?",
      ['User intent: ask colour\nBot intent: name colour\nBot message: "Red."'],
      { config: single },
      { text: "Red.", calls: [[MERGED, LOWEST, false]] },
    ],
    [
      "text for the step of a flow",
      "when do you open",
      ['Bot message: "At nine."'],
      { options: { llmParams: { temperature: 0.9, seed: 7 } } },
      { text: "At nine.", calls: [[WORDS, 0.9, false]], prompts: ["give hours"] },
    ],
    [
      "step and text for a known intent",
      "which colour",
      ['Bot intent: name colour\nBot message: "Red."'],
      { colang: `${COLANG}define user ask colour\n  "which colour"\n` },
      { text: "Red.", calls: [[STEPS, LOWEST, true]], prompts: ["ask colour"] },
    ],
    [
      "a value",
      "book it",
      ['"Monday"'],
      {},
      { text: "Booked for Monday.", calls: [["generate_value", LOWEST, false]], prompts: ["The day of the week."] },
    ],
    [
      "several steps that the model writes",
      "tour?",
      ["User intent: ask tour", "bot give price\nbot explain tour", 'Bot message: "Round the town."'],
      { config: { enable_multi_step_generation: true } },
      {
        text: "Four euros.\nRound the town.",
        calls: [
          [INTENT, LOWEST, false],
          [STEP, LOWEST, false],
          [WORDS, 0.5, false],
        ],
      },
    ],
    [
      "a response without intents",
      "colour?",
      ["Red."],
      { colang: "", options: { llmParams: { max_tokens: 9 } } },
      { text: "Red.", calls: [["general", 0.5, false]], prompts: ["colour?"] },
    ],
    [
      "passthrough",
      "colour?",
      ["Red."],
      { colang: "", config: { passthrough: true } },
      { text: "Red.", calls: [["passthrough", 0.5, false]], prompts: ['[{"role":"user","content":"colour?"}]'] },
    ],
    [
      "passthrough with intents",
      "colour?",
      ["User intent: ask colour", "Bot intent: name colour", "Red."],
      { config: { passthrough: true } },
      {
        text: "Red.",
        calls: [
          [INTENT, LOWEST, false],
          [STEP, LOWEST, false],
          ["passthrough", 0.5, false],
        ],
      },
    ],
    [
      "a check of user messages",
      "colour?",
      ["No", "Red."],
      { colang: "", config: { rails: { input: { flows: ["self check input"] } } } },
      {
        text: "Red.",
        calls: [
          ["self_check_input", LOWEST, false],
          ["general", 0.5, false],
        ],
      },
    ],
    [
      "a check of bot messages",
      "colour?",
      ["Red.", "No"],
      { colang: "", config: { rails: { output: { flows: ["self check output"] } } } },
      {
        text: "Red.",
        calls: [
          ["general", 0.5, false],
          ["self_check_output", LOWEST, false],
        ],
      },
    ],
    [
      "a check of facts",
      "colour?",
      ["Red.", "Yes"],
      {
        colang: "",
        config: { rails: { output: { flows: ["self check facts"] } } },
        options: { context: { relevant_chunks: "Bikes are red.", check_facts: true } },
      },
      {
        text: "Red.",
        calls: [
          ["general", 0.5, false],
          ["self_check_facts", LOWEST, false],
        ],
        prompts: ["Bikes are red.", "Bikes are red."],
      },
    ],
  ])("%s", async (_, says, replies, setting, expected) => {
    const { result, requests } = await play(says, replies, setting);
    expect(result.response).toBe(expected.text);
    expect(result.log.llmCalls?.map(({ task }) => task)).toEqual(expected.calls.map(([task]) => task));
    for (const [index, [, temperature, stream]] of expected.calls.entries()) {
      const { body } = requests[index] as ServerRequest;
      expect([body["temperature"], body["stream"] === true]).toEqual([temperature, stream]);
      expect(shown(requests[index] as ServerRequest)).toContain(expected.prompts?.[index] ?? "");
    }
    for (const call of result.log.llmCalls ?? []) expect(call.usage?.total_tokens).toBe(15);
  });
});

describe("malformed completions over HTTP", () => {
  const alone = { rails: { dialog: { single_call: { fallback_to_multiple_calls: false } } } };
  const endless = "bla ".repeat(700);
  const long = "bla ".repeat(60);
  // The three classic completions, the merged one, and their result.
  it.each<[string, readonly [string, string, string], string, readonly [string, string, string]]>([
    ["nothing", ["", "", ""], "", ["unknown message", "general response", NO_ANSWER]],
    ["an intent and more", ['ask x "why"\nbot y', "bot y", '"Z."'], 'ask x "why"\nbot y\n"Z."', ["ask x", "y", "Z."]],
    ["an undefined intent", ["ask moon", "bot y", '"Z."'], 'ask moon\nbot y\n"Z."', ["ask moon", "y", "Z."]],
    [
      "lines too long for a form",
      [long, `bot ${long}`, '"Z."'],
      `${long}\nbot ${long}\n"Z."`,
      ["unknown message", "general response", "Z."],
    ],
    ["no step", ["ask x", "Let me see.", '"Z."'], 'ask x\nLet me see.\n"Z."', ["ask x", "general response", "Z."]],
    ["a stop", ["ask x", "bot stop", '"Z."'], 'ask x\nbot stop\n"Z."', ["ask x", "general response", "Z."]],
    ["a variable", ["ask x", "bot $key", '"Z."'], 'ask x\nbot $key\n"Z."', ["ask x", "general response", "Z."]],
    [
      "Colang of its own",
      ["ask x", "execute rm", '"Z."'],
      'ask x\nexecute rm\n"Z."',
      ["ask x", "general response", "Z."],
    ],
    ["no text", ["ask x", "bot y", ""], "ask x\nbot y\n", ["ask x", "y", NO_ANSWER]],
    ["no closing quote", ["ask x", "bot y", '"Z'], 'ask x\nbot y\n"Z', ["ask x", "y", "Z"]],
    [
      "the user's next turn",
      ["ask x", "bot y", '"Z."\nuser "ok"'],
      'ask x\nbot y\n"Z."\nuser "ok"',
      ["ask x", "y", "Z."],
    ],
    [
      "another language",
      ["pedir x", "bot decir y", "«Sí.»"],
      "pedir x\nbot decir y\n«Sí.»",
      ["pedir x", "decir y", "«Sí.»"],
    ],
    [
      "markup in the text",
      ["ask x", "bot y", '"$key {{ 1 }}"'],
      'ask x\nbot y\n"$key {{ 1 }}"',
      ["ask x", "y", "$key {{ 1 }}"],
    ],
  ])("%s: three calls and one call have the same result", async (_, three, one, [intent, step, text]) => {
    for (const [replies, config] of [
      [three, classic],
      [[one], alone],
    ] as const) {
      const { result } = await play("hm?", [...replies], { config });
      const intents = result.log.internalEvents?.flatMap((event) =>
        event.type === "UserIntent" || event.type === "BotIntent" ? [event["intent"]] : [],
      );
      expect([...(intents ?? []), result.response]).toEqual([intent, step, text]);
    }
  });

  it("an endless line is not an intent in one call, and truncated", async () => {
    const { result } = await play("hm?", [{ text: endless }], { config: alone });
    expect(result.response).toBe(NO_ANSWER);
  });

  it.each<[string, object, readonly string[], string]>([
    ["one line that is not a literal", {}, ["next Monday"], "Booked for next Monday."],
    [
      "several lines",
      {},
      ["Let me think.\nMonday?"],
      "Sorry, something went wrong on my side and I could not finish this.",
    ],
  ])("a value: %s", async (_, config, replies, text) => {
    expect((await play("book it", replies, { config })).result.response).toBe(text);
  });

  it("multi-step, nothing that can be run: the general response", async () => {
    const { result } = await play("hm?", ["ask x", "I would rather not.", '"Z."'], {
      config: { enable_multi_step_generation: true },
    });
    expect(result.response).toBe("Z.");
  });

  it.each([
    ["three calls", classic],
    ["one call", {}],
  ])("a provider that fails, in %s: the error reaches the caller", async (_, config) => {
    const failing = [{ status: 500, error: { message: "boom" } }];
    await expect(play("hm?", failing, { config })).rejects.toMatchObject({ name: "ModelError" });
  });
});

it("three prompts and one prompt have the same responses", async () => {
  const form = fc.constantFrom("ask price", "ask hours", "ask moon", "rant");
  const step = fc.constantFrom("bot give price", "bot give hours", "bot calm", "bot stop", "no step", "");
  const words = fc.constantFrom('"All is well."', '"One:\n- two"', "Bare words.", '"open', "");
  await fc.assert(
    fc.asyncProperty(form, step, words, async (intent, next, text) => {
      const answer = ({ body }: ServerRequest): string => {
        const prompt = JSON.stringify(body["messages"]);
        if (prompt.includes("in three lines")) return [intent, next, text].filter((part) => part !== "").join("\n");
        if (prompt.includes('begins with \\"User intent:\\"')) return intent;
        return prompt.includes('begins with \\"Bot intent:\\"') ? next : text;
      };
      await using server = await scriptedServer(answer);
      const said: unknown[] = [];
      for (const config of [classic, {}]) {
        const guardrails = await Guardrails.fromConfig(
          { colang: COLANG, config: { models: [], ...config } },
          { llm: client(server) },
        );
        const { response, log } = await guardrails.generate("hm?", { log: { internalEvents: true } });
        const intents = log.internalEvents?.flatMap((event) =>
          event.type === "UserIntent" || event.type === "BotIntent" ? [event["intent"]] : [],
        );
        said.push([response, intents]);
      }
      expect(said[1]).toEqual(said[0]);
    }),
    { numRuns: 25 },
  );
}, 30_000);
