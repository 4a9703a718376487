import { describe, expect, it } from "@jest/globals";
import { Guardrails } from "langchain-guardrails";
import { createTracing, flushTraces, type Interaction } from "langchain-guardrails/tracing";
import { GuardrailViolationError } from "../../src/langchain/blocked.js";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { MARKED, type Stage, type Surface, SURFACES } from "../support/langchain/guarded-surfaces.js";
import { drain } from "../support/langchain/real-guardrails.js";
import { ReplyingModel } from "../support/langchain/replying-model.js";
import { collectingSink } from "../support/tracing/collected.js";

const VARIABLES: Readonly<Record<Stage, string>> = {
  input: "user_message",
  output: "bot_message",
  retrieval: "relevant_chunks",
  tool_output: "tool_args",
  tool_input: "tool_message",
};

const judgeOf = (variable: string): string => `
define subflow judge
  $made = execute judge_text(text=$${variable})
  if $made == "blocked"
    bot refuse to respond
    stop
  if $made != "passed"
    $${variable} = $made
`;

const ACTIONS = {
  passes: () => "passed",
  blocks: ({ text }: { text: unknown }) => (JSON.stringify(text).includes(MARKED) ? "blocked" : "passed"),
  rewrites: ({ text }: { text: unknown }) => JSON.parse(JSON.stringify(text).replaceAll(MARKED, "a place")) as unknown,
  "fails on": ({ text }: { text: unknown }) => {
    if (JSON.stringify(text).includes(MARKED)) throw new TypeError(`cannot read ${JSON.stringify(text)}`);
    return "passed";
  },
} as const;
type Outcome = keyof typeof ACTIONS;

async function tracesOf(surface: Surface, outcome: Outcome, content: boolean): Promise<readonly Interaction[]> {
  const sink = collectingSink();
  const { stage, reply = "fine" } = surface;
  const guardrails = await Guardrails.fromConfig(
    { colang: judgeOf(VARIABLES[stage]), config: { rails: { [stage]: { flows: ["judge"] } } } },
    {
      llm: scriptedModel(() => reply),
      actions: { judge_text: ACTIONS[outcome] },
      logger: false,
      tracing: createTracing({ sinks: [sink], content, logger: false }),
    },
  );
  await surface.run(guardrails).catch((error: unknown) => {
    if (!GuardrailViolationError.isInstance(error)) throw error;
  });
  await flushTraces();
  return sink.interactions;
}

const contentsOf = (traces: readonly Interaction[]): string => JSON.stringify(traces);

describe.each(SURFACES)("$name, $stage: traces", (surface) => {
  it.each(Object.keys(ACTIONS) as Outcome[])(
    "have no texts unless asked for, if a rail %s the text",
    async (outcome) => {
      const traces = await tracesOf(surface, outcome, false);
      expect(traces.length).toBeGreaterThan(0);
      expect(contentsOf(traces)).not.toContain("zanzibar");
      expect(contentsOf(traces)).not.toContain('"content"');
    },
  );

  it.each(["blocks", "rewrites", "fails on"] as const)("have no text that a rail %s", async (outcome) => {
    const traces = await tracesOf(surface, outcome, true);
    expect(traces.length).toBeGreaterThan(0);
    expect(contentsOf(traces)).not.toContain("zanzibar");
    if (outcome === "rewrites") expect(contentsOf(traces)).toContain('"content"');
  });
});

const EMAILS = {
  rails: {
    input: { flows: ["pseudonymise sensitive data on input"] },
    config: { sensitive_data_detection: { input: { entities: ["EMAIL_ADDRESS"] } } },
  },
};

describe("content of traces", () => {
  async function traced(config: object, run: (guardrails: Guardrails) => Promise<unknown>) {
    const sink = collectingSink();
    const tracing = createTracing({ sinks: [sink], content: true, logger: false });
    const guardrails = await Guardrails.fromConfig({ config }, { logger: false, tracing });
    await run(guardrails);
    await flushTraces();
    return sink.interactions.flatMap(({ spans }) => spans.map(({ kind, content }) => [kind, content] as const));
  }

  it("is present if the application asks for it", async () => {
    const rails = { rails: { input: { flows: ["detect jailbreak on input"] } } };
    const spans = await traced(rails, (guardrails) => guardrails.wrap(scriptedModel(["fine"])).invoke("hello there"));
    expect(spans).toContainEqual(["turn", { input: "hello there", output: "fine" }]);
    expect(spans).toContainEqual(["rail", { input: "hello there" }]);
    expect(spans).toContainEqual(["model", { completion: "fine" }]);
  });

  it.each([
    ["invoke", (guarded: ReturnType<Guardrails["wrap"]>) => guarded.invoke("mail ada@example.org now" as never)],
    [
      "stream",
      async (guarded: ReturnType<Guardrails["wrap"]>) =>
        drain(await guarded.stream("mail ada@example.org now" as never)),
    ],
  ])("has pseudonyms and not the values behind them: %s", async (_name, run) => {
    const model = new ReplyingModel(([seen = ""]) => ["you said ", seen]);
    const spans = await traced(EMAILS, (guardrails) => run(guardrails.wrap(model as never)));
    expect(JSON.stringify(spans)).not.toContain("ada@example");
    expect(JSON.stringify(spans)).toContain("EMAIL");
  });

  it("is absent with `redactTraces`", async () => {
    const sink = collectingSink();
    const tracing = createTracing({ sinks: [sink], content: true });
    const guardrails = await Guardrails.fromConfig({ config: {} }, { logger: false, tracing, redactTraces: true });
    await guardrails.wrap(scriptedModel(["fine"])).invoke("hello there");
    await flushTraces();
    expect(sink.interactions).toHaveLength(1);
    expect(JSON.stringify(sink.interactions)).not.toMatch(/hello|fine/);
  });

  it("is omitted for a call that its caller ended", async () => {
    const controller = new AbortController();
    const model = new ReplyingModel(() => {
      controller.abort();
      return ["secret answer"];
    });
    const spans = await traced({}, (guardrails) =>
      guardrails
        .wrap(model as never)
        .invoke("hello there" as never, { signal: controller.signal })
        .catch(() => undefined),
    );
    expect(JSON.stringify(spans)).not.toMatch(/secret|hello/);
  });
});

describe("the environment variable for content", () => {
  const NAME = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";

  it.each([
    ["true", undefined, true],
    ["true", false, false],
    ["false", undefined, false],
    ["", true, true],
  ])("%s, with the option %s", async (value, content, isCaptured) => {
    process.env[NAME] = value;
    const sink = collectingSink();
    const tracing = createTracing({ sinks: [sink], content });
    const guardrails = await Guardrails.fromConfig({ config: {} }, { logger: false, tracing });
    await guardrails.wrap(scriptedModel(["fine"])).invoke("hello");
    await flushTraces();
    expect(JSON.stringify(sink.interactions).includes("hello")).toBe(isCaptured);
  });
});
