import type { BotUtterance, CanonicalForm, NextStep } from "../../runtime/dialog-results.js";
import type { TurnMessage } from "../../turn/options.js";
import type { GuardedCall } from "../call.js";
import type { HostSource, Host } from "../host.js";
import { isObject } from "../values/message-kinds.js";
import { shapeError } from "../shape-error.js";
import { GuardrailsStep } from "../step.js";
import { readGuardedInput } from "../review/guarded-input.js";
import { pendingTexts, toTurnMessages } from "../values/read-user-input.js";

/** An intent, alone or with what was said before and with context variables. */
export interface IntentInput {
  readonly intent?: string;
  readonly messages?: unknown;
  readonly context?: Readonly<Record<string, unknown>>;
}

/** First stage: what the user means. */
export class CanonicalFormStep extends GuardrailsStep<unknown, CanonicalForm> {
  static override lc_name(): string {
    return "GuardrailsCanonicalForm";
  }

  constructor(host: HostSource) {
    super(host, "guardrails:canonical form");
  }

  protected override async process(value: unknown, call: GuardedCall, host: Host): Promise<CanonicalForm> {
    const input = await readGuardedInput(value, call);
    const text = pendingTexts(input).at(-1) ?? "";
    return host.runtime.canonicalForm(text, toTurnMessages(input).slice(0, -1), call.options);
  }
}

/** Second stage: what the bot does next. */
export class NextStepStep extends GuardrailsStep<string | IntentInput, NextStep> {
  static override lc_name(): string {
    return "GuardrailsNextStep";
  }

  constructor(host: HostSource) {
    super(host, "guardrails:next step");
  }

  protected override async process(value: string | IntentInput, call: GuardedCall, host: Host): Promise<NextStep> {
    const { intent, history } = await readIntent(value, call);
    return host.runtime.nextStep(intent, history, call.options);
  }
}

/** Third stage: what the bot says. */
export class BotMessageStep extends GuardrailsStep<string | IntentInput, BotUtterance> {
  static override lc_name(): string {
    return "GuardrailsBotMessage";
  }

  constructor(host: HostSource) {
    super(host, "guardrails:bot message");
  }

  protected override async process(value: string | IntentInput, call: GuardedCall, host: Host): Promise<BotUtterance> {
    const { intent, history, context } = await readIntent(value, call);
    return host.runtime.botMessage(intent, context, history, call.options);
  }
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
