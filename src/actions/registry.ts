import type { ActionDefinition } from "./action.js";
import { foldBlanks, suggestAction, toSnakeCaseName } from "../engine/events.js";
import { toActionDefinition } from "./from-value.js";

/** A note on how a name was resolved, with the code of its diagnostic. */
export interface ResolutionNote {
  readonly code: "CO-312";
  readonly message: string;
}

export type ActionResolution =
  | { readonly found: true; readonly definition: ActionDefinition; readonly note?: ResolutionNote }
  | { readonly found: false; readonly suggestions: readonly string[] };

/** Facts about actions for the flow compiler. */
export interface ActionNames {
  /** Returns true for an exact name; the compiler itself suggests similar names. */
  has(name: string): boolean;
  parametersOf(name: string): readonly string[] | undefined;
  /** Returns every parameter that the action accepts; undefined if unknown. */
  acceptedBy(name: string): readonly string[] | undefined;
  readonly complete: boolean;
  readonly names: readonly string[];
}

const MAX_RESOLVED = 1_000;
/** Maximum number of cached names; beyond it, unresolved names are not cached. */
const MAX_UNKNOWN = 500;

/**
 * The actions of a configuration. Immutable; `extend` returns a builder that starts with the same actions.
 *
 * @example
 * ```ts
 * const registry = new ActionRegistryBuilder().register(fetchOrder, "fetch order").build();
 * registry.resolve("fetch_order"); // { found: true, definition, note: { code: "CO-312", … } }
 * ```
 */
export class ActionRegistry {
  readonly #actions: ReadonlyMap<string, ActionDefinition>;
  /** Names as written in flows. Only the first unresolved ones are cached, since a model may invent names. */
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

  /**
   * Resolves an action by its exact name, otherwise by its snake_case form, otherwise ignoring the difference between
   * spaces and underscores.
   */
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
        // Computed only for error messages; hosts resolve unknown names in every turn.
        get suggestions() {
          if (near.length > 1) return near;
          const found = suggestAction(name, names.keys());
          return found === undefined ? [] : [found];
        },
      };
    }
    const message = `\`${name}\` was taken as the action \`${definition.name}\``;
    return { found: true, definition, note: { code: "CO-312", message } };
  }

  /** Names that differ only in spaces and underscores. */
  #namesLike(name: string): readonly string[] {
    const folded = foldBlanks(name);
    const [first = ""] = folded.split("_");
    return this.names.filter((known) => known.includes(first) && foldBlanks(known) === folded);
  }

  /** The actions that run beside any other one; a merely similar name belongs to another action. */
  get neutral(): { has(name: string): boolean } {
    return {
      has: (name) => {
        const resolution = this.resolve(name);
        return resolution.found && resolution.note === undefined && resolution.definition.conflicts === false;
      },
    };
  }

  /** Returns the compiler's view. */
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

/** Collects actions. By default, later ones replace earlier ones with the same name. */
export class ActionRegistryBuilder {
  readonly #actions = new Map<string, ActionDefinition>();

  constructor(actions: Iterable<ActionDefinition> = []) {
    for (const action of actions) this.#actions.set(action.name, action);
  }

  /** Adds anything runnable (see `toActionDefinition`). With `override: false`, an existing action stays. */
  register(value: unknown, name?: string, options: { readonly override?: boolean } = {}): this {
    const action = toActionDefinition(value, name);
    if (options.override !== false || !this.#actions.has(action.name)) this.#actions.set(action.name, action);
    return this;
  }

  /** Adds the actions of an action server, which replace functions of the same name, except for system actions. */
  registerRemote(actions: Iterable<ActionDefinition>): this {
    for (const action of actions) {
      const present = this.#actions.get(action.name);
      if (present === undefined || (!present.system && present.local !== true)) this.#actions.set(action.name, action);
    }
    return this;
  }

  build(): ActionRegistry {
    return new ActionRegistry(this.#actions.values());
  }
}
