import { describe, expect, it } from "@jest/globals";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { BaseChatModel, type BaseChatModelParams } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import {
  type Runnable,
  RunnableBranch,
  RunnableLambda,
  RunnableParallel,
  RunnablePassthrough,
  RunnableSequence,
} from "@langchain/core/runnables";
import { drain, realGuardrails } from "../../support/langchain/real-guardrails.js";

class TokenReader extends BaseCallbackHandler {
  override name = "reader";
  override awaitHandlers = true;
  readonly tokens: string[] = [];

  override handleLLMNewToken(token: string): void {
    this.tokens.push(token);
  }
}

/** A model that LangChain can make again, with handlers of its constructor; its first calls may fail. */
class BadModel extends BaseChatModel {
  override lc_serializable = true;
  readonly fails: { left: number };

  constructor(fields: BaseChatModelParams & { readonly fails?: { left: number } }) {
    super({ maxRetries: 0, ...fields });
    this.fails = fields.fails ?? { left: 0 };
  }

  override _llmType(): string {
    return "bad";
  }

  override _generate(): Promise<ChatResult> {
    if (this.fails.left-- > 0) throw new Error("not yet");
    return Promise.resolve({ generations: [{ text: "bad", message: new AIMessage("bad") }] });
  }

  override async *_streamResponseChunks(
    _messages: unknown,
    _options: unknown,
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    if (this.fails.left-- > 0) throw new Error("not yet");
    for (const text of ["so ", "bad ", "it is"]) {
      yield new ChatGenerationChunk({ text, message: new AIMessageChunk(text) });
      await run?.handleLLMNewToken(text);
    }
  }
}

const fine = RunnableLambda.from(() => "fine");
const asked = RunnableLambda.from((question: unknown) => ({ question }));
const answering = (model: Runnable) =>
  RunnableLambda.from(({ question }: { question: string }) => question).pipe(model);

/** Compositions of LangChain around a model. */
const AROUND: readonly (readonly [string, (model: Runnable) => Runnable])[] = [
  ["a sequence", (model) => model.pipe(RunnableLambda.from((message: unknown) => message))],
  ["a binding", (model) => model.withConfig({ tags: ["t"] })],
  ["retries", (model) => model.withRetry({ stopAfterAttempt: 2 })],
  ["fallbacks", (model) => model.withFallbacks([model])],
  [
    "fallbacks of another one",
    (model) => (RunnableLambda.from(() => Promise.reject(new Error("no"))) as Runnable).withFallbacks([model]),
  ],
  ["a branch", (model) => RunnableBranch.from([[() => true, model as never], fine as never])],
  ["the default of a branch", (model) => RunnableBranch.from([[() => false, fine as never], model as never])],
  ["parallel parts", (model) => RunnableParallel.from({ answer: model })],
  [
    "assigned keys",
    (model) =>
      RunnableSequence.from([asked, RunnablePassthrough.assign({ answer: answering(model) as never })]) as Runnable,
  ],
  ["retries in a branch", (model) => RunnableBranch.from([[() => true, model.withRetry() as never], fine as never])],
];

describe("handlers of a model's constructor", () => {
  it.each(AROUND)("see no tokens before their review inside %s", async (_, around) => {
    const reader = new TokenReader();
    const guardrails = await realGuardrails({ input: [], output: ["check answer"] });
    const chain = guardrails.wrap(around(new BadModel({ callbacks: [reader] })));
    const chunks = await drain(await chain.stream("hi"));
    expect(JSON.stringify(chunks)).toContain("REFUSED");
    expect(reader.tokens.join("")).not.toContain("bad");
  });

  it("do not cost a model its retries", async () => {
    const fails = { left: 1 };
    const guardrails = await realGuardrails({ input: [], output: ["check answer"] });
    const retried = new BadModel({ callbacks: [new TokenReader()], fails }).withRetry({ stopAfterAttempt: 2 });
    await expect(guardrails.wrap(retried as Runnable).invoke("hi")).resolves.toMatchObject({ content: "REFUSED" });
  });
});
