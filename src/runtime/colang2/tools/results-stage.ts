import type { EventDraft } from "../../../engine/events.js";
import { NOTHING_BESIDE } from "../../../turn/beside-text.js";
import { checkTool, selectToolRails } from "../../../rails/tools/tool-check.js";
import { toolNameOf } from "./delegated-calls.js";
import { judgeInput, outcomeEvents } from "../input-stage.js";
import type { Colang2Run } from "../run.js";
import type { Colang2Services } from "../services.js";
import { type ToolResult, toolResultEvent } from "./tool-results.js";

interface Brought {
  readonly results: readonly ToolResult[];
  /** The results as the rails leave them; changed here. */
  readonly texts: string[];
  readonly feed: (drafts: readonly EventDraft[]) => Promise<void>;
}

/**
 * Results of tools are texts of the user's side: rails look at them before flows do, those on results of the tool or else
 * the input rails. A flow whose result was blocked is told that its action has failed; then the rest of the turn is not
 * heard.
 *
 * @returns whether all of them passed
 */
export async function takeResults(
  services: Colang2Services,
  run: Colang2Run,
  { results, texts, feed }: Brought,
): Promise<boolean> {
  let passed = true;
  for (const [index, result] of results.entries()) {
    const content = result.reviewed ? result.content : await reviewResult(services, run, { result, feed });
    passed &&= content !== undefined;
    texts[index] = content ?? "";
    await feed([toolResultEvent(content === undefined ? { ...result, failed: true } : result, content ?? BLOCKED)]);
  }
  return passed;
}

const BLOCKED = "the result was blocked by a rail";

/** The result as the rails left it; undefined when they blocked it. */
async function reviewResult(
  services: Colang2Services,
  run: Colang2Run,
  { result, feed }: Pick<Brought, "feed"> & { readonly result: ToolResult },
): Promise<string | undefined> {
  const { turn } = run;
  const { content, action, uid, failed } = result;
  const tool = toolNameOf(services, action, turn.options);
  if (selectToolRails(services, "tool_input", tool, turn.options).length > 0) {
    const subject = { tool, args: null, callId: uid, result: content, failed };
    const check = await checkTool(services, turn, "tool_input", subject);
    turn.decisions.push(...check.decisions);
    if (check.status === "passed" || check.status === "modified") return check.result;
    run.toolRefusal ??= check.refusal;
    await feed(check.exception === undefined ? [] : [check.exception]);
    return undefined;
  }
  const known = [...turn.userTexts];
  const { besides, readsBesides } = turn;
  turn.userTexts = [content];
  turn.besides = NOTHING_BESIDE;
  const outcome = await judgeInput(services, run, content);
  const left = turn.userTexts[0] ?? content;
  turn.userTexts = known;
  turn.besides = besides;
  turn.readsBesides = readsBesides;
  await feed(outcomeEvents(services, outcome));
  return outcome.blocked ? undefined : left;
}

/** All texts of the user's side in the order in which they came. */
export function inOrder(
  order: readonly (number | "user")[],
  results: readonly string[],
  said: readonly string[],
): readonly string[] {
  let next = 0;
  return order.map((place) => (place === "user" ? said[next++] : results[place]) ?? "");
}
