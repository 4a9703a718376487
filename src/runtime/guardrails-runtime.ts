import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { RailsConfig } from "../config/rails-config.js";
import { InputShapeError } from "../diagnostics/errors.js";
import type { RailDecision } from "./decision.js";
import { runSingleFlow } from "./flow-run.js";
import type { TurnMessage, TurnOptions } from "./options.js";
import { botMessage, canonicalForm, nextStep } from "./stages.js";
import type { RailSubject, StageResult, TurnResult } from "./result.js";
import type { BotUtterance, CanonicalForm, FlowResult, NextStep, Runtime } from "./runtime-contract.js";
import type { RuntimeServices } from "./services.js";
import { checkRail, checkStage } from "./stage-check.js";
import { ThreadStoreError } from "./thread-store-error.js";
import { MemoryThreadStore, ThreadQueue, type ThreadStore } from "./threads.js";
import { takeTurn } from "./take-turn.js";

/**
 * The runtime of one configuration. It keeps nothing between calls but its thread store.
 */
export class GuardrailsRuntime implements Runtime {
  readonly #services: RuntimeServices;
  readonly #threads: ThreadStore;
  readonly #queue = new ThreadQueue();

  constructor(services: RuntimeServices, threads: ThreadStore = new MemoryThreadStore()) {
    this.#services = services;
    this.#threads = threads;
  }

  get config(): RailsConfig {
    return this.#services.config;
  }

  get warnings(): readonly Diagnostic[] {
    return this.#services.warnings;
  }

  get hasDialog(): boolean {
    const { program } = this.#services;
    return Object.keys(program.userMessages).length > 0 || program.flows.some((flow) => flow.tier === "user");
  }

  get hasMain(): boolean {
    return this.#services.models.main !== undefined;
  }

  railNames(stage: "input" | "output" | "retrieval"): readonly string[] {
    return this.#services.config.settings.rails[stage].flows;
  }

  async turn(messages: readonly TurnMessage[], options: TurnOptions = {}): Promise<TurnResult> {
    const thread = threadIdOf(options);
    if (thread === undefined || options.state !== undefined) {
      const { result } = await takeTurn(this.#services, messages, options, {
        stored: options.state,
        keep: options.state !== undefined,
      });
      return result;
    }
    return this.#queue.run(thread, options.config?.signal, async () => {
      const stored = await guardStore(thread, undefined, () => this.#threads.get(thread));
      const { result, state } = await takeTurn(this.#services, messages, options, {
        stored: stored?.state,
        keep: true,
      });
      const expectedVersion = stored?.version ?? 0;
      const kept = await guardStore(thread, result, () =>
        this.#threads.set(thread, { version: expectedVersion + 1, state }, { expectedVersion }),
      );
      if (kept !== false) return result;
      const message = `the conversation \`${thread}\` was changed meanwhile, so this turn was not kept; take it again`;
      throw new ThreadStoreError(message, { code: "RL-403", thread, result });
    });
  }

  runStage(
    stage: "input" | "output" | "retrieval",
    subject: RailSubject,
    options: TurnOptions = {},
  ): Promise<StageResult> {
    return checkStage(this.#services, stage, subject, options);
  }

  runRail(reference: string, subject: RailSubject, options: TurnOptions = {}): Promise<RailDecision> {
    return checkRail(this.#services, reference, subject, options);
  }

  runFlow(
    flow: string,
    messages: readonly TurnMessage[],
    variables: Readonly<Record<string, unknown>>,
    options: TurnOptions = {},
  ): Promise<FlowResult> {
    return runSingleFlow(this.#services, flow, messages, variables, options);
  }

  canonicalForm(text: string, history: readonly TurnMessage[], options: TurnOptions = {}): Promise<CanonicalForm> {
    return canonicalForm(this.#services, text, history, options);
  }

  nextStep(intent: string, history: readonly TurnMessage[], options: TurnOptions = {}): Promise<NextStep> {
    return nextStep(this.#services, intent, history, options);
  }

  botMessage(
    intent: string,
    context: Readonly<Record<string, unknown>>,
    history: readonly TurnMessage[],
    options: TurnOptions = {},
  ): Promise<BotUtterance> {
    return botMessage(this.#services, intent, context, history, options);
  }
}

/** An identity that is none would silently make the call forget everything, so it is refused. */
function threadIdOf(options: TurnOptions): string | undefined {
  const id: unknown = options.config?.configurable?.["thread_id"];
  if (id === undefined || id === null) return undefined;
  if (typeof id === "string" && id !== "") return id;
  if (typeof id === "number" && Number.isFinite(id)) return String(id);
  const found = id === "" ? "an empty text" : typeof id === "number" ? String(id) : `of type ${typeof id}`;
  throw new InputShapeError(`\`configurable.thread_id\` is a text or a number that names a conversation, not ${found}`);
}

async function guardStore<Result>(
  thread: string,
  result: TurnResult | undefined,
  work: () => Promise<Result> | Result,
): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const what = result === undefined ? "read" : "kept";
    const message = `the conversation \`${thread}\` could not be ${what}, the thread store failed: ${why}`;
    throw new ThreadStoreError(message, { code: "RL-404", thread, result, cause });
  }
}
