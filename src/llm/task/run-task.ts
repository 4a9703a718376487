import type { TaskPrompt } from "../../config/settings.js";
import { ModelError } from "../../diagnostics/errors.js";
import { andThen, isPromise, type MaybePromise } from "../../engine/async.js";
import type { Clock } from "../../engine/events.js";
import { isEmpty, type Made } from "../../engine/plain-data.js";
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
import type { LlmTasks, RenderedTask, TaskRequest } from "./task.js";
import { loadTemplateSyntax } from "../templates/template-syntax.js";

export interface TaskOptions {
  /** The configuration's prompts. */
  readonly prompts: readonly TaskPrompt[];
  readonly promptingMode: string;
  readonly historyPrinter: HistoryPrinter;
  /** Instructions of the configuration; only those of type `general` are used. */
  readonly instructions: readonly { readonly type: string; readonly content: string }[];
  readonly sampleConversation: string;
  readonly lowestTemperature: number;
  readonly clock: Clock;
  /** Additional output parsers; they replace built-in ones with the same name. */
  readonly outputParsers?: ParserTable | undefined;
  /**
   * Additional template filters, called with the value and the arguments; they replace built-in ones with the same
   * name.
   */
  readonly filters?: Readonly<Record<string, UserFilter>> | undefined;
  readonly promptContext?: PromptContext | undefined;
  /** Prompts of the rail library, overriding built-in ones and overridden by the configuration. */
  readonly libraryPrompts?: readonly CatalogPrompt[] | undefined;
}

/** Tasks that write text for users; all others classify, at the lowest temperature. */
const TEXT_TASKS: ReadonlySet<string> = new Set(["general", "generate_bot_message"]);

/** Number of characters between a prompt and the request below it. */
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
    // A custom filter may return different results each time.
    fixedValues: Object.keys(options.filters ?? {}).length === 0 ? fixedValues(source) : undefined,
  });

  const prepare = (request: TaskRequest): MaybePromise<PreparedTask> => {
    const syntax = loadTemplateSyntax();
    if (isPromise(syntax)) return syntax.then(() => prepare(request));
    const { model, task } = request;
    const prompt = store.get(task, model);
    const { max_prompt_tokens: tokens, max_length: length } = prompt.prompt;
    if (tokens === null) return preparedOf(request, prompt, renderTask(prompt, request, source, undefined));
    const fitted = fitTokens((maximum) => renderTask(prompt, request, source, maximum), {
      task,
      model,
      tokens,
      length,
    });
    return fitted.then((rendered) => preparedOf(request, prompt, rendered));
  };

  const preparedOf = (request: TaskRequest, prompt: PreparedPrompt, rendered: RenderedTask): PreparedTask => {
    const parser = parserOf(rendered, parsers, request.task);
    const parameters = callParameters(request, rendered, options.lowestTemperature);
    return { rendered, parser, parameters, isConfigured: prompt.isConfigured };
  };

  const run: LlmTasks["run"] = (request) => complete(request, () => prepare(request), options.clock);

  const start: LlmTasks["start"] = async (request, how) => {
    const { rendered, parser, parameters } = await prepare(request);
    const parse = (completion: string): string => textOf(parser?.(completion), completion);
    const call = new RunningCall({ request, prompt: rendered.prompt, parameters, clock: options.clock, ...how });
    return { call, prompt: rendered.prompt, parse, gradual: gradualParser(parser) };
  };

  return {
    has: (task) => store.has(task),
    load: () => andThen(loadTemplateSyntax(), () => undefined),
    render: (request) => renderTask(store.get(request.task, request.model), request, source, undefined),
    run,
    start,
  };
}

/** Calls the model, unless the reply to this prompt is known, and parses the completion. */
async function complete(
  request: TaskRequest,
  prepare: () => MaybePromise<PreparedTask>,
  clock: Clock,
): ReturnType<LlmTasks["run"]> {
  const prepared = prepare();
  const { rendered, parser, parameters, isConfigured } = isPromise(prepared) ? await prepared : prepared;
  const { outputParser } = rendered;
  const { replies, scope, images = [] } = request;
  const prompt = images.length === 0 ? rendered.prompt : { ...rendered.prompt, images };
  const place = replies === undefined ? undefined : await replies.find({ ...request, prompt, parameters });
  if (place !== undefined) scope.signal?.throwIfAborted();
  const completion =
    place?.text === undefined ? await callModel(request, prompt, parameters, clock) : { text: place.text };
  const text = truncateAtStop(completion.text, parameters.stop);
  const parsed = parser ? parser(text) : text;
  const result = { text: textOf(parsed, text), parsed, completion, prompt, isConfigured, outputParser };
  return place === undefined ? result : { ...result, place };
}

/** @throws ModelError `PR-106` for a parser that does not exist */
function parserOf({ outputParser }: RenderedTask, parsers: ParserTable, task: string): PreparedTask["parser"] {
  if (outputParser === undefined) return undefined;
  const parser = findParser(parsers, outputParser);
  if (parser) return parser;
  const message = `unknown output parser \`${outputParser}\` in the prompt of task \`${task}\``;
  throw new ModelError(message, { code: "PR-106", task });
}

/** A task before its model call. */
interface PreparedTask {
  readonly rendered: RenderedTask;
  readonly parser: ReturnType<typeof findParser>;
  readonly parameters: ModelParameters;
  readonly isConfigured: boolean;
}

/** Result of a parser, or its input if the result is not a text. */
const textOf = (parsed: unknown, text: string): string => (typeof parsed === "string" ? parsed : text);

type RenderRequest = Parameters<LlmTasks["render"]>[0];

/** @param maximum - limit in characters. Default: the `max_length` of the task */
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
    stop: stop ?? undefined,
    maxTokens: maxTokens ?? undefined,
    outputParser: outputParser ?? undefined,
  };
}

/** Merges a prompt's parameters with the caller's: those of the prompt win, and the stop sequences of both count. */
function callParameters(request: TaskRequest, rendered: RenderedTask, lowestTemperature: number): ModelParameters {
  const given = request.parameters ?? NO_PARAMETERS;
  const stop = joinStops(rendered.stop, given.stop);
  const maxTokens = rendered.maxTokens ?? given.maxTokens;
  const isText = TEXT_TASKS.has(request.task);
  const parameters: Made<ModelParameters> = isText
    ? { ...given }
    : { temperature: given.temperature ?? lowestTemperature };
  if (maxTokens !== undefined) parameters.maxTokens = maxTokens;
  if (stop.length > 0) parameters.stop = stop;
  if (isText) return parameters;
  if (given.format !== undefined) parameters.format = given.format;
  if (given.extra === undefined) return parameters;
  // A classification keeps its temperature, whatever `llm_params` the caller sets.
  const { temperature: _ignored, ...extra } = given.extra;
  if (!isEmpty(extra)) parameters.extra = extra;
  return parameters;
}

const NO_PARAMETERS: ModelParameters = {};

const NO_STOPS: readonly string[] = [];

function joinStops(ofPrompt: readonly string[] = NO_STOPS, ofCaller: readonly string[] = NO_STOPS): readonly string[] {
  return ofPrompt.length + ofCaller.length === 0 ? NO_STOPS : [...new Set([...ofPrompt, ...ofCaller])];
}
