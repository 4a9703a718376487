import { readsAllVariables } from "../../reads-all.js";
import { parseFlowReference } from "../../../engine/flow-reference.js";
import type { ActionRegistry } from "../../../actions/registry.js";
import type { Colang2Program, CompiledFlow } from "../../../colang2/program.js";
import { standardModuleNames } from "../../../colang2/imports/imports.js";
import { PASSED_TEXTS, type RailTraits } from "../../../rails/plan.js";
import { isLibraryModule } from "../compile/library-place.js";

/** Modules whose flows only speak, wait and look on; what the others do is known only at run time. */
const QUIET: ReadonlySet<string> = new Set(["core", "guardrails", "timing"]);
const SPEAKING: ReadonlySet<string> = new Set(["UtteranceBotAction"]);

/** What a flow does, with all flows that it starts, as far as it can be told from them. */
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

/** Whether a rail only judges (`langchain.md` A4). Whatever cannot be told from its flow counts as more than that. */
export function railTraits(program: Colang2Program, registry: ActionRegistry, reference: string): RailTraits {
  const { id } = parseFlowReference(reference);
  const effects = new Effects(program);
  effects.add(id);
  const { reads, writes } = effects;
  const text = PASSED_TEXTS.find((name) => writes.has(name));
  const action = [...effects.actions].find((name) => !SPEAKING.has(name) && !isVerdict(registry, name));
  const event = [...effects.sends].find((name) => !name.endsWith("Exception"));
  const because =
    text !== undefined
      ? `it assigns \`$${text}\``
      : action !== undefined
        ? `its action \`${action}\` is not declared as a verdict`
        : event !== undefined
          ? `it sends the event \`${event}\``
          : effects.isKnown
            ? undefined
            : "what it runs is known only at run time";
  const { isKnown } = effects;
  const rewritesText = text !== undefined || !isKnown;
  return {
    rewrites: because !== undefined,
    rewritesText,
    isKnown,
    readsAll: readsAllVariables(
      registry,
      [...effects.actions].filter((name) => !SPEAKING.has(name)),
    ),
    reads,
    writes,
    ...(because === undefined ? {} : { because }),
  };
}

function isVerdict(registry: ActionRegistry, name: string): boolean {
  const resolution = registry.resolve(name);
  return resolution.found && resolution.definition.verdict;
}

/** Whether the rail is the library's own, and no flow of the configuration stands in its place. */
export function isOfLibrary(program: Colang2Program, id: string): boolean {
  return isLibraryModule(program.flows.find((flow) => flow.id === id)?.module ?? "");
}
