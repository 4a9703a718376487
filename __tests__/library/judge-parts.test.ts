// Long texts in parts, replies of judges, and tool calls as rails read them.
import { describe, expect, it } from "@jest/globals";
import type { ActionContext } from "../../src/actions/action.js";
import { type JudgeQuestion, readReply } from "../../src/library/judges/judge-reply.js";
import { splitText } from "../../src/library/judges/run-check.js";
import {
  argumentOf,
  joinedLists,
  readToolSubject,
  refuseTool,
  textsOf,
  textsOfResult,
} from "../../src/library/tool-subject.js";
import { TOOL_RULES_SERVICE } from "../../src/library/tool-rules.js";
import type { TaskResult } from "../../src/llm/task/task.js";

const OVERLAP = 400;

describe("a long text", () => {
  it.each<[length: number, room: number, lengths: readonly number[]]>([
    [0, 10, [0]],
    [0, 0, [0]],
    [10, 10, [10]],
    [999, 1000, [999]],
    [1000, 1000, [1000]],
    [1001, 1000, [1000, 401]],
    [1600, 1000, [1000, 1000]],
    [1601, 1000, [1000, 1000, 401]],
    [5200, 1000, [1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000]],
    [801, 800, [800, 401]],
    [3600, 800, [800, 800, 800, 800, 800, 800, 800, 800]],
  ])("of %d characters with room for %d is split into parts of %j", (length, room, lengths) => {
    const text = Array.from({ length }, (_, at) => String.fromCodePoint(97 + (at % 23))).join("");
    const parts = splitText(text, room);
    expect(parts.map((part) => part.length)).toEqual(lengths);
    expect(parts.map((part, at) => (at === 0 ? part : part.slice(OVERLAP))).join("")).toBe(text);
  });

  it.each<[length: number, room: number, maximum: number]>([
    [5201, 1000, 5200],
    [3601, 800, 3600],
    [800, 799, 799],
    [11, 10, 10],
    [1, 0, 0],
    [1, -5, 0],
  ])("of %d characters with room for %d is refused", (length, room, maximum) => {
    expect(() => splitText("a".repeat(length), room)).toThrow(
      expect.objectContaining({ code: "RL-106", limit: "text_length", maximum }),
    );
    expect(() => splitText("a".repeat(length), room)).toThrow(`a text of ${length} characters is over the ${maximum}`);
  });

  it.each([[999], [1000], [599], [600], [601]])("is not split inside a character: %d", (at) => {
    const text = `${"a".repeat(at)}😀${"b".repeat(500)}`;
    const parts = splitText(text, 1000);
    expect(parts.every((part) => !/[\uD800-\uDFFF]/u.test(part))).toBe(true);
    expect(parts.some((part) => part.includes("😀"))).toBe(true);
    expect(text.startsWith(parts[0] ?? "?") && text.endsWith(parts.at(-1) ?? "?")).toBe(true);
  });

  it("keeps a lone first half of a character", () => {
    const text = `\uDE00${"a".repeat(1200)}`;
    expect(splitText(text, 1000)[0]).toBe(text.slice(0, 1000));
    for (const unit of ["\uDC00", "\uDFFF"]) {
      const pair = `${"a".repeat(999)}\uD83D${unit}${"b".repeat(300)}`;
      expect(splitText(pair, 1000)[0]).toBe("a".repeat(999));
    }
    for (const unit of ["\uDBFF", "\uE000"]) {
      expect(splitText(`${"a".repeat(1000)}${unit}${"b".repeat(300)}`, 1000)[0]).toHaveLength(1000);
    }
  });
});

type Verdict = "yes" | "no";
const question: JudgeQuestion<Verdict> = {
  read: (text: string) =>
    text === "yes" || text === "no" ? { ok: true, verdict: text, categories: ["read"] } : { ok: false },
  pass: "yes",
  fail: "no",
  strictFormat: "",
} as unknown as JudgeQuestion<Verdict>;
const reply = (fields: object): TaskResult => ({ text: "", completion: {}, ...fields }) as unknown as TaskResult;
const decided = (verdict: Verdict, ...categories: string[]): object => ({ ok: true, verdict, categories });
const unclear = (problem: string): object => ({ ok: false, problem });
const NEITHER = "its output parser `mine` returned neither `true` nor `false` nor a text";

describe("the reply of a judge", () => {
  it.each<[string, object, object]>([
    ["a pass", { text: "yes" }, decided("yes", "read")],
    ["a block", { text: "no" }, decided("no", "read")],
    ["nothing", { text: " \n" }, unclear("it is empty")],
    ["something else", { text: "perhaps" }, unclear("it is not a bare verdict")],
    ["a text of a parser", { outputParser: "mine", parsed: "x", text: "yes" }, decided("yes", "read")],
    [
      "an unclear text of a parser",
      { outputParser: "mine", parsed: "x", text: "x" },
      unclear("it is not a bare verdict"),
    ],
    ["true", { outputParser: "mine", parsed: true }, decided("yes")],
    ["false", { outputParser: "mine", parsed: false }, decided("no")],
    ["a list with true", { outputParser: "mine", parsed: [true, "S1"] }, decided("yes")],
    ["a list with false", { outputParser: "mine", parsed: [false, "S1", 2, "S3"] }, decided("no", "S1", "S3")],
    ["an empty list", { outputParser: "mine", parsed: [] }, unclear(NEITHER)],
    ["a list of texts", { outputParser: "mine", parsed: ["yes"] }, unclear(NEITHER)],
    ["a number", { outputParser: "mine", parsed: 1 }, unclear(NEITHER)],
    ["null", { outputParser: "mine", parsed: null }, unclear(NEITHER)],
    ["a map", { outputParser: "mine", parsed: { passes: true } }, unclear(NEITHER)],
    ["a read pass", { outputParser: "mine", parsed: { ok: true, verdict: "yes", categories: ["S1"] } }, decided("yes")],
    [
      "a read block",
      { outputParser: "mine", parsed: { ok: true, verdict: "no", categories: ["S1", 2] } },
      decided("no", "S1"),
    ],
    [
      "a read block without categories",
      { outputParser: "mine", parsed: { ok: true, verdict: "no", categories: "S1" } },
      decided("no"),
    ],
    ["another verdict", { outputParser: "mine", parsed: { ok: true, verdict: "safe" }, text: "yes" }, unclear(NEITHER)],
    [
      "another verdict of our parser",
      { outputParser: "is_content_safe", parsed: { ok: true, verdict: "safe" }, text: "no" },
      decided("no", "read"),
    ],
    [
      "no verdict of our parser",
      { outputParser: "is_content_safe", parsed: { ok: false }, text: "yes" },
      decided("yes", "read"),
    ],
    [
      "a pass that our parser did not read",
      { outputParser: "is_content_safe", parsed: { ok: false, verdict: "yes" }, text: "?" },
      unclear("it is not a bare verdict"),
    ],
    [
      "a map under the name of our parser",
      { outputParser: "is_content_safe", parsed: { ok: 1 }, text: "yes" },
      unclear("its output parser `is_content_safe` returned neither `true` nor `false` nor a text"),
    ],
  ])("is read: %s", (_title, fields, expected) => {
    expect(readReply(reply(fields), question)).toEqual(expected);
  });

  it.each<[string, string]>([
    ["filtered", "the provider filtered it"],
    ["truncated", "it was cut off at the limit of tokens"],
    ["refused", "the model refused"],
    ["tool-calls", "it holds tool calls"],
    ["several-choices", "it has several choices that differ"],
    ["other-content", "it holds content other than text"],
    ["unfinished", "it did not finish"],
  ])("passes nothing when the provider reports that it is %s", (defect, problem) => {
    const completion = { text: "yes", defects: [defect] };
    expect(readReply(reply({ text: "yes", completion }), question)).toEqual(unclear(problem));
    expect(readReply(reply({ text: "no", completion }), question)).toEqual(decided("no", "read"));
    expect(readReply(reply({ text: "?", completion }), question)).toEqual(unclear("it is not a bare verdict"));
    const parsed = reply({ outputParser: "mine", parsed: true, completion });
    expect(readReply(parsed, question)).toEqual(defect === "truncated" ? decided("yes") : unclear(problem));
    const both = reply({
      outputParser: "mine",
      parsed: true,
      completion: { text: "yes", defects: ["truncated", defect] },
    });
    expect(readReply(both, question)).toEqual(defect === "truncated" ? decided("yes") : unclear(problem));
  });

  // The model repeats "</think><score> no </score>" of the text that it thinks about, and reaches its limit there.
  it.each(["<think>it says </think>yes", "[THINK]it says [/THINK]yes", "it says \u25c1/think\u25b7yes"])(
    "passes nothing after truncated reasoning: %s",
    (text) => {
      const parsed = { outputParser: "mine", parsed: true };
      const cut = reply({ ...parsed, completion: { text, defects: ["truncated"] } });
      expect(readReply(cut, question)).toEqual(unclear("it was cut off at the limit of tokens"));
      expect(readReply(reply({ ...parsed, completion: { text, defects: [] } }), question)).toEqual(decided("yes"));
    },
  );

  it("passes without defects", () => {
    expect(readReply(reply({ text: "yes", completion: { defects: [] } }), question)).toEqual(decided("yes", "read"));
  });
});

describe("a tool call as rails read it", () => {
  const rule = {};
  const rules = { tools: new Map([["look_up", rule]]) };
  const read = (context: object, services: object = { [TOOL_RULES_SERVICE]: rules }) =>
    readToolSubject({ context, services } as unknown as ActionContext);

  it.each<[string, object, object]>([
    [
      "all",
      { tool_name: "look_up", tool_args: { a: 1 }, tool_problem: "odd", tool_message: "found" },
      { name: "look_up", args: { a: 1 }, problem: "odd", result: "found", rules, rule },
    ],
    ["nothing", {}, { name: "", args: undefined, problem: undefined, result: "", rules, rule: undefined }],
    ["other kinds", { tool_name: 7, tool_problem: 7, tool_message: [] }, { name: "", problem: undefined, result: "" }],
    ["an empty problem", { tool_problem: "" }, { problem: undefined }],
    ["what is inherited", Object.create({ tool_name: "look_up" }) as object, { name: "" }],
  ])("from %s", (_title, context, expected) => {
    expect(read(context)).toMatchObject(expected);
  });

  it("has no rule without rules", () => {
    expect(read({ tool_name: "look_up" }, {})).toMatchObject({ rules: undefined, rule: undefined });
  });

  const nested = (depth: number): unknown => (depth === 0 ? "x" : [nested(depth - 1)]);
  const many = (count: number): string[] => Array.from({ length: count }, () => "x");

  it.each<[string, unknown, string | undefined, readonly string[] | undefined]>([
    ["a text", "x", undefined, ["x"]],
    ["numbers and switches", [1, true, 2n], undefined, ["1", "true", "2"]],
    ["nothing", null, undefined, []],
    ["undefined", undefined, undefined, []],
    ["a map with its names", { a: "x", b: { c: ["y"] } }, undefined, ["a", "x", "b", "c", "y"]],
    ["one argument", { a: "x", b: { c: "y" } }, "b", ["c", "y"]],
    ["an argument that is null", { a: "x", b: null }, "b", []],
    ["an argument that is not there", { a: "x" }, "b", ["a", "x"]],
    ["an inherited argument", { a: "x" }, "toString", ["a", "x"]],
    ["an argument of a text", "x", "length", ["x"]],
    ["an argument of nothing", null, "a", []],
    ["depth up to the limit", nested(64), undefined, ["x"]],
    ["more depth", nested(65), undefined, undefined],
  ])("has the texts of %s", (_title, args, argument, expected) => {
    expect(textsOf(argumentOf(args, argument))).toEqual(expected);
  });

  it.each<[string, unknown, readonly string[]]>([
    ["a text", "x", []],
    ["no item", { a: [] }, []],
    ["one item", { a: ["x"] }, []],
    ["two items", { a: ["x", "y"] }, ["x y"]],
    ["numbers and switches", [1, "x", true, null], ["1 x true"]],
    ["a list in a list", [["x"], [["y"], "z"]], ["x y z"]],
    ["objects in a list, without their names", { a: [{ b: "x" }, { b: "y", c: ["z"] }] }, ["x y z"]],
    ["two lists", { a: ["x", "y"], b: { c: ["z", 1] } }, ["x y", "z 1"]],
  ])("has the joined items of %s", (_title, args, expected) => {
    expect(joinedLists(args, " ")).toEqual(expected);
  });

  it.each<[string, readonly string[]]>([
    ["plain", ["plain"]],
    ['"x"', ['"x"']],
    ["[]", ["[]"]],
    ['["x\\/y", 1]', ['["x\\/y", 1]', "x/y\n1", "x/y 1", "x/y1"]],
    ['{"a": "x", "b": ["y", "z"]}', ['{"a": "x", "b": ["y", "z"]}', "a\nx\nb\ny\nz", "y z", "yz"]],
  ])("has the texts of the result %s", (result, expected) => {
    expect(textsOfResult(result)).toEqual(expected);
  });

  it.each([
    [9999, true],
    [10_000, false],
  ])("has at most so many texts, in a list of them: %d", (count, isRead) => {
    expect(textsOf(many(count))?.length).toBe(isRead ? count : undefined);
  });

  it("gives a reason when a rail refuses it", () => {
    const notes: unknown[] = [];
    const context = { annotate: (note: unknown) => void notes.push(note) } as unknown as ActionContext;
    expect(refuseTool(context, "odd")).toBe(false);
    expect(notes).toEqual([{ reason: "odd" }]);
    expect(argumentOf({ a: 1 }, "a")).toBe(1);
  });
});
