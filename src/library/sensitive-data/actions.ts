import {
  compromiseNames,
  type CompromiseLibrary,
  findNames,
  type LocalNameRecognizer,
  NAME_ENTITIES,
  type NameRecognizer,
} from "../../detectors/personal-data/names.js";
import type { OwnRecognizer } from "../../detectors/personal-data/own-recognizers.js";
import { personalData } from "../../detectors/personal-data/personal-data.js";
import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import { ConfigError } from "../../diagnostics/errors.js";
import { omitUndefined } from "../../engine/plain-data.js";
import { detectionActions, prepareDetection, pseudonymiseAction } from "../detection.js";
import type { RailCode, RailSettings } from "../rail-manifest.js";
import type { Source } from "../subject.js";
import type { PresidioSettings } from "./presidio.js";

const RAIL = "sensitive-data";

/** `rails.config.sensitive_data_detection.<source>`, with defaults filled in. */
interface EntitySettings {
  readonly entities?: readonly string[];
  readonly score_threshold?: number;
}

/** Settings for all sources. */
interface SharedSettings extends PresidioSettings {
  readonly recognizers?: readonly OwnRecognizer[];
  readonly allow?: readonly string[] | null;
  readonly names?: "compromise" | "presidio" | "function" | null;
}

/** Name under which the application registers its recogniser as a value for actions. */
const RECOGNIZER = "recognizeNames";

/** Actions of the rail. */
export const actions: RailCode["actions"] = {
  ...detectionActions(RAIL, "sensitive data"),
  pseudonymise_sensitive_data: pseudonymiseAction(RAIL),
};

/** Creates the detector of each source. Without entities, nothing is detected, as in NeMo Guardrails. */
export const prepare = prepareDetection({
  rail: RAIL,
  async detectorsOf(settings, source) {
    const { recognizers = [], allow } = settings as SharedSettings;
    const { here, usesLibrary } = shareWork(settings, source);
    if (here.length === 0) return [];
    const names = usesLibrary ? await nameLibrary(here, settingsOf(settings, source).entities ?? []) : undefined;
    return [personalData(omitUndefined({ entities: here, recognizers, names, allow: allow ?? undefined }))];
  },
  async findAlsoOf(settings, source, tools) {
    const shared = settings as SharedSettings;
    const { elsewhere } = shareWork(settings, source);
    if (elsewhere.length === 0) return undefined;
    const threshold = settingsOf(settings, source).score_threshold ?? 0.2;
    if (shared.names !== "function") {
      const { presidioSearch } = await import("./presidio.js");
      return presidioSearch(shared, { entities: elsewhere, threshold, allow: shared.allow ?? [] }, tools);
    }
    const recognize = tools.values[RECOGNIZER];
    if (typeof recognize === "function") {
      return (text) => findNames(text, recognize as NameRecognizer, { entities: elsewhere, threshold });
    }
    const message = `\`names: function\` needs a function \`${RECOGNIZER}\` among the values for actions`;
    const hint = `give one as \`actionParams: { ${RECOGNIZER}: async (text) => [{ type: "PERSON", start: 0, end: 3 }] }\``;
    tools.report({ path: ["names"], message, hint });
    return undefined;
  },
  threshold: (settings, source) => settingsOf(settings, source).score_threshold ?? 0.2,
});

/** Entities detected in this process, and those detected by a service or a function of the application. */
interface SharedWork {
  readonly here: readonly string[];
  readonly elsewhere: readonly string[];
  /** True if this process detects names. */
  readonly usesLibrary: boolean;
}

function shareWork(settings: RailSettings, source: Source): SharedWork {
  const { entities = [] } = settingsOf(settings, source);
  const { server_endpoint: endpoint, names, recognizers = [] } = settings as SharedSettings;
  const recognized = new Set(recognizers.map(({ supported_entity: entity }) => entity));
  const isName = (entity: string): boolean => NAME_ENTITIES.includes(entity) && !recognized.has(entity);
  // A server detects all entities except those of custom recognisers, unless it is configured only for names.
  const asksForAll = endpoint !== undefined && endpoint !== null && names !== "presidio";
  const isElsewhere = (entity: string): boolean => {
    if (names === "presidio" || names === "function") return isName(entity);
    return asksForAll && !recognized.has(entity) && !(names === "compromise" && isName(entity));
  };
  const here = entities.filter((entity) => !isElsewhere(entity));
  return { here, elsewhere: entities.filter(isElsewhere), usesLibrary: here.some(isName) };
}

function settingsOf(settings: RailSettings, source: Source): EntitySettings {
  return (settings[source] ?? {}) as EntitySettings;
}

/** Optional package that the application installs. */
const COMPROMISE: string = "compromise";
/** Entities that the package detects. */
const LIBRARY_ENTITIES: ReadonlySet<string> = new Set(["PERSON", "LOCATION", "ORGANIZATION"]);

const OTHER_SOURCES = "set `server_endpoint` to a Presidio server, or `names: function`, or leave the entity out";

/**
 * @param listed - the setting `entities`
 * @throws ConfigError if the package is not installed, or does not detect some of the names
 */
async function nameLibrary(here: readonly string[], listed: readonly string[]): Promise<LocalNameRecognizer> {
  const names = here.filter((entity) => NAME_ENTITIES.includes(entity));
  const problem = (entity: string, reason: string, hint: string): Diagnostic =>
    createDiagnostic("CF-104", `\`${entity}\` is found by no pattern, and ${reason}`, {
      path: `options.entities.${listed.indexOf(entity)}`,
      hint,
    });
  const unknown = names.filter((entity) => !LIBRARY_ENTITIES.has(entity));
  if (unknown.length > 0) {
    throw new ConfigError(unknown.map((name) => problem(name, "not by the package `compromise`", OTHER_SOURCES)));
  }
  try {
    const { default: library } = (await import(COMPROMISE)) as { readonly default: CompromiseLibrary };
    return compromiseNames(library);
  } catch (cause) {
    const reason = "the package `compromise`, which finds names, is not installed";
    const hint = `run \`npm install compromise\`; or ${OTHER_SOURCES}`;
    const error = new ConfigError(names.map((name) => problem(name, reason, hint)));
    error.cause = cause;
    throw error;
  }
}
