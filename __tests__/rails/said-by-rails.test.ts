import { describe, expect, it } from "@jest/globals";
import { actionResult } from "../../src/actions/dispatcher.js";
import { openBench } from "../runtime/bench.js";
import { runRail, runStage } from "../support/language-models/one-shot.js";

type Dialect = "1.0" | "2.x";
const DIALECTS = ["1.0", "2.x"] as const;
const user = (content: string) => [{ role: "user" as const, content }];
const generator = async () => ({ text: "fine" });

/** A rail that emits the text of each row; two output rails, one blocking and one masking the word SECRET. */
const REVIEWERS: Readonly<Record<Dialect, string>> = {
  "1.0": `
define bot deny
  "Denied."
define subflow no secrets
  $clean = execute clean(text=$bot_message)
  if not $clean
    bot deny
    stop
define subflow mask secrets
  $bot_message = execute mask(text=$bot_message)
`,
  "2.x": `
import core
flow no secrets
  global $bot_message
  $clean = await CleanAction(text=$bot_message)
  if not $clean
    bot say "Denied."
    abort
flow mask secrets
  global $bot_message
  $bot_message = await MaskAction(text=$bot_message)
`,
};

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
    colang: `${REVIEWERS[dialect]}\n${SPEAKERS[dialect][speaker] ?? speaker}`,
    yaml: `colang_version: "${dialect}"\nrails: ${JSON.stringify(
      Object.fromEntries(Object.entries(listed).map(([name, flows]) => [name, { flows }])),
    )}`,
    actions: dialect === "1.0" ? work : Object.fromEntries(named),
  });
}

const ROWS = DIALECTS.flatMap((dialect) => Object.keys(SPEAKERS[dialect]).map((speaker) => ({ dialect, speaker })));

describe("what a rail says in words that the configuration does not fix", () => {
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
    "is reviewed where the rail is one of the stage $stage (Colang $dialect)",
    async ({ dialect, stage }) => {
      const { runtime } = await open({ dialect, speaker: "variable", stage, reviewers: ["no secrets"] });
      const subject = { userMessage: "hi", botMessage: "ho", relevantChunks: ["chunk"] };
      const result = await runStage(runtime, stage, subject);
      expect([result.status, result.decisions.at(-1)?.refusal]).toEqual(["blocked", "Denied."]);
    },
  );

  it.each(DIALECTS)("leaves as it is when every output rail passes it (Colang %s)", async (dialect) => {
    const { runtime } = await open({ dialect, speaker: "variable", reviewers: [] });
    expect((await runtime.turn(user("hi"), { generator })).text).toBe("this is SECRET");
  });

  it.each(DIALECTS)("is no matter for rails that the call turns off (Colang %s)", async (dialect) => {
    const { runtime } = await open({ dialect, speaker: "variable", reviewers: ["no secrets"] });
    const { text } = await runtime.turn(user("hi"), { generator, rails: { output: false } });
    expect(text).toBe("this is SECRET");
  });

  it.each([
    ["1.0", `define bot gone\n  "This is SECRET."\ndefine subflow speak\n  bot gone\n  stop\n`],
    ["2.x", `flow speak\n  bot say "This is SECRET."\n  abort\n`],
  ] as const)("is not reviewed when the configuration words it (Colang %s)", async (dialect, speaker) => {
    const { runtime } = await open({ dialect, speaker, reviewers: ["no secrets"] });
    expect((await runtime.turn(user("hi"), { generator })).text).toBe("This is SECRET.");
  });

  it.each(DIALECTS)("is reviewed once where output rails refuse each other's words (Colang %s)", async (dialect) => {
    const { runtime } = await open({ dialect, speaker: "variable", stage: "output", reviewers: ["no secrets"] });
    const { decisions } = await runStage(runtime, "output", { userMessage: "hi", botMessage: "ho" });
    expect(decisions.map(({ rail, about }) => [rail, about])).toEqual([
      ["no secrets", "refusal"],
      ["speak", undefined],
    ]);
  });
});

describe("a message that a rail says and no flow defines", () => {
  it.each([
    ["1.0", `define subflow speak\n  bot scold zebras\n  stop\n`],
    ["1.0", `define subflow speak\n  do more\ndefine subflow more\n  bot scold zebras\n  stop\n`],
    ["2.x", `flow speak\n  bot scold zebras\n  abort\n`],
    ["2.x", `flow speak\n  await more\nflow more\n  bot scold zebras\n  abort\n`],
  ] as const)("is the default refusal, and no model words it (Colang %s): %j", async (dialect, speaker) => {
    const { runtime } = await open({ dialect, speaker, reviewers: ["no secrets"] });
    const result = await runtime.turn(user("hi"), { generator });
    expect([result.status, result.text]).toEqual(["blocked", expect.stringMatching(/^I'm sorry, I can't /)]);
    expect(result.decisions.map(({ status }) => status)).toEqual(["blocked"]);
  });
});
