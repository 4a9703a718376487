import { JAILBREAK_FAMILIES, type JailbreakFamily } from "../../detectors/jailbreak/families.js";
import { jailbreakPhrasing } from "../../detectors/jailbreak/jailbreak-phrasing.js";
import { didYouMean } from "../../diagnostics/suggestion.js";
import { detectionActions, prepareDetection } from "../detection.js";

const RAIL = "jailbreak-phrasing";

/** Actions of the rail. */
export const actions = detectionActions(RAIL, "jailbreak");

/** Creates the detector for all stages. */
export const prepare = prepareDetection({
  rail: RAIL,
  detectors(settings, { report }) {
    const { families } = settings as { readonly families?: readonly string[] | null };
    if (families === null || families === undefined) return [jailbreakPhrasing()];
    const known = families.filter((family): family is JailbreakFamily => isFamily(family));
    for (const [index, family] of families.entries()) {
      if (isFamily(family)) continue;
      const hint = didYouMean(family, [...JAILBREAK_FAMILIES]);
      report({ path: ["families", index], message: `unknown family of phrasing \`${family}\``, hint });
    }
    return known.length === 0 ? [] : [jailbreakPhrasing({ families: known })];
  },
});

function isFamily(name: string): boolean {
  return JAILBREAK_FAMILIES.some((family) => family === name);
}
