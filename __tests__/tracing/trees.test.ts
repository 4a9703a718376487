import { describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { Guardrails, type GuardrailsOptions } from "langchain-guardrails";
import { createTracing, type TraceSpan } from "langchain-guardrails/tracing";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { drain, RAILS, textActions, type Version } from "../support/langchain/real-guardrails.js";
import { collectingSink, treesOf } from "../support/tracing/collected.js";

const VERSIONS = ["1.0", "2.x"] as const satisfies readonly Version[];

const JUDGE = {
  rails: { input: { flows: ["self check input"] } },
  prompts: [{ task: "self_check_input", content: "Is {{ user_input }} bad?" }],
};

const CHECKS = { rails: { input: { flows: ["check words"] }, output: { flows: ["hide digits of answer"] } } };

interface Row {
  readonly title: string;
  readonly config: object;
  readonly run: (guardrails: Guardrails) => Promise<unknown>;
  readonly options?: GuardrailsOptions;
  /** Replies of the model of the configuration. */
  readonly replies?: readonly string[];
  /** With the names that Colang 1.0 has for actions. */
  readonly tree: string;
  /** Further lines in a dialect. */
  readonly end?: Partial<Record<Version, string>>;
}

const answering = (text = "fine") => scriptedModel([text]);

const ROWS: readonly Row[] = [
  {
    title: "a turn in which all rails pass",
    config: CHECKS,
    run: (guardrails) => guardrails.wrap(answering()).invoke("hi"),
    tree: `
guardrails.request
  rail check words (input) passed
    action check_words
  action ASK
    chat scripted-model
  rail hide digits of answer (output) passed
    action hide_digits`,
  },
  {
    title: "a block at input",
    config: CHECKS,
    run: (guardrails) => guardrails.wrap(answering()).invoke("bad"),
    tree: `
guardrails.request blocked
  rail check words (input) blocked
    action check_words`,
  },
  {
    title: "a rewritten response",
    config: CHECKS,
    run: (guardrails) => guardrails.wrap(answering("call 12345")).invoke("hi"),
    tree: `
guardrails.request
  rail check words (input) passed
    action check_words
  action ASK
    chat scripted-model
  rail hide digits of answer (output) modified
    action hide_digits`,
  },
  {
    title: "a chain",
    config: CHECKS,
    run: (guardrails) => guardrails.wrap(RunnableLambda.from(() => "fine")).invoke("hi" as never),
    tree: `
guardrails.request
  rail check words (input) passed
    action check_words
  action ASK
    chat
  rail hide digits of answer (output) passed
    action hide_digits`,
  },
  {
    title: "a model that fails",
    config: CHECKS,
    run: (guardrails) =>
      guardrails
        .wrap(scriptedModel([]))
        .invoke("hi")
        .catch(() => undefined),
    tree: `
guardrails.request error, Error
  rail check words (input) passed
    action check_words
  action ASK error, Error
    chat scripted-model error, Error`,
  },
  {
    title: "a judge",
    config: JUDGE,
    replies: ["No"],
    run: (guardrails) => guardrails.input().invoke("hi"),
    tree: `
guardrails.request
  rail self check input (input) passed
    action self_check_input
      chat scripted-model`,
  },
  {
    title: "a check of one side",
    config: CHECKS,
    run: (guardrails) => guardrails.check("bad", { stage: "input" }),
    tree: `
guardrails.request blocked
  rail check words (input) blocked
    action check_words`,
  },
  {
    title: "an earlier message that a rail hides",
    config: CHECKS,
    options: { history: "review" },
    run: (guardrails) =>
      guardrails.wrap(answering()).invoke([new HumanMessage("bad"), new AIMessage("no"), new HumanMessage("hi")]),
    tree: `
guardrails.request
  rail check words (input) blocked
    action check_words
  rail check words (input) passed
    action check_words
  action ASK
    chat scripted-model
  rail hide digits of answer (output) passed
    action hide_digits`,
  },
  {
    title: "a rail in shadow",
    config: { rails: { input: { flows: ["hide digits"], shadow: ["check words"] } } },
    run: (guardrails) => guardrails.input().invoke("bad"),
    tree: `
guardrails.request
  rail hide digits (input) passed
    action hide_digits
  rail check words (input) blocked
    action check_words`,
  },
  {
    title: "the response to the result of a tool",
    config: CHECKS,
    run: (guardrails) =>
      guardrails
        .wrap(answering())
        .invoke([
          new HumanMessage("hi"),
          new AIMessage({ content: "", tool_calls: [{ name: "look_up", args: {}, id: "c1" }] }),
          new ToolMessage({ content: "found", tool_call_id: "c1", name: "look_up" }),
        ]),
    tree: `
guardrails.request
  rail check words (input) passed
    action check_words
  rail check words (input) passed
    action check_words
  chat scripted-model
  rail hide digits of answer (output) passed
    action hide_digits`,
  },
];

/** Names of the actions of the tests in Colang 2.x. */
const NAMES: Readonly<Record<string, string>> = {
  check_words: "CheckWordsAction",
  hide_digits: "HideDigitsAction",
  self_check_input: "SelfCheckInputAction",
};

function expected(tree: string, version: Version): string {
  const ask = version === "1.0" ? "generate_user_intent" : "AnswerUserAction";
  const named = tree.trim().replaceAll("ASK", ask);
  if (version === "1.0") return named;
  return named.replaceAll(/(?<=action )\w+/g, (name) => NAMES[name] ?? name);
}

async function load(
  version: Version,
  {
    config,
    replies,
    options,
    colang = RAILS[version],
  }: Pick<Row, "config" | "replies" | "options"> & { readonly colang?: string },
) {
  const sink = collectingSink();
  const tracing = createTracing({ sinks: [sink] });
  const guardrails = await Guardrails.fromConfig(
    { colang, config: { colang_version: version, ...config } },
    {
      actions: textActions(),
      logger: false,
      tracing,
      ...options,
      ...(replies && { llm: scriptedModel([...replies]) }),
    },
  );
  return { guardrails, sink };
}

describe.each(VERSIONS)("traces of Colang %s", (version) => {
  it.each(ROWS)("show $title", async ({ run, tree, end, ...given }) => {
    const { guardrails, sink } = await load(version, given);
    await run(guardrails);
    expect(await treesOf(sink)).toEqual([expected(`${tree}${end?.[version] ?? ""}`, version)]);
  });

  it("show every window of a stream", async () => {
    const { guardrails, sink } = await load(version, { config: CHECKS });
    await drain(await guardrails.wrap(answering("one two")).stream("hi"));
    const [tree = ""] = await treesOf(sink);
    expect(tree).toContain("chat scripted-model");
    expect(tree).toContain("rail hide digits of answer (output) passed");
  });
});

it("a session has a trace of each received event", async () => {
  const { guardrails, sink } = await load("2.x", {
    config: { rails: { input: { flows: ["check words"] } } },
    colang: `${RAILS["2.x"]}
flow main
  match UtteranceUserAction.Finished(final_transcript="hi")
  bot say "hello"
  match UtteranceUserAction.Finished()
`,
  });
  const session = guardrails.events();
  for (const text of ["hi", "bad"]) {
    session.send({ type: "UtteranceUserActionFinished", final_transcript: text });
    await session.settled();
  }
  session.close();
  const trees = await treesOf(sink);
  expect(trees.filter((tree) => tree.includes("rail check"))).toEqual([
    "guardrails.request\n  rail check words (input) passed\n    action CheckWordsAction",
    "guardrails.request blocked\n  rail check words (input) blocked\n    action CheckWordsAction",
  ]);
});

const inside = (inner: TraceSpan, outer: TraceSpan | undefined): boolean =>
  outer !== undefined && inner.startedAt >= outer.startedAt && inner.finishedAt <= outer.finishedAt;

describe("spans", () => {
  it.each(ROWS)("have the times of their work: $title", async ({ run, ...given }) => {
    const { guardrails, sink } = await load("1.0", given);
    await run(guardrails);
    await treesOf(sink);
    const spans = sink.interactions.flatMap((interaction) => interaction.spans);
    const byId = new Map(spans.map((span) => [span.id, span]));
    expect(spans.filter(({ parentId }) => parentId === undefined)).toHaveLength(1);
    for (const span of spans) {
      expect(span.durationMs).toBe(span.finishedAt - span.startedAt);
      if (span.parentId !== undefined) expect(inside(span, byId.get(span.parentId))).toBe(true);
    }
  });

  it("carry names, numbers and the cost of model calls", async () => {
    const { guardrails, sink } = await load("1.0", { config: JUDGE, replies: ["Yes"] });
    await guardrails.generate("hi", {}, { configurable: { thread_id: "thread-1" } });
    await treesOf(sink);
    const [turn, rail, action, model] = (sink.interactions[0]?.spans ?? []).map(({ attributes }) => attributes);
    expect(turn).toEqual({
      "gen_ai.operation.name": "guardrails",
      "gen_ai.conversation.id": "thread-1",
      "guardrails.blocked": true,
      "guardrails.blocked.rail": "self check input",
      "guardrails.blocked.stage": "input",
    });
    expect(rail).toMatchObject({ "rail.type": "input", "rail.name": "self check input", "rail.stop": true });
    expect(action).toEqual({ "action.name": "self_check_input" });
    expect(model).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "scripted",
      "gen_ai.request.model": "scripted-model",
      "gen_ai.request.temperature": 0,
      "guardrails.task": "self_check_input",
    });
  });

  it("carry the parameters that the main model has by itself", async () => {
    const { guardrails, sink } = await load("1.0", { config: CHECKS });
    const model = Object.assign(answering(), { temperature: 0.2, maxTokens: 50 });
    await guardrails.wrap(model).invoke("hi");
    await guardrails.wrap(RunnableLambda.from(() => "fine")).invoke("hi");
    await treesOf(sink);
    const models = sink.interactions.flatMap(({ spans }) => spans.filter(({ kind }) => kind === "model"));
    const parameters = models.map(({ attributes }) => [
      attributes["gen_ai.request.temperature"],
      attributes["gen_ai.request.max_tokens"],
    ]);
    expect(parameters).toEqual([
      [0.2, 50],
      [undefined, undefined],
    ]);
  });

  it("name the failure that ended the call", async () => {
    const { guardrails, sink } = await load("1.0", { config: CHECKS });
    const failing = RunnableLambda.from((): string => {
      throw new TypeError("hi quoted");
    });
    await expect(guardrails.wrap(failing).invoke("hi")).rejects.toThrow();
    await treesOf(sink);
    const [root] = sink.interactions[0]?.spans ?? [];
    expect(root).toMatchObject({ status: "error", attributes: { "error.type": "TypeError" } });
    expect(JSON.stringify(sink.interactions)).not.toContain("quoted");
  });

  it.each([
    ["a text", (guardrails: Guardrails) => guardrails.stream("fine")],
    [
      "a pipe",
      (guardrails: Guardrails) =>
        RunnableLambda.from(() => "fine")
          .pipe(guardrails)
          .stream("hi"),
    ],
    ["an output step", (guardrails: Guardrails) => guardrails.output().stream("fine")],
    ["a user message", (guardrails: Guardrails) => guardrails.stream([new HumanMessage("hi")])],
    ["a model", (guardrails: Guardrails) => guardrails.wrap(answering()).stream("hi")],
  ])("count one call for a stream of %s", async (_title, stream) => {
    const { guardrails, sink } = await load("1.0", { config: CHECKS, replies: ["fine"] });
    await drain(await stream(guardrails));
    expect(await treesOf(sink)).toHaveLength(1);
  });
});
