import type { ActionContext, ActionDefinition } from "../actions/action.js";
import type { RailsSettings } from "../config/settings.js";
import { ActionError } from "../diagnostics/errors.js";
import { andThen, lazily, type MaybePromise } from "../engine/async.js";
import type {
  ListedFlow,
  PrepareTools,
  RailCode,
  RailManifest,
  RailSettings,
  ScanGroup,
  SettingProblem,
} from "./rail-manifest.js";

const codes = new WeakMap<RailManifest, () => MaybePromise<RailCode>>();

/** Loads the code of a rail once per process. */
function codeOf(rail: RailManifest): MaybePromise<RailCode> {
  let load = codes.get(rail);
  if (load === undefined) codes.set(rail, (load = lazily(() => rail.load())));
  return load();
}

/** Returns the actions of some rails. Their code is loaded when the first of them runs. */
export function railActions(rails: readonly RailManifest[]): readonly ActionDefinition[] {
  return rails.flatMap((rail) =>
    rail.actions.map(({ name, parameters = [], verdict = true }): ActionDefinition => {
      const run: ActionDefinition["run"] = (params, context) =>
        andThen(codeOf(rail), ({ actions }) => {
          const code = Object.hasOwn(actions, name) ? actions[name] : undefined;
          if (code === undefined) {
            throw new ActionError(`the rail \`${rail.name}\` has no code for its action \`${name}\``, { action: name });
          }
          return code(params, context);
        });
      // Faster than `defineAction`: the options of a manifest need no check, and each load creates about a hundred actions.
      return Object.freeze({ kind: "action", name, system: true, verdict, parameters, accepts: parameters, run });
    }),
  );
}

/** Name of the service with the prepared settings of rails, for their actions. */
export const RAIL_PARTS_SERVICE = "railParts";

/** Name of the service with the caches of verdicts. */
export const VERDICT_CACHE_SERVICE = "verdictCaches";

/** Name of the service with the first stages of two-stage rails. */
export const FIRST_STAGES_SERVICE = "firstStages";

/** The results of `prepare` for one configuration. */
export class RailParts {
  readonly #rails: ReadonlyMap<string, RailManifest>;
  readonly #settingsOf: (key: string) => RailSettings;
  readonly #parts = new Map<string, () => MaybePromise<unknown>>();
  readonly #scans = new Map<string, ScanGroup>();

  readonly #config: RailsSettings;

  readonly #app: Partial<Pick<PrepareTools, "values" | "logger">>;

  /**
   * @param settingsOf - returns `rails.config.<key>` with defaults filled in
   * @param app - values that the application registered for actions, and its logger
   */
  constructor(
    rails: readonly RailManifest[],
    config: RailsSettings,
    settingsOf: (key: string) => RailSettings,
    app: Partial<Pick<PrepareTools, "values" | "logger">> = {},
  ) {
    this.#config = config;
    this.#app = app;
    this.#rails = new Map(rails.map((rail) => [rail.name, rail]));
    this.#settingsOf = settingsOf;
  }

  /**
   * Loads the code of a rail and prepares its settings; returns the problems found in them.
   *
   * @param listed - flows of the rail that the configuration lists
   */
  async prepare(rail: RailManifest, listed: readonly ListedFlow[]): Promise<readonly SettingProblem[]> {
    const problems: SettingProblem[] = [];
    const part = await this.#prepare(rail, listed, (problem) => problems.push(problem));
    this.#parts.set(rail.name, () => part);
    return problems;
  }

  /**
   * Returns the prepared settings of a rail. A rail that the configuration does not list is prepared at the first call.
   *
   * @throws ActionError if the rail is unknown or its settings are not valid
   */
  part(name: string): MaybePromise<unknown> {
    let part = this.#parts.get(name);
    if (part === undefined) this.#parts.set(name, (part = lazily(() => this.#prepareLate(name))));
    return part();
  }

  async #prepareLate(name: string): Promise<unknown> {
    const rail = this.#rails.get(name);
    if (rail === undefined) throw new ActionError(`unknown rail \`${name}\``, { action: name });
    return this.#prepare(rail, [], ({ path, message }) => {
      throw new ActionError(`rails.config.${[rail.settings, ...path].join(".")}: ${message}`, { action: name });
    });
  }

  async #prepare(
    rail: RailManifest,
    listed: readonly ListedFlow[],
    report: (problem: SettingProblem) => void,
  ): Promise<unknown> {
    const { prepare } = await codeOf(rail);
    if (prepare === undefined) return undefined;
    const { SharedScan } = await import("./shared-scan.js");
    const keys = new Set(listed.map(scanKey));
    const scanOf = (key: string): ScanGroup => {
      if (!keys.has(key)) return new SharedScan();
      const [source = key] = key.split(" ");
      const scan = this.#scans.get(source) ?? new SharedScan();
      this.#scans.set(source, scan);
      return scan;
    };
    const settings = rail.settings === undefined ? {} : this.#settingsOf(rail.settings);
    const { values = {}, logger } = this.#app;
    const { verdictsBy } = rail;
    const section = rail.settings ?? rail.name;
    return prepare(settings, { config: this.#config, values, logger, section, listed, report, scanOf, verdictsBy });
  }
}

/** Returns the source of a listed flow with its variant: `input`, `output strict`. */
function scanKey({ stage, parameters }: ListedFlow): string {
  const variant = parameters.find(({ name }) => name === "variant")?.value;
  return variant === undefined ? stage : `${stage} ${variant}`;
}

/**
 * Returns the result of `prepare` to an action of the rail.
 *
 * @throws ActionError if the action runs outside of a runtime
 */
export function railPart<Part>({ services }: Pick<ActionContext, "services">, rail: string): MaybePromise<Part> {
  const parts = Object.hasOwn(services, RAIL_PARTS_SERVICE) ? services[RAIL_PARTS_SERVICE] : undefined;
  if (!(parts instanceof RailParts))
    throw new ActionError(`the rail \`${rail}\` has not been prepared`, { action: rail });
  // The manifest and the code of a rail agree on the type of its part.
  return parts.part(rail) as MaybePromise<Part>;
}
