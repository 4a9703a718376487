import { describe, expect, it } from "@jest/globals";
import { Guardrails } from "langchain-guardrails";
import { defineRail } from "langchain-guardrails/rails";
import { ConfigError } from "../../src/diagnostics/errors.js";
import { REFUSAL_LANGUAGES } from "../../src/library/refusals.js";
import { languageOf } from "../../src/detectors/text/language/language-of.js";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { drain } from "../support/langchain/real-guardrails.js";

const ENGLISH = "I'm sorry, I can't respond to that.";
const GERMAN = "Es tut mir leid, darauf kann ich nicht antworten.";
const QUESTION = "Wie kann ich meine Karte sperren, wenn sie verboten ist?";

const library = [
  defineRail({
    name: "ban",
    flows: [
      { name: "ban on input", stage: "input", check: (text) => text.includes("verboten") },
      { name: "ban on output", stage: "output", check: (text) => text.includes("verboten") },
      {
        name: "unknown on input",
        stage: "input",
        refusal: "inform answer unknown",
        check: (text) => text.includes("verboten"),
      },
      {
        name: "broken on input",
        stage: "input",
        check: () => {
          throw new Error("broken");
        },
      },
    ],
  }),
];

const OWN = {
  "1.0": 'define bot refuse to respond\n  "Nope."\n',
  "2.x": '@override\nflow bot refuse to respond\n  bot say "Nope."\n',
} as const;

describe.each(["1.0", "2.x"] as const)("refusals in Colang %s", (version) => {
  const open = (flow: string, refusals: object, colang = "") => {
    const stage = flow.endsWith("output") ? "output" : "input";
    const config = { colang_version: version, rails: { [stage]: { flows: [flow] }, refusals } };
    const head = version === "2.x" && colang !== "" ? "import core\n" : "";
    return Guardrails.fromConfig({ colang: head + colang, config }, { logger: false, library });
  };

  it.each<[flow: string, refusals: object, refusal: string]>([
    ["ban on input", {}, ENGLISH],
    ["ban on input", { by_language: true }, GERMAN],
    ["ban on output", { by_language: true }, GERMAN],
    ["unknown on input", { by_language: true }, "Es tut mir leid, darauf weiß ich keine Antwort."],
    ["broken on input", { by_language: true }, GERMAN],
    ["broken on input", { "broken on input": "Not now." }, "Not now."],
    ["ban on input", { "ban on input": "No." }, "No."],
    ["ban on input", { "ban on input": { en: "No.", de: "Nein." } }, "Nein."],
    ["ban on input", { "ban on input": { en: "No.", fr: "Non." } }, "No."],
    ["ban on input", { "ban on input": { fr: "Non." } }, ENGLISH],
    ["ban on input", { "ban on input": { fr: "Non." }, by_language: true }, GERMAN],
    ["ban on input", { default: "Never.", by_language: true }, "Never."],
    ["ban on output", { default: { de: "Nie." } }, "Nie."],
  ])("of `%s` with %j", async (flow, refusals, refusal) => {
    const wrapped = (await open(flow, refusals)).wrap(scriptedModel(() => "es ist verboten"));
    expect((await wrapped.invoke(QUESTION)).text).toBe(refusal);
    const chunks = await drain(await wrapped.stream(QUESTION));
    expect(chunks.map(({ text }) => text).join("")).toBe(refusal);
  });

  it("of the configuration override those by language", async () => {
    const guardrails = await open("ban on input", { by_language: true, default: "Never." }, OWN[version]);
    expect((await guardrails.wrap(scriptedModel([])).invoke(QUESTION)).text).toBe("Nope.");
  });

  it("are reported with the decision", async () => {
    const guardrails = await open("ban on input", { by_language: true });
    const { guardrails: verdict } = await guardrails.check(QUESTION, { stage: "input" });
    expect(verdict.decisions).toMatchObject([{ status: "blocked", refusal: GERMAN }]);
  });

  it.each<[refusals: object, message: string]>([
    [{ "ban on inptu": "No." }, "did you mean `ban on input`"],
    [{ "ban on input": 4 }, "neither a text nor texts by language"],
    [{ "ban on input": {} }, "neither a text nor texts by language"],
    [{ "ban on input": { german: "Nein." } }, "neither a text nor texts by language"],
    [{ default: " " }, "neither a text nor texts by language"],
  ])("with %j are an error of the configuration", async (refusals, message) => {
    const loading = open("ban on input", refusals);
    await expect(loading).rejects.toThrow(ConfigError);
    await expect(loading).rejects.toThrow(message);
  });
});

it("built-in refusals are in at least ten languages that are recognised", () => {
  expect(REFUSAL_LANGUAGES.length).toBeGreaterThanOrEqual(14);
  expect(languageOf(QUESTION)?.language).toBe("de");
});
