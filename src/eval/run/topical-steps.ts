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
  /** The text of a bot intent. */
  message(botIntent: string, text: string, signal: AbortSignal): Promise<string>;
}

/** Reads steps from the public stages of a guardrails object. What flows say is asked for once per intent. */
export function readBotSteps(guardrails: Guardrails): BotSteps {
  const nextStep = guardrails.nextStep();
  const botMessage = guardrails.botMessage();
  const known = new Map<string, Promise<ExpectedStep | undefined>>();
  return {
    expected: (intent) => {
      const asked = known.get(intent) ?? askFlows(guardrails, intent);
      known.set(intent, asked);
      return asked;
    },
    next: async (intent, text, signal) => (await nextStep.invoke({ intent, messages: userTurn(text) }, { signal })).intent,
    message: async (intent, text, signal) =>
      (await botMessage.invoke({ intent, messages: userTurn(text) }, { signal })).text,
  };
}

function userTurn(text: string): readonly object[] {
  return [{ role: "user", content: text }];
}

const NO_MODEL = "no flow and no predefined message decides";

function refuse(): never {
  throw new Error(NO_MODEL);
}

/** Stops every model call before it is made, so that only flows and predefined messages answer. */
const refuseModels: CallbackHandlerMethods & { name: string; awaitHandlers: true; raiseError: true } = {
  name: "evaluation without models",
  awaitHandlers: true,
  raiseError: true,
  handleLLMStart: refuse,
  handleChatModelStart: refuse,
};

async function askFlows(guardrails: Guardrails, intent: string): Promise<ExpectedStep | undefined> {
  const options = { callbacks: [refuseModels] };
  const step = await orUndefined(guardrails.nextStep().invoke(intent, options));
  if (step?.source !== "flow" || step.intent === undefined) return undefined;
  const message = await orUndefined(guardrails.botMessage().invoke(step.intent, options));
  return { botIntent: step.intent, ...(message?.source === "predefined" ? { botMessage: message.text } : {}) };
}

async function orUndefined<Value>(work: Promise<Value>): Promise<Value | undefined> {
  try {
    return await work;
  } catch (error) {
    if (GuardrailsError.isInstance(error)) return undefined;
    throw error;
  }
}
