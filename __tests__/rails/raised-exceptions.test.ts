import { describe, expect, it } from "@jest/globals";
import { actionResult } from "../../src/actions/dispatcher.js";
import { openBench } from "../runtime/bench.js";
import { runRail, runStage } from "../support/language-models/one-shot.js";

type Dialect = "1.0" | "2.x";
const DIALECTS = ["1.0", "2.x"] as const;
const user = (content: string) => [{ role: "user" as const, content }];
const generator = async () => ({ text: "fine" });
const SECRET = "the vault code is BANANA";

/** Two output rails, one blocking and one masking the word BANANA. */
const REVIEWERS: Readonly<Record<Dialect, string>> = {
  "1.0": `
define bot deny
  "Denied."
define subflow no fruit
  $clean = execute clean(text=$bot_message)
  if not $clean
    bot deny
    stop
define subflow mask fruit
  $bot_message = execute mask(text=$bot_message)
`,
  "2.x": `
import core
flow no fruit
  global $bot_message
  $clean = await CleanAction(text=$bot_message)
  if not $clean
    bot say "Denied."
    abort
flow mask fruit
  global $bot_message
  $bot_message = await MaskAction(text=$bot_message)
`,
};

/** Rails whose exception holds a text of an action. */
const RAISERS: Readonly<Record<Dialect, Readonly<Record<string, string>>>> = {
  "1.0": {
    message: `define subflow raise\n  $x = execute words\n  create event ShopRailException(message=$x)\n  stop\n`,
    concatenation: `define subflow raise\n  $x = execute words\n  create event ShopRailException(message="Why: " + $x)\n  stop\n`,
    "another field": `define subflow raise\n  $x = execute words\n  create event ShopRailException(message="No.", detail=$x)\n  stop\n`,
    data: `define subflow raise\n  $x = execute words\n  create event ShopRailException(message="No.", data={"a": [$x, 1]})\n  stop\n`,
    "two fields": `define subflow raise\n  $x = execute words\n  create event ShopRailException(message=$x, note="Also: " + $x)\n  stop\n`,
    "called flow": `define subflow raise\n  $x = execute words\n  do raise more\ndefine subflow raise more\n  create event ShopRailException(message=$x)\n  stop\n`,
    "interpolated message": `define bot why\n  "Why: $x"\ndefine subflow raise\n  $x = execute words\n  bot why\n  stop\n`,
  },
  "2.x": {
    message: `flow raise\n  $x = await WordsAction()\n  send ShopRailException(message=$x)\n  abort\n`,
    template: `flow raise\n  $x = await WordsAction()\n  send ShopRailException(message="Why: {$x}")\n  abort\n`,
    "another field": `flow raise\n  $x = await WordsAction()\n  send ShopRailException(message="No.", detail=$x)\n  abort\n`,
    data: `flow raise\n  $x = await WordsAction()\n  send ShopRailException(message="No.", data={"a": [$x, 1]})\n  abort\n`,
    "two fields": `flow raise\n  $x = await WordsAction()\n  send ShopRailException(message=$x, note="Also: {$x}")\n  abort\n`,
    "called flow": `flow raise\n  await raise more\nflow raise more\n  $x = await WordsAction()\n  send ShopRailException(message=$x)\n  abort\n`,
  },
};

interface Setup {
  readonly dialect: Dialect;
  readonly flows: string;
  readonly rails: Readonly<Record<string, readonly string[]>>;
}

function open({ dialect, flows, rails }: Setup) {
  const work = {
    words: () => SECRET,
    clean: ({ text }: { text: string }) => !text.includes("BANANA"),
    mask: ({ text }: { text: string }) => actionResult({ returnValue: text.replaceAll("BANANA", "[masked]") }),
  };
  const named = Object.entries(work).map(([name, run]) => [`${name[0]?.toUpperCase()}${name.slice(1)}Action`, run]);
  const listed = Object.fromEntries(Object.entries(rails).map(([stage, names]) => [stage, { flows: names }]));
  return openBench({
    colang: `${REVIEWERS[dialect]}\n${flows}`,
    yaml: `colang_version: "${dialect}"\nrails: ${JSON.stringify(listed)}`,
    actions: dialect === "1.0" ? work : Object.fromEntries(named),
  });
}

const ROWS = DIALECTS.flatMap((dialect) => Object.keys(RAISERS[dialect]).map((name) => ({ dialect, name })));
const EVERYTHING = { outputVars: [], explain: true, log: { activatedRails: true, internalEvents: true } } as const;

describe("what a rail raises in words that the configuration does not fix", () => {
  it.each(ROWS)("is blocked by another output rail (Colang $dialect, $name)", async ({ dialect, name }) => {
    const rails = { input: ["raise"], output: ["no fruit"] };
    const { runtime } = await open({ dialect, flows: RAISERS[dialect][name] ?? "", rails });
    const result = await runtime.turn(user("hi"), { generator });
    expect(result.verdict.blocked).toBe(true);
    expect(JSON.stringify([result.text, result.exception, result.decisions])).not.toContain("BANANA");
    const stage = await runStage(runtime, "input", { userMessage: "hi" });
    const rail = await runRail(runtime, "raise", { userMessage: "hi" });
    expect(JSON.stringify([stage, rail])).not.toContain("BANANA");
  });

  it.each(ROWS)("is masked by another output rail (Colang $dialect, $name)", async ({ dialect, name }) => {
    const rails = { input: ["raise"], output: ["mask fruit"] };
    const { runtime } = await open({ dialect, flows: RAISERS[dialect][name] ?? "", rails });
    const result = await runtime.turn(user("hi"), { generator, ...EVERYTHING });
    expect(JSON.stringify([result.text, result.exception])).toContain("the vault code is [masked]");
    expect(JSON.stringify([result.text, result.exception, result.decisions])).not.toContain("BANANA");
  });

  it.each(DIALECTS)("leaves as it is where no output rail is (Colang %s)", async (dialect) => {
    const flows = RAISERS[dialect]["message"] ?? "";
    const { runtime } = await open({ dialect, flows, rails: { input: ["raise"] } });
    const { exception } = await runtime.turn(user("hi"), { generator });
    expect(exception).toMatchObject({ type: "ShopRailException", message: SECRET });
  });
});

const FIXED: Readonly<Record<Dialect, string>> = {
  "1.0": `define subflow raise\n  create event ShopRailException(message="No BANANA here.", data={"a": ["BANANA"]})\n  stop\n`,
  "2.x": `flow raise\n  send ShopRailException(message="No BANANA here.", data={"a": ["BANANA"]})\n  abort\n`,
};

it.each(DIALECTS)("is not reviewed where the configuration words the exception (Colang %s)", async (dialect) => {
  const { runtime } = await open({ dialect, flows: FIXED[dialect], rails: { input: ["raise"], output: ["no fruit"] } });
  const { exception, decisions } = await runtime.turn(user("BANANA"), { generator });
  expect(exception).toMatchObject({ message: "No BANANA here.", data: { a: ["BANANA"] } });
  expect(decisions).toHaveLength(1);
});

const QUOTING: Readonly<Record<Dialect, Readonly<Record<string, string>>>> = {
  "1.0": {
    whole: `define subflow raise\n  create event ShopRailException(message=$user_message)\n  stop\n`,
    inside: `define subflow raise\n  create event ShopRailException(message="Blocked: " + $user_message)\n  stop\n`,
    "behind a mask": `define subflow raise\n  $raw = $user_message\n  $user_message = "masked"\n  create event ShopRailException(message=$raw)\n  stop\n`,
  },
  "2.x": {
    whole: `flow raise\n  global $user_message\n  send ShopRailException(message=$user_message)\n  abort\n`,
    inside: `flow raise\n  global $user_message\n  send ShopRailException(message="Blocked: {$user_message}")\n  abort\n`,
    "behind a mask": `flow raise\n  global $user_message\n  $raw = $user_message\n  $user_message = "masked"\n  send ShopRailException(message=$raw)\n  abort\n`,
  },
};

describe.each(DIALECTS.flatMap((dialect) => Object.keys(QUOTING[dialect]).map((name) => ({ dialect, name }))))(
  "an exception that quotes what the rail blocked (Colang $dialect, $name)",
  ({ dialect, name }) => {
    it("leaves without the quote", async () => {
      const { runtime } = await open({ dialect, flows: QUOTING[dialect][name] ?? "", rails: { input: ["raise"] } });
      const result = await runtime.turn(user(SECRET), { generator });
      expect(result.exception?.type).toBe("ShopRailException");
      expect(JSON.stringify([result.exception, result.decisions])).not.toContain("BANANA");
    });
  },
);

const DIALOGS: Readonly<Record<Dialect, string>> = {
  "1.0": `define user ask\n  "hi"\ndefine flow shop\n  user ask\n  $x = execute words\n  create event ShopException(message=$x)\n`,
  "2.x": `import guardrails\nflow main\n  activate shop\nflow shop\n  user said "hi"\n  $x = await WordsAction()\n  send ShopException(message=$x)\n`,
};

describe.each(DIALECTS)("an exception of a dialog flow (Colang %s)", (dialect) => {
  it.each([
    ["no fruit", undefined],
    ["mask fruit", "the vault code is [masked]"],
  ])("passes the output rail %s", async (rail, message) => {
    const { runtime } = await open({ dialect, flows: DIALOGS[dialect], rails: { output: [rail] } });
    const options = dialect === "1.0" ? { rails: { dialog: true } } : {};
    const result = await runtime.turn(user("hi"), options);
    expect(result.exception?.type).toBe("ShopException");
    if (message !== undefined) expect(result.exception?.["message"]).toBe(message);
    expect(JSON.stringify([result.exception, result.events, result.text])).not.toContain("BANANA");
  });
});
