import { describe, expect, it } from "@jest/globals";
import { Guardrails, type GuardrailsOptions } from "langchain-guardrails";
import { createTracing } from "langchain-guardrails/tracing";
import { GuardrailViolationError } from "../../src/langchain/blocked.js";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { MARKED, type Stage, type Surface, SURFACES } from "../support/langchain/guarded-surfaces.js";
import { visibleJson } from "../support/langchain/visible-json.js";
import { collectingSink } from "../support/tracing/collected.js";

const VARIABLES: Readonly<Record<Stage, string>> = {
  input: "user_message",
  output: "bot_message",
  retrieval: "relevant_chunks",
  tool_output: "tool_args",
  tool_input: "tool_message",
};

const judgeOf = (variable: string): string => `
import core
flow judge
  global $${variable}
  $made = await JudgeTextAction(text=$${variable})
  if $made == "blocked"
    bot refuse to respond
    abort
`;

/** Times, and ids that each run creates. */
const DIFFERING = /"(?:\w+DurationMs|durationMs|startedAt|finishedAt)":[\d.]+|[\da-f]{8}-[\da-f]{4}-[\da-f-]{22}/g;

async function resultOf(surface: Surface, isBlocked: boolean, options: GuardrailsOptions): Promise<string> {
  const { stage, reply = "fine" } = surface;
  const decisions: unknown[] = [];
  const guardrails = await Guardrails.fromConfig(
    {
      colang: judgeOf(VARIABLES[stage]),
      config: { colang_version: "2.x", rails: { [stage]: { flows: ["judge"] } } },
    },
    {
      llm: scriptedModel(() => reply),
      actions: {
        judge_text: ({ text }: { text: unknown }) =>
          isBlocked && JSON.stringify(text).includes(MARKED) ? "blocked" : "passed",
      },
      logger: false,
      onDecision: (decision) => void decisions.push(decision),
      ...options,
    },
  );
  const result = await surface.run(guardrails).catch((error: unknown) => {
    if (!GuardrailViolationError.isInstance(error)) throw error;
    return [error.name, error.message, error.refusal, error.decisions];
  });
  return visibleJson([result, decisions]).replaceAll(DIFFERING, "");
}

const failing = (): never => {
  throw new Error("sink");
};

describe.each(SURFACES)("$name, $stage: tracing changes no result", (surface) => {
  it.each([false, true])("blocked: %s", async (isBlocked) => {
    const broken = { name: "broken", write: failing, follow: () => ({ started: failing, finished: failing }) };
    const tracing = createTracing({ sinks: [collectingSink(), broken], content: true, logger: false });
    const expected = await resultOf(surface, isBlocked, { tracing: false });
    expect(await resultOf(surface, isBlocked, { tracing })).toBe(expected);
  });
});
