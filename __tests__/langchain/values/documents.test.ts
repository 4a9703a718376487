import { describe, expect, it } from "@jest/globals";
import { Document } from "@langchain/core/documents";
import { RunnableLambda } from "@langchain/core/runnables";
import { Guardrails, type GuardrailsOptions } from "../../../src/index.js";

const DIALECTS = ["1.0", "2.x"] as const;
type Dialect = (typeof DIALECTS)[number];
type Stage = "input" | "output" | "retrieval";

const COLANG: Readonly<Record<Dialect, string>> = {
  "1.0": `
define bot refuse
  "REFUSED"

define subflow judge chunks
  $allowed = execute judge(text=$relevant_chunks)
  if not $allowed
    bot refuse
    stop

define subflow hide chunks
  $relevant_chunks = execute hide(text=$relevant_chunks)

define subflow judge answer
  $allowed = execute judge(text=$bot_message)
  if not $allowed
    bot refuse
    stop

define subflow hide answer
  $bot_message = execute hide(text=$bot_message)

define subflow compare
  $allowed = execute compare(text=$bot_message, chunks=$relevant_chunks)
  if not $allowed
    bot refuse
    stop

define subflow compare by context
  $allowed = execute compare_by_context(text=$bot_message)
  if not $allowed
    bot refuse
    stop
`,
  "2.x": `
import core

flow judge chunks
  global $relevant_chunks
  $allowed = await JudgeAction(text=$relevant_chunks)
  if not $allowed
    bot say "REFUSED"
    abort

flow hide chunks
  global $relevant_chunks
  $relevant_chunks = await HideAction(text=$relevant_chunks)

flow judge answer
  global $bot_message
  $allowed = await JudgeAction(text=$bot_message)
  if not $allowed
    bot say "REFUSED"
    abort

flow hide answer
  global $bot_message
  $bot_message = await HideAction(text=$bot_message)

flow compare
  global $bot_message
  global $relevant_chunks
  $allowed = await CompareAction(text=$bot_message, chunks=$relevant_chunks)
  if not $allowed
    bot say "REFUSED"
    abort

flow compare by context
  global $bot_message
  $allowed = await CompareByContextAction(text=$bot_message)
  if not $allowed
    bot say "REFUSED"
    abort
`,
};

async function open(
  dialect: Dialect,
  rails: Partial<Record<Stage, readonly string[]>>,
  options: GuardrailsOptions = {},
): Promise<{ guardrails: Guardrails; judged: string[]; compared: unknown[] }> {
  const judged: string[] = [];
  const compared: unknown[] = [];
  const actions = {
    judge: ({ text }: { text: string }) => {
      judged.push(text);
      return !text.includes("bad");
    },
    hide: ({ text }: { text: string }) => text.replaceAll("Ada", "NAME"),
    compare: (given: unknown) => compared.push(given) > 0,
    compare_by_context: ({ text }: { text: string }, { context }: { context: Record<string, unknown> }) =>
      compared.push({ text, chunks: context["relevant_chunks"] }) > 0,
  };
  const camel = (name: string): string =>
    `${name.replaceAll(/(?:^|_)([a-z])/g, (_, at: string) => at.toUpperCase())}Action`;
  const named = Object.entries(actions).map(([name, run]) => [dialect === "1.0" ? name : camel(name), run]);
  const section = Object.fromEntries(Object.entries(rails).map(([stage, flows]) => [stage, { flows: [...flows] }]));
  const guardrails = await Guardrails.fromConfig(
    { colang: COLANG[dialect], config: { colang_version: dialect, rails: section } },
    { actions: Object.fromEntries(named) as never, logger: false, ...options },
  );
  return { guardrails, judged, compared };
}

const doc = (pageContent: string, metadata: Record<string, unknown> = {}, id?: string): Document =>
  new Document({ pageContent, metadata, ...(id === undefined ? {} : { id }) });

describe.each(DIALECTS)("what stands beside the text of a document, in Colang %s", (dialect) => {
  it("is read with the text, by one call of each rail", async () => {
    const { guardrails, judged } = await open(dialect, { retrieval: ["judge chunks"] });
    const documents = [doc("one", { title: "First", loc: { page: 3 } }), doc("two", { source: "a/b c.md" }, "id 7")];
    expect(await guardrails.retrieval().invoke(documents)).toBe(documents);
    expect(judged).toHaveLength(1);
    expect(judged[0]?.split("\n").toSorted()).toEqual(
      ["one", "metadata.title: First", "two", "metadata.source: a/b c.md", "id: id 7"].toSorted(),
    );
  });

  it.each([
    ["the text", [doc("I am Ada", { title: "x" })], [doc("I am NAME", { title: "x" })]],
    ["a title", [doc("one", { title: "Ada" }), doc("two")], [doc("one", { title: "NAME" }), doc("two")]],
    ["nested metadata", [doc("one", { a: [{ b: "Ada" }], n: 1 })], [doc("one", { a: [{ b: "NAME" }], n: 1 })]],
    ["an id", [doc("one", {}, "of Ada")], [doc("one", {}, "of NAME")]],
    ["a name of a key", [doc("one", { "by Ada": 1 })], [doc("one", {})]],
    ["plain objects", [{ pageContent: "one", note: "Ada" }], [{ pageContent: "one", note: "NAME" }]],
  ])("is masked in %s", async (_name, documents, expected) => {
    const { guardrails } = await open(dialect, { retrieval: ["hide chunks"] });
    expect(await guardrails.retrieval().invoke(documents)).toEqual(expected);
  });

  it.each([
    ["a title", doc("one", { title: "bad" })],
    ["a nested source", doc("one", { source: { path: ["bad"] } })],
    ["a name of a key", doc("one", { "bad key": 1 })],
    ["an id", doc("one", {}, "bad")],
  ])("empties the evidence for %s", async (_name, document) => {
    const { guardrails } = await open(dialect, { retrieval: ["judge chunks"] });
    await expect(guardrails.retrieval().invoke([document])).rejects.toThrow("blocked");
    expect(await guardrails.retrieval({ onBlocked: "refuse" }).invoke([document])).toEqual([]);
  });

  it("is not shown as a chunk of evidence", async () => {
    const { guardrails, compared } = await open(dialect, { retrieval: ["hide chunks"], output: ["compare"] });
    const chain = RunnableLambda.from((value: object) => ({ ...value, answer: "fine" }));
    const context = [doc("I am Ada", { title: "Ada" }), doc("two", { title: "Eve" })];
    const result = await guardrails.wrap(chain, { contextKey: "context" }).invoke({ question: "hi", context });
    expect(compared).toEqual([{ text: "fine", chunks: "I am NAME\ntwo" }]);
    expect(result).toMatchObject({ context: [doc("I am NAME", { title: "NAME" }), doc("two", { title: "Eve" })] });
  });
});

describe.each(DIALECTS)("documents beside an answer without retrieval rails, in Colang %s", (dialect) => {
  const value = { answer: "fine", context: [doc("a bad page")] };

  it("are read with the answer", async () => {
    const { guardrails, judged } = await open(dialect, { output: ["judge answer"] });
    expect(await guardrails.output().invoke(value)).toMatchObject({ answer: "REFUSED" });
    expect(judged).toEqual(["fine\ncontext.pageContent: a bad page"]);
  });

  it("are masked with the answer", async () => {
    const { guardrails } = await open(dialect, { output: ["hide answer"] });
    const given = { answer: "Ada", context: [doc("of Ada", { title: "by Ada" })] };
    const left = { answer: "NAME", context: [doc("of NAME", { title: "by NAME" })] };
    expect(await guardrails.output().invoke(given)).toEqual(left);
  });

  it.each(["compare", "compare by context"])("stay apart for the rail `%s`, and are listed as unseen", async (rail) => {
    const { guardrails, judged, compared } = await open(dialect, { output: ["judge answer", rail] });
    expect(await guardrails.output().invoke(value)).toMatchObject(value);
    expect(judged).toEqual(["fine"]);
    expect(compared).toEqual([{ text: "fine", chunks: "a bad page" }]);
    const strict = guardrails.output({ unseen: "block", onBlocked: () => "refused" });
    expect(await strict.invoke(value)).toBe("refused");
  });
});
