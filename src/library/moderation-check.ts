import type { ActionContext } from "../actions/action.js";
import { ActionError } from "../diagnostics/errors.js";
import { MODERATION_QUESTION } from "./judge-questions.js";
import { runCheck } from "./run-check.js";

export interface ModerationCheck {
  readonly action: string;
  /** The task of the rail; `variant` names another one. */
  readonly task: string;
  readonly variant: unknown;
  readonly text: string;
  readonly variables: (part: string, isPart: boolean) => Readonly<Record<string, unknown>>;
}

/**
 * Asks a model if a text should be blocked and adds the reason to the decision. An empty text is allowed without asking.
 *
 * @throws what `runCheck` throws, and ActionError when the variant has no prompt
 */
export async function isAllowed(check: ModerationCheck, context: ActionContext): Promise<boolean> {
  const task = taskOf(check, context);
  if (check.text.trim() === "") {
    context.annotate({ reason: "there is no text to check" });
    return true;
  }
  const { text, variables } = check;
  const result = await runCheck({ task, text, variables, question: MODERATION_QUESTION, decidedBy: "block" }, context);
  const blocks = result.verdict === "block";
  context.annotate({
    reason: `the model says that the text should ${blocks ? "" : "not "}be blocked`,
    ...(result.categories.length > 0 ? { categories: result.categories } : {}),
    metadata: { task },
  });
  return !blocks;
}

function taskOf({ action, task, variant }: ModerationCheck, context: ActionContext): string {
  if (variant === undefined || variant === null) return task;
  if (typeof variant === "string" && context.tasks.has(variant)) return variant;
  throw new ActionError(`the variant \`${String(variant)}\` of \`${action}\` has no prompt: add one for this task`, {
    action,
    code: "PR-105",
  });
}
