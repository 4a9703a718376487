import type { FlowResult } from "../../runtime/dialog-results.js";
import type { GuardedCall } from "../call.js";
import type { HostSource, Host } from "../host.js";
import { isMessage, isObject } from "../values/message-kinds.js";
import { GuardrailsStep } from "../step.js";
import { readGuardedInput } from "../review/guarded-input.js";
import { toTurnMessages } from "../values/read-user-input.js";

/** What a flow starts with: what was said, and variables. */
export interface FlowInput {
  readonly messages?: unknown;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** One flow as a runnable. */
export class FlowStep extends GuardrailsStep<FlowInput | string, FlowResult> {
  static override lc_name(): string {
    return "GuardrailsFlow";
  }

  readonly #flow: string;

  constructor(host: HostSource, flow: string) {
    super(host, `flow:${flow}`);
    this.#flow = flow;
  }

  protected override async process(value: FlowInput | string, call: GuardedCall, host: Host): Promise<FlowResult> {
    const wrapped = isObject(value) && !isMessage(value) ? (value as FlowInput) : { messages: value };
    const given = wrapped.messages;
    const silent = given === undefined || (Array.isArray(given) && given.length === 0);
    const messages = silent ? [] : toTurnMessages(await readGuardedInput(given, call));
    return host.runtime.runFlow(this.#flow, messages, wrapped.variables ?? {}, call.options);
  }
}
