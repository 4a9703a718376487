import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { Guardrails, type RailDecision, verdictOf } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { ReplyingModel } from "../support/langchain/replying-model.js";
import { propertyRuns } from "../support/property-runs.js";

const { privateKey } = generateKeyPairSync("ed25519", {
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});

const SETTINGS = {
  secrets_detection: { action: "mask" },
  sensitive_data_detection: {
    output: { entities: ["US_SSN", "CREDIT_CARD", "EMAIL_ADDRESS", "PHONE_NUMBER"], score_threshold: 0.5 },
  },
};
const SECRETS = "detect secrets on output";
const PERSONAL = "mask sensitive data on output";

interface Setup {
  readonly flows?: readonly string[];
  readonly chunkSize?: number;
  readonly output?: object;
}

function open(version: string, { flows = [PERSONAL], chunkSize = 1, output = {} }: Setup = {}): Promise<Guardrails> {
  const config = { colang_version: version, rails: { output: { flows: [...flows], ...output }, config: SETTINGS } };
  return Guardrails.fromConfig(
    { config },
    {
      logger: false,
      streaming: { chunkSize },
      actions: { judge_text: () => true },
    },
  );
}

/** Responses whose findings span lines, or are on another line than their context words. */
const ANSWERS: readonly (readonly [string, string])[] = [
  ["a private key", `Here it is:\n${privateKey}Keep it safe.`],
  ["a number below its label", "Your social security number:\n078-05-1121\nThank you."],
  ["a card", "Pay with 4111 1111\u00a01111 1111, please."],
  ["several findings", "Mail ada@example.org, or bob@example.net; card 4111 1111 1111 1111; that is all."],
  ["no finding", "There is nothing to see here.\nGo on, please."],
];

interface Streamed {
  readonly chunks: readonly string[];
  readonly decisions: readonly RailDecision[];
}

/** Streams a response in chunks of these sizes. */
async function stream(guardrails: Guardrails, answer: string, cuts: readonly number[]): Promise<Streamed> {
  const pieces: string[] = [];
  for (let at = 0; at < answer.length;) {
    const size = cuts[pieces.length % cuts.length] ?? 1;
    pieces.push(answer.slice(at, at + size));
    at += size;
  }
  const chunks: string[] = [];
  let decisions: readonly RailDecision[] = [];
  for await (const chunk of await guardrails.wrap(new ReplyingModel(() => pieces)).stream("hi")) {
    if (chunk.text !== "") chunks.push(chunk.text);
    decisions = verdictOf(chunk)?.decisions ?? decisions;
  }
  return { chunks, decisions };
}

async function invoke(guardrails: Guardrails, answer: string) {
  const message = await guardrails.wrap(scriptedModel([answer])).invoke("hi");
  return { text: message.text, decisions: verdictOf(message)?.decisions ?? [] };
}

/**
 * Decisions without times, and without names of rules, which count as a quotation if a small window happens to contain
 * one.
 */
const untimed = (decisions: readonly RailDecision[]) =>
  decisions.map(({ durationMs: _time, metadata: { findings } = {}, ...rest }) => {
    const places = Array.isArray(findings) ? (findings as readonly { readonly rule?: string }[]) : [];
    return { ...rest, findings: places.map(({ rule: _rule, ...place }) => place) };
  });

describe.each(["1.0", "2.x"] as const)("masked responses in Colang %s", (version) => {
  it.each(ANSWERS)("are the same from `stream` and `invoke`: %s", async (_, answer) => {
    for (const flows of [[SECRETS], [PERSONAL], [SECRETS, PERSONAL]]) {
      const guardrails = await open(version, { flows });
      const whole = await invoke(guardrails, answer);
      const { chunks, decisions } = await stream(guardrails, answer, [3, 1, 7]);
      expect(chunks.join("")).toBe(whole.text);
      expect(untimed(decisions)).toEqual(untimed(whole.decisions));
    }
  });

  it("are emitted before the end, as far as no finding may be split", async () => {
    const answer = `Some words first, and more of them.\n${"All of this is harmless text. ".repeat(60)}Mail ada@example.org now.`;
    const { chunks } = await stream(await open(version), answer, [5]);
    expect(chunks.length).toBeGreaterThan(20);
    expect(chunks.join("")).toBe(answer.replace("ada@example.org", "<EMAIL_ADDRESS>"));
  });

  it.each<[why: string, setup: Setup]>([
    ["two rails that mask", { flows: [SECRETS, PERSONAL] }],
    ["reasoning under review", { output: { apply_to_reasoning_traces: true } }],
  ])("are buffered to the end with %s", async (_, setup) => {
    const answer = `${"All of this is harmless text. ".repeat(20)}Mail ada@example.org now.`;
    const pieces: string[] = [];
    let isOver = false;
    const model = new ReplyingModel(() => answer.match(/[^]{1,5}/g) ?? []);
    for await (const chunk of await (await open(version, setup)).wrap(model).stream("hi")) {
      isOver ||= chunk.text !== "";
      if (chunk.text !== "") pieces.push(chunk.text);
    }
    expect(isOver).toBe(true);
    expect(pieces.join("")).toContain("<EMAIL_ADDRESS>");
  });

  it("are masked alike for any chunks, and no part of a finding is emitted", async () => {
    const part = fc.oneof(
      fc.constantFrom(
        "ada@example.org",
        "4111 1111 1111 1111",
        "4111111111111111",
        "078-05-1121",
        "social security number",
        "SSN:",
        "card",
        "+1 202-555-0143",
        "call me",
        "\n",
        "and so on and so forth, with more words than a rule reads back,",
        "and so on and so forth, with more words than a rule reads back, ".repeat(9),
      ),
      fc.string({ unit: fc.constantFrom(..."ab1 2-@.\n\u200bе"), maxLength: 8 }),
    );
    const answers = fc.array(part, { minLength: 1, maxLength: 14 }).map((parts) => parts.join(" "));
    const sizes = fc.array(fc.integer({ min: 1, max: 11 }), { minLength: 1, maxLength: 5 });
    const all = new Map<number, Guardrails>();
    for (const chunkSize of [1, 4]) all.set(chunkSize, await open(version, { chunkSize }));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(1, 4), answers, sizes, async (chunkSize, answer, cuts) => {
        const guardrails = all.get(chunkSize) as Guardrails;
        if (answer.trim() === "") return;
        const whole = await invoke(guardrails, answer);
        const { chunks, decisions } = await stream(guardrails, answer, cuts);
        expect(chunks.join("")).toBe(whole.text);
        expect(untimed(decisions)).toEqual(untimed(whole.decisions));
      }),
      { numRuns: propertyRuns(25) },
    );
  });
});
