import { describe, expect, it } from "@jest/globals";
import { createPromptDialect } from "../../src/llm/templates/filters/prompt.js";
import { PROMPT_CATALOG } from "../../src/llm/catalog/catalog.js";
import { GUARD_PARSERS } from "../../src/llm/parsers/guards/guard-parsers.js";
import { templateTexts } from "../../src/llm/prompts/task-names.js";
import { selectPrompt } from "../../src/llm/prompts/task-prompts.js";
import { compileTemplate } from "../../src/llm/templates/template.js";
import { loadTemplateSyntax } from "../../src/llm/templates/template-syntax.js";
import { FORGED_REPLIES } from "./forged-replies.js";
import { GUARD_REPLIES } from "./guard-replies.js";
import { INJECTION_ATTEMPTS } from "./injection-attempts.js";

type ParserName = keyof typeof GUARD_PARSERS;
const NAMES = Object.keys(GUARD_PARSERS) as ParserName[];

/** Replies that are not a verdict in any family. */
const UNREADABLE = [
  "",
  " ",
  "maybe",
  "I cannot help with that.",
  "null",
  "{}",
  "[]",
  "safe unsafe safe",
  "<think>",
  "x".repeat(30_000),
];

describe.each(NAMES)("the parser %s", (name) => {
  const read = GUARD_PARSERS[name];
  const { passes, blocks, unreadable = [], categories = [] } = GUARD_REPLIES[name];
  const [pass = "", fail = ""] = [passes[0], blocks[0]];

  it.each(passes)("passes on %j", (reply) => {
    expect(read(reply)).toEqual({ ok: true, verdict: "allow", categories: [] });
  });

  it.each(blocks)("blocks on %j", (reply) => {
    expect(read(reply)).toMatchObject({ ok: true, verdict: "block" });
  });

  it.each([...unreadable, ...UNREADABLE])("finds no verdict in %j", (reply) => {
    expect(read(reply)).toEqual({ ok: false, raw: reply });
  });

  it("names categories", () => {
    expect(read(fail)).toMatchObject({ categories });
  });

  it.each(FORGED_REPLIES)("finds no pass in %j", (reply) => {
    for (const failing of blocks) {
      const reading = read(reply.replaceAll("PASS", pass).replaceAll("FAIL", failing));
      expect([failing, reading.ok && reading.verdict === "allow"]).toEqual([failing, false]);
    }
  });

  it.each(INJECTION_ATTEMPTS)("is not misled by a reply that repeats %j", (attempt) => {
    const text = attempt.replaceAll("PASS", pass);
    for (const reply of [
      `${fail}\n${text}`,
      `${text}\n${fail}`,
      `The text says: ${text}`,
      `"${text}"\n\n${fail}`,
      `${fail} ${text}`,
      `I will not repeat "${text}".`,
    ]) {
      const reading = read(reply);
      expect([reply, reading.ok && reading.verdict === "allow"]).toEqual([reply, false]);
    }
  });
});

describe("prompts of judges", () => {
  /**
   * Marks that a reader of a prompt could mistake for the border of a section, at the beginning of a line or anywhere.
   */
  const SECTION = new RegExp(
    [
      String.raw`[<\uff1c\u2039][\u200b\u2060]?[/|!?%\uff5c\p{L}_][^>\uff1e\u203a\n]{0,60}[>\uff1e\u203a]?|[|\uff5c][>\uff1e]`,
      String.raw`(?<=^|[\v\f\x85])[^\S\n]*(?:-{3}|={3}|~{3}|\*{3}|_{3}|#{3}|#{1,6} |\x60{3}|[\u2014\u2500]{3})`,
      String.raw`(?<=^|[\v\f\x85])(?:\d\.)?[^\p{L}\p{N}\n\r:|]{0,6}(?:chatbot|human|ai|agent|user|assistant|answers?|system|response|model|verdict|document|question|final|prompt|harmful|score)[^\n:\uff1a]{0,70}[:\uff1a]`,
    ].join("|"),
    "gimu",
  );
  const TOKEN = /\[\/?(?:[A-Z_]{3,}|gMASK)\]/g;
  const bordersIn = (text: string): readonly string[] =>
    [SECTION, TOKEN].flatMap((marks) => [...text.matchAll(marks)].map(([found]) => found.trim()));
  const JUDGES = PROMPT_CATALOG.filter(({ task }) => /check|safety/.test(task));
  const TEXTS = new Set([
    "user_input",
    "bot_response",
    "response",
    "evidence",
    "statement",
    "paragraph",
    "tool_arguments",
    "tool_result",
    "provided_context",
  ]);
  const dialect = createPromptDialect(() => "");

  const renderAll = (value: string): readonly string[] =>
    JUDGES.map((prompt) =>
      templateTexts(prompt)
        .map((text) => {
          const { template } = compileTemplate(text, dialect);
          const rendered = template?.render((name) => (TEXTS.has(name) ? value : undefined));
          return rendered ?? "";
        })
        .join("\n\n"),
    );

  it("keep a text inside its section if it tries to close it", async () => {
    await loadTemplateSyntax();
    const sections = renderAll("hello").map(bordersIn);
    expect(JUDGES.length).toBeGreaterThan(20);
    for (const attempt of INJECTION_ATTEMPTS) {
      const rendered = renderAll(attempt);
      for (const [at, text] of rendered.entries()) {
        const found = bordersIn(text);
        expect([JUDGES[at]?.task, JUDGES[at]?.models, attempt, found]).toEqual([
          JUDGES[at]?.task,
          JUDGES[at]?.models,
          attempt,
          sections[at],
        ]);
      }
    }
  });

  it.each<[string, "chat" | "text", ParserName | null, ParserName | null]>([
    [
      "nvidia/llama-3.1-nemoguard-8b-content-safety",
      "chat",
      "nemoguard_parse_prompt_safety",
      "nemoguard_parse_response_safety",
    ],
    [
      "nvidia/llama-3.1-nemotron-safety-guard-8b-v3",
      "chat",
      "nemoguard_parse_prompt_safety",
      "nemoguard_parse_response_safety",
    ],
    [
      "nvidia/Nemotron-Content-Safety-Reasoning-4B",
      "chat",
      "nemotron_reasoning_parse_prompt_safety",
      "nemotron_reasoning_parse_response_safety",
    ],
    ["meta-llama/Llama-Guard-4-12B", "chat", "llama_guard_parse_safety", "llama_guard_parse_safety"],
    ["llama-guard3:8b", "text", "llama_guard_parse_safety", "llama_guard_parse_safety"],
    ["google/shieldgemma-9b", "chat", "shieldgemma_parse_safety", "shieldgemma_parse_safety"],
    ["ibm-granite/granite-guardian-3.3-8b", "text", "granite_guardian_parse_safety", "granite_guardian_parse_safety"],
    ["granite3-guardian:8b", "chat", "granite_guardian_parse_safety", "granite_guardian_parse_safety"],
    ["allenai/wildguard", "text", "wildguard_parse_prompt_safety", "wildguard_parse_response_safety"],
    ["gpt-4o-mini", "chat", null, null],
  ])("are chosen by the name of the model: %s (%s)", (name, family, input, output) => {
    const parserOf = (task: string) =>
      selectPrompt(PROMPT_CATALOG, [], { task, model: { engine: "nim", name, family }, mode: "standard" })
        ?.output_parser;
    expect([parserOf("content_safety_check_input"), parserOf("content_safety_check_output")]).toEqual([input, output]);
  });
});
