import type { RailsConfig } from "../../config/rails-config.js";
import { GuardrailsError, InputShapeError } from "../../diagnostics/errors.js";

/** A custom model provider: takes the settings of an entry of `models`, returns a LangChain model. */
export type EngineFactory = (settings: Readonly<Record<string, unknown>>) => unknown;

/** A map without a prototype. */
function emptyMap<Value>(): Record<string, Value> {
  return Object.create(null) as Record<string, Value>;
}

/**
 * Registrations for `init(app)` of a configuration's code module. Everything is registered before the runtime exists;
 * nothing changes afterwards.
 *
 * @example
 * ```ts
 * // config.js of a configuration folder
 * export function init(app) {
 *   app.registerAction(({ sku }) => stock.get(sku) ?? 0, "check_stock");
 *   app.registerActionParam("shop", shop);
 * }
 * ```
 */
export class GuardrailsApp {
  readonly actions: { readonly value: unknown; readonly name?: string }[] = [];
  readonly actionParams: Record<string, unknown> = emptyMap();
  readonly filters: Record<string, (value: unknown, ...parameters: unknown[]) => unknown> = emptyMap();
  readonly outputParsers: Record<string, (completion: string) => unknown> = emptyMap();
  readonly promptContext: Record<string, unknown> = emptyMap();
  readonly #engines = new Map<string, EngineFactory>();
  #sealed = false;

  registerAction(value: unknown, name?: string): void {
    this.#open("registerAction");
    this.actions.push(name === undefined ? { value } : { value, name });
  }

  /** Registers a value that every action finds as `context.services[name]`. */
  registerActionParam(name: string, value: unknown): void {
    this.#open("registerActionParam");
    this.actionParams[name] = value;
  }

  /** Registers a filter for prompt templates. */
  registerFilter(name: string, filter: (value: unknown, ...parameters: unknown[]) => unknown): void {
    this.#open("registerFilter");
    this.filters[name] = filter;
  }

  /**
   * Registers a parser for `output_parser` of prompts. For a judge, it decides alone: `true` passes the text, `false`
   * blocks it, also as the first item of a list before categories; a string is read as the judge's reply.
   */
  registerOutputParser(name: string, parser: (completion: string) => unknown): void {
    this.#open("registerOutputParser");
    this.outputParsers[name] = parser;
  }

  /** Registers a variable for all prompt templates; a function is called when a template reads it. */
  registerPromptContext(name: string, value: unknown): void {
    this.#open("registerPromptContext");
    this.promptContext[name] = value;
  }

  /** Registers a provider for `engine: <name>` in `models`. */
  registerEngine(name: string, factory: EngineFactory): void {
    this.#open("registerEngine");
    this.#engines.set(name, factory);
  }

  /** The registered providers by engine name. */
  get engines(): ReadonlyMap<string, EngineFactory> {
    return this.#engines;
  }

  /** Ends registration; nothing that the runtime uses can change afterwards. */
  seal(): void {
    this.#sealed = true;
    for (const registered of [this.actions, this.actionParams, this.filters, this.outputParsers, this.promptContext]) {
      Object.freeze(registered);
    }
  }

  #open(method: string): void {
    if (!this.#sealed) return;
    throw new InputShapeError(
      `\`${method}\` can only be called while \`init\` runs; the runtime never changes afterwards`,
    );
  }
}

/** Runs the code of a configuration that registers parts: imported paths first, the configuration itself last. */
export async function initialiseApp(config: RailsConfig): Promise<GuardrailsApp> {
  const app = new GuardrailsApp();
  for (const { path, init } of config.code.inits) {
    try {
      await init(app);
    } catch (cause) {
      const message = `\`init\` of \`${path}\` failed: ${cause instanceof Error ? cause.message : String(cause)}`;
      throw new GuardrailsError(message, { code: "CF-116", cause });
    }
  }
  app.seal();
  return app;
}
