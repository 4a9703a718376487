import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { resolveImports, standardModuleNames } from "../../../src/colang2/imports/imports.js";
import { createSourceFile } from "../../../src/diagnostics/source-file.js";

type Place = readonly [file: string, title: string];

const flows = (title: string): Place => ["colang2/library/flows", title];
const avatars = (title: string): Place => ["colang2/library/avatars", title];
const llm = (title: string): Place => ["colang2/library/llm", title];
const dialog = (title: string): Place => ["runtime/colang2/generation/dialog", title];

/** The test of each flow of the standard library: the beginning of its title. */
const TESTED: Readonly<Record<string, Readonly<Record<string, Place>>>> = {
  core: {
    _user_said: flows("user said with a pattern"),
    _user_saying: flows("user saying: at most two more words, in any case"),
    _user_said_something_unexpected: flows("user said something unexpected"),
    "_attention gate": flows("counts every utterance until attention is tracked"),
    "_input rails gate": flows("user said"),
    "user said": flows("user said"),
    "user said something": flows("user said something"),
    "user said something unexpected": flows("user said something unexpected"),
    "user saying": flows("user saying: at most two more words, in any case"),
    "user saying something": flows("user saying something"),
    "user started saying something": flows("user started saying something"),
    _bot_say: flows("says what is no text as one, and logs that"),
    "bot say": flows("bot %s"),
    "bot inform": flows("bot %s"),
    "bot ask": flows("bot %s"),
    "bot express": flows("bot %s"),
    "bot respond": flows("bot %s"),
    "bot clarify": flows("bot %s"),
    "bot suggest": flows("bot %s"),
    "bot started saying": flows('bot started saying "a"'),
    "bot started saying something": flows("bot started saying something"),
    "bot said": flows('bot said "a"'),
    "bot said something": flows("bot said something"),
    "bot informed something": flows("bot informed something"),
    "bot asked something": flows("bot asked something"),
    "bot expressed something": flows("bot expressed something"),
    "bot responded something": flows("bot responded something"),
    "bot clarified something": flows("bot clarified something"),
    "bot suggested something": flows("bot suggested something"),
    "bot refuse to respond": flows("bot refuse to respond"),
    "tracking bot talking state": flows("tracks who is talking"),
    "tracking user talking state": flows("tracks who is talking"),
    "debugging helpers": flows("debugging helpers: warning of colang errors and warning of undefined flow start"),
    "warning of colang errors": flows("debugging helpers: warning of colang errors and"),
    "warning of undefined flow start": flows("debugging helpers: warning of colang errors and"),
    "warning of unexpected user utterance": flows("warning of unexpected user utterance"),
    "notification of colang errors": flows("notification of colang errors"),
    "notification of undefined flow start": flows("notification of undefined flow start"),
    "notification of unexpected user utterance": flows("notification of unexpected user utterance"),
    "observation of flow": flows("observation of flow: its start and its end"),
    "_logging of flow start": flows("observation of flow: its start and its end"),
    "_logging of flow finish": flows("observation of flow: its start and its end"),
    "_logging of flow failure": flows("observation of flow: its failure"),
    "wait indefinitely": flows("wait indefinitely"),
    await_flow_by_name: flows("await_flow_by_name: an end"),
    "it finished": flows("it finished: later"),
    flow_failed: flows("flow_failed: later"),
  },
  timing: {
    wait: flows("wait"),
    "repeating timer": flows("repeating timer"),
    "user was silent": flows("user was silent"),
    "user didnt respond": flows("user didnt respond"),
    "bot was silent": flows("bot was silent"),
  },
  guardrails: {
    "_input rails gate": flows("asks the input rails once for each utterance, however many listen"),
    "_input rails verdict": flows("asks the input rails once for each utterance, however many listen"),
    _bot_say: flows("says what the output rails made of a text, and nothing that they block"),
    "run input rails": flows("hands on what input rails made of an utterance, also of one in the middle"),
    "run output rails": flows("says what the output rails made of a text, and nothing that they block"),
  },
  llm: {
    "bot say something like": dialog("says a variation"),
    "wait user input": dialog("is what a model writes, as far as it can be foreseen"),
    "polling llm request response": llm("is there, waits and asks for nothing"),
    "llm continuation": dialog("finishes the intent that is awaited, which the model is shown with its examples"),
    "generating user intent for unhandled user utterance": dialog("finishes the intent that is awaited"),
    "continuation on unhandled user utterance": dialog("a flow of the program, which says its own words and stays"),
    "unhandled user intent": llm("unhandled user intent: returns it"),
    "continuation on unhandled user intent": llm("continuation on unhandled user intent: asks the model"),
    "continuation on undefined flow": dialog("is made from its name and goes when it is over"),
    "llm generate interaction continuation flow": llm("llm generate interaction continuation flow: adds it"),
    "llm continue interaction": llm("llm continue interaction: %s"),
    _run_once: llm("llm continue interaction: %s"),
    "execute llm instruction": dialog("runs what instructions say"),
    "automating intent detection": llm("marking and logging marked user intent flows, and those of the bot"),
    "marking user intent flows": llm("marking and logging marked user intent flows, and those of the bot"),
    "marking bot intent flows": llm("marking and logging marked user intent flows, and those of the bot"),
    "logging marked user intent flows": llm("marking and logging marked user intent flows, and those of the bot"),
    "logging marked bot intent flows": llm("marking and logging marked user intent flows, and those of the bot"),
    "_forgetting cancelled intents": llm("does not log, and forgets, a cancelled one"),
    "tracking unhandled user intent state": llm("tracking unhandled user intent state: keeps the last one"),
  },
  avatars: {
    "user selected choice": flows("user selected choice"),
    "user has selected choice": flows("user has selected choice"),
    "user typing": flows("user typing"),
    "user gestured": flows("user gestured"),
    "user became present": flows("user became present"),
    "user became absent": flows("user became absent"),
    "user interrupted bot talking": avatars("takes %s for an interruption"),
    "bot gesture": flows("bot gesture"),
    "bot gesture with delay": flows("bot gesture with delay"),
    "bot posture": flows("bot posture"),
    "scene show choice": flows("scene show choice"),
    "scene show textual information": flows("scene show textual information"),
    "scene show short information": flows("scene show short information"),
    "scene show form": flows("scene show form"),
    "bot started gesture": flows('bot started gesture "wave"'),
    "bot started a gesture": flows("bot started a gesture"),
    "bot started posture": flows('bot started posture "calm"'),
    "bot started a posture": flows("bot started a posture"),
    "bot started an action": flows("bot started an action"),
    "tracking visual choice selection state": flows("user has selected choice"),
    "finish all bot actions": flows("finish all bot actions"),
    "fail all bot actions": flows("fail all bot actions"),
    "finish all scene actions": flows("finish all scene actions"),
    "handling bot talking interruption": avatars("inform shows a notice for three seconds"),
    "managing bot postures": avatars("managing bot postures: all of them"),
    "managing listening posture": avatars("managing listening posture: while the user speaks"),
    "managing talking posture": avatars("managing talking posture: while the bot speaks"),
    "managing thinking posture": avatars("managing thinking posture: from the end of an utterance"),
    "managing attentive posture": avatars("managing attentive posture with idling"),
  },
  passthrough: {
    "llm continuation": dialog("passes an utterance that no flow expects to the model unchanged"),
    "_passing unhandled user intents through": dialog(
      "passes an utterance that no flow expects to the model unchanged",
    ),
  },
  attention: {
    "_attention gate": flows("counts an utterance by the share of engaged time"),
    "attention checks": flows("counts an utterance by the share of engaged time"),
    "tracking user attention": flows("counts an utterance by the share of engaged time"),
    "user changed attention": flows('user changed attention "low"'),
    "user lost attention": flows("user lost attention"),
    "user changed attention somehow": flows("user changed attention somehow"),
    "user said something inattentively": flows("user said something inattentively"),
  },
};

/** The flows of a module of the library, as it is read. */
function flowsOf(module: string): readonly string[] {
  const { modules } = resolveImports({ sources: [createSourceFile("main.co", `import ${module}\n`)] });
  return modules.find(({ name }) => name === module)?.ast.flows.map(({ id }) => id) ?? [];
}

const titles = new Map<string, readonly string[]>();

/** The texts of a test file that could be titles. */
function textsIn(file: string): readonly string[] {
  const known = titles.get(file);
  if (known !== undefined) return known;
  const source = readFileSync(new URL(`../../${file}.test.ts`, import.meta.url), "utf8");
  const found = [...source.matchAll(/"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'/g)].map(([, a, b]) => a ?? b ?? "");
  titles.set(file, found);
  return found;
}

describe("every flow of the standard library has a test", () => {
  it("and every module is here", () => {
    expect(Object.keys(TESTED).toSorted()).toEqual([...standardModuleNames()].toSorted());
  });

  it.each(Object.keys(TESTED))("%s", (module) => {
    expect(flowsOf(module).toSorted()).toEqual(Object.keys(TESTED[module] ?? {}).toSorted());
  });

  it.each(Object.values(TESTED).flatMap((module) => Object.entries(module).map(([flow, place]) => [flow, ...place])))(
    "%s: %s has `%s`",
    (_, file, title) => {
      expect(textsIn(file).some((text) => text.startsWith(title))).toBe(true);
    },
  );
});
