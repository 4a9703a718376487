import { describe, expect, it } from "@jest/globals";
import { firstLine, readUtterance } from "../../src/llm/parsers/completion-text.js";
import { findParser, OUTPUT_PARSERS } from "../../src/llm/parsers/registry.js";
import { stripReasoning } from "../../src/llm/parsers/gradual/reasoning.js";

describe("output parsers", () => {
  it.each([
    ["user_intent", " User intent: express greeting\n", "  express greeting"],
    ["user_intent", "user intent: express greeting", "  express greeting"],
    ["user_intent", "express greeting", "express greeting"],
    ["user_intent", "<think>hm</think>User intent: ask", "  ask"],
    ["user_intent", "<think>hm", ""],
    ["user_intent", '"express greeting"', "express greeting"],
    ["user_intent", "**express greeting**", "express greeting"],
    ["user_intent", '"express greeting\nask price"', '"express greeting\nask price"'],
    ["user_intent", 'User intent: "ask price"\nnext', "  ask price\nnext"],
    ["bot_intent", "Bot intent: express greeting", "bot express greeting"],
    ["bot_intent", 'Bot intent: "express greeting"', "bot express greeting"],
    ["bot_message", 'Bot message: "Hello $&"', '  "Hello $&"'],
    ["verbose_v1", 'User intent: a\nBot intent: b\nbot message: "c"\nother', '  a\nbot b\n  "c"\nother'],
    ["verbose_v1", 'User message: "hi"', 'user "hi"'],
  ])("%s reads %j", (name, completion, expected) => {
    expect(findParser(OUTPUT_PARSERS, name)?.(completion)).toBe(expected);
  });

  it("finds only its own names", () => {
    expect(findParser(OUTPUT_PARSERS, "constructor")).toBeUndefined();
    expect(findParser(OUTPUT_PARSERS, "is_content_safe")?.("not safe")).toMatchObject({ verdict: "block" });
  });
});

describe("texts of completions", () => {
  it.each([
    ["", undefined],
    ["\n \n", undefined],
    ["\n  a \nb", "a"],
  ])("first line of %j", (text, expected) => {
    expect(firstLine(text)).toBe(expected);
  });

  it.each([
    ['  "Hello there!"\nuser "hi"', "Hello there!"],
    ['"Sure:\n\n  - one\n  - two"\nbot ask', "Sure:\n\n  - one\n  - two"],
    ['"He said "hi" to me."', 'He said "hi" to me.'],
    ['"He said \\"hi\\"."', 'He said "hi".'],
    ['"never closed\nuser "next"', "never closed"],
    ["plain text\n\nmore\nuser asks again", "plain text\n\nmore"],
    ["The user is right.\nUsers like it.", "The user is right.\nUsers like it."],
    ["text\nUser message: x", "text"],
    ['"\nHello"', "Hello"],
    ["", ""],
    ['"', ""],
    ['"a"', "a"],
    ['"a', "a"],
    ['a"', 'a"'],
  ])("reads the utterance of %j", (completion, expected) => {
    expect(readUtterance(completion)).toBe(expected);
  });

  it.each([
    ["No", "No"],
    ["<think>a</think> No", "No"],
    ["<thinking>a<think>b</think></thinking>No", "No"],
    ["a</think>No", "No"],
    ["<think>No", undefined],
    ["No<reasoning>", undefined],
  ])("strips the thinking of %j", (text, expected) => {
    expect(stripReasoning(text)).toBe(expected);
  });
});
