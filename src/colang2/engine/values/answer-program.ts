import { ExpressionError } from "../../../diagnostics/errors.js";
import { createMap, isMap, type Value } from "../../../expressions/values/value.js";
import { NO_VALUES } from "../state/event.js";
import { ENGINE_WORK } from "../limits.js";
import { nextIndex, nextRandom } from "../state/random.js";
import type { FlowInstance } from "../state/records.js";
import { childUids, Specification } from "../state/references.js";
import { actionOf, ancestry, definitionOf, nextUid, type EngineState } from "../state/state.js";

type Answer = (state: EngineState, given: readonly Value[]) => Value;

/** Functions of programs that depend on the conversation. */
const ANSWERS: ReadonlyMap<string, Answer> = new Map<string, Answer>([
  ["uid", nextUid],
  ["rand", ({ data }) => nextRandom(data)],
  ["randint", (state, [count]) => nextIndex(state.data, wholeNumber("randint", count))],
  ["flow", (_, given) => specification("flow", given)],
  ["action", (_, given) => specification("action", given)],
  ["flow_exists", (state, [name]) => state.definitions.has(text("flow_exists", name))],
  ["flow_running", (state, [name]) => state.index.byFlow.has(text("flow_running", name))],
  ["flows_info", (state, [uid]) => flowsInfo(state, uid ?? null)],
]);

/** @throws ExpressionError when the question or what comes with it makes no sense */
export function answerProgram(state: EngineState, question: string, given: readonly Value[]): Value {
  const answer = ANSWERS.get(question);
  if (answer === undefined) throw wrong(`unknown function \`${question}\``);
  return answer(state, given);
}

function specification(subject: "flow" | "action", [name, named]: readonly Value[]): Value {
  const given = named !== undefined && isMap(named) ? named : NO_VALUES;
  return new Specification(subject, text(subject, name), Object.assign(createMap(), given));
}

function text(name: string, value: Value | undefined): string {
  if (typeof value !== "string") throw wrong(`\`${name}\` needs a string`);
  return value;
}

function wholeNumber(name: string, value: Value | undefined): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1) {
    throw wrong(`\`${name}\` needs a whole number above 0`);
  }
  return value;
}

function wrong(message: string): ExpressionError {
  return new ExpressionError(message, { code: "C2-401" });
}

function flowsInfo(state: EngineState, uid: Value): Value {
  if (typeof uid === "string") {
    const instance = state.data.flows.get(uid);
    return instance === undefined ? null : describe(state, instance);
  }
  const all = createMap();
  for (const instance of state.data.flows.values()) {
    state.work.spend(ENGINE_WORK.instance * 4 + instance.hierarchy.length);
    all[instance.uid] = describe(state, instance);
  }
  return all;
}

function describe(state: EngineState, instance: FlowInstance): Value {
  const info = createMap();
  const definition = definitionOf(state, instance);
  info["flow_id"] = instance.flow;
  info["loop_id"] = instance.loop;
  info["status"] = instance.status;
  info["flow_hierarchy"] = [...ancestry(state, instance)].map(({ flow }) => flow).reverse();
  info["active_statement_at_lines"] = linesOf(state, instance);
  info["meta_tags"] = [...Object.keys(definition.meta), ...Object.keys(definition.metaTemplates)];
  const actions = [...new Set(instance.ownerships.map(({ action }) => actionOf(state, action).uid))];
  if (actions.length > 0) info["action_uids"] = actions;
  const children = childUids(state, instance);
  if (children.length > 0) info["child_flow_uids"] = children;
  return info;
}

function linesOf(state: EngineState, instance: FlowInstance): Value[] {
  const { elements, places } = definitionOf(state, instance);
  const lines = new Set<number>();
  for (const head of instance.heads) {
    const place = places[elements[head.address]?.place ?? -1];
    if (head.status === "active" && place !== undefined) lines.add(place.location.line);
  }
  return [...lines].sort((left, right) => left - right);
}
