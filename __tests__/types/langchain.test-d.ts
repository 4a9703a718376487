// Checked only by the compiler: valid and invalid compositions.
import { type AIMessageChunk, HumanMessage, SystemMessage } from "@langchain/core/messages";
import type { IterableReadableStream } from "@langchain/core/utils/stream";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { RunnableLambda } from "@langchain/core/runnables";
import type { ChatOpenAI } from "@langchain/openai";
import { z as z3 } from "zod";
import { z } from "zod/v4";
import { Guardrails, type GuardedChatModel, inputModeration, type RailDecision, verdictOf } from "langchain-guardrails";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const assertType = <T extends true>(_holds?: T): void => undefined;

declare const guardrails: Guardrails;
declare const model: ChatOpenAI;
const prompt = ChatPromptTemplate.fromMessages<{ question: string }>([["human", "{question}"]]);
const chain = prompt.pipe(model).pipe(new StringOutputParser());
const rag = RunnableLambda.from((_input: { question: string }) => ({ answer: "a", context: ["c"] }));

// The type of the chain's response passes through an output step, and the input type through an input step.
const moderated = chain.pipe(guardrails.output());
assertType<Equal<Awaited<ReturnType<typeof moderated.invoke>>, string>>();
const started = guardrails.input<{ question: string }>().pipe(prompt);
assertType<Equal<Parameters<typeof started.invoke>[0], { question: string }>>();
const free = inputModeration<{ question: string }>({ rails: ["self check input"] }).pipe(prompt);
assertType<Equal<Parameters<typeof free.invoke>[0], { question: string }>>();

// A wrapped model is a chat model, a wrapped chain keeps its types.
const guarded: GuardedChatModel = guardrails.wrap(model);
assertType<Equal<Awaited<ReturnType<typeof guarded.invoke>>, AIMessageChunk>>();
const structured = guarded.withStructuredOutput(z.object({ dish: z.string() }));
assertType<Equal<Awaited<ReturnType<typeof structured.invoke>>, { dish: string }>>();
const structured3 = guarded.withStructuredOutput(z3.object({ dish: z3.string() }));
assertType<Equal<Awaited<ReturnType<typeof structured3.invoke>>, { dish: string }>>();
const withRaw = guarded.bindTools([]).withStructuredOutput(z.object({ dish: z.string() }), { includeRaw: true });
assertType<Equal<Awaited<ReturnType<typeof withRaw.invoke>>["parsed"], { dish: string }>>();
const byJson = guarded.withStructuredOutput<{ dish: string }>({ title: "dish", type: "object", properties: {} });
assertType<Equal<Awaited<ReturnType<typeof byJson.invoke>>, { dish: string }>>();
const wrapped = guardrails.wrap(rag, { outputKey: "answer" });
assertType<Equal<Awaited<ReturnType<typeof wrapped.invoke>>, { answer: string; context: string[] }>>();

const wrappedFunction = guardrails.wrap(async (text: string) => text.length);
assertType<Equal<Awaited<ReturnType<typeof wrappedFunction.invoke>>, number>>();
const branched = guardrails.branch({ pass: (text: string) => text.length, blocked: () => "no" });
assertType<Equal<Awaited<ReturnType<typeof branched.invoke>>, number | string>>();
void Guardrails.fromPath(new URL("./config", import.meta.url));

// A rail is a classifier.
const rail = guardrails.rail("self check input");
assertType<Equal<Awaited<ReturnType<typeof rail.invoke>>, RailDecision>>();

// @ts-expect-error a configuration is no YAML string: text says what it is
void Guardrails.fromConfig("models: []");
// @ts-expect-error there is no such stage
void guarded.invoke("hi", { rails: { inptu: false } });
// @ts-expect-error onBlocked knows refuse, throw and a function
guardrails.output({ onBlocked: "ignore" });
// @ts-expect-error only runnables and functions can be wrapped
guardrails.wrap({ invoke: () => "x" });

// The verdict of any response: a missing message, a message, an object of a chain, an unknown chunk.
declare const messages: AIMessageChunk[];
declare const unknownChunk: unknown;
assertType<Equal<NonNullable<ReturnType<typeof verdictOf>>["blocked"], boolean>>();
verdictOf(messages.at(-1));
verdictOf(unknownChunk);
verdictOf({ answer: "a" }, "verdict");

// The guardrails object answers user messages with messages, and returns reviewed texts as texts.
const userTurn = guardrails.invoke([new SystemMessage("s"), new HumanMessage("hi")]);
assertType<Equal<Awaited<typeof userTurn>, AIMessageChunk>>();
const plainTurn = guardrails.stream([{ role: "user", content: "hi" }]);
assertType<Equal<Awaited<typeof plainTurn>, IterableReadableStream<AIMessageChunk>>>();
const promptTurn = guardrails.invoke(await prompt.invoke({ question: "q" }));
assertType<Equal<Awaited<typeof promptTurn>, AIMessageChunk>>();
const reviewedText = guardrails.invoke("The oven is hot.");
assertType<Equal<Awaited<typeof reviewedText>, string>>();
const reviewedMessages = guardrails.invoke(messages);
assertType<Equal<Awaited<typeof reviewedMessages>, unknown>>();
const piped = chain.pipe(guardrails);
assertType<Equal<Awaited<ReturnType<typeof piped.invoke>>, unknown>>();
