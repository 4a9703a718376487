import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { Guardrails } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";

const { privateKey } = generateKeyPairSync("ed25519", {
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});

const CONFIG = {
  rails: {
    output: { flows: ["detect secrets on output", "mask sensitive data on output"] },
    config: {
      secrets_detection: { action: "mask" },
      sensitive_data_detection: { output: { entities: ["US_SSN", "CREDIT_CARD"], score_threshold: 0.5 } },
    },
  },
};

/** Answers whose findings reach over lines, or stand on another line than the words that make them one. */
const ANSWERS: readonly (readonly [string, string])[] = [
  ["a private key", `Here it is:\n${privateKey}Keep it safe.`],
  ["a number below its label", "Your social security number:\n078-05-1121\nThank you."],
  ["a card", "Pay with 4111 1111\u00a01111 1111, please."],
];

describe.each(["1.0", "2.x"] as const)("masked answers in Colang %s", (version) => {
  it.each(ANSWERS)("are the same from `stream` and `invoke`: %s", async (_, answer) => {
    const config = { ...CONFIG, colang_version: version };
    const llm = scriptedModel([answer, answer]);
    const guardrails = await Guardrails.fromConfig({ config }, { llm, logger: false });
    const model = guardrails.wrap(llm);
    const whole = (await model.invoke("hi")).text;
    let streamed = "";
    for await (const chunk of await model.stream("hi")) streamed += chunk.text;
    expect(streamed).toBe(whole);
    expect(whole).toMatch(/<[A-Z_]+>/);
  });
});
