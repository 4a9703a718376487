import type { RailsSettings } from "../../../config/settings.js";
import { createSourceFile, type SourceFile } from "../../../diagnostics/source-file.js";

/** Performed by the runtime: the response of the wrapped runnable, or of the main model. */
export const ANSWER = "answer_user";

/** Name of the module, which no file of a configuration can have. */
export const GENERATED_MODULE = "(generated flows)";

const OUTPUT_RAILS = `
# The output rails of the configuration. They run side by side with nothing of the conversation, and come back with a verdict.
@meta(llm_exclude=True)
flow output rails $output_text
  $verdict = await RunOutputRailsAction(text=$output_text)
  if not $verdict.passed
    if $verdict.refusal is not None and $verdict.refusal != ""
      await UtteranceBotAction(script=$verdict.refusal)
    abort
`;

const MAIN = `
# A configuration of rails alone has no dialog: what is guarded answers.
@meta(llm_exclude=True)
flow main
  activate answering the user
  wait indefinitely

@meta(llm_exclude=True)
flow answering the user
  user said something
  $answer = await AnswerUserAction()
  bot say $answer
`;

/**
 * Generates the flows implied by the settings of a configuration. Input rails are not included: they run before an
 * utterance reaches the program.
 */
export function generatedFlows(
  { rails }: RailsSettings,
  defined: { has(flow: string): boolean },
): SourceFile | undefined {
  const hasOutput = rails.output.flows.length > 0;
  const hasMain = defined.has("main");
  if (!hasOutput && hasMain) return undefined;
  const imports = ["import core", ...(hasOutput ? ["import guardrails"] : [])].join("\n");
  return createSourceFile(GENERATED_MODULE, `${imports}\n${hasOutput ? OUTPUT_RAILS : ""}${hasMain ? "" : MAIN}`);
}
