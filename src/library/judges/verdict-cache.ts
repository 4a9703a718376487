import type { ActionContext } from "../../actions/action.js";
import type { RailsSettings } from "../../config/settings.js";
import { type Logger, logOnce, writeInfo } from "../../diagnostics/logger.js";
import type { MaybePromise } from "../../engine/async.js";
import type { Clock } from "../../engine/events.js";
import { readOwn, toPlainData } from "../../engine/plain-data.js";
import type { LanguageModel, ModelSet } from "../../llm/model.js";
import type { ReplyCache, ReplyPlace } from "../../llm/task/task.js";
import { VERDICT_CACHE_SERVICE } from "../rail-code.js";
import { contentHash } from "../../retrieval/content-hash.js";
import { SharedVerdicts, type SharedVerdictsOptions } from "./shared-verdicts.js";
import { LONGEST_REPLY, MemoryVerdictStore, type VerdictStore } from "./verdict-store.js";

/** Keys of `configurable` that identify a conversation or belong to LangGraph. No reply of a judge depends on them. */
const OF_THREAD = /^(?:__pregel|checkpoint|thread_id$|run_id$)/;

/** Ids of models in this process: two models of one name may have different parameters. */
const numbers = new WeakMap<object, number>();
let lastNumber = 0;

function numberOf(model: LanguageModel): number {
  const { native } = model;
  const identity = typeof native === "object" && native !== null ? native : model;
  let number = numbers.get(identity);
  if (number === undefined) numbers.set(identity, (number = lastNumber += 1));
  return number;
}

/** Placeholder for the model in keys of service verdicts. */
const OF_SERVICE = "service";

/** Cache of service verdicts, in the same store as the replies of judges. */
export type ServiceReplies = Pick<VerdictReplies, "findVerdict">;

interface CacheOptions {
  readonly store: VerdictStore;
  /** Shared store, used if `store` has no reply. */
  readonly shared?: { readonly verdicts: SharedVerdicts; nameOf(model: LanguageModel): unknown } | undefined;
  readonly ttlMs: number;
  readonly logger?: Logger | undefined;
  /** Called at each lookup. */
  readonly onLookup?: ((isHit: boolean) => void) | undefined;
}

type Call = Parameters<ReplyCache["find"]>[0];

/** Entry for a reply in the shared store. */
interface SharedPlace {
  readonly verdicts: SharedVerdicts;
  readonly key: string;
}

/**
 * Cache of judges' replies. A key contains all values that a reply depends on: the task, the model, the rendered prompt with its
 * pictures, and the parameters. The cache stores the reply itself, which is parsed again at each use.
 *
 * INVARIANT: texts are compared exactly. If case or spaces were ignored, the verdict on a harmless text could apply to another one.
 */
export class VerdictReplies implements ReplyCache {
  readonly #options: CacheOptions;

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  async find(call: Call): Promise<ReplyPlace | undefined> {
    const parts = partsOf(call);
    if (parts === undefined) return undefined;
    const nameOf = (): unknown => this.#options.shared?.nameOf(call.model);
    return this.#place(JSON.stringify([numberOf(call.model), parts]), parts, nameOf);
  }

  /** Returns the entry for a service verdict, by all values that it depends on. */
  findVerdict(parts: string): Promise<ReplyPlace> {
    return this.#place(JSON.stringify([OF_SERVICE, parts]), parts, () => OF_SERVICE);
  }

  async #place(place: string, parts: string, nameOf: () => unknown): Promise<ReplyPlace> {
    const key = await contentHash(place);
    const { store, ttlMs, onLookup } = this.#options;
    const sharedVerdict = await this.#tried(() => store.get(key));
    const isKnown = typeof sharedVerdict === "string" && sharedVerdict.length <= LONGEST_REPLY;
    const shared = isKnown ? undefined : await this.#sharedPlace(nameOf, parts);
    const known = isKnown ? sharedVerdict : await this.#findShared(shared, key);
    onLookup?.(known !== undefined);
    const keep = async (reply: string): Promise<void> => {
      if (reply.length > LONGEST_REPLY) return;
      await this.#tried(() => store.set(key, reply, ttlMs));
      await this.#tried(() => shared?.verdicts.keep(shared.key, reply, ttlMs));
    };
    return { text: known, keep };
  }

  /** Returns the entry in the shared store; undefined without a store, or if the model has no name in it. */
  #sharedPlace(nameOf: () => unknown, parts: string): Promise<SharedPlace | undefined> {
    return this.#tried(async () => {
      const { shared } = this.#options;
      const name = nameOf();
      if (shared === undefined || name === undefined) return undefined;
      return { verdicts: shared.verdicts, key: await shared.verdicts.keyOf(JSON.stringify([name, parts])) };
    });
  }

  /** Looks up a reply in the shared store, and keeps it in memory until it expires. */
  async #findShared(place: SharedPlace | undefined, key: string): Promise<string | undefined> {
    const found = await this.#tried(() => place?.verdicts.find(place.key));
    if (found === undefined || found.reply.length > LONGEST_REPLY) return undefined;
    const { store, ttlMs } = this.#options;
    await this.#tried(() => store.set(key, found.reply, Math.min(ttlMs, found.leftMs)));
    return found.reply;
  }

  /** INVARIANT: a store that fails changes no verdict. */
  async #tried<Value>(work: () => MaybePromise<Value>): Promise<Value | undefined> {
    try {
      return await work();
    } catch {
      logOnce(this.#options.logger, "warn", "verdict cache", "the cache of verdicts failed, so rails ask their models");
      return undefined;
    }
  }
}

/** Returns all values that a reply depends on, except for the model; undefined if they cannot be compared. */
function partsOf({ task, model, prompt, parameters, scope }: Call): string | undefined {
  // INVARIANT: a reply about a picture by URL is not cached, since the picture may change.
  if (prompt.kind === "native" || (prompt.images ?? []).length > 0) return undefined;
  const given = Object.entries(scope.config?.configurable ?? {});
  const configurable = given.filter(([name, value]) => !OF_THREAD.test(name) && value !== undefined);
  const read = toPlainData([sorted(Object.entries(parameters)), sorted(configurable)]);
  if (!read.ok) return undefined;
  const identity = [model.engine, model.name, model.family];
  return JSON.stringify([task, identity, prompt, read.value]);
}

function sorted(entries: readonly (readonly [string, unknown])[]): typeof entries {
  return entries.toSorted(([left], [right]) => (left < right ? -1 : 1));
}

/** Statistics of one cache, logged at intervals. */
class CacheCounts {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #write: (line: string) => void;
  #hits = 0;
  #misses = 0;
  #writtenAt: number;

  constructor(clock: Clock, intervalMs: number, write: (line: string) => void) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#write = write;
    this.#writtenAt = clock.now();
  }

  /** Counts a lookup. There is no timer: the first lookup after the interval writes the line. */
  add(isHit: boolean): void {
    if (isHit) this.#hits += 1;
    else this.#misses += 1;
    const now = this.#clock.now();
    if (now - this.#writtenAt < this.#intervalMs) return;
    this.#writtenAt = now;
    this.#write(`${this.#hits} hits, ${this.#misses} misses`);
  }
}

interface VerdictCacheInput {
  readonly settings: Pick<RailsSettings, "models" | "rails">;
  readonly models: ModelSet;
  /** Shared store; default: none. */
  readonly sharedVerdicts?: SharedVerdictsOptions | undefined;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
}

/** Caches of a configuration: one for all models, and one for each model with its own setting. */
export class VerdictCaches {
  readonly #shared: VerdictReplies | undefined;
  readonly #ofModels = new Map<LanguageModel, ReplyCache>();

  constructor({ settings, models, sharedVerdicts, clock, logger }: VerdictCacheInput) {
    const { enabled, size, ttl } = settings.rails.cache;
    const verdicts = sharedVerdicts && new SharedVerdicts(sharedVerdicts, { clock, logger });
    const nameOf = (model: LanguageModel): unknown => sharedName(model, models, settings.models);
    const common = { ttlMs: ttl * 1_000, logger, shared: verdicts && { verdicts, nameOf } };
    if (enabled) this.#shared = new VerdictReplies({ ...common, store: new MemoryVerdictStore(size, clock) });
    for (const { type, cache } of settings.models) {
      const model = readOwn(models.byType, type) as LanguageModel | undefined;
      if (!cache.enabled || model === undefined) continue;
      const store = new MemoryVerdictStore(cache.maxsize, clock);
      const { enabled: counts, log_interval: seconds } = cache.stats;
      const write = (line: string): void =>
        writeInfo(logger, `cache of verdicts of the model \`${type}\`: ${line}, ${store.size} kept`);
      const counter = counts && seconds !== null ? new CacheCounts(clock, seconds * 1_000, write) : undefined;
      const onLookup = counter === undefined ? undefined : (isHit: boolean) => counter.add(isHit);
      this.#ofModels.set(model, new VerdictReplies({ ...common, store, onLookup }));
    }
  }

  /** Cache for service verdicts; undefined if the configuration has none. */
  get ofServices(): ServiceReplies | undefined {
    return this.#shared;
  }

  /** Returns the cache for calls of a model. */
  repliesOf(model: LanguageModel): ReplyCache | undefined {
    return this.#ofModels.get(model) ?? this.#shared;
  }
}

/**
 * Returns a name for the model that is the same in all processes with the same configuration: its types with their settings.
 * Undefined for a model passed to a call, which may differ between processes.
 */
function sharedName(model: LanguageModel, { main, byType }: ModelSet, settings: RailsSettings["models"]): unknown {
  const types = Object.keys(byType).filter((type) => byType[type] === model);
  if (main === model && !types.includes("main")) types.push("main");
  if (types.length === 0) return undefined;
  const stated = settings.filter(({ type }) => types.includes(type));
  return [types.toSorted(), stated.map(({ engine, model: name, parameters }) => [engine, name, parameters])];
}

/** Returns the cache for an action that calls a model; undefined if the configuration has none for it. */
export function repliesFor(
  { services }: Pick<ActionContext, "services">,
  model: LanguageModel,
): ReplyCache | undefined {
  const caches = readOwn(services, VERDICT_CACHE_SERVICE);
  return caches instanceof VerdictCaches ? caches.repliesOf(model) : undefined;
}

/** Returns the cache for an action that calls a service; undefined if the configuration has none. */
export function serviceReplies({ services }: Pick<ActionContext, "services">): ServiceReplies | undefined {
  const caches = readOwn(services, VERDICT_CACHE_SERVICE);
  return caches instanceof VerdictCaches ? caches.ofServices : undefined;
}
