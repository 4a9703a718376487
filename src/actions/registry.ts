import { suggest } from "../diagnostics/suggestion.js";
import type { ActionDefinition } from "./action.js";
import { foldBlanks, toSnakeCaseName } from "../engine/events.js";
import { toActionDefinition } from "./from-value.js";

/** A remark on how a name was understood, with the code of the diagnostic it belongs to. */
export interface ResolutionNote {
  readonly code: "CO-312";
  readonly message: string;
}

export type ActionResolution =
  | { readonly found: true; readonly definition: ActionDefinition; readonly note?: ResolutionNote }
  | { readonly found: false; readonly suggestions: readonly string[] };

/** Facts about actions that the compiler of flows uses. */
export interface ActionNames {
  /** By the exact name: the compiler itself suggests near names. */
  has(name: string): boolean;
  parametersOf(name: string): readonly string[] | undefined;
  /** Every parameter that the action takes; undefined where that is not known. */
  acceptedBy(name: string): readonly string[] | undefined;
  readonly complete: boolean;
  readonly names: readonly string[];
}

const MAX_RESOLVED = 1_000;
/** Names found and not found after which none is kept that finds nothing. */
const MAX_UNKNOWN = 500;

/**
 * The actions of a configuration. It never changes; `extend` gives a builder that starts with the same actions.
 *
 * @example
 * ```ts
 * const registry = new ActionRegistryBuilder().register(fetchOrder, "fetch order").build();
 * registry.resolve("fetch_order"); // { found: true, definition, note: { code: "CO-312", … } }
 * ```
 */
export class ActionRegistry {
  readonly #actions: ReadonlyMap<string, ActionDefinition>;
  /** Names as flows write them. Of those that find nothing only the first ones are kept: a model may have made them up. */
  readonly #resolved = new Map<string, ActionResolution>();

  constructor(actions: Iterable<ActionDefinition> = []) {
    const byName = new Map<string, ActionDefinition>();
    for (const action of actions) byName.set(action.name, action);
    this.#actions = byName;
  }

  get names(): readonly string[] {
    return [...this.#actions.keys()];
  }

  get(name: string): ActionDefinition | undefined {
    return this.#actions.get(name);
  }

  /** Finds an action by its exact name, else by its snake_case form, else with blanks and underscores taken as one. */
  resolve(name: string): ActionResolution {
    const known = this.#resolved.get(name);
    if (known !== undefined) return known;
    const resolution = this.#resolve(name);
    const limit = resolution.found ? MAX_RESOLVED : MAX_UNKNOWN;
    if (this.#resolved.size < limit) this.#resolved.set(name, resolution);
    return resolution;
  }

  #resolve(name: string): ActionResolution {
    const exact = this.#actions.get(name) ?? this.#actions.get(toSnakeCaseName(name));
    if (exact) return { found: true, definition: exact };
    let near = this.#namesLike(name);
    if (near.length === 0) near = this.#namesLike(toSnakeCaseName(name));
    const [only] = near;
    const definition = near.length === 1 && only !== undefined ? this.#actions.get(only) : undefined;
    if (!definition) {
      const names = this.#actions;
      return {
        found: false,
        // Only an error message reads them; hosts resolve names that are not actions of theirs in each turn.
        get suggestions() {
          if (near.length > 1) return near;
          const found = suggest(name, names.keys()) ?? suggest(toSnakeCaseName(name), names.keys());
          return found === undefined ? [] : [found];
        },
      };
    }
    const message = `\`${name}\` was taken as the action \`${definition.name}\``;
    return { found: true, definition, note: { code: "CO-312", message } };
  }

  /** Names that differ in blanks and underscores alone. */
  #namesLike(name: string): readonly string[] {
    const folded = foldBlanks(name);
    const [first = ""] = folded.split("_");
    return this.names.filter((each) => each.includes(first) && foldBlanks(each) === folded);
  }

  /** The view of the compiler. */
  catalog(): ActionNames {
    return {
      has: (name) => this.#actions.has(name),
      parametersOf: (name) => {
        const resolution = this.resolve(name);
        return resolution.found ? resolution.definition.parameters : undefined;
      },
      acceptedBy: (name) => {
        const resolution = this.resolve(name);
        return resolution.found && resolution.note === undefined ? resolution.definition.accepts : undefined;
      },
      complete: true,
      names: this.names,
    };
  }

  extend(): ActionRegistryBuilder {
    return new ActionRegistryBuilder(this.#actions.values());
  }
}

/** Collects actions. Later ones replace earlier ones of the same name by default. */
export class ActionRegistryBuilder {
  readonly #actions = new Map<string, ActionDefinition>();

  constructor(actions: Iterable<ActionDefinition> = []) {
    for (const action of actions) this.#actions.set(action.name, action);
  }

  /**
   * Adds anything that can be run (see `toActionDefinition`). With `override: false` an action that is already there
   * stays.
   */
  register(value: unknown, name?: string, options: { readonly override?: boolean } = {}): this {
    const action = toActionDefinition(value, name);
    if (options.override !== false || !this.#actions.has(action.name)) this.#actions.set(action.name, action);
    return this;
  }

  /** Adds the actions of an action server: they stand in for functions of the same name, but not for system actions. */
  registerRemote(actions: Iterable<ActionDefinition>): this {
    for (const action of actions) {
      const own = this.#actions.get(action.name);
      if (own === undefined || (!own.system && own.local !== true)) this.#actions.set(action.name, action);
    }
    return this;
  }

  build(): ActionRegistry {
    return new ActionRegistry(this.#actions.values());
  }
}
