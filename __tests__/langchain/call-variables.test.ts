import { describe, expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import type { ActionContext } from "../../src/actions/action.js";
import { CALL_VARIABLES } from "../../src/langchain/call.js";
import type { Guardrails } from "../../src/langchain/guardrails.js";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { drain, realGuardrails, type Version } from "../support/langchain/real-guardrails.js";

const ANSWER = "Hello!";

/** Surfaces that a server calls with messages. */
const SURFACES: readonly (readonly [string, (guardrails: Guardrails) => ReturnType<Guardrails["wrap"]>])[] = [
  ["a model", (guardrails) => guardrails.wrap(scriptedModel(ANSWER)) as never],
  ["a chain", (guardrails) => guardrails.wrap(RunnableLambda.from(() => ANSWER)) as never],
  ["guardrails", (guardrails) => guardrails as never],
];

describe.each<Version>(["1.0", "2.x"])("variables of a call in Colang %s", (version) => {
  it.each(SURFACES.flatMap(([name, open]) => [false, true].map((streams) => [name, streams, open] as const)))(
    "reach the rails of %s (streamed: %s)",
    async (_name, streams, open) => {
      const seen = new Set<unknown>();
      const guardrails = await realGuardrails({
        version,
        llm: scriptedModel(ANSWER),
        onCheck: (_text, given) => seen.add((given as ActionContext).context["city"]),
      });
      const runnable = open(guardrails);
      const config = { configurable: { [CALL_VARIABLES]: { city: "Bern" } } };
      const messages = [new HumanMessage("hi")] as never;
      if (streams) await drain(await runnable.stream(messages, config));
      else await runnable.invoke(messages, config);
      expect([...seen]).toEqual(["Bern"]);
    },
  );
});
