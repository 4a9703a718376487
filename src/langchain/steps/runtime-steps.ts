import type { BotUtterance, CanonicalForm, FlowResult, NextStep } from "../../runtime/dialect-host.js";
import type { RailDecision, RailsStage } from "../../turn/decision.js";
import type { GuardedCall } from "../call.js";
import type { HostSource } from "../host.js";
import { readGuardedInput } from "../review/review.js";
import { shapeError } from "../shape-error.js";
import { FunctionStep, type GuardrailsStep } from "../step.js";
import { isMessage, isObject } from "../values/message-kinds.js";
import { pendingTexts, toTurnMessages, wholeTexts, readUserInput, toHistory } from "../values/read-user-input.js";
import type { RailSubject } from "../../turn/result.js";
import { readResponse } from "../values/read-response.js";
import { contextVariables } from "../values/plain-object.js";
import { didYouMean } from "../../diagnostics/suggestion.js";
import { chunkText, evidenceTexts } from "../values/evidence.js";
import { isMessageList, sideOf } from "../values/side.js";

/** Input of a flow: earlier messages and variables. */
export interface FlowInput {
  readonly messages?: unknown;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** An intent, alone or with earlier messages and context variables. */
export interface IntentInput {
  readonly intent?: string;
  readonly messages?: unknown;
  readonly context?: Readonly<Record<string, unknown>>;
}

/** One rail as a classifier: returns its decision and never throws on a block. */
export function railStep(source: HostSource, rail: string): GuardrailsStep<unknown, RailDecision> {
  return new FunctionStep(source, `rail:${rail}`, async (value: unknown, { conversation, host }) => {
    const stage = conversation.stageOfRail(rail);
    const subject = railSubject(value, rail, stage, host.trustedKeys);
    return conversation.rail(rail, stage === undefined ? subject : { ...subject, stage });
  });
}

/** One flow as a runnable. */
export function flowStep(source: HostSource, flow: string): GuardrailsStep<FlowInput | string, FlowResult> {
  return new FunctionStep(source, `flow:${flow}`, async (value: FlowInput | string, call) => {
    const { messages: given, variables = {} } =
      isObject(value) && !isMessage(value) ? (value as FlowInput) : { messages: value };
    const isEmpty = given === undefined || (Array.isArray(given) && given.length === 0);
    const messages = isEmpty ? [] : toTurnMessages(await readGuardedInput(given, call));
    return call.host.runtime.runFlow(flow, messages, variables, call.options);
  });
}

/** First dialog stage: the user's intent. */
export function canonicalFormStep(source: HostSource): GuardrailsStep<unknown, CanonicalForm> {
  return new FunctionStep(source, "guardrails:canonical form", async (value: unknown, call) => {
    const input = await readGuardedInput(value, call);
    const text = pendingTexts(input).at(-1) ?? "";
    return call.host.runtime.canonicalForm(text, toTurnMessages(input).slice(0, -1), call.options);
  });
}

/** Second dialog stage: the bot's next step. */
export function nextStepStep(source: HostSource): GuardrailsStep<string | IntentInput, NextStep> {
  return new FunctionStep(source, "guardrails:next step", async (value: string | IntentInput, call) => {
    const { intent, history } = await readIntent(value, call);
    return call.host.runtime.nextStep(intent, history, call.options);
  });
}

/** Third dialog stage: the bot's message. */
export function botMessageStep(source: HostSource): GuardrailsStep<string | IntentInput, BotUtterance> {
  return new FunctionStep(source, "guardrails:bot message", async (value: string | IntentInput, call) => {
    const { intent, history, context } = await readIntent(value, call);
    return call.host.runtime.botMessage(intent, context, history, call.options);
  });
}

async function readIntent(value: string | IntentInput, call: GuardedCall) {
  if (typeof value === "string") return { intent: value, history: [], context: {} };
  const { intent, messages, context } = (isObject(value) ? value : {}) as IntentInput;
  if (typeof intent === "string") {
    const history = messages === undefined ? [] : toTurnMessages(await readGuardedInput(messages, call));
    return { intent, history, context: context ?? {} };
  }
  throw shapeError("expected an intent", value, "pass its name, or `{ intent, messages?, context? }`");
}

/** Texts for a single rail, under short or long names. */
export interface RailInput {
  readonly user?: string;
  readonly bot?: string;
  readonly userMessage?: string;
  readonly botMessage?: string;
  /**
   * Evidence: texts or documents. Also read under `relevant_chunks`, `documents` and, unless it is a map, `context`.
   */
  readonly relevantChunks?: string | readonly unknown[];
  readonly relevant_chunks?: string | readonly unknown[];
  readonly documents?: string | readonly unknown[];
  /** Context variables; texts or documents here are evidence. */
  readonly context?: Readonly<Record<string, unknown>> | string | readonly unknown[];
  readonly history?: readonly { readonly role: "user" | "assistant"; readonly content: string }[];
}

const SUBJECT_KEYS = ["user", "bot", "userMessage", "botMessage", "relevantChunks", "history"] as const;

/**
 * Reads the texts for one rail. A string is the text of the rail's own stage.
 *
 * @param stage - of the rail; undefined if unknown
 * @param trustedKeys - keys of an input object that no rail reads
 * @throws InputShapeError for a string if the stage of the rail is unknown
 */
function railSubject(
  value: unknown,
  rail: string,
  stage: RailsStage | undefined,
  trustedKeys?: readonly string[],
): RailSubject {
  if (typeof value === "string") {
    if (stage === undefined)
      throw shapeError(`expected the texts for \`${rail}\` by name, as its stage is unknown`, value, STAGE_HINT);
    return { [TEXT_OF_STAGE[stage]]: value };
  }
  if (isObject(value) && !isMessage(value) && SUBJECT_KEYS.some((key) => Object.hasOwn(value, key))) {
    return subjectOf(value as RailInput);
  }
  const chunks = evidenceTexts(value);
  if (stage === "retrieval" && chunks !== undefined) return { relevantChunks: chunks };
  if (sideOf(value) === "bot") {
    const response = readResponse(value);
    return { botMessage: response.text, userMessage: response.userText, relevantChunks: response.relevantChunks };
  }
  const input = readUserInput(value, { trustedKeys });
  return { userMessage: wholeTexts(input).join("\n"), history: toHistory(input) };
}

const TEXT_OF_STAGE = { input: "userMessage", output: "botMessage", retrieval: "relevantChunks" } as const;

const STAGE_HINT =
  "pass `{ user }` or `{ bot }`, or list the rail under `rails.input`, `rails.output` or `rails.retrieval`";

const EVIDENCE_KEYS = ["relevantChunks", "relevant_chunks", "documents", "context"] as const;

const INPUT_KEYS: readonly string[] = [...SUBJECT_KEYS, ...EVIDENCE_KEYS];

/** @throws InputShapeError for unreadable evidence: the rail would judge without it */
function subjectOf(input: RailInput): RailSubject {
  const unknown = Object.keys(input).find((key) => !INPUT_KEYS.includes(key));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, INPUT_KEYS) ?? `the keys are ${INPUT_KEYS.join(", ")}`;
    throw shapeError(`expected texts that rails check, found the key \`${unknown}\``, input, hint);
  }
  const { context } = input;
  const variables = isObject(context) && chunkText(context) === undefined ? context : undefined;
  const key = EVIDENCE_KEYS.find((name) => input[name] !== undefined && input[name] !== variables);
  const given: unknown = key === undefined ? [] : input[key];
  const evidence = evidenceTexts(isObject(given) ? [given] : given);
  if (evidence === undefined) {
    throw shapeError(`expected evidence under \`${key}\``, given, "pass a text, texts, or documents");
  }
  return {
    userMessage: input.user ?? input.userMessage,
    botMessage: input.bot ?? input.botMessage,
    ...(key === undefined ? {} : { relevantChunks: evidence }),
    history: isMessageList(input.history) ? input.history : undefined,
    ...(variables === undefined ? {} : { context: contextVariables(variables) }),
  };
}
