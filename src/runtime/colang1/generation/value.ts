import type { GuardrailsEvent } from "../../../engine/events.js";
import { modelForTask } from "../../../llm/model.js";
import { flowExamples } from "./examples.js";
import { requireModel } from "../../../generation/require-model.js";
import type { StepServices } from "./services.js";
import { readValue } from "../../../generation/read-value.js";

const TASK = "generate_value";
const MAX_HITS = 10;
const MAX_EXAMPLES = 5;

export interface ValueInput {
  /** Without the dollar sign. */
  readonly variable: string;
  readonly instructions: string | undefined;
  readonly events: readonly GuardrailsEvent[];
  readonly context: Readonly<Record<string, unknown>>;
}

/**
 * A value for `$name = ...` (spec rails 2.16): the literal in the completion, or its text when it is one line that is
 * no literal.
 *
 * @throws ActionError when the completion is empty or has several lines without a literal, ModelError when the call fails
 */
export async function generateValue(input: ValueInput, services: StepServices): Promise<unknown> {
  const hits = await services.indexes.flows.search(`$${input.variable} = `, MAX_HITS);
  const shown = hits.filter(({ item }) => !(item.meta["flow"] ?? "").includes("= ..."));
  const { text } = await services.tasks.run({
    task: TASK,
    model: requireModel(modelForTask(services.models, TASK), TASK),
    events: input.events,
    context: input.context,
    variables: {
      ...flowExamples(shown, MAX_EXAMPLES),
      instructions: input.instructions ?? "",
      var_name: input.variable,
    },
    parameters: { temperature: services.settings.lowest_temperature },
    scope: services.scope,
  });
  return readValue(text, input.variable);
}
