import type { TaskPrompt } from "../../config/settings.js";
import { ModelError } from "../../diagnostics/errors.js";
import type { Clock } from "../../engine/events.js";
import { callModel } from "./call-model.js";
import { fitTokens } from "../prompts/fit-tokens.js";
import { PROMPT_CATALOG } from "../catalog/catalog.js";
import { createPromptDialect, type HistoryPrinter, type UserFilter } from "../templates/filters/prompt.js";
import type { ModelParameters } from "../model.js";
import { findParser, gradualParser, OUTPUT_PARSERS, type ParserTable } from "../parsers/registry.js";
import { adaptPrompt, appendRequest, truncateAtStop } from "../prompts/prompt-text.js";
import { fixedValues, renderPrompt, type PromptContext, type RenderSource } from "../prompts/render-prompt.js";
import { RunningCall } from "./running-call.js";
import { type CatalogPrompt, createPromptStore, type PreparedPrompt } from "../prompts/task-prompts.js";
import type { LlmTasks, RenderedTask, TaskRequest, TaskResult } from "./task.js";
import { loadTemplateSyntax } from "../templates/template-syntax.js";

export interface TaskOptions {
  /** The configuration's prompts. */
  readonly prompts: readonly TaskPrompt[];
  readonly promptingMode: string;
  readonly historyPrinter: HistoryPrinter;
  /** The configuration's instructions; those of type `general` count. */
  readonly instructions: readonly { readonly type: string; readonly content: string }[];
  readonly sampleConversation: string;
  readonly lowestTemperature: number;
  readonly clock: Clock;
  /** Further output parsers; they replace built-in ones of the same name. */
  readonly outputParsers?: ParserTable | undefined;
  /** Further template filters, called with the value and the arguments; they replace built-in ones of the same name. */
  readonly filters?: Readonly<Record<string, UserFilter>> | undefined;
  readonly promptContext?: PromptContext | undefined;
  /** Prompts of the rail library, between the built-in ones and those of the configuration. */
  readonly libraryPrompts?: readonly CatalogPrompt[] | undefined;
}

/** Tasks that write text for people; all others classify, at the lowest temperature. */
const TEXT_TASKS: ReadonlySet<string> = new Set(["general", "generate_bot_message"]);

/** Characters between a prompt and the request below it. */
const FOLLOW_UP_GAP = 2;

/**
 * The LLM tasks of a configuration: select the prompt, render it, call the model, parse the completion.
 *
 * @example
 * ```ts
 * const tasks = createTasks({ prompts, promptingMode: "standard", historyPrinter, instructions, sampleConversation, lowestTemperature: 0.001, clock });
 * const { text } = await tasks.run({ task: "general", model, events, context: {}, scope: {} });
 * ```
 */
export function createTasks(options: TaskOptions): LlmTasks {
  const parsers: ParserTable = { ...OUTPUT_PARSERS, ...options.outputParsers };
  const catalog = [...PROMPT_CATALOG, ...(options.libraryPrompts ?? [])];
  const dialect = createPromptDialect(options.historyPrinter, options.filters);
  const { instructions, sampleConversation, promptContext = {} } = options;
  const general = instructions.filter(({ type }) => type === "general").map(({ content }) => content.trim());
  const source = { settings: { generalInstructions: general.join("\n"), sampleConversation }, promptContext };
  const store = createPromptStore({
    catalog,
    configured: options.prompts,
    mode: options.promptingMode,
    dialect,
    // A filter of the user may give another result each time.
    fixedValues: Object.keys(options.filters ?? {}).length === 0 ? fixedValues(source) : undefined,
  });

  const render = (request: RenderRequest, maximum?: number): RenderedTask =>
    renderTask(store.get(request.task, request.model), request, source, maximum);

  const prepare = async (request: TaskRequest) => {
    await loadTemplateSyntax();
    const { model, task } = request;
    const { max_prompt_tokens: tokens, max_length: length } = store.get(task, model).prompt;
    const rendered =
      tokens === null
        ? render(request)
        : await fitTokens((maximum) => render(request, maximum), { task, model, tokens, length });
    const parser = rendered.outputParser === undefined ? undefined : findParser(parsers, rendered.outputParser);
    if (rendered.outputParser !== undefined && !parser) {
      const message = `unknown output parser \`${rendered.outputParser}\` in the prompt of task \`${task}\``;
      throw new ModelError(message, { code: "PR-106", task });
    }
    return { rendered, parser, parameters: callParameters(request, rendered, options.lowestTemperature) };
  };

  const run: LlmTasks["run"] = async (request) => {
    const { rendered, parser, parameters } = await prepare(request);
    const completion = await callModel(request, rendered.prompt, parameters, options.clock);
    const text = truncateAtStop(completion.text, parameters.stop);
    const parsed = parser ? parser(text) : text;
    return {
      text: textOf(parsed, text),
      parsed,
      completion,
      prompt: rendered.prompt,
      isConfigured: store.get(request.task, request.model).isConfigured,
      ...(rendered.outputParser === undefined ? {} : { outputParser: rendered.outputParser }),
    } satisfies TaskResult;
  };

  const start: LlmTasks["start"] = async (request, how) => {
    const { rendered, parser, parameters } = await prepare(request);
    const parse = (completion: string): string => textOf(parser?.(completion), completion);
    const call = new RunningCall({ request, prompt: rendered.prompt, parameters, clock: options.clock, ...how });
    return { call, prompt: rendered.prompt, parse, gradual: gradualParser(parser) };
  };

  return {
    has: (task) => store.has(task),
    load: async () => void (await loadTemplateSyntax()),
    render: (request) => render(request),
    run,
    start,
  };
}

/** Result of a parser, or the text that it was given where the result is not a text. */
const textOf = (parsed: unknown, text: string): string => (typeof parsed === "string" ? parsed : text);

type RenderRequest = Parameters<LlmTasks["render"]>[0];

/** @param maximum - characters of the prompt; by default the `max_length` of the task */
function renderTask(
  prepared: PreparedPrompt,
  request: RenderRequest,
  source: RenderSource,
  maximum: number | undefined,
): RenderedTask {
  const { stop, max_tokens: maxTokens, output_parser: outputParser, max_length: length } = prepared.prompt;
  const { followUp } = request;
  const limit = maximum ?? length;
  const room = followUp === undefined ? limit : limit - followUp.length - FOLLOW_UP_GAP;
  const rendered = renderPrompt(prepared, request, source, room);
  const whole = followUp === undefined ? rendered : appendRequest(rendered, followUp);
  return {
    prompt: adaptPrompt(whole, request.model.family),
    ...(stop ? { stop } : {}),
    ...(maxTokens === null ? {} : { maxTokens }),
    ...(outputParser === null ? {} : { outputParser }),
  };
}

/** Merges the parameters of a prompt with the caller's: those of the prompt win, and the stop sequences of both count. */
function callParameters(request: TaskRequest, rendered: RenderedTask, lowestTemperature: number): ModelParameters {
  const given = request.parameters ?? {};
  const stop = [...new Set([...(rendered.stop ?? []), ...(given.stop ?? [])])];
  const maxTokens = rendered.maxTokens ?? given.maxTokens;
  const limits = { ...(stop.length > 0 ? { stop } : {}), ...(maxTokens === undefined ? {} : { maxTokens }) };
  if (TEXT_TASKS.has(request.task)) return { ...given, ...limits };
  // A classification needs its temperature more than the caller's `llm_params` do.
  const { temperature: _ignored, ...extra } = given.extra ?? {};
  return {
    ...limits,
    temperature: given.temperature ?? lowestTemperature,
    ...(given.format === undefined ? {} : { format: given.format }),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  };
}
