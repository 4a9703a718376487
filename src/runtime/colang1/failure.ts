import { type ActionError, ColangRuntimeError } from "../../diagnostics/errors.js";
import type { SourceLocation } from "../../diagnostics/span.js";
import type { EventDraft } from "../../engine/events.js";
import { reportProblem } from "../../turn/problem-log.js";
import type { Run, RuntimeServices } from "./run.js";

export type Failure =
  | { readonly draft: EventDraft }
  | { readonly action: EventDraft; readonly error: ActionError; readonly missing: boolean };

/**
 * The failure path: the user sees a text of the configuration, the dialog goes back to where it
 * was before the turn, and the cause is kept in the log. Inside a rail a failure is the rail's error instead.
 *
 * @throws ActionError or ColangRuntimeError in the run of a rail
 */
export function failureEvents(services: RuntimeServices, run: Run, failure: Failure): readonly EventDraft[] {
  const { messages } = services.config.settings;
  if ("draft" in failure) {
    const error = flowError(failure.draft);
    if (run.scope === "rail") throw error;
    run.failed = true;
    const { code, message, flow } = error;
    const problem = { code, message, ...(flow === undefined ? {} : { flow }), cause: error };
    reportProblem(services, run.turn, problem, { flow });
    return [failure.draft, ...apology(messages.internal_error)];
  }
  const { action, error, missing } = failure;
  if (run.scope === "rail") throw error;
  run.failed = true;
  const problem = { code: error.code, message: error.message, action: error.action, cause: error };
  reportProblem(services, run.turn, problem);
  const finished: EventDraft = {
    type: "InternalSystemActionFinished",
    action_uid: action["action_uid"],
    action_name: action["action_name"],
    status: "failed",
    is_success: false,
    failure_reason: error.message,
  };
  const text = missing ? messages.action_missing.replaceAll("{name}", () => error.action) : messages.internal_error;
  return [finished, ...apology(text)];
}

function apology(text: string): readonly EventDraft[] {
  return [
    { type: "BotIntent", intent: "inform internal error occurred" },
    { type: "StartUtteranceBotAction", script: text },
    { type: "hide_prev_turn" },
    { type: "Listen" },
  ];
}

function flowError(draft: EventDraft): ColangRuntimeError {
  const flow = typeof draft["flow_id"] === "string" ? draft["flow_id"] : undefined;
  const location = draft["location"] as SourceLocation | undefined;
  const place = location ? ` (${location.file}:${location.line}:${location.column})` : "";
  return new ColangRuntimeError(`${String(draft["message"])}${flow ? ` in flow \`${flow}\`` : ""}${place}`, {
    code: String(draft["code"] ?? "CO-410"),
    flow,
    location,
  });
}
