import type { CallbackHandlerMethods } from "@langchain/core/callbacks/base";
import { GuardrailsError } from "../../diagnostics/errors.js";
import type { Guardrails } from "../../langchain/guardrails.js";

/** What should follow an intent. */
export interface ExpectedStep {
  readonly botIntent: string;
  /** Absent when the message is not predefined. */
  readonly botMessage?: string;
}

/** The second and third stage of the process, as an evaluation asks for them. */
export interface BotSteps {
  /** What the flows say, without a model; undefined where they say nothing. */
  expected(intent: string): Promise<ExpectedStep | undefined>;
  /** The bot intent after an utterance that was understood so. */
  next(intent: string, text: string, signal: AbortSignal): Promise<string | undefined>;
  /** The predefined text of a bot intent; undefined where a model would have to word it. */
  message(botIntent: string): Promise<string | undefined>;
}

/** Reads steps from the public stages of a guardrails object. What flows say is asked for once per intent. */
export function readBotSteps(guardrails: Guardrails): BotSteps {
  const nextStep = guardrails.nextStep();
  const known = new Map<string, Promise<ExpectedStep | undefined>>();
  return {
    expected: (intent) => {
      const asked = known.get(intent) ?? askFlows(guardrails, intent);
      known.set(intent, asked);
      return asked;
    },
    next: async (intent, text, signal) => {
      const messages = [{ role: "user", content: text }];
      return (await nextStep.invoke({ intent, messages }, { signal })).intent;
    },
    message: (botIntent) => predefinedMessage(guardrails, botIntent),
  };
}

async function askFlows(guardrails: Guardrails, intent: string): Promise<ExpectedStep | undefined> {
  const step = await withoutModels((options) => guardrails.nextStep().invoke(intent, options));
  if (step?.source !== "flow" || step.intent === undefined) return undefined;
  const botMessage = await predefinedMessage(guardrails, step.intent);
  return { botIntent: step.intent, ...(botMessage === undefined ? {} : { botMessage }) };
}

async function predefinedMessage(guardrails: Guardrails, botIntent: string): Promise<string | undefined> {
  const message = await withoutModels((options) => guardrails.botMessage().invoke(botIntent, options));
  return message?.source === "predefined" ? message.text : undefined;
}

interface ModelFreeOptions {
  readonly signal: AbortSignal;
  readonly callbacks: (CallbackHandlerMethods & { readonly name: string; readonly awaitHandlers: true })[];
}

/**
 * Runs a stage as far as flows and predefined messages carry it: the first model call is aborted before it is made, and
 * the stage then says nothing.
 */
async function withoutModels<Value>(stage: (options: ModelFreeOptions) => Promise<Value>): Promise<Value | undefined> {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const handler = {
    name: "evaluation without models",
    awaitHandlers: true,
    handleLLMStart: abort,
    handleChatModelStart: abort,
  } as const;
  try {
    return await stage({ signal: controller.signal, callbacks: [handler] });
  } catch (error) {
    // Without a main model the stage fails of itself where it would need one.
    if (controller.signal.aborted || GuardrailsError.isInstance(error)) return undefined;
    throw error;
  }
}
