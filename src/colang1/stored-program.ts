import { isMap } from "../engine/plain-data.js";
import type { Expression } from "../expressions/ast.js";
import type { Colang1Program, CompiledFlow, Element, Matcher, PropertyTest, SayContent } from "./elements.js";

/** The parts of a program that a file can hold: plain JSON, and no constants. */
type StoredProgram = Pick<Colang1Program, "hash" | "flows" | "userMessages" | "botMessages">;

/**
 * Returns a program as JSON; undefined for a program that JSON does not carry.
 *
 * @example
 * ```ts
 * const again = decodeProgram(encodeProgram(program) ?? "", program.constants);
 * ```
 */
export function encodeProgram({ hash, flows, userMessages, botMessages }: Colang1Program): string | undefined {
  const stored: StoredProgram = {
    hash,
    flows: flows.map((flow) => ({ ...flow, sourceText: flow.sourceText, hash: flow.hash })),
    userMessages,
    botMessages,
  };
  let isExact = true;
  const text = JSON.stringify(stored, (_, value: unknown) => {
    // JSON has no number for a literal such as `1e999`.
    if (typeof value === "number" && !Number.isFinite(value)) isExact = false;
    return value;
  });
  // INVARIANT: what would be read as something else is not written.
  return isExact && decodeProgram(text, {}) !== undefined ? text : undefined;
}

/** Reads a program; undefined for a text that is not one. The result may differ from the text in nothing that engines read. */
export function decodeProgram(text: string, constants: Colang1Program["constants"]): Colang1Program | undefined {
  let stored: unknown;
  try {
    stored = JSON.parse(text);
    if (!isProgram(stored)) return undefined;
  } catch {
    return undefined;
  }
  const { hash, flows, userMessages, botMessages } = stored as StoredProgram;
  const messages = { userMessages: withoutPrototype(userMessages), botMessages: withoutPrototype(botMessages) };
  return { dialect: "1.0", hash, flows, ...messages, constants };
}

/** INVARIANT: message names come from users, so the record has no prototype that a name could meet. */
function withoutPrototype<Value>(given: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  const record = Object.create(null) as Record<string, Value>;
  for (const [name, value] of Object.entries(given)) record[name] = value;
  return record;
}

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === "string";
const flag: Check = (value) => typeof value === "boolean";
const number: Check = (value) => typeof value === "number";
const place: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const literal: Check = (value) => value === null || ["string", "number", "boolean"].includes(typeof value);

const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    words.includes(value as string);

const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const list =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

const either =
  (...checks: readonly Check[]): Check =>
  (value) =>
    checks.some((check) => check(value));

/** A record with these fields and no others. */
function fields(all: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(all);
  return (value) => {
    if (!isMap(value)) return false;
    for (const key in value) if (!Object.hasOwn(all, key)) return false;
    return checks.every(([key, check]) => check(Object.hasOwn(value, key) ? value[key] : undefined));
  };
}

const mapOf =
  (check: Check): Check =>
  (value) =>
    isMap(value) && Object.values(value).every(check);

/** A record whose field `name` says which of the checks it has to pass. */
function byWord<Word extends string>(name: string, checks: { readonly [Each in Word]: Check }): Check {
  const known = new Map<unknown, Check>(Object.entries(checks));
  return (value) => isMap(value) && known.get(value[name])?.(value) === true;
}

const expression: Check = (value) => EXPRESSION(value);
const argument = fields({
  name: optional(text),
  value: expression,
  spread: optional(oneOf("*", "**")),
  start: place,
  end: place,
});
const elementArgument = fields({ name: optional(text), value: expression });
const node = (all: Readonly<Record<string, Check>>): Check => fields({ kind: text, start: place, end: place, ...all });

const EXPRESSION = byWord<Expression["kind"]>("kind", {
  Literal: node({ value: literal }),
  Variable: node({ name: text }),
  List: node({ items: list(expression) }),
  Map: node({ entries: list(fields({ key: optional(expression), value: expression })) }),
  Set: node({ items: list(expression) }),
  Template: node({ parts: list(either(text, expression)) }),
  Unary: node({ operator: oneOf("-", "+", "~", "not"), operand: expression }),
  Binary: node({
    operator: oneOf("+", "-", "*", "/", "//", "%", "@", "**", "&", "|", "^", "<<", ">>"),
    left: expression,
    right: expression,
  }),
  Compare: node({
    first: expression,
    rest: list(
      fields({
        operator: oneOf("==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not"),
        operand: expression,
      }),
    ),
  }),
  Logical: node({ operator: oneOf("and", "or"), left: expression, right: expression }),
  Conditional: node({ test: expression, whenTrue: expression, whenFalse: expression }),
  Member: node({ object: expression, name: text }),
  Index: node({ object: expression, index: expression }),
  Slice: node({
    object: expression,
    from: optional(expression),
    to: optional(expression),
    step: optional(expression),
  }),
  Call: node({ function: text, arguments: list(argument) }),
  MethodCall: node({ object: expression, method: text, arguments: list(argument) }),
});

const property = byWord<PropertyTest["test"]>("test", {
  equals: fields({ name: text, test: text, value: expression }),
  exists: fields({ name: text, test: text }),
  any: fields({ name: text, test: text }),
});

const named = fields({ kind: text, intents: list(text) });

const matcher = byWord<Matcher["kind"]>("kind", {
  User: named,
  Bot: named,
  Event: fields({ kind: text, type: text, properties: list(property) }),
});

const content = byWord<SayContent["type"]>("type", {
  intent: fields({ type: text, intent: text }),
  literal: fields({ type: text, intent: text, text }),
  value: fields({ type: text, source: text, value: expression }),
});

const target = fields({ name: text, path: list(text) });
const location = fields({ file: text, line: place, column: place });
const element = (all: Readonly<Record<string, Check>>): Check => fields({ kind: text, location, text, ...all });

const ELEMENT = byWord<Element["kind"]>("kind", {
  Match: element({ matchers: list(matcher) }),
  Choice: element({ heads: list(place) }),
  Say: element({ content, instructions: optional(text) }),
  Run: element({ action: text, arguments: list(elementArgument), result: optional(target) }),
  Emit: element({ type: text, arguments: list(elementArgument) }),
  Stop: element({}),
  Call: element({
    flow: optional(text),
    value: optional(expression),
    arguments: list(elementArgument),
    result: optional(target),
  }),
  Assign: element({ target, value: expression }),
  JumpIfNot: element({ condition: expression, target: place }),
  Jump: element({ target: place }),
  Check: element({ condition: expression }),
  Return: element({ values: list(expression) }),
});

const FLOW: { readonly [Field in keyof Required<CompiledFlow>]: Check } = {
  id: text,
  tier: oneOf("system", "user"),
  elements: list(ELEMENT),
  parameters: list(text),
  priority: number,
  allowMultiple: flag,
  isExtension: flag,
  isSubflow: flag,
  interruptible: flag,
  isInitialiser: flag,
  continues: flag,
  stream: optional(text),
  location,
  sourceText: text,
  hash: text,
};

const flow: Check = fields(FLOW);

/** The declared form of a stored program. Jumps lead to elements of their flow, or to its end. */
const isProgram = fields({
  hash: text,
  flows: list((value) => flow(value) && hasPlaces(value as CompiledFlow)),
  userMessages: mapOf(list(text)),
  botMessages: mapOf(list(text)),
});

function hasPlaces({ elements }: CompiledFlow): boolean {
  return elements.every((element) => {
    if (element.kind === "Jump" || element.kind === "JumpIfNot") return element.target <= elements.length;
    return element.kind !== "Choice" || element.heads.every((head) => elements[head]?.kind === "Match");
  });
}
