// Rails that only judge see what other rails of their stage made of the text, in whatever order they are listed.
import { describe, expect, it } from "@jest/globals";
import { defineAction } from "../../src/actions/define-action.js";
import { openBench } from "./bench.js";
import { checkTool, runStage } from "../support/language-models/one-shot.js";

const STAGES = [
  ["input", "user_message", '"covered"'],
  ["output", "bot_message", '"covered"'],
  ["retrieval", "relevant_chunks", '"covered"'],
  ["tool_output", "tool_args", '{"a": "covered"}'],
  ["tool_input", "tool_message", '"covered"'],
] as const;

async function seenByJudge([stage, name, value]: (typeof STAGES)[number]): Promise<unknown> {
  const seen: unknown[] = [];
  const { runtime } = await openBench({
    colang: `
define subflow judge
  $allowed = execute judge(value=$${name})
  if not $allowed
    stop
define subflow cover
  $${name} = ${value}
`,
    yaml: `rails: {${stage}: {flows: [judge, cover]}}`,
    actions: { judge: defineAction({ name: "judge", verdict: true }, ({ value: given }) => (seen.push(given), true)) },
  });
  const call = { tool: "pay", args: { a: "raw" }, callId: "c1" };
  if (stage === "tool_output") await checkTool(runtime, stage, call);
  else if (stage === "tool_input") await checkTool(runtime, stage, { ...call, result: "raw" });
  else await runStage(runtime, stage, { userMessage: "raw", botMessage: "raw", relevantChunks: ["raw"] });
  return seen;
}

describe("a rail that rewrites, listed behind one that judges", () => {
  it.each(STAGES.filter(([stage]) => stage !== "retrieval"))(
    "runs first in %s, where it assigns `$%s`",
    async (...row) => {
      expect(await seenByJudge(row)).toEqual([row[1] === "tool_args" ? { a: "covered" } : "covered"]);
    },
  );

  it("runs second in retrieval, where the order is that of the list", async () => {
    expect(await seenByJudge(STAGES[2])).toEqual(["raw"]);
  });
});
