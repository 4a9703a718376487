import type { BotUtterance, CanonicalForm, FlowResult, NextStep } from "../../runtime/dialog-results.js";
import type { RailDecision } from "../../turn/decision.js";
import type { TurnMessage } from "../../turn/options.js";
import type { GuardedCall } from "../call.js";
import type { Host, HostSource } from "../host.js";
import { readGuardedInput } from "../review/guarded-input.js";
import { shapeError } from "../shape-error.js";
import { GuardrailsStep } from "../step.js";
import { isMessage, isObject } from "../values/message-kinds.js";
import { pendingTexts, toTurnMessages } from "../values/read-user-input.js";
import { railSubject } from "./subject.js";

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

type Process<Input, Output> = (value: Input, call: GuardedCall, host: Host) => Promise<Output>;

/** A step that asks the runtime for one thing. */
class RuntimeStep<Input, Output> extends GuardrailsStep<Input, Output> {
  readonly #process: Process<Input, Output>;

  constructor(host: HostSource, name: string, process: Process<Input, Output>) {
    super(host, name);
    this.#process = process;
  }

  protected override process(value: Input, call: GuardedCall, host: Host): Promise<Output> {
    return this.#process(value, call, host);
  }
}

/** One rail as a classifier: decides about a value and never throws on a block. */
export function railStep(source: HostSource, rail: string): GuardrailsStep<unknown, RailDecision> {
  return new RuntimeStep(source, `rail:${rail}`, async (value: unknown, { conversation, trustedKeys }) => {
    const stage = conversation.stageOfRail(rail);
    const subject = railSubject(value, rail, stage, trustedKeys);
    return conversation.rail(rail, stage === undefined ? subject : { ...subject, stage });
  });
}

/** One flow as a runnable. */
export function flowStep(source: HostSource, flow: string): GuardrailsStep<FlowInput | string, FlowResult> {
  return new RuntimeStep(source, `flow:${flow}`, async (value: FlowInput | string, call, { runtime }) => {
    const { messages: given, variables = {} } =
      isObject(value) && !isMessage(value) ? (value as FlowInput) : { messages: value };
    const isEmpty = given === undefined || (Array.isArray(given) && given.length === 0);
    const messages = isEmpty ? [] : toTurnMessages(await readGuardedInput(given, call));
    return runtime.runFlow(flow, messages, variables, call.options);
  });
}

/** First stage of the dialog: the user's intent. */
export function canonicalFormStep(source: HostSource): GuardrailsStep<unknown, CanonicalForm> {
  return new RuntimeStep(source, "guardrails:canonical form", async (value: unknown, call, { runtime }) => {
    const input = await readGuardedInput(value, call);
    const text = pendingTexts(input).at(-1) ?? "";
    return runtime.canonicalForm(text, toTurnMessages(input).slice(0, -1), call.options);
  });
}

/** Second stage of the dialog: the bot's next step. */
export function nextStepStep(source: HostSource): GuardrailsStep<string | IntentInput, NextStep> {
  return new RuntimeStep(source, "guardrails:next step", async (value: string | IntentInput, call, { runtime }) => {
    const { intent, history } = await readIntent(value, call);
    return runtime.nextStep(intent, history, call.options);
  });
}

/** Third stage of the dialog: the bot's message. */
export function botMessageStep(source: HostSource): GuardrailsStep<string | IntentInput, BotUtterance> {
  return new RuntimeStep(source, "guardrails:bot message", async (value: string | IntentInput, call, { runtime }) => {
    const { intent, history, context } = await readIntent(value, call);
    return runtime.botMessage(intent, context, history, call.options);
  });
}

interface ReadIntent {
  readonly intent: string;
  readonly history: readonly TurnMessage[];
  readonly context: Readonly<Record<string, unknown>>;
}

async function readIntent(value: string | IntentInput, call: GuardedCall): Promise<ReadIntent> {
  if (typeof value === "string") return { intent: value, history: [], context: {} };
  const { intent, messages, context } = (isObject(value) ? value : {}) as IntentInput;
  if (typeof intent === "string") {
    const history = messages === undefined ? [] : toTurnMessages(await readGuardedInput(messages, call));
    return { intent, history, context: context ?? {} };
  }
  throw shapeError("there is no intent", value, "pass its name, or `{ intent, messages?, context? }`");
}
