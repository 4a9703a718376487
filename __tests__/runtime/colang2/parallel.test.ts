import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { actionResult } from "../../../src/actions/dispatcher.js";
import type { ActionContext } from "../../../src/actions/action.js";
import { defineAction } from "../../../src/actions/define-action.js";
import type { TurnResult } from "../../../src/turn/result.js";
import type { Runtime } from "../../../src/runtime/runtime.js";
import { gate, openBench } from "../bench.js";
import { propertyRuns } from "../../support/property-runs.js";
import { judgeAs, verdicts, visibleResult } from "../scripted-verdicts.js";

const user = (content: string) => [{ role: "user" as const, content }];
const generator = async ({ userMessage }: { userMessage: string }) => ({ text: `echo ${userMessage}` });

type Work = (params: unknown, context: ActionContext) => unknown;
const verdict = (name: string, work: Work) => defineAction({ name, verdict: true }, work);

/** A rail that blocks if its action returns false. */
const judge = (name: string): string => `
flow ${name}
  $allowed = await ${action(name)}()
  if not $allowed
    bot say "Not ${name}."
    abort
`;
const action = (name: string): string => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Action`;

const yaml = (stage: string, flows: readonly string[], parallel: boolean | null): string =>
  `colang_version: "2.x"\nrails: {${stage}: {flows: [${flows.join(", ")}], parallel: ${String(parallel)}}}`;

describe("`parallel: true` in Colang 2.x", () => {
  it.each(["input", "output"])("runs %s rails at the same time, and the first block in time wins", async (stage) => {
    const blocked = gate();
    const { runtime } = await openBench({
      colang: `import core\n${judge("one")}${judge("two")}`,
      yaml: yaml(stage, ["one", "two"], true),
      actions: {
        OneAction: () => blocked.promise.then(() => false),
        TwoAction: () => false,
      },
    });
    const result = await runtime.turn(user("hi"), { generator });
    blocked.open();
    expect([result.status, result.verdict.rail, result.text]).toEqual(["blocked", "two", "Not two."]);
    expect(result.decisions.map(({ rail, status }) => [rail, status])).toEqual([["two", "blocked"]]);
  });

  it("cancels the others at the block", async () => {
    const begun = gate();
    let reason: unknown;
    const { runtime } = await openBench({
      colang: `import core\n${judge("one")}${judge("two")}`,
      yaml: yaml("input", ["one", "two"], true),
      actions: {
        OneAction: (_params: unknown, { signal }: ActionContext) => {
          signal.addEventListener("abort", () => (reason = signal.reason));
          begun.open();
          return new Promise(() => undefined);
        },
        TwoAction: () => begun.promise.then(() => false),
      },
    });
    expect((await runtime.turn(user("hi"), { generator })).verdict.rail).toBe("two");
    expect(reason).toMatchObject({ code: "RL-105" });
  });

  const mask = (name: string, digit: string): string => `
flow ${name}
  global $user_message
  $user_message = await MaskAction(text=$user_message, digit="${digit}")
`;

  it("runs rails that mask the text one after the other, whichever takes longer", async () => {
    const { runtime } = await openBench({
      colang: `import core\n${mask("first", "1")}${mask("second", "2")}${judge("sees")}`,
      yaml: yaml("input", ["sees", "first", "second"], true),
      actions: {
        MaskAction: async (params: unknown) => {
          const { text, digit } = params as { readonly text: string; readonly digit: string };
          const ticks = digit === "1" ? 20 : 0;
          for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
          return text.replaceAll(digit, "*");
        },
        SeesAction: (_params: unknown, { context }: ActionContext) => !/[12]/.test(String(context["user_message"])),
      },
    });
    const result = await runtime.turn(user("1 and 2"), { generator });
    expect([result.text, result.userMessage, result.log.warnings]).toEqual(["echo * and *", "* and *", []]);
  });

  it("repeats an unexpected rewrite on the text of the previous one", async () => {
    const hide =
      (digit: string): Work =>
      (_params, { context }) =>
        actionResult({ contextUpdates: { user_message: String(context["user_message"]).replaceAll(digit, "*") } });
    const rail = (name: string): string => `\nflow ${name}\n  await ${action(name)}()\n`;
    const { runtime } = await openBench({
      colang: `import core\n${rail("one")}${rail("two")}${rail("three")}`,
      yaml: yaml("input", ["one", "two", "three"], true),
      actions: { OneAction: hide("1"), TwoAction: hide("2"), ThreeAction: hide("3") },
    });
    const result = await runtime.turn(user("1 2 3 4"), { generator });
    expect([result.text, result.decisions.map(({ rail: name, status }) => [name, status])]).toEqual([
      "echo * * * 4",
      [
        ["one", "modified"],
        ["two", "modified"],
        ["three", "modified"],
      ],
    ]);
  });
});

/** Rails of the property: what they read and write, and how they depend on each other. */
const RAILS = {
  one: judge("one"),
  two: judge("two"),
  three: judge("three"),
  plain: judge("plain"),
  note: "\nflow note\n  global $score, $noted\n  $score = await NoteAction()\n  $noted = $score\n",
  heed: '\nflow heed\n  global $score\n  if $score == "high"\n    bot say "Heeded."\n    abort\n',
  reset: "\nflow reset\n  global $noted\n  if $noted\n    $noted = None\n",
  again: '\nflow again\n  global $noted\n  $noted = "before"\n',
  warns: '\nflow warns\n  bot say "Careful."\n',
  mask: "\nflow mask\n  global $user_message\n  $user_message = await MaskAction()\n",
  hide: "\nflow hide\n  await HideAction()\n",
  warn: '\nflow warn\n  await TwoAction()\n  send InputRailException(message="No.")\n',
} as const;
type RailName = keyof typeof RAILS;
/** In the order in which they run where `parallel` is not set. */
const FIRST: ReadonlySet<string> = new Set(["mask", "plain", "hide"]);
const MASKING: ReadonlySet<string> = new Set(["mask"]);

/** Lists of rails; compiling one for every run would take long. */
const LISTS: readonly (readonly RailName[])[] = [
  ["one", "two", "three"],
  ["heed", "note", "mask", "again", "one"],
  ["plain", "note", "heed", "two", "hide"],
  ["mask", "reset", "hide", "again", "three"],
  ["warns", "one", "warn", "two"],
];

interface Script {
  readonly list: number;
  readonly says: Readonly<Record<"one" | "two" | "three" | "plain", boolean | "fail">>;
  readonly note: "high" | "low";
}

const script: fc.Arbitrary<Script> = fc.record({
  list: fc.nat({ max: LISTS.length - 1 }),
  says: fc.record({
    ...verdicts,
    plain: fc.constantFrom(true, true, false),
  }),
  note: fc.constantFrom("high", "low"),
});

type Wait = <Value>(value: Value) => Promise<Value>;
const now: Wait = async (value) => value;

const world: { script: Script; wait: Wait } = {
  script: { list: 0, says: { one: true, two: true, three: true, plain: true }, note: "low" },
  wait: now,
};
const runtimes = new Map<string, Promise<Runtime>>();

function runtimeOf(flows: readonly string[], parallel: boolean | null): Promise<Runtime> {
  const key = yaml("input", flows, parallel);
  const known = runtimes.get(key) ?? openRuntime(key);
  runtimes.set(key, known);
  return known;
}

async function openRuntime(configuration: string): Promise<Runtime> {
  const answer = (name: keyof Script["says"]): Work => {
    return () => judgeAs(name, world.wait(world.script.says[name]));
  };
  const text = ({ context }: ActionContext): string => String(context["user_message"]);
  const judges = (["one", "two", "three"] as const).map((name) => [action(name), verdict(action(name), answer(name))]);
  const { runtime } = await openBench({
    colang: `import core\n${Object.values(RAILS).join("")}`,
    yaml: configuration,
    actions: {
      ...Object.fromEntries(judges),
      PlainAction: answer("plain"),
      NoteAction: verdict("NoteAction", () => world.wait(world.script.note)),
      MaskAction: async (_params: unknown, context: ActionContext) => world.wait(`${text(context)}*`),
      HideAction: async (_params: unknown, context: ActionContext) => {
        await world.wait(null);
        return actionResult({ contextUpdates: { user_message: `${text(context)}~` } });
      },
    },
  });
  return runtime;
}

async function play(given: Script, parallel: boolean | null, wait: Wait): Promise<TurnResult> {
  const listed = LISTS[given.list] ?? [];
  return playIn(await runtimeOf(listed, parallel), given, wait);
}

/** The same rails in sequence, those first that must be. */
async function playInOrder(given: Script, isFirst: ReadonlySet<string>): Promise<TurnResult> {
  const listed = [...(LISTS[given.list] ?? [])];
  const sorted = listed.sort((left, right) => Number(isFirst.has(right)) - Number(isFirst.has(left)));
  return playIn(await runtimeOf(sorted, false), given, now);
}

function playIn(runtime: Runtime, given: Script, wait: Wait): Promise<TurnResult> {
  world.script = given;
  world.wait = wait;
  return runtime.turn(user("hi"), { generator, context: { noted: "before" }, outputVars: true });
}

/** The observable result, without the id of the input rails. */
function visible(result: TurnResult): unknown {
  const { input_rails_uid: _uid, ...outputData } = result.outputData ?? {};
  return { ...visibleResult({ ...result, outputData }), userMessage: result.userMessage };
}

describe("concurrent rails of Colang 2.x", () => {
  it("have the same result as in sequence", async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.scheduler(), async (given, scheduler) => {
        const inOrder = await playInOrder(given, FIRST);
        const together = await scheduler.waitFor(
          play(given, null, (value) => scheduler.schedule(Promise.resolve(value))),
        );
        expect(visible(together)).toEqual(visible(inOrder));
      }),
      { numRuns: propertyRuns(6) },
    );
  });

  it("have the same result with `parallel: true`, except which of several blocks was first", async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.scheduler(), async (given, scheduler) => {
        const inOrder = await playInOrder(given, MASKING);
        const together = await scheduler.waitFor(
          play(given, true, (value) => scheduler.schedule(Promise.resolve(value))),
        );
        expect(together.verdict.blocked).toBe(inOrder.verdict.blocked);
        if (!inOrder.verdict.blocked) {
          expect(visible(together)).toEqual(visible(inOrder));
          return;
        }
        // The named rail also blocks when it runs alone.
        const { rail = "" } = together.verdict;
        const needed = rail === "heed" ? ["note", "heed"] : [rail];
        const alone = await playIn(await runtimeOf(needed, false), given, now);
        expect([alone.verdict.rail, alone.status, alone.text]).toEqual([rail, together.status, together.text]);
      }),
      { numRuns: propertyRuns(6) },
    );
  });
});
