import { parseFlowReference } from "../../../engine/flow-reference.js";
import type { ActionRegistry } from "../../../actions/registry.js";
import type { Colang2Program, CompiledFlow } from "../../../colang2/program.js";
import { standardModuleNames } from "../../../colang2/imports/imports.js";
import { type RailTraits } from "../../../rails/plan.js";
import { isLibraryModule } from "../compile/library-place.js";
import { railTraits } from "../../rail-facts.js";

/** Modules whose flows only speak, wait and look on; what the others do is known only at run time. */
const QUIET: ReadonlySet<string> = new Set(["core", "guardrails", "timing"]);
const SPEAKING: ReadonlySet<string> = new Set(["UtteranceBotAction"]);

/** Effects of a flow and all flows that it starts, as far as their code shows them. */
class Effects {
  readonly reads = new Set<string>();
  readonly writes = new Set<string>();
  readonly actions = new Set<string>();
  readonly sends = new Set<string>();
  isKnown = true;
  readonly #flows: ReadonlyMap<string, CompiledFlow>;
  readonly #seen = new Set<string>();

  constructor(program: Colang2Program) {
    this.#flows = new Map(program.flows.map((flow) => [flow.id, flow]));
  }

  add(id: string): void {
    const flow = this.#flows.get(id);
    if (this.#seen.has(id)) return;
    this.#seen.add(id);
    if (flow === undefined) this.isKnown = false;
    else if (!QUIET.has(flow.module)) {
      if (standardModuleNames().includes(flow.module)) this.isKnown = false;
      this.#read(flow);
    }
  }

  #read(flow: CompiledFlow): void {
    const globals = new Set<string>();
    for (const element of flow.elements)
      if (element.kind === "Global") for (const name of element.names) globals.add(name);
    for (const name of globals) this.reads.add(name);
    for (const element of flow.elements) {
      if (element.kind === "Set" && globals.has(element.target.name)) this.writes.add(element.target.name);
      if (element.kind === "NextItem" && globals.has(element.target.name)) this.writes.add(element.target.name);
      if (element.kind === "NewAction") this.actions.add(element.action);
      if (element.kind === "StartFlow") {
        if (element.flow === undefined) this.isKnown = false;
        else this.add(element.flow);
      }
      if (element.kind === "StartReference" || element.kind === "SendReference") this.isKnown = false;
      if (element.kind === "Emit") this.isKnown = false;
      if (element.kind === "Act" && element.request.form === "event") this.sends.add(element.request.name);
      // A method that changes a list or a map in place is an expression.
      if (element.kind === "Evaluate" && globals.size > 0) this.isKnown = false;
    }
  }
}

/** Returns the traits of a rail in Colang 2.x. */
export function colang2Traits(program: Colang2Program, registry: ActionRegistry, reference: string): RailTraits {
  const { id } = parseFlowReference(reference);
  const effects = new Effects(program);
  effects.add(id);
  const { reads, writes, isKnown } = effects;
  const actions = [...effects.actions].filter((name) => !SPEAKING.has(name));
  const event = [...effects.sends].find((name) => !name.endsWith("Exception"));
  const effect = event === undefined ? undefined : `it sends the event \`${event}\``;
  return railTraits(registry, { reads, writes, isKnown, actions, effect });
}

/** Returns true for a rail of the library that no flow of the configuration replaces. */
export function isOfLibrary(program: Colang2Program, id: string): boolean {
  return isLibraryModule(program.flows.find((flow) => flow.id === id)?.module ?? "");
}
