import { ExpressionError } from "../../../diagnostics/errors.js";
import { createMap, isMap, type Value } from "../../../expressions/values/value.js";
import { NO_VALUES } from "../state/event.js";
import { ENGINE_WORK } from "../limits.js";
import { nextIndex, nextRandom } from "../state/random.js";
import { Specification } from "../state/references.js";
import { nextUid, type EngineState, type FlowInstance } from "../state/state.js";

type Answer = (state: EngineState, given: readonly Value[]) => Value;

/** What functions of programs ask of the conversation (spec 3.5). */
const ANSWERS: ReadonlyMap<string, Answer> = new Map<string, Answer>([
  ["uid", nextUid],
  ["rand", nextRandom],
  ["randint", (state, [count]) => nextIndex(state, wholeNumber("randint", count))],
  ["flow", (_, given) => specification("flow", given)],
  ["action", (_, given) => specification("action", given)],
  ["flow_exists", (state, [name]) => state.definitions.has(text("flow_exists", name))],
  ["flow_running", (state, [name]) => state.byFlow.has(text("flow_running", name))],
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
    const instance = state.instances.get(uid);
    return instance === undefined ? null : describe(instance);
  }
  const all = createMap();
  for (const instance of state.instances.values()) {
    state.work.spend(ENGINE_WORK.instance * 4 + instance.hierarchy.length);
    all[instance.uid] = describe(instance);
  }
  return all;
}

function describe(instance: FlowInstance): Value {
  const info = createMap();
  const { reference, definition } = instance;
  info["flow_id"] = definition.id;
  info["loop_id"] = instance.loop;
  info["status"] = instance.status;
  info["flow_hierarchy"] = hierarchyOf(instance);
  info["active_statement_at_lines"] = linesOf(instance);
  info["meta_tags"] = [...Object.keys(definition.meta), ...Object.keys(definition.metaTemplates)];
  const actions = [...new Set([...instance.ownerships.values()].map((action) => action.uid))];
  if (actions.length > 0) info["action_uids"] = actions;
  const children = reference.member("child_flow_uids");
  if (Array.isArray(children) && children.length > 0) info["child_flow_uids"] = children as Value;
  return info;
}

function hierarchyOf(instance: FlowInstance): string[] {
  const names: string[] = [];
  for (let at: FlowInstance | undefined = instance; at !== undefined; at = at.parent) names.unshift(at.definition.id);
  return names;
}

function linesOf(instance: FlowInstance): Value[] {
  const lines = new Set<number>();
  for (const head of instance.heads) {
    const element = instance.definition.elements[head.address];
    const place = element === undefined ? undefined : instance.definition.places[element.place];
    if (head.status === "active" && place !== undefined) lines.add(place.location.line);
  }
  return [...lines].sort((left, right) => left - right);
}
