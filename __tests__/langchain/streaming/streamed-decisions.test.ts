// One decision for each rail, however many windows of a streamed answer it saw: the gravest status counts, wherever it came.
import { describe, expect, it } from "@jest/globals";
import { Guardrails, type RailDecision, verdictOf } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { drain } from "../../support/langchain/real-guardrails.js";

const COLANG = `
define bot refuse
  "REFUSED"

define subflow judge
  $allowed = execute judge(text=$bot_message)
  if not $allowed
    bot refuse
    stop

define subflow hide digits
  meta {"stream": "word"}
  $bot_message = execute hide(text=$bot_message)
`;

const failOn = (text: string): void => {
  if (text.includes("boom")) throw new Error("the judge is down");
};

const QUICK = `
define user greet
  "hello"

define flow quick
  user greet
  $skip_output_rails = True
  bot answer freely
`;

function guarded(rail: string, flow = "", checksAll = false): Promise<Guardrails> {
  return Guardrails.fromConfig(
    {
      colang: `${COLANG}${flow}`,
      config: { rails: { output: { flows: [rail], check_predefined: checksAll } } },
    },
    {
      logger: false,
      streaming: { mode: "window", chunkSize: 1, contextSize: 3 },
      actions: {
        judge: ({ text }: { text: string }) => (failOn(text), !text.includes("bad")),
        hide: ({ text }: { text: string }) => (failOn(text), text.replaceAll(/\d/g, "*")),
      },
    },
  );
}

async function decisionsOf(rail: string, answer: string): Promise<readonly RailDecision[]> {
  const chunks = await drain(await (await guarded(rail)).wrap(scriptedModel(answer)).stream("hi"));
  return chunks.flatMap((chunk) => verdictOf(chunk)?.decisions ?? []);
}

describe("the decision of a rail on a streamed answer", () => {
  it.each([
    ["judge", "all of it is fine", "passed"],
    ["judge", "first fine and then bad", "blocked"],
    ["judge", "bad at once, and fine later", "blocked"],
    ["judge", "first fine and then boom", "error"],
    ["hide digits", "no number in here", "passed"],
    ["hide digits", "17 and then no number", "modified"],
    ["hide digits", "no number until 17 ", "modified"],
    ["hide digits", "17 and more, then boom ", "error"],
  ])("of `%s` on `%s` is one, and says `%s`", async (rail, answer, status) => {
    const decisions = await decisionsOf(rail, answer);
    expect(decisions.map((decision) => [decision.rail, decision.status])).toEqual([[rail, status]]);
    expect(decisions[0]?.durationMs).toBeGreaterThanOrEqual(0);
  });
});

describe("a flow that skips the output rails", () => {
  it.each([
    ["invoke", false, "a bad answer"],
    ["stream", false, "a bad answer"],
    ["invoke", true, "REFUSED"],
    ["stream", true, "REFUSED"],
  ])("in `%s` with `check_predefined: %p` leads to `%s`", async (way, checksAll, expected) => {
    const model = (await guarded("judge", QUICK, checksAll)).wrap(scriptedModel("a bad answer"));
    const messages = way === "invoke" ? [await model.invoke("hello")] : await drain(await model.stream("hello"));
    const text = messages.map((message) => message.text).join("");
    expect([text.endsWith(expected), text.includes("bad")]).toEqual([true, !checksAll]);
  });
});
