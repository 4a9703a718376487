import * as fc from "fast-check";
import type { Colang1Program, CompiledFlow, Element } from "../../../src/colang1/elements.js";
import type { EventDraft } from "../../../src/engine/events.js";
import {
  assign,
  call,
  check,
  choice,
  emit,
  event,
  flow,
  increment,
  jump,
  jumpIfNot,
  less,
  literal,
  match,
  observe,
  PIPELINE,
  program,
  runAction,
  say,
  sayText,
  sayValue,
  stop,
  user,
  variable,
} from "./flows.js";
import type { ScriptedAction, ScriptedResult } from "./driver.js";

const INTENTS = ["a", "b", "c"] as const;
const MESSAGES = ["x", "y"] as const;
const SUBFLOWS = ["sub 1", "sub 2"] as const;

/** Statements that compile to one or more elements; jumps are filled in when their position is known. */
type Piece = (at: number, rest: number) => readonly Element[];

const one = (element: Element): Piece => {
  return () => [element];
};

const matcher: fc.Arbitrary<Element> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...INTENTS, "...").map((intent) => user(intent)) },
  { weight: 2, arbitrary: fc.constantFrom(...MESSAGES, "...").map((intent) => observe(intent)) },
  { weight: 1, arbitrary: fc.constant(event("E")) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(1, 2).map((k) => event("E", [{ name: "k", test: "equals", value: literal(k) }])),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom("UserMessage", "UtteranceUserActionFinished", "InternalSystemActionFinished")
      .map((type) => event(type)),
  },
  {
    weight: 1,
    arbitrary: fc.constant(match({ kind: "User", intents: ["a", "b"] }, { kind: "Event", type: "E", properties: [] })),
  },
);

const step: fc.Arbitrary<Element> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...MESSAGES).map(say) },
  { weight: 1, arbitrary: fc.constantFrom(sayText("t"), sayText("u"), sayValue("n"), sayValue("never")) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(runAction("act", {}, "r"), runAction("act"), runAction("other", { p: variable("n") })),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      emit("E", { k: literal(1) }),
      emit("E", { k: variable("n") }),
      emit("UserIntent", { intent: literal("b") }),
      emit("BotIntent", { intent: literal("y") }),
      emit("BotMessage", { text: literal("said") }),
      emit("Listen"),
    ),
  },
  { weight: 1, arbitrary: fc.constant(stop) },
);

const sliding: fc.Arbitrary<Piece> = fc.oneof(
  fc.constant(one(increment("n"))),
  fc.constant(one(assign("m", literal(1)))),
  fc.constant(one(check(less("n", 4)))),
  fc.constant<Piece>((at, rest) => [jumpIfNot(less("n", 2), at + 1 + Math.min(rest, 1))]),
  fc.constant<Piece>((at, rest) => [jump(at + 1 + Math.min(rest, 1))]),
  fc.constantFrom(...SUBFLOWS).map((id) => one(call(id))),
);

const branches: fc.Arbitrary<Piece> = fc
  .tuple(matcher, step, matcher, step)
  .map(([first, then, second, other]): Piece => (at) => [
    choice(at + 1, at + 4),
    first,
    then,
    jump(at + 6),
    second,
    other,
  ]);

const piece: fc.Arbitrary<Piece> = fc.oneof(
  { weight: 4, arbitrary: matcher.map(one) },
  { weight: 6, arbitrary: step.map(one) },
  { weight: 2, arbitrary: sliding },
  { weight: 1, arbitrary: branches },
);

function lay(pieces: readonly Piece[]): Element[] {
  const elements: Element[] = [];
  for (const [at, each] of pieces.entries()) elements.push(...each(elements.length, pieces.length - at - 1));
  return elements;
}

const flags: fc.Arbitrary<Partial<CompiledFlow>> = fc.record({
  priority: fc.constantFrom(1, 1, 1, 0.9, 0.5, 2),
  allowMultiple: fc.boolean().map((yes) => yes),
  isExtension: fc.constantFrom(false, false, true),
  interruptible: fc.constantFrom(true, true, true, false),
  tier: fc.constantFrom("user" as const, "user" as const, "user" as const, "user" as const, "system" as const),
});

const head: fc.Arbitrary<Piece[]> = fc.oneof(
  { weight: 5, arbitrary: matcher.map((element) => [one(element)]) },
  { weight: 1, arbitrary: fc.tuple(sliding, matcher).map(([first, second]) => [first, one(second)]) },
  { weight: 1, arbitrary: branches.map((each) => [each]) },
  { weight: 1, arbitrary: fc.constantFrom(...MESSAGES).map((intent) => [one(say(intent))]) },
);

/** Flow sets: a few flows, two subflows, perhaps the pipeline. */
export const programs: fc.Arbitrary<Colang1Program> = fc
  .record({
    bodies: fc.array(fc.tuple(head, fc.array(piece, { maxLength: 5 }), flags), { minLength: 1, maxLength: 5 }),
    subflows: fc.tuple(fc.array(piece, { maxLength: 3 }), fc.array(piece, { maxLength: 3 })),
    pipeline: fc.nat(3).map((number) => number === 3),
    initialiser: fc.boolean(),
  })
  .map(({ bodies, subflows, pipeline, initialiser }) =>
    program(
      ...(initialiser ? [flow("setup", [assign("n", literal(0))], { isInitialiser: true })] : []),
      ...bodies.map(([first, rest, given], at) => flow(`flow ${at}`, lay([...first, ...rest]), given)),
      ...subflows.map((body, at) => flow(SUBFLOWS[at] ?? "", lay([one(increment("s")), ...body]), { isSubflow: true })),
      ...(pipeline ? PIPELINE : []),
    ),
  );

/** Events from outside: utterances, intents, other events, and undoing. */
export const scripts: fc.Arbitrary<readonly EventDraft[]> = fc
  .tuple(
    fc.array(
      fc.oneof(
        {
          weight: 5,
          arbitrary: fc
            .constantFrom(...INTENTS)
            .map((text): EventDraft => ({ type: "UtteranceUserActionFinished", final_transcript: text })),
        },
        {
          weight: 4,
          arbitrary: fc.constantFrom(...INTENTS, "d").map((intent): EventDraft => ({ type: "UserIntent", intent })),
        },
        { weight: 2, arbitrary: fc.constantFrom(1, 2, 3).map((k): EventDraft => ({ type: "E", k })) },
        {
          weight: 2,
          arbitrary: fc.constantFrom("x", "y", "stop").map((intent): EventDraft => ({ type: "BotIntent", intent })),
        },
        { weight: 1, arbitrary: fc.constant<EventDraft>({ type: "ContextUpdate", data: { n: 5 } }) },
        { weight: 1, arbitrary: fc.constant<EventDraft>({ type: "InputRailsFinished" }) },
        { weight: 1, arbitrary: fc.constant<EventDraft>({ type: "StartUtteranceBotAction", script: "hi" }) },
      ),
      { minLength: 1, maxLength: 4 },
    ),
    fc.boolean(),
  )
  .map(([events, hide]) => {
    const first: EventDraft = { type: "UtteranceUserActionFinished", final_transcript: "a" };
    return [first, ...events, ...(hide ? [{ type: "hide_prev_turn" }, { type: "UserIntent", intent: "a" }] : [])];
  });

const results: readonly ScriptedResult[] = [
  {},
  {},
  { value: 1 },
  { context: { n: 1 } },
  { events: [{ type: "BotIntent", intent: "x" }] },
  { events: [{ type: "UserIntent", intent: "c" }] },
  { events: [{ type: "StartUtteranceBotAction", script: "hi" }] },
  {
    events: [
      { type: "BotIntent", intent: "x" },
      { type: "StartUtteranceBotAction", script: "hi" },
    ],
  },
  { events: [{ type: "E", k: 1 }] },
  { events: [{ type: "BotIntent", intent: "stop" }] },
  { fails: true },
];

/** Actions that respond from a repeating script of numbers. */
export function scriptedActions(choices: readonly number[]): Record<string, ScriptedAction> {
  let calls = 0;
  const next: ScriptedAction = () => {
    calls += 1;
    return results[(choices[calls % choices.length] ?? 0) % results.length] ?? {};
  };
  return { act: next, other: next };
}
