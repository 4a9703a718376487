import type { Colang2Program, CompiledFlow } from "../../program.js";

type Flows = ReadonlyMap<string, CompiledFlow>;

/** The flows of each program, by name. */
const FLOWS = new WeakMap<Colang2Program, Flows>();

function flowsOf(program: Colang2Program): Flows {
  let flows = FLOWS.get(program);
  if (flows === undefined) FLOWS.set(program, (flows = new Map(program.flows.map((flow) => [flow.id, flow]))));
  return flows;
}

/**
 * The flows of a conversation, by name. Conversations share the flows of their program, for one is begun for each rail; the
 * first flow that is added or removed makes a copy.
 */
export class Definitions implements Flows {
  #flows: Flows;
  #own: Map<string, CompiledFlow> | undefined;

  constructor(program: Colang2Program) {
    this.#flows = flowsOf(program);
  }

  get size(): number {
    return this.#flows.size;
  }

  get(id: string): CompiledFlow | undefined {
    return this.#flows.get(id);
  }

  has(id: string): boolean {
    return this.#flows.has(id);
  }

  keys(): ReturnType<Flows["keys"]> {
    return this.#flows.keys();
  }

  values(): ReturnType<Flows["values"]> {
    return this.#flows.values();
  }

  entries(): ReturnType<Flows["entries"]> {
    return this.#flows.entries();
  }

  [Symbol.iterator](): ReturnType<Flows["entries"]> {
    return this.#flows.entries();
  }

  forEach(visit: (flow: CompiledFlow, id: string, flows: Flows) => void): void {
    for (const [id, flow] of this.#flows) visit(flow, id, this);
  }

  set(id: string, flow: CompiledFlow): void {
    this.#change().set(id, flow);
  }

  delete(id: string): boolean {
    return this.has(id) && this.#change().delete(id);
  }

  #change(): Map<string, CompiledFlow> {
    this.#own ??= new Map(this.#flows);
    this.#flows = this.#own;
    return this.#own;
  }
}
