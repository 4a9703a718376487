import { beforeAll, describe, expect, it } from "@jest/globals";
import type { GuardrailsEvent } from "../../src/engine/events.js";
import { promptFilters } from "../../src/llm/filters/prompt.js";
import { loadTemplateSyntax } from "../../src/llm/template-syntax.js";
import { compileTemplate, resolveFrom } from "../../src/llm/template.js";

const HISTORY = ['user "hi"', "  greet", "bot greet", '  "Hello"', 'user "help?"'].join("\n");
const FILTERS = promptFilters((events) => events.map(({ type }) => `event ${type}`).join("\n"));

function evaluate(expression: string, values: Readonly<Record<string, unknown>>): unknown {
  const { template, problems } = compileTemplate(`{{ ${expression} }}`, { filters: FILTERS });
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

  it("hand the events themselves to the history printer", () => {
    expect(evaluate("x | colang", { x: events.slice(0, 2) })).toBe(
      "event UtteranceUserActionFinished\nevent UserMessage",
    );
    expect(evaluate("x | colang_without_identifiers", { x: "user intent: a\nbot action: b" })).toBe("a\nb");
    expect(evaluate("x | colang", {})).toBe("");
  });
});
