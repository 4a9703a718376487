import type { ActionResult } from "../../../actions/action.js";
import { actionResult, PlainResult } from "../../../actions/dispatcher.js";
import { OWN_EVIDENCE } from "../../../generation/passthrough.js";
import type { GeneratedText } from "../../../generation/services.js";

/** Set while the bot text is predefined, for rails that compare it with a model's text. */
const PREDEFINED = "_predefined_message";

/** Builds the action result for a generated text. */
export function botMessageResult(generated: GeneratedText, context: Readonly<Record<string, unknown>>): ActionResult {
  if (generated.source === "predefined") return predefinedResult(generated.text, context);
  return actionResult({
    returnValue: generated.text,
    events: [{ type: "BotMessage", text: generated.text }],
    contextUpdates: {
      // INVARIANT: notes about one bot text do not carry over to the next.
      ...cleared(context, OWN_EVIDENCE),
      ...cleared(context, PREDEFINED),
      ...generated.contextUpdates,
    },
  });
}

/** A predefined text needs no output rails. */
function predefinedResult(text: string, context: Readonly<Record<string, unknown>>): ActionResult {
  const updates = { ...cleared(context, OWN_EVIDENCE), [PREDEFINED]: true, skip_output_rails: true };
  return new PlainResult({ type: "BotMessage", text }, text, updates);
}

function cleared(context: Readonly<Record<string, unknown>>, flag: string): Readonly<Record<string, boolean>> {
  return Object.hasOwn(context, flag) && context[flag] === true ? { [flag]: false } : {};
}
