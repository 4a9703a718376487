import type { RailDecision } from "../../turn/decision.js";
import type { GuardedCall } from "../call.js";
import type { HostSource } from "../host.js";
import { GuardrailsStep } from "../step.js";
import { railSubject } from "./subject.js";

/** One rail as a classifier: decides about a value and never throws on a block. */
export class RailStep extends GuardrailsStep<unknown, RailDecision> {
  static override lc_name(): string {
    return "GuardrailsRail";
  }

  readonly #reference: string;

  constructor(host: HostSource, reference: string) {
    super(host, `rail:${reference}`);
    this.#reference = reference;
  }

  protected override process(value: unknown, call: GuardedCall): Promise<RailDecision> {
    const { conversation } = call;
    const stage = conversation.stageOfRail(this.#reference);
    const subject = railSubject(value, this.#reference, stage, call.trustedKeys);
    return conversation.rail(this.#reference, stage === undefined ? subject : { ...subject, stage });
  }
}
