import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { spanText } from "../../src/diagnostics/span.js";
import { type DataFolder, memoryDataFolder, openDataFolder, findDatasets } from "../../src/eval/dataset/data-folder.js";
import { loadFactChecking, loadHallucination, loadModeration } from "../../src/eval/dataset/labelled-texts.js";
import { readJsonLines } from "../../src/eval/dataset/json-lines.js";
import { takeSample } from "../../src/eval/dataset/sample.js";
import { loadTopical, splitTopical, takeExamples } from "../../src/eval/dataset/topical.js";
import { EvaluationDataError } from "../../src/diagnostics/errors.js";
import { unmark } from "../../src/testing/mark.js";

const lines = (...rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

async function problemsOf(work: Promise<unknown>): Promise<EvaluationDataError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!EvaluationDataError.isInstance(error)) throw new Error(`expected bad data, got ${String(error)}`);
  return error;
}

describe("rows that are malformed", () => {
  it.each<[string, (folder: DataFolder) => Promise<unknown>, string, string]>([
    ["no JSON", loadModeration, "«{text: 1}»", "the line is not JSON"],
    ["a list", loadModeration, "«[1]»", "the line is not a JSON object"],
    ["a field is missing", loadModeration, '«{"label": "harmful"}»', "there is no `text`"],
    ["a blank text", loadModeration, '{"label": "safe", «"text"»: " "}', "`text` must be a text that is not empty"],
    [
      "an unknown label",
      loadModeration,
      '{«"label"»: "red-team", "text": "x"}',
      "expected `label` to name a harmful or a helpful request, got `red-team`",
    ],
    [
      "no boolean",
      loadFactChecking,
      '{"evidence": "e", "question": "q", "answer": "a", «"grounded"»: "yes"}',
      "`grounded` must be true or false",
    ],
    ["an inherited field", loadHallucination, '«{"__proto__": {"text": "x"}}»', "there is no `text`"],
  ])("%s", async (_, load, source, message) => {
    const { text, marked: underlined } = unmark(source);
    const error = await problemsOf(load(memoryDataFolder({ "dev.jsonl": `\n${text}\n` }, "set")));
    const [problem] = error.diagnostics;
    expect(problem).toMatchObject({ code: "EV-102", message });
    expect(problem?.span && spanText(problem.span)).toBe(underlined);
    expect(error.message).toContain("set/dev.jsonl:2:");
  });

  it("are reported all at once, up to twenty", async () => {
    const error = await problemsOf(loadModeration(memoryDataFolder({ "dev.jsonl": "{}\n".repeat(25) })));
    expect(error.diagnostics).toHaveLength(21);
    expect(error.diagnostics.at(-1)?.message).toBe("5 more rows of the file are malformed");
  });

  it("leave other errors alone", () => {
    const read = (): never => {
      throw new TypeError("a mistake in code");
    };
    expect(() => readJsonLines({ name: "x", text: "{}" }, read)).toThrow(TypeError);
  });
});

describe("data that is not there", () => {
  it.each<[string, (folder: DataFolder) => Promise<unknown>, string]>([
    ["moderation", loadModeration, "there is no `dev.jsonl`"],
    ["facts", loadFactChecking, "there is no `dev.jsonl`"],
    ["hallucination", loadHallucination, "there is no `false-premise.jsonl` or `dev.jsonl`"],
    ["topical", (folder) => loadTopical(folder, { seed: 1 }), "there is no `index.jsonl` or `all.jsonl`"],
    ["a search", (folder) => findDatasets(folder, ["a"]), "there is no `a/`, `dev.jsonl`, `all.jsonl` or"],
  ])("%s", async (_, load, message) => {
    const error = await problemsOf(load(memoryDataFolder({}, "nowhere")));
    expect(error.diagnostics[0]).toMatchObject({ code: "EV-101", path: "nowhere" });
    expect(error.message).toContain(message);
    expect(error.message).toContain("docs/evaluation.md");
  });

  it("is not an empty file", async () => {
    const error = await problemsOf(loadModeration(memoryDataFolder({ "dev.jsonl": "\n\n" }, "set")));
    expect(error.diagnostics[0]).toMatchObject({ code: "EV-103", path: "set/dev.jsonl" });
  });

  it("is read from the disk", async () => {
    const path = await mkdtemp(join(tmpdir(), "evaluation-"));
    try {
      await mkdir(join(path, "moderation"));
      await writeFile(join(path, "moderation", "dev.jsonl"), `\uFEFF${lines({ text: "hi", label: "benign" })}`);
      const [folder] = await findDatasets(openDataFolder(`${path}/`), ["moderation", "other"]);
      expect(await loadModeration(folder as DataFolder)).toEqual([{ text: "hi", label: "helpful", line: 1 }]);
      const error = await problemsOf(loadModeration(openDataFolder(join(path, "moderation", "dev.jsonl"))));
      expect(error.diagnostics[0]?.code).toBe("EV-101");
      await mkdir(join(path, "dev.jsonl"));
      expect((await problemsOf(loadModeration(openDataFolder(path)))).message).toContain("cannot be read: EISDIR");
    } finally {
      await rm(path, { recursive: true });
    }
  });
});

describe("topical data", () => {
  it("prefers canonical forms and sets out-of-scope rows apart", async () => {
    const folder = memoryDataFolder({
      "train.jsonl": lines(
        { text: "a", intent: "x", canonical: "ask x" },
        { text: "b", intent: "oos" },
        { text: "c", intent: "y" },
      ),
      "dev.jsonl": lines({ text: "d", intent: "y" }, { text: "e", intent: "oos" }),
    });
    expect(await loadTopical(folder, { seed: 1 })).toEqual({
      name: "data",
      examples: [
        { text: "a", intent: "ask x", line: 1 },
        { text: "c", intent: "y", line: 3 },
      ],
      tests: [{ text: "d", intent: "y", line: 1 }],
      outOfScope: [{ text: "e", line: 2 }],
    });
  });

  it("is split by seed where it is in one file", async () => {
    const rows = ["a", "b"].flatMap((intent) =>
      Array.from({ length: 20 }, (_, index) => ({ text: `${intent}${index}`, intent })),
    );
    const folder = memoryDataFolder({ "all.jsonl": lines(...rows, { text: "only", intent: "c" }) });
    const first = await loadTopical(folder, { seed: 1 });
    expect(first.tests).toHaveLength(6);
    expect(first.examples).toHaveLength(35);
    expect(new Set([...first.examples, ...first.tests].map(({ line }) => line)).size).toBe(41);
    expect(await loadTopical(folder, { seed: 1 })).toEqual(first);
    expect((await loadTopical(folder, { seed: 2 })).tests).not.toEqual(first.tests);
  });

  it("keeps an example of every intent that has two", () => {
    const rows = [1, 2].map((line) => ({ text: String(line), intent: "a", line }));
    const { examples, tests } = splitTopical("x", rows, { seed: 3, testShare: 0.9 });
    expect([examples.length, tests.length]).toEqual([1, 1]);
  });

  it("takes the first examples of each intent in file order", () => {
    const rows = ["a", "b", "a", "a", "b"].map((intent, index) => ({ text: "t", intent, line: index + 1 }));
    expect(takeExamples(rows, 2).map(({ line }) => line)).toEqual([1, 3, 2, 5]);
    expect(takeExamples(rows, "all")).toBe(rows);
  });
});

describe("samples", () => {
  const rows = Array.from({ length: 30 }, (_, index) => (index < 25 ? `a${index}` : `b${index}`));

  it("are balanced, in their old order and the same for the same seed", () => {
    const options = { seed: 42, classOf: (row: string) => row.slice(0, 1) };
    const taken = takeSample(rows, 8, options);
    expect(taken.filter((row) => row.startsWith("b"))).toHaveLength(4);
    expect(taken).toEqual(rows.filter((row) => taken.includes(row)));
    expect(takeSample(rows, 8, options)).toEqual(taken);
    expect(takeSample(rows, 20, options).filter((row) => row.startsWith("b"))).toHaveLength(5);
  });

  it("are all there are when there are no more", () => {
    expect(takeSample(rows, 30, { seed: 1 })).toBe(rows);
    expect(takeSample(rows, undefined, { seed: 1 })).toBe(rows);
  });
});
