import type {
  Colang1Program,
  CompiledFlow,
  Element,
  ElementArgument,
  Matcher,
  PropertyTest,
} from "../../../src/colang1/elements.js";
import type { Expression } from "../../../src/expressions/ast.js";

/** Programs built by hand, for rules that need an exact form of a flow. */
type Plain = string | number | boolean | null;

const at = { start: 0, end: 0 };

export function literal(value: Plain): Expression {
  return { kind: "Literal", value, ...at };
}

export function variable(name: string): Expression {
  return { kind: "Variable", name, ...at };
}

export function less(name: string, bound: number): Expression {
  const rest = [{ operator: "<" as const, operand: literal(bound) }];
  return { kind: "Compare", first: either(variable(name), 0), rest, ...at };
}

export function increment(name: string): Element {
  const value: Expression = {
    kind: "Binary",
    operator: "+",
    left: either(variable(name), 0),
    right: literal(1),
    ...at,
  };
  return assign(name, value);
}

function either(left: Expression, fallback: Plain): Expression {
  return { kind: "Logical", operator: "or", left, right: literal(fallback), ...at };
}

type Unplaced<Kind> = Kind extends Element ? Omit<Kind, "location" | "text"> : never;

function place(element: Unplaced<Element>, text: string): Element {
  return { ...element, text, location: { file: "test.co", line: 1, column: 1 } } as Element;
}

export function match(...matchers: readonly Matcher[]): Element {
  return place({ kind: "Match", matchers }, "match");
}

export function user(...intents: readonly string[]): Element {
  return match({ kind: "User", intents });
}

export function observe(...intents: readonly string[]): Element {
  return match({ kind: "Bot", intents });
}

export function event(type: string, properties: readonly PropertyTest[] = []): Element {
  return match({ kind: "Event", type, properties });
}

export function say(intent: string): Element {
  return place({ kind: "Say", content: { type: "intent", intent } }, `bot ${intent}`);
}

export function sayText(text: string, intent = "say"): Element {
  return place({ kind: "Say", content: { type: "literal", intent, text } }, `bot "${text}"`);
}

export function sayValue(name: string): Element {
  return place({ kind: "Say", content: { type: "value", source: `$${name}`, value: variable(name) } }, `bot $${name}`);
}

function argumentsOf(values: Readonly<Record<string, Expression>>): ElementArgument[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

export function runAction(action: string, values: Readonly<Record<string, Expression>> = {}, result?: string): Element {
  const target = result === undefined ? {} : { result: { name: result, path: [] } };
  return place({ kind: "Run", action, arguments: argumentsOf(values), ...target }, `execute ${action}`);
}

export function emit(type: string, values: Readonly<Record<string, Expression>> = {}): Element {
  return place({ kind: "Emit", type, arguments: argumentsOf(values) }, `create event ${type}`);
}

export function call(flow: string): Element {
  return place({ kind: "Call", flow, arguments: [] }, `do ${flow}`);
}

export function assign(name: string, value: Expression): Element {
  return place({ kind: "Assign", target: { name, path: [] }, value }, `$${name} = …`);
}

export function jumpIfNot(condition: Expression, target: number): Element {
  return place({ kind: "JumpIfNot", condition, target }, "if");
}

export function jump(target: number): Element {
  return place({ kind: "Jump", target }, "goto");
}

export function check(condition: Expression): Element {
  return place({ kind: "Check", condition }, "check");
}

export function choice(...heads: readonly number[]): Element {
  return place({ kind: "Choice", heads }, "when");
}

export const stop: Element = place({ kind: "Stop" }, "stop");

export function flow(
  id: string,
  elements: readonly Element[],
  flags: Partial<Omit<CompiledFlow, "id" | "elements">> = {},
): CompiledFlow {
  return {
    id,
    elements,
    tier: "user",
    parameters: [],
    priority: 1,
    allowMultiple: false,
    isExtension: false,
    isSubflow: false,
    interruptible: true,
    isInitialiser: false,
    continues: false,
    location: { file: "test.co", line: 1, column: 1 },
    sourceText: "",
    hash: JSON.stringify([id, elements, flags]),
    ...flags,
  };
}

export function program(...flows: readonly CompiledFlow[]): Colang1Program {
  const hash = flows.map((each) => each.hash).join("|");
  return { dialect: "1.0", hash, flows, userMessages: {}, botMessages: {}, constants: { config: { mode: "test" } } };
}

/** A minimal pipeline: the stages, with host actions in place of theirs. */
export const PIPELINE: readonly CompiledFlow[] = [
  flow(
    "process user input",
    [
      event("UtteranceUserActionFinished"),
      assign("user_message", {
        kind: "Member",
        object: variable("event"),
        name: "final_transcript",
        ...at,
      }),
      call("run input rails"),
      emit("UserMessage", { text: variable("user_message") }),
    ],
    { tier: "system", allowMultiple: true },
  ),
  flow("run input rails", [runAction("run_rails", { stage: literal("input") })], { tier: "system", isSubflow: true }),
  flow("run dialog rails", [event("UserMessage"), call("generate user intent")], { tier: "system" }),
  flow("generate user intent", [runAction("generate_user_intent")], { tier: "system", isSubflow: true }),
  flow("generate next step", [user("..."), runAction("generate_next_step")], { tier: "system", priority: 0.9 }),
  flow(
    "generate bot message",
    [
      observe("..."),
      runAction("retrieve_relevant_chunks"),
      call("run retrieval rails"),
      runAction("generate_bot_message"),
    ],
    { tier: "system", priority: 100, allowMultiple: true, isExtension: true },
  ),
  flow("run retrieval rails", [runAction("run_rails", { stage: literal("retrieval") })], {
    tier: "system",
    isSubflow: true,
  }),
  flow(
    "process bot message",
    [
      event("BotMessage"),
      assign("bot_message", { kind: "Member", object: variable("event"), name: "text", ...at }),
      call("run output rails"),
      emit("StartUtteranceBotAction", { script: variable("bot_message") }),
    ],
    { tier: "system", priority: 100, allowMultiple: true, isExtension: true },
  ),
  flow("run output rails", [runAction("run_rails", { stage: literal("output") })], { tier: "system", isSubflow: true }),
];
