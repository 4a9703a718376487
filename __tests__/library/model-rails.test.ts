import { describe, expect, it } from "@jest/globals";
import { type Runnable, RunnableLambda } from "@langchain/core/runnables";
import { ConfigError } from "../../src/diagnostics/errors.js";
import { Guardrails, type GuardrailsOptions } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { MODEL_RAILS, type ModelRail } from "./model-rails-table.js";

const VERSIONS = ["1.0", "2.x"] as const;
const REFUSAL = "I'm sorry, I can't respond to that.";
const TABLE = MODEL_RAILS.flatMap((row) => VERSIONS.map((version) => [row.flow, row.model, version, row] as const));

type Version = (typeof VERSIONS)[number];

function open(
  version: Version,
  { flow, stage, settings = {} }: Pick<ModelRail, "flow" | "stage" | "settings">,
  options: GuardrailsOptions & { readonly exceptions?: boolean } = {},
) {
  const { exceptions = false, ...others } = options;
  const config = {
    colang_version: version,
    enable_rails_exceptions: exceptions,
    rails: { [stage]: { flows: [flow] }, config: settings },
  };
  return Guardrails.fromConfig({ config }, { logger: false, ...others });
}

function modelsOf({ type, model }: ModelRail, replies: readonly string[]): Readonly<Record<string, Runnable>> {
  return { [type]: scriptedModel(replies, { name: model }) };
}

const TEXT = "How are you?";

/** The text as a value with the evidence that its rail needs. */
function valueOf({ evidence }: ModelRail): string | object {
  return evidence === undefined ? TEXT : { output: TEXT, context: evidence };
}

/** A refusal of the user's message is a text: the form of the response is not known yet. */
function textOf(chunk: unknown): string {
  return typeof chunk === "string" ? chunk : ((chunk as { readonly answer?: string }).answer ?? "");
}

describe.each(TABLE)("%s by %s in Colang %s", (flow, _, version, row) => {
  const check = async (reply: string) => {
    const guardrails = await open(version, row, { models: modelsOf(row, [reply]) });
    return guardrails.check(valueOf(row), { stage: row.stage });
  };
  const decisionOf = (decisions: readonly { readonly rail: string }[]) => decisions.find(({ rail }) => rail === flow);

  it("lets a safe text pass", async () => {
    const { status, guardrails } = await check(row.passes);
    expect([status, decisionOf(guardrails.decisions)]).toMatchObject(["passed", { status: "passed" }]);
  });

  it("blocks, with the categories that the model names", async () => {
    const { status, output, guardrails } = await check(row.blocks);
    expect([status, output]).toEqual(["blocked", row.refusal ?? REFUSAL]);
    expect(decisionOf(guardrails.decisions)).toMatchObject({ status: "blocked" });
    expect(guardrails.decisions.flatMap(({ categories = [] }) => categories)).toEqual(row.categories ?? []);
  });

  it.each(["", "I cannot help with that.", `${row.passes}\n${row.blocks}`])(
    "does not let a text pass after %j",
    async (reply) => {
      const guardrails = await open(version, row, { models: modelsOf(row, [reply, reply]) });
      const { status } = await guardrails.check(valueOf(row), { stage: row.stage });
      expect(status).not.toBe("passed");
    },
  );

  it("raises its exception", async () => {
    const guardrails = await open(version, row, { models: modelsOf(row, [row.blocks]), exceptions: true });
    const error: unknown = await guardrails
      .wrap(
        RunnableLambda.from(() => ({ answer: "fine", context: row.evidence ?? [] })),
        { onBlocked: "throw" },
      )
      .invoke({ input: TEXT })
      .catch((cause: unknown) => cause);
    expect(error).toMatchObject({ decision: { metadata: { exception: { type: row.exception } } } });
  });

  it.each([undefined, { dialog: false }])("keeps its variables in the conversation (rails %j)", async (rails) => {
    for (const [at, reply] of [row.passes, row.blocks].entries()) {
      const guardrails = await open(version, row, { llm: scriptedModel(["fine"]), models: modelsOf(row, [reply]) });
      const { evidence = [] } = row;
      const names = Object.keys(row.leaves?.[0] ?? {});
      const answer = rails === undefined ? [] : [{ role: "assistant" as const, content: "fine" }];
      const { outputData } = await guardrails.generate([{ role: "user", content: TEXT }, ...answer], {
        outputVars: names,
        ...(rails === undefined ? {} : { rails }),
        context: { relevant_chunks: evidence.join(" "), relevant_chunks_sep: evidence },
      });
      expect(outputData).toEqual(row.leaves?.[at] ?? {});
    }
  });

  it("is a separate runnable, also if it is not listed", async () => {
    const models = modelsOf(row, [row.blocks]);
    const guardrails = await open(version, { ...row, flow: "self check input", stage: "input" }, { models });
    const { evidence: relevantChunks } = row;
    const value = relevantChunks === undefined ? TEXT : { botMessage: TEXT, relevantChunks };
    const decision = await guardrails.rail(flow).invoke(value);
    expect([decision.rail, decision.status]).toEqual([flow, "blocked"]);
  });

  it("reviews a streamed response before it is emitted", async () => {
    const answer = "This is a long answer of the model. ".repeat(20);
    const streamOf = async (reply: string): Promise<string> => {
      const models = { [row.type]: scriptedModel(reply, { name: row.model }) };
      const guardrails = await open(version, row, { models });
      const chain = RunnableLambda.from(async function* () {
        yield { context: row.evidence ?? [] };
        for (const word of answer.split(/(?<= )/)) yield { answer: word };
      });
      let text = "";
      const stream = await guardrails.wrap(chain).stream({ input: TEXT });
      for await (const chunk of stream as AsyncIterable<unknown>) text += textOf(chunk);
      return text;
    };
    expect(await streamOf(row.passes)).toBe(answer);
    expect(await streamOf(row.blocks)).toBe(row.refusal ?? REFUSAL);
  });

  it("does not load without its model", async () => {
    const guardrails = open(version, row);
    if (row.asksMain === true) {
      expect((await guardrails).warnings).toMatchObject([{ code: "CF-204" }]);
      return;
    }
    await expect(guardrails).rejects.toThrow(ConfigError);
    await expect(guardrails).rejects.toThrow(`needs a model of type \`${row.type}\``);
  });
});
