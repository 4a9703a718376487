import type { RailDecision } from "../../turn/decision.js";
import type { Runtime } from "../../runtime/port.js";
import type { GuardedCall } from "../call.js";
import type { Host, HostSource } from "../host.js";
import { GuardrailsStep } from "../step.js";
import { announceDecisions, withoutQuotes } from "../verdict.js";
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

  protected override async process(value: unknown, call: GuardedCall, host: Host): Promise<RailDecision> {
    const subject = railSubject(value, sideOfRail(host.runtime, this.#reference));
    const made = await host.runtime.runRail(this.#reference, subject, call.options);
    const [decision = made] = withoutQuotes([made], [subject.userMessage, subject.botMessage]);
    await announceDecisions([decision], call.announce);
    return decision;
  }
}

const OUTPUT_RAIL = /\b(output|facts?|hallucination|response|answer)\b/;

/** Where the configuration lists the rail, else what its name says. */
function sideOfRail(runtime: Runtime, reference: string): "user" | "bot" | "retrieval" {
  if (runtime.railNames("output").includes(reference)) return "bot";
  if (runtime.railNames("retrieval").includes(reference)) return "retrieval";
  if (runtime.railNames("input").includes(reference)) return "user";
  if (/\bretrieval\b/.test(reference)) return "retrieval";
  return OUTPUT_RAIL.test(reference) ? "bot" : "user";
}
