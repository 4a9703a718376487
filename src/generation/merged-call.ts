import type { GuardrailsEvent } from "../engine/events.js";
import { modelForTask } from "../llm/model.js";
import { beginsTurn, closesQuote } from "../llm/output-parsers/completion-text.js";
import type { RunningTask } from "../llm/task.js";
import { promptText } from "../llm/prompt-text.js";
import { turnExamples } from "./examples.js";
import { endingWith } from "./history.js";
import type { DialogHit } from "./indexes.js";
import { type MergedParts, readMerged } from "./merged-completion.js";
import { requireModel } from "./require-model.js";
import { type RetrievedChunks, retrieveRelevantChunks } from "./retrieve-chunks.js";
import { hasUserMessages, type StepServices } from "./services.js";

export const MERGED_TASK = "generate_intent_steps_message";
const CLASSIC_TASKS = ["generate_user_intent", "generate_next_steps", "generate_bot_message"] as const;
const MAX_EXAMPLES = 10;

/** An intent and a step have come by then; a reply that has neither is not going to have them. */
const MAX_HEAD = 2_000;

/**
 * Where the stages of one turn find the call that began with the first of them.
 * INVARIANT: it belongs to one turn and never becomes part of an event or of the state.
 */
export interface MergedSlot {
  /** Ends with the turn, and not with the action that began the call. */
  readonly signal: AbortSignal;
  call?: MergedCall | undefined;
  /** What was found for this turn's prompt, so that the retrieval stage need not search again. */
  retrieved?: { readonly query: string; readonly chunks: RetrievedChunks } | undefined;
}

/**
 * Whether a turn makes one call for its three stages: acted upon line by line (`early`), or as a whole as in the peer's
 * single call mode. What a configuration says about the three tasks one by one needs the three calls.
 */
export function mergedMode(services: StepServices): "early" | "whole" | undefined {
  const { settings, models, call } = services;
  const { enabled } = settings.rails.dialog.single_call;
  if (call.merged === undefined || enabled === false) return undefined;
  if (call.generator || settings.passthrough === true || !hasUserMessages(services)) return undefined;
  if (enabled === true) return "whole";
  if (settings.enable_multi_step_generation) return undefined;
  if (settings.prompts.some(({ task }) => task === MERGED_TASK) || Object.hasOwn(models.byType, MERGED_TASK)) {
    return "early";
  }
  const isSpecial = (task: string): boolean =>
    Object.hasOwn(models.byType, task) || settings.prompts.some((prompt) => prompt.task === task);
  return CLASSIC_TASKS.some(isSpecial) ? undefined : "early";
}

export interface MergedInput {
  readonly text: string;
  readonly events: readonly GuardrailsEvent[];
  readonly context: Readonly<Record<string, unknown>>;
}

/**
 * Begins the call; chunks are searched at the same time as examples. Chunks that retrieval rails have to see first are
 * not shown: the bot's words are then made in a call of their own, after these rails.
 *
 * @throws ModelError when there is no model; LimitError when the turn has spent its calls
 */
export async function startMergedCall(
  input: MergedInput,
  services: StepServices,
  { slot, mode }: { readonly slot: MergedSlot; readonly mode: "early" | "whole" },
): Promise<{ readonly call: MergedCall; readonly hits: readonly DialogHit[] }> {
  slot.call?.cut();
  const model = requireModel(modelForTask(services.models, MERGED_TASK), MERGED_TASK);
  const mayShow = services.call.ownRetrieval !== true && services.settings.rails.retrieval.flows.length === 0;
  const [hits, chunks] = await Promise.all([
    services.indexes.userExamples.search(input.text, MAX_EXAMPLES),
    mayShow ? retrieveRelevantChunks(input, services) : undefined,
  ]);
  slot.retrieved = chunks && { query: input.text, chunks };
  const shown = chunks?.text.trim() ?? "";
  const task = await services.tasks.start(
    {
      task: MERGED_TASK,
      model,
      events: endingWith(input.events, { type: "UserMessage", property: "text", value: input.text }),
      context: input.context,
      variables: { ...turnExamples(hits, services.program), relevant_chunks: shown },
      parameters: {
        temperature: services.settings.lowest_temperature,
        ...(services.call.llmParams ? { extra: services.call.llmParams } : {}),
      },
      scope: { ...services.scope, signal: slot.signal },
    },
    { streaming: mode === "early" },
  );
  const call = new MergedCall(task, { shownChunks: shown, isEarly: mode === "early" });
  slot.call = call;
  return { call, hits };
}

/** The one call of a turn and what was made of it so far. */
export class MergedCall {
  /** The canonical form that the turn goes on with; set when it was told to the engine. */
  userIntent: string | undefined;
  readonly shownChunks: string;
  readonly #task: RunningTask;
  readonly #isEarly: boolean;
  #isGone = false;
  #scanned = 0;

  constructor(task: RunningTask, made: { readonly shownChunks: string; readonly isEarly: boolean }) {
    this.#task = task;
    this.shownChunks = made.shownChunks;
    this.#isEarly = made.isEarly;
  }

  /** False once the message was taken or the rest given up: then the text may end in the middle of a word. */
  get isUsable(): boolean {
    return !this.#isGone;
  }

  get promptText(): string {
    return promptText(this.#task.prompt);
  }

  /** `null` when the completion does not say it. */
  async readUserIntent(): Promise<string | null> {
    return (await this.#readHead(({ userIntent }) => userIntent)) ?? null;
  }

  /** `null` when the completion decides on nothing. */
  async readBotIntent(): Promise<string | null> {
    return (await this.#readHead(({ botIntent }) => botIntent)) ?? null;
  }

  /** The bot's words, empty when there are none. What the model writes behind them is not waited for. */
  async readMessage(): Promise<string> {
    // INVARIANT: one call words one message.
    this.#isGone = true;
    const message = await this.#task.call.read((text, isWhole) => {
      if (!isWhole && !(this.#isEarly && this.#mayHaveEnded(text))) return undefined;
      return readMerged(this.#task.parse(whole(text, isWhole)), isWhole).message;
    });
    this.#task.call.cut();
    return message ?? "";
  }

  /** Nobody needs the rest: the model may stop. */
  cut(): void {
    this.#isGone = true;
    this.#task.call.cut();
  }

  async #readHead<Part>(part: (parts: MergedParts) => Part | undefined): Promise<Part | undefined> {
    return this.#task.call.read((text, isWhole) => {
      if (!isWhole && !this.#isEarly) return undefined;
      const found = part(readMerged(this.#task.parse(whole(text, isWhole)), isWhole));
      // A reply without an end: the reader is asked again, with what there is as the whole completion.
      if (found === undefined && !isWhole && this.#lengthOf(text) > MAX_HEAD) this.#task.call.cut();
      return found;
    });
  }

  /** Without what the model thinks aloud, and with the blank lines that parsers trim where nothing stands beside them. */
  #lengthOf(text: string): number {
    return this.#task.parse(`.${text}.`).length;
  }

  /** Looks at each line once: only a closing quote or the beginning of a turn can end the bot's words. */
  #mayHaveEnded(text: string): boolean {
    const end = text.lastIndexOf("\n") + 1;
    const fresh = text.slice(this.#scanned, end).split("\n");
    this.#scanned = end;
    return fresh.some((line) => closesQuote(line) || beginsTurn(line.trim()));
  }
}

function whole(text: string, isWhole: boolean): string {
  return isWhole ? text : text.slice(0, text.lastIndexOf("\n") + 1);
}
