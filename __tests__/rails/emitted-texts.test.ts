import { describe, expect, it } from "@jest/globals";
import { actionResult } from "../../src/actions/dispatcher.js";
import { openBench } from "../runtime/bench.js";
import { runRail, runStage } from "../support/language-models/one-shot.js";
import { type Dialect, DIALECTS, railFlows } from "../support/rail-flows.js";

const user = (content: string) => [{ role: "user" as const, content }];
const generator = async () => ({ text: "fine" });

/** A rail that emits the text of each row; two output rails, one blocking and one masking the word SECRET. */
const reviewersOf = (dialect: Dialect): string =>
  railFlows(
    dialect,
    { "no secrets": ["block", "bot_message", "clean"], "mask secrets": ["rewrite", "bot_message", "mask"] },
    { intent: "deny", text: "Denied." },
  );

const SPEAKERS: Readonly<Record<Dialect, Readonly<Record<string, string>>>> = {
  "1.0": {
    variable: `define subflow speak\n  $x = execute words\n  bot $x\n  stop\n`,
    "called flow": `define subflow speak\n  do speak more\ndefine subflow speak more\n  $x = execute words\n  bot $x\n  stop\n`,
    event: `define subflow speak\n  $x = execute words\n  create event StartUtteranceBotAction(script=$x)\n  stop\n`,
    message: `define subflow speak\n  $x = execute words\n  create event BotMessage(text=$x)\n  stop\n`,
    continuing: `define subflow speak\n  meta {"continue": true}\n  $x = execute words\n  bot $x\n`,
  },
  "2.x": {
    variable: `flow speak\n  $x = await WordsAction()\n  bot say $x\n  abort\n`,
    "called flow": `flow speak\n  await speak more\nflow speak more\n  $x = await WordsAction()\n  bot say $x\n  abort\n`,
    event: `flow speak\n  $x = await WordsAction()\n  await UtteranceBotAction(script=$x)\n  abort\n`,
    text: `flow speak\n  $x = await WordsAction()\n  bot say "{$x}"\n  abort\n`,
    continuing: `flow speak\n  $x = await WordsAction()\n  bot say $x\n`,
  },
};

interface Setup {
  readonly dialect: Dialect;
  readonly speaker: string;
  readonly stage?: "input" | "output" | "retrieval";
  readonly reviewers: readonly string[];
}

function open({ dialect, speaker, stage = "input", reviewers }: Setup) {
  const work = {
    words: () => "this is SECRET",
    clean: ({ text }: { text: string }) => !text.includes("SECRET"),
    mask: ({ text }: { text: string }) => actionResult({ returnValue: text.replaceAll("SECRET", "[masked]") }),
  };
  const named = Object.entries(work).map(([name, run]) => [`${name[0]?.toUpperCase()}${name.slice(1)}Action`, run]);
  const listed = { input: [] as string[], output: [...reviewers], retrieval: [] as string[] };
  listed[stage].unshift("speak");
  return openBench({
    colang: `${reviewersOf(dialect)}\n${SPEAKERS[dialect][speaker] ?? speaker}`,
    yaml: `colang_version: "${dialect}"\nrails: ${JSON.stringify(
      Object.fromEntries(Object.entries(listed).map(([name, flows]) => [name, { flows }])),
    )}`,
    actions: dialect === "1.0" ? work : Object.fromEntries(named),
  });
}

const ROWS = DIALECTS.flatMap((dialect) => Object.keys(SPEAKERS[dialect]).map((speaker) => ({ dialect, speaker })));

describe("a text of a rail that the configuration does not define", () => {
  it.each(ROWS)("is blocked by another output rail (Colang $dialect, $speaker)", async ({ dialect, speaker }) => {
    const { runtime } = await open({ dialect, speaker, reviewers: ["no secrets"] });
    const result = await runtime.turn(user("hi"), { generator, outputVars: true, log: { activatedRails: false } });
    expect([result.status, result.text]).toEqual(["blocked", "Denied."]);
    expect(result.verdict).toMatchObject({ blocked: true });
    expect(JSON.stringify([result.text, result.decisions])).not.toContain("SECRET");
    const check = await runStage(runtime, "input", { userMessage: "hi" });
    expect([check.status, check.decisions.at(-1)?.refusal]).toEqual(["blocked", "Denied."]);
    const { refusal } = await runRail(runtime, "speak", { userMessage: "hi" });
    expect(refusal).toBe("Denied.");
  });

  it.each(ROWS)("is masked by another output rail (Colang $dialect, $speaker)", async ({ dialect, speaker }) => {
    const { runtime } = await open({ dialect, speaker, reviewers: ["mask secrets"] });
    const result = await runtime.turn(user("hi"), { generator });
    expect(result.text).toContain("this is [masked]");
    expect(JSON.stringify([result.text, result.decisions])).not.toContain("SECRET");
  });

  it.each(DIALECTS.flatMap((dialect) => (["output", "retrieval"] as const).map((stage) => ({ dialect, stage }))))(
    "is reviewed if the rail belongs to the stage $stage (Colang $dialect)",
    async ({ dialect, stage }) => {
      const { runtime } = await open({ dialect, speaker: "variable", stage, reviewers: ["no secrets"] });
      const subject = { userMessage: "hi", botMessage: "ho", relevantChunks: ["chunk"] };
      const result = await runStage(runtime, stage, subject);
      expect([result.status, result.decisions.at(-1)?.refusal]).toEqual(["blocked", "Denied."]);
    },
  );

  it.each(DIALECTS)("is emitted unchanged if every output rail passes it (Colang %s)", async (dialect) => {
    const { runtime } = await open({ dialect, speaker: "variable", reviewers: [] });
    expect((await runtime.turn(user("hi"), { generator })).text).toBe("this is SECRET");
  });

  it.each(DIALECTS)("is not reviewed by rails that the call disables (Colang %s)", async (dialect) => {
    const { runtime } = await open({ dialect, speaker: "variable", reviewers: ["no secrets"] });
    const { text } = await runtime.turn(user("hi"), { generator, rails: { output: false } });
    expect(text).toBe("this is SECRET");
  });

  it.each([
    ["1.0", `define bot gone\n  "This is SECRET."\ndefine subflow speak\n  bot gone\n  stop\n`],
    ["2.x", `flow speak\n  bot say "This is SECRET."\n  abort\n`],
  ] as const)("is not reviewed when the configuration defines its text (Colang %s)", async (dialect, speaker) => {
    const { runtime } = await open({ dialect, speaker, reviewers: ["no secrets"] });
    expect((await runtime.turn(user("hi"), { generator })).text).toBe("This is SECRET.");
  });

  it.each(DIALECTS)("is reviewed once if output rails refuse each other's texts (Colang %s)", async (dialect) => {
    const { runtime } = await open({ dialect, speaker: "variable", stage: "output", reviewers: ["no secrets"] });
    const { decisions } = await runStage(runtime, "output", { userMessage: "hi", botMessage: "ho" });
    expect(decisions.map(({ rail, about }) => [rail, about])).toEqual([
      ["no secrets", "refusal"],
      ["speak", undefined],
    ]);
  });
});

describe("a message that a rail emits and no flow defines", () => {
  it.each([
    ["1.0", `define subflow speak\n  bot scold zebras\n  stop\n`],
    ["1.0", `define subflow speak\n  do more\ndefine subflow more\n  bot scold zebras\n  stop\n`],
    ["2.x", `flow speak\n  bot scold zebras\n  abort\n`],
    ["2.x", `flow speak\n  await more\nflow more\n  bot scold zebras\n  abort\n`],
  ] as const)("is the default refusal, and no model writes it (Colang %s): %j", async (dialect, speaker) => {
    const { runtime } = await open({ dialect, speaker, reviewers: ["no secrets"] });
    const result = await runtime.turn(user("hi"), { generator });
    expect([result.status, result.text]).toEqual(["blocked", expect.stringMatching(/^I'm sorry, I can't /)]);
    expect(result.decisions.map(({ status }) => status)).toEqual(["blocked"]);
  });
});

describe("exceptions that a rail raises", () => {
  const SECRET = "the vault code is BANANA";

  /** Two output rails, one blocking and one masking the word BANANA. */
  const reviewersOf = (dialect: Dialect): string =>
    railFlows(
      dialect,
      { "no fruit": ["block", "bot_message", "clean"], "mask fruit": ["rewrite", "bot_message", "mask"] },
      { intent: "deny", text: "Denied." },
    );

  /** Rails whose exception contains a text of an action. */
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
      colang: `${reviewersOf(dialect)}\n${flows}`,
      yaml: `colang_version: "${dialect}"\nrails: ${JSON.stringify(listed)}`,
      actions: dialect === "1.0" ? work : Object.fromEntries(named),
    });
  }

  const ROWS = DIALECTS.flatMap((dialect) => Object.keys(RAISERS[dialect]).map((name) => ({ dialect, name })));
  const EVERYTHING = { outputVars: [], explain: true, log: { activatedRails: true, internalEvents: true } } as const;

  describe("an exception text of a rail that the configuration does not define", () => {
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

    it.each(DIALECTS)("is emitted unchanged without output rails (Colang %s)", async (dialect) => {
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

  it.each(DIALECTS)(
    "is not reviewed if the configuration defines the exception's text (Colang %s)",
    async (dialect) => {
      const { runtime } = await open({
        dialect,
        flows: FIXED[dialect],
        rails: { input: ["raise"], output: ["no fruit"] },
      });
      const { exception, decisions } = await runtime.turn(user("BANANA"), { generator });
      expect(exception).toMatchObject({ message: "No BANANA here.", data: { a: ["BANANA"] } });
      expect(decisions).toHaveLength(1);
    },
  );

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
      it("is emitted without the quote", async () => {
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
});
