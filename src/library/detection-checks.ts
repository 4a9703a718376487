import type { Detector } from "../detectors/detector.js";
import { DiagnosticError } from "../diagnostics/errors.js";
import type { MaybePromise } from "../engine/async.js";
import { isMap } from "../engine/plain-data.js";
import { actionFor } from "./detection-manifest.js";
import type { PrepareTools, RailSettings } from "./rail-manifest.js";
import type { Source } from "./subject.js";

/** Reports listed rails whose settings name nothing to look for: they let every text pass, as in NeMo Guardrails. */
export function warnWithoutSearch(
  searches: (stage: string, variant: unknown) => boolean,
  { listed, report }: Pick<PrepareTools, "listed" | "report">,
): void {
  for (const { name, stage, parameters } of listed) {
    const variant = parameters.find((parameter) => parameter.name === "variant")?.value;
    if (searches(stage, variant)) continue;
    const message = `the settings name nothing for \`${name}\` to look for, so it lets every text pass`;
    report({ code: "CF-210", path: [], message, hint: `add settings for \`${stage}\`, or take the rail off the list` });
  }
}

/** Reports a treatment that a stage or a variant cannot have. */
export function checkTreatment(
  {
    own: stageSettings,
    settings,
    source,
  }: { readonly own: RailSettings; readonly settings: RailSettings; readonly source: Source },
  path: readonly string[],
  { report }: PrepareTools,
): void {
  const [treatment, usual] = [actionFor(stageSettings, source), actionFor(settings, source)];
  const rewrites = (name: string): boolean => name === "mask" || name === "drop";
  if (treatment !== usual && (rewrites(treatment) || rewrites(usual))) {
    const message = "a variant masks or drops where the other settings of its rail do, and nowhere else";
    report({ path, message, hint: "use the same `action` for all variants of a stage" });
  }
  const { action } = (stageSettings[source] ?? {}) as { readonly action?: unknown };
  if (action === "drop" && source !== "retrieval") {
    report({ path: [...path, source, "action"], message: "only chunks of retrieved text can be dropped" });
  }
}

/**
 * Creates detectors, and reports the options that they reject.
 *
 * @param places - the settings that the options come from, the innermost first, with their paths
 */
export async function readDetectors(
  read: () => MaybePromise<readonly Detector[]> | undefined,
  places: readonly (readonly [settings: unknown, path: readonly string[]])[],
  tools: PrepareTools,
): Promise<readonly Detector[]> {
  try {
    return (await read()) ?? [];
  } catch (error) {
    if (!DiagnosticError.isInstance(error)) throw error;
    for (const { message, hint, path } of error.diagnostics) {
      tools.report({ path: placeOf(path, places), message, hint });
    }
    return [];
  }
}

/** Creates the detector of one setting whose name is not that of an option; reports what the detector rejects. */
export function detectorFor(
  path: readonly (string | number)[],
  create: () => Detector,
  { report }: Pick<PrepareTools, "report">,
): readonly Detector[] {
  try {
    return [create()];
  } catch (error) {
    if (!DiagnosticError.isInstance(error)) throw error;
    for (const { message, hint } of error.diagnostics) report({ path, message, hint });
    return [];
  }
}

/** Returns the path of the setting behind an option of a detector, such as `options.allow`; if there is none, the first place. */
function placeOf(
  option: string | undefined,
  places: Parameters<typeof readDetectors>[1],
): readonly (string | number)[] {
  const [, first = "", ...inner] = (option ?? "").split(".");
  const name = first.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const found = places.find(([settings]) => isMap(settings) && Object.hasOwn(settings, name));
  if (found === undefined) return places[0]?.[1] ?? [];
  return [...found[1], name, ...inner.map((step) => (/^\d+$/.test(step) ? Number(step) : step))];
}
