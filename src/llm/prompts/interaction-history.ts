import type { GuardrailsEvent } from "../../engine/events.js";

const LOGS: ReadonlySet<string> = new Set(["UserIntentLog", "BotIntentLog", "UserActionLog", "BotActionLog"]);

/** Returns true for the events of a Colang 2.x conversation, whose engine logs actions and intents. */
export function hasInteractionLogs(events: readonly GuardrailsEvent[]): boolean {
  return events.some(({ type }) => LOGS.has(type));
}

interface Block {
  readonly side: "user" | "bot";
  intent: string | undefined;
  readonly actions: string[];
}

/**
 * Prints the interaction history of a Colang 2.x conversation: blocks of user and bot actions, each with its intent.
 * Only log events are printed.
 *
 * @example
 * ```ts
 * printInteractionHistory([{ type: "UserActionLog", flow_id: "user said", parameter: "hi", intent_flow_id: null }]);
 * // 'user action: user said "hi"'
 * ```
 */
export function printInteractionHistory(events: readonly GuardrailsEvent[]): string {
  const blocks: Block[] = [];
  let lastUserAction: string | undefined;
  for (const event of events) {
    if (!LOGS.has(event.type)) continue;
    const side = event.type.startsWith("User") ? "user" : "bot";
    if (event.type.endsWith("IntentLog")) addIntent(blocks, side, textOf(event["flow_id"]));
    else {
      const action = actionText(event);
      if (side === "user" && action === lastUserAction) continue;
      addAction(blocks, side, action, textOf(event["intent_flow_id"]));
      lastUserAction = side === "user" ? action : undefined;
    }
  }
  return blocks.map(printBlock).join("\n\n");
}

function addAction(blocks: Block[], side: Block["side"], action: string, meant: string | undefined): void {
  const intent = meant === undefined ? undefined : oneLine(meant);
  const last = blocks.at(-1);
  const continues = last?.side === side && last.intent === intent && (last.actions.length > 0 || side === "bot");
  if (continues) last.actions.push(action);
  else blocks.push({ side, intent, actions: [action] });
}

/** The intent of a block is logged after the block; one without a block stands alone. */
function addIntent(blocks: Block[], side: Block["side"], logged: string | undefined): void {
  if (logged === undefined) return;
  const intent = oneLine(logged);
  const last = blocks.findLast((block) => block.side === side);
  if (last?.intent === intent) return;
  if (last !== undefined && last === blocks.at(-1) && last.intent === undefined) last.intent = intent;
  else blocks.push({ side, intent, actions: [] });
}

function printBlock({ side, intent, actions }: Block): string {
  const [first, ...others] = actions;
  const done = first === undefined ? [] : [`${side} action: ${first}`, ...others.map((action) => `  and ${action}`)];
  const meant = intent === undefined ? [] : [`${side} intent: ${intent}`];
  return (side === "user" ? [...done, ...meant] : [...meant, ...done]).join("\n");
}

/** Formats a logged action as a flow statement: its name, and its text in quotes. */
export function actionText(event: GuardrailsEvent): string {
  const flow = oneLine(textOf(event["flow_id"]) ?? "");
  const parameter = textOf(event["parameter"]);
  // A tag's text may already include the text of the action.
  return parameter === undefined || flow.endsWith('"') ? flow : `${flow} ${quoted(parameter)}`;
}

const UTTERANCES = /^(?:user said|bot (?:say|inform|ask|express|respond|clarify|suggest))$/;
const SAID = /^user said "(.*)"$/s;

/** Returns the text of a logged utterance: `user said`, `bot say` and the like. */
export function utteranceText(event: GuardrailsEvent): string | undefined {
  const flow = textOf(event["flow_id"]) ?? "";
  return SAID.exec(flow)?.[1] ?? (UTTERANCES.test(flow) ? textOf(event["parameter"]) : undefined);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Quotes a text on one line, so that no text can forge a line of the history. */
export function quoted(text: string): string {
  return `"${oneLine(text).replaceAll('"', '\\"')}"`;
}

/** Writes line breaks as `\n`. */
export function oneLine(text: string): string {
  return text.replace(/\r\n|[\n\r\u2028\u2029\u0085\v\f]/g, "\\n");
}
