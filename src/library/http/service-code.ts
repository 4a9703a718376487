import { ABORT_SOURCE } from "../../actions/abort-source.js";
import type { ActionContext, ActionFunction, VerdictDetails } from "../../actions/action.js";
import { IMAGE_SLOT } from "../../actions/image-slot.js";
import { ActionError, type OnError } from "../../diagnostics/errors.js";
import type { MaybePromise } from "../../engine/async.js";
import { omitUndefined, toPlainData } from "../../engine/plain-data.js";
import { contextText } from "../context-text.js";
import { type ServiceReplies, serviceReplies } from "../judges/verdict-cache.js";
import { railPart } from "../rail-code.js";
import type { PrepareTools, RailCode, RailSettings } from "../rail-manifest.js";
import { rewriteSubject, type Source, subjectTexts } from "../subject.js";
import { ConnectTools } from "./connect-tools.js";
import { imageUrl } from "./image-url.js";
import { Reply, ReplyError } from "./reply.js";
import { type Connection, sendRequest, serviceError, type ServiceRequest } from "./send-request.js";

/** Verdict of a service on one text. */
export interface ServiceVerdict extends VerdictDetails {
  readonly blocked: boolean;
  /** Replacement for the checked text, for flows that rewrite. */
  readonly text?: string | undefined;
  /** Kind of block: a key of `FlowAction.cases`. */
  readonly case?: string | undefined;
}

/** Address and headers of a service, read from the settings. */
export interface ServiceAddress extends Partial<
  Pick<Connection, "headers" | "maxBytes" | "dispatcher" | "onError" | "timeoutMs">
> {
  /** Base URL; checked when the configuration loads. */
  readonly url: string;
  /** Keys and tokens, which are removed from all text of the service. */
  readonly secrets?: readonly (string | undefined)[];
  /** Values for `ask`, created once for each configuration. */
  readonly prepared?: unknown;
}

/** A text for a service to check, with its context. */
export interface Question<Settings = RailSettings> {
  /** Text to check; blank only if there are pictures. */
  readonly text: string;
  /** URLs of the pictures that belong to the text; empty for flows that read no pictures. */
  readonly images: readonly string[];
  readonly source: Source;
  /** Argument `ask` of the flow, if flows of one service ask different questions. */
  readonly ask: string | undefined;
  /** Parameters in the reference of the flow, such as the name of a classifier. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly settings: Settings;
  /** `prepared` of the address. */
  readonly prepared: unknown;
  /** User message that the text belongs to; empty without one. */
  readonly userMessage: string;
  /** Evidence for a bot message: retrieved chunks and tool results. */
  readonly evidence: readonly string[];
  readonly context: ActionContext;
  /** Sends a body to a path of the service. */
  post(path: string, body: unknown, more?: Omit<ServiceRequest, "url" | "body">): Promise<Reply>;
  /** Sends any request. */
  send(request: ServiceRequest): Promise<Reply>;
}

/** Description of a rail that calls a service. */
export interface Service<Settings> {
  /** Name of the rail's manifest. */
  readonly rail: string;
  /** Title of the service, for errors. */
  readonly title: string;
  /** Reads address and key when a configuration loads, and reports those that are missing. */
  connect(settings: Settings, tools: ConnectTools): MaybePromise<ServiceAddress>;
  ask(question: Question<Settings>): Promise<ServiceVerdict>;
}

/** Settings that all service rails have. */
interface ServiceSettings {
  readonly timeout?: number;
  readonly retries?: number;
  readonly on_error?: OnError | null;
}

/** Prepared settings of a service rail. */
interface ServicePart {
  readonly settings: RailSettings;
  readonly address: ServiceAddress;
  readonly connection: Omit<Connection, "action">;
  /** True if the cache of verdicts stores verdicts of the service. */
  readonly isKept: boolean;
}

/**
 * Returns the code of a rail whose manifest `serviceManifest` creates.
 *
 * @example
 * ```ts
 * export const { actions, prepare } = serviceCode({
 *   rail: "pangea",
 *   title: "Pangea AI Guard",
 *   connect: (_, tools) => bearer("https://ai-guard.aws.us.pangea.cloud", tools.key("PANGEA_API_TOKEN")),
 *   ask: async ({ text, post }) => {
 *     const reply = await post("/v1/text/guard", { text });
 *     return { blocked: reply.at("result", "blocked").flag() };
 *   },
 * });
 * ```
 */
export function serviceCode<Settings>(description: Service<Settings>): Required<RailCode> {
  // The schema and the code of a rail agree on the type of its settings.
  const service = description as unknown as Service<RailSettings>;
  const noun = service.rail.replaceAll("-", "_");
  const actions = {
    [`check_${noun}`]: actionOf(service, `check_${noun}`, (verdicts) => verdicts.some(({ blocked }) => blocked)),
    [`sort_${noun}`]: actionOf(service, `sort_${noun}`, (verdicts) => {
      const blocking = verdicts.find(({ blocked }) => blocked);
      return { blocked: blocking !== undefined, case: blocking?.case ?? null };
    }),
    [`mask_${noun}`]: actionOf(service, `mask_${noun}`, (_, rewritten) => rewritten()),
    [`guard_${noun}`]: actionOf(service, `guard_${noun}`, (verdicts, rewritten) =>
      verdicts.some(({ blocked }) => blocked) ? { blocked: true } : { blocked: false, text: rewritten() },
    ),
  };
  return { actions, prepare: (settings, tools) => prepareService(service, settings, tools) };
}

async function prepareService(
  service: Service<RailSettings>,
  settings: RailSettings,
  tools: PrepareTools,
): Promise<ServicePart> {
  const address = await service.connect(settings, new ConnectTools(tools, service.title));
  const { timeout = 30, retries = 2, on_error: stated } = settings as ServiceSettings;
  const { headers = {}, maxBytes, dispatcher, onError, timeoutMs = timeout * 1000 } = address;
  const connection = { service: service.title, headers, timeoutMs, retries, maxBytes, dispatcher };
  const isKept = tools.verdictsBy === "text";
  return { settings, address, connection: { ...connection, onError: stated ?? onError }, isKept };
}

type Rewritten = () => unknown;

function actionOf(
  service: Service<RailSettings>,
  action: string,
  resultOf: (verdicts: readonly ServiceVerdict[], rewritten: Rewritten) => unknown,
): ActionFunction {
  return async ({ source, text, ask, ...parameters }, context) => {
    const part = await railPart<ServicePart>(context, service.rail);
    const connection = { ...part.connection, action };
    const images = imagesOf(context, connection);
    const read = [...new Set(subjectTexts(source, context, text))].filter((passage) => passage.trim() !== "");
    const texts = images.length > 0 && read.length === 0 ? [""] : read;
    const send = async (request: ServiceRequest): Promise<Reply> =>
      new Reply(await sendRequest(connection, request, context[ABORT_SOURCE] ?? context.signal));
    const evidence = context.context["relevant_chunks_sep"];
    const common = {
      // `subjectTexts` refuses any other source.
      source: source as Source,
      ask: typeof ask === "string" ? ask : undefined,
      parameters,
      settings: part.settings,
      prepared: part.address.prepared,
      userMessage: contextText(context.context, "user_message", "last_user_message"),
      evidence:
        textsOf(evidence) ?? [contextText(context.context, "relevant_chunks")].filter((passage) => passage !== ""),
      context,
      images,
      send,
      post: (path: string, body: unknown, more: Omit<ServiceRequest, "url" | "body"> = {}) =>
        send({ ...more, url: part.address.url + path, body }),
    };
    try {
      const verdictOn = (passage: string): Promise<ServiceVerdict> => service.ask({ ...common, text: passage });
      // Actions that rewrite always call the service: the cache stores no texts.
      const replies = part.isKept && images.length === 0 && /^(?:check|sort)_/.test(action) && serviceReplies(context);
      const known = [
        service.rail,
        part.address.url,
        part.address.secrets,
        part.settings,
        common.source,
        common.ask,
        parameters,
      ];
      const verdicts = await inBatches(texts, (passage) =>
        replies ? keptVerdict(replies, [...known, passage], () => verdictOn(passage)) : verdictOn(passage),
      );
      annotate(verdicts, part.address.secrets, context);
      if (images.length > 0) context.annotate({ metadata: { ...verdicts[0]?.metadata, images: images.length } });
      const replaced = new Map(texts.map((passage, index) => [passage, verdicts[index]?.text ?? passage]));
      return resultOf(verdicts, () =>
        rewriteSubject(source, context, text, { text: (passage) => replaced.get(passage) ?? passage }),
      );
    } catch (error) {
      const failure =
        error instanceof ReplyError ? serviceError(connection, `its response is not valid: ${error.message}`) : error;
      if (!ActionError.isInstance(failure)) throw failure;
      throw withPassing(failure, () => resultOf([], () => rewriteSubject(source, context, text, { text: String })));
    }
  };
}

/**
 * Returns the cached verdict on one text, or calls the service and stores its verdict.
 * INVARIANT: neither failures nor rewritten texts are stored.
 *
 * @param question - all values that the verdict depends on
 */
async function keptVerdict(
  replies: ServiceReplies,
  question: readonly unknown[],
  ask: () => Promise<ServiceVerdict>,
): Promise<ServiceVerdict> {
  const parts = toPlainData(question);
  if (!parts.ok) return ask();
  const place = await replies.findVerdict(JSON.stringify(parts.value));
  const known = readVerdict(place.text);
  if (known !== undefined) return { ...known, metadata: { ...known.metadata, cached: true } };
  const { text: _, ...verdict } = await ask();
  await place.keep(JSON.stringify(verdict));
  return verdict;
}

/** Parses a cached verdict; returns undefined if it is not valid. */
function readVerdict(reply: string | undefined): ServiceVerdict | undefined {
  if (reply === undefined) return undefined;
  try {
    const value = JSON.parse(reply) as ServiceVerdict | null;
    return typeof value?.blocked === "boolean" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the error with the result of the action for a text that passes. */
function withPassing(error: ActionError, resultOf: () => unknown): ActionError {
  const { message, code, action, cause, timeoutMs, status, onError } = error;
  return new ActionError(message, { code, action, cause, timeoutMs, status, onError, passing: { value: resultOf() } });
}

/** @throws ActionError for a picture without a URL, which cannot be sent to the service */
function imagesOf(context: ActionContext, connection: Connection): readonly string[] {
  return (context[IMAGE_SLOT]?.images ?? []).map((block) => {
    const url = imageUrl(block);
    if (url === undefined)
      throw serviceError(connection, "a picture has neither an address nor bytes that can be sent");
    return url;
  });
}

function textsOf(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.every((item) => typeof item === "string") ? value : undefined;
}

/** Number of concurrent requests, for retrieved chunks. */
const BATCH = 8;

async function inBatches<Result>(
  texts: readonly string[],
  ask: (text: string) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < texts.length; start += BATCH) {
    results.push(...(await Promise.all(texts.slice(start, start + BATCH).map(ask))));
  }
  return results;
}

const MOST_CATEGORIES = 50;
const LONGEST_CATEGORY = 100;

/** Adds the verdicts to the decision. INVARIANT: a key that a service repeats never appears in a decision. */
function annotate(
  verdicts: readonly ServiceVerdict[],
  secrets: ServiceAddress["secrets"] = [],
  context: ActionContext,
): void {
  if (verdicts.length === 0) {
    context.annotate({ reason: "there is no text to check" });
    return;
  }
  const shown = (text: string): string =>
    secrets
      .reduce((kept: string, secret) => (secret ? kept.replaceAll(secret, "…") : kept), text)
      .slice(0, LONGEST_CATEGORY);
  const categories = [...new Set(verdicts.flatMap((verdict) => verdict.categories ?? []).map(shown))];
  const scores = verdicts.flatMap(({ score }) => score ?? []);
  const first = verdicts.find(({ blocked }) => blocked) ?? verdicts[0];
  const { reason, threshold, metadata } = first ?? {};
  context.annotate({
    ...omitUndefined({ reason, threshold, metadata }),
    ...(categories.length === 0 ? {} : { categories: categories.slice(0, MOST_CATEGORIES) }),
    ...(scores.length === 0 ? {} : { score: first?.score ?? Math.max(...scores) }),
  });
}
