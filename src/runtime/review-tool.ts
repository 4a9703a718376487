import type { ReviewedCall, ToolReview } from "../actions/tool-review.js";
import { checkTool } from "../rails/tools/tool-check.js";
import type { RailServices } from "../rails/services.js";
import { isToolStage } from "../turn/decision.js";
import type { Turn } from "../turn/turn.js";

/**
 * Runs the tool rails over a call or a result of an action that is a tool. Tools called inside a tool rail are not
 * reviewed by tool rails, which would recurse.
 */
export async function reviewTool(
  services: RailServices,
  { turn, rail }: { readonly turn: Turn; readonly rail?: { readonly name: string } | undefined },
  call: ReviewedCall,
): Promise<ToolReview> {
  const { tool, args, result } = call;
  const stage = rail === undefined ? undefined : services.rails.stageOf(rail.name);
  if (stage !== undefined && isToolStage(stage)) return { blocked: false, args, result: result ?? "" };
  const subject = { ...call, userMessage: turn.userTexts.at(-1) };
  const check = await checkTool(services, turn, result === undefined ? "tool_output" : "tool_input", subject);
  turn.decisions.push(...check.decisions);
  const blocked = check.status === "blocked" || check.status === "error";
  if (!blocked) return { blocked, args: check.args ?? args, result: check.result };
  return { blocked, args: {}, result: check.refusal ?? `\`${tool}\` was refused.`, exception: check.exception };
}
