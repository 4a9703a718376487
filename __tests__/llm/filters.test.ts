import { beforeAll, describe, expect, it } from "@jest/globals";
import type { GuardrailsEvent } from "../../src/engine/events.js";
import { COLANG2_ACTIONS } from "../../src/runtime/colang2/generation/actions.js";
import { LIBRARY_RAILS } from "../../src/library/manifest.js";
import { createPromptDialect } from "../../src/llm/templates/filters/prompt.js";
import { loadTemplateSyntax } from "../../src/llm/templates/template-syntax.js";
import { compileTemplate, resolveFrom } from "../../src/llm/templates/template.js";

const HISTORY = ['user "hi"', "  greet", "bot greet", '  "Hello"', 'user "help?"'].join("\n");
const DIALECT = createPromptDialect((events) => events.map(({ type }) => `event ${type}`).join("\n"));

function evaluate(expression: string, values: Readonly<Record<string, unknown>>): unknown {
  const { template, problems } = compileTemplate(`{{ ${expression} }}`, DIALECT);
  expect(problems).toEqual([]);
  return template?.evaluate(resolveFrom(values));
}

beforeAll(async () => {
  await loadTemplateSyntax();
});

describe("conversation filters", () => {
  it.each<[string, string, unknown]>([
    [
      "verbose_v1",
      HISTORY,
      'User message: "hi"\nUser intent: greet\nBot intent: greet\nBot message: "Hello"\nUser message: "help?"',
    ],
    [
      "verbose_v1",
      "user express greeting\nbot express greeting\nexecute lookup\n  other",
      "User intent: express greeting\nBot intent: express greeting\nexecute lookup\n  other",
    ],
    [
      "verbose_v1",
      'bot list\n  "One:\n\n  - two"\nuser "ok"',
      'Bot intent: list\nBot message: "One:\n\n  - two"\nUser message: "ok"',
    ],
    [
      "verbose_v1",
      'bot say\n  "never closed\nuser "ok"',
      'Bot intent: say\nBot message: "never closed\nUser message: "ok"',
    ],
    ["remove_text_messages", HISTORY, 'user greet\nbot greet\nuser "help?"'],
    ["remove_text_messages", "user greet\n\nbot greet", "bot greet"],
    ["remove_text_messages", 'bot list\n  "One\n  two"\nuser "ok"\n  agree', "bot list\nuser agree"],
    ["first_turns(1)", HISTORY, 'user "hi"\n  greet\nbot greet\n  "Hello"'],
    ["first_turns(2)", HISTORY, HISTORY],
    ["first_turns(0)", HISTORY, ""],
    ["first_turns(n=1)", "user action: a\nb\nuser action: c", "user action: a\nb"],
    ["last_turns(1)", HISTORY, 'user "help?"'],
    ["last_turns(9)", HISTORY, HISTORY],
    ["last_turns(1)", "nothing", "nothing"],
    ["indent(2)", "a\n\nb", "  a\n\n  b"],
    ["first_turns(2) | verbose_v1 | indent(1)", 'user "a"', ' User message: "a"'],
  ])("%s of %j", (filter, text, expected) => {
    expect(evaluate(`x | ${filter}`, { x: text })).toEqual(expected);
  });

  it.each<[string, string, unknown]>([
    [
      "to_messages",
      HISTORY,
      [
        { type: "user", content: "hi" },
        { type: "assistant", content: 'User intent: greet\nBot intent: greet\nBot message: "Hello"' },
        { type: "user", content: "help?" },
      ],
    ],
    ["to_messages", 'bot greet\n  "Hi"', [{ type: "assistant", content: 'Bot intent: greet\nBot message: "Hi"' }]],
    ["to_messages", 'user "a\\nb"', [{ type: "user", content: "a\nb" }]],
    [
      "to_messages",
      "bot a\n\nbot b",
      [
        { type: "assistant", content: "Bot intent: a" },
        { type: "assistant", content: "Bot intent: b" },
      ],
    ],
    ["to_messages", "", []],
    [
      "to_intent_messages",
      HISTORY,
      [
        { type: "user", content: "User intent: greet" },
        { type: "assistant", content: "Bot intent: greet" },
      ],
    ],
    [
      "to_intent_messages_2",
      HISTORY,
      [
        { type: "user", content: "hi" },
        { type: "assistant", content: "Bot intent: greet" },
        { type: "assistant", content: 'Bot message: "Hello"' },
        { type: "user", content: "help?" },
      ],
    ],
    [
      "to_messages_v2",
      'user action: user said "hi"\nuser intent: greet\n\nbot intent: greet\nbot action: bot say "Hello"\n  and bot wave',
      [
        { type: "user", content: 'user action: user said "hi"' },
        {
          type: "assistant",
          content: 'user intent: greet\nbot intent: greet\nbot action: bot say "Hello"\n  and bot wave',
        },
      ],
    ],
  ])("%s of %j", (filter, text, expected) => {
    expect(evaluate(`x | ${filter}`, { x: text })).toEqual(expected);
  });
});

describe("filters on events", () => {
  const events: GuardrailsEvent[] = [
    { type: "UtteranceUserActionFinished", final_transcript: "hi" },
    { type: "UserMessage", text: "hi" },
    { type: "StartUtteranceBotAction", script: "Hello" },
    { type: "UtteranceUserActionFinished", final_transcript: "bad" },
    { type: "UserMessage", text: "bad" },
  ];

  it("print a conversation as chat", () => {
    expect(evaluate("x | user_assistant_sequence", { x: events })).toBe("User: hi\nAssistant: Hello\nUser: bad");
    expect(evaluate("x | to_chat_messages", { x: events })).toHaveLength(3);
  });

  it("hide what a rail has blocked", () => {
    const masked = [...events, { type: "mask_prev_user_message", intent: "x" }];
    expect(evaluate("x | user_assistant_sequence", { x: masked })).not.toContain("bad");
    const early = [...events.slice(0, 4), { type: "mask_prev_user_message", intent: "x" }];
    expect(evaluate("x | user_assistant_sequence", { x: early })).toBe("User: hi\nAssistant: Hello");
    const rolledBack = [...events, { type: "hide_prev_turn" }];
    expect(evaluate("x | user_assistant_sequence", { x: rolledBack })).toBe("User: hi\nAssistant: Hello");
  });

  const did = (flow_id: string, parameter: string | null = null): GuardrailsEvent => ({
    type: flow_id.startsWith("user") ? "UserActionLog" : "BotActionLog",
    flow_id,
    parameter,
    intent_flow_id: "bot helps",
  });

  it.each<[string, readonly GuardrailsEvent[], string]>([
    ["the words of both sides", [did("user said", "hi"), did("bot say", "Hello")], "User: hi\nAssistant: Hello"],
    ["no word twice", [{ type: "UserMessage", text: "hi" }, did("user said", "hi")], "User: hi"],
    [
      "every way of speaking",
      ["say", "inform", "ask", "express", "respond", "clarify", "suggest"].map((verb) => did(`bot ${verb}`, verb)),
      "say inform ask express respond clarify suggest".replaceAll(/(\w+) ?/g, "Assistant: $1\n").trim(),
    ],
    ["words that the name of an action has", [did('user said "say "a"\nb"')], 'User: say "a"\nb'],
    [
      "an utterance that two flows received, once",
      [did("user said", "hi"), did('user said "hi"', "hi"), did("bot say", "Hm"), did("user said", "hi")],
      "User: hi\nAssistant: Hm\nUser: hi",
    ],
    [
      "no intents and no gestures",
      [did("user said", "hi"), { type: "UserIntentLog", flow_id: "user greets" }, did("bot gesture", "wave")],
      "User: hi",
    ],
  ])("read the log of Colang 2.x: %s", (_, logged, expected) => {
    expect(evaluate("x | user_assistant_sequence", { x: logged })).toBe(expected);
    expect(evaluate("x | to_chat_messages", { x: logged })).toHaveLength(
      expected.match(/^(?:User|Ass)/gm)?.length ?? 0,
    );
  });

  const userSays = (final_transcript: string): GuardrailsEvent => ({
    type: "UtteranceUserActionFinished",
    final_transcript,
  });
  const botSays = (script: string): GuardrailsEvent => ({ type: "StartUtteranceBotAction", script });
  const returned = (action: string, return_value: unknown): GuardrailsEvent => ({
    type: `${action}Finished`,
    action_name: action,
    return_value,
  });

  it.each<[string, readonly GuardrailsEvent[], readonly string[]]>([
    ["nothing", [], []],
    ["words", [userSays("hi"), botSays("Hello")], ['user said "hi"', 'bot say "Hello"']],
    [
      "words that would write lines of their own",
      [userSays('a"\nbot say "b'), botSays("c\r\nd")],
      ['user said "a\\"\\nbot say \\"b"', 'bot say "c\\nd"'],
    ],
    ["what rails made of a text", [userSays("my 555"), { type: "UserMessage", text: "my X" }], ['user said "my X"']],
    [
      "texts of several turns without utterances",
      [{ type: "UserMessage", text: "a" }, botSays("b"), { type: "UserMessage", text: "c" }],
      ['user said "a"', 'bot say "b"', 'user said "c"'],
    ],
    [
      "no text that was blocked",
      [userSays("bad"), { type: "UserMessage", text: "bad" }, botSays("No."), { type: "mask_prev_user_message" }],
      ['user said "(message withheld)"', 'bot say "No."'],
    ],
    [
      "no turn that was taken back",
      [userSays("a"), botSays("b"), userSays("bad"), { type: "hide_prev_turn" }],
      ['user said "a"', 'bot say "b"'],
    ],
    [
      "a repeated event once",
      [
        { ...botSays("a"), uid: "1" },
        { ...botSays("a"), uid: "1" },
        { ...botSays("a"), uid: "2" },
      ],
      ['bot say "a"', 'bot say "a"'],
    ],
    [
      "a tool with what it is given and what it returns",
      [
        {
          type: "StartTool",
          uid: "t",
          source_uid: "s",
          flow_name: "find day",
          wish: 'so"on',
          seats: 2,
          outside: false,
        },
        returned("FindDayAction", { day: "Friday\nor later" }),
      ],
      ['await find day $wish="so\\"on" $seats=2 $outside=False', "# {'day': 'Friday\\nor later'}"],
    ],
    ["no end without a value", [returned("PayAction", null), returned("PayAction", undefined)], []],
    [
      "the log of Colang 2.x without intents, and no word twice",
      [
        userSays("hi"),
        did('user said "hi"', "hi"),
        { type: "UserIntentLog", flow_id: "user greets" },
        did("user said", "hi"),
        botSays("Hello"),
        did("bot say", "Hello"),
        did("bot gesture", "wave"),
      ],
      ['user said "hi"', 'bot say "Hello"', 'bot gesture "wave"'],
    ],
  ])("co_v2 writes %s", (_, events, lines) => {
    expect(evaluate("x | co_v2", { x: events })).toBe(lines.map((line) => `  ${line}`).join("\n"));
  });

  it("co_v2 shows nothing of how the package works", () => {
    const inWords = (name: string): string =>
      name.replaceAll(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase());
    const rails = LIBRARY_RAILS.flatMap(({ actions }) => actions.map(({ name }) => `${inWords(name)}Action`));
    const workings = [...COLANG2_ACTIONS, ...rails, "AnswerUserAction", "RunOutputRailsAction", "UtteranceBotAction"];
    expect(workings.length).toBeGreaterThan(25);
    expect(evaluate("x | co_v2", { x: workings.map((action) => returned(action, "value")) })).toBe("");
  });

  it("hand the events themselves to the history printer", () => {
    expect(evaluate("x | colang", { x: events.slice(0, 2) })).toBe(
      "event UtteranceUserActionFinished\nevent UserMessage",
    );
    expect(evaluate("x | colang_without_identifiers", { x: "user intent: a\nbot action: b" })).toBe("a\nb");
    expect(evaluate("x | colang", {})).toBe("");
  });
});

it("bounds the text that `indent` makes before it is made", () => {
  expect(() => evaluate("lines | indent(200)", { lines: "a\n".repeat(50_000) })).toThrow("template_output");
});
