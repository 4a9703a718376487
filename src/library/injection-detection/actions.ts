import { codeInjection, type CodeInjectionOptions } from "../../detectors/code-injection/code-injection.js";
import { findAction, maskAction, prepareDetection } from "../detection.js";
import type { RailCode } from "../rail-manifest.js";

const RAIL = "injection-detection";

/** `rails.config.injection_detection`, with defaults filled in. */
interface InjectionSettings {
  readonly injections?: readonly string[];
  readonly yara_path?: string | null;
  readonly yara_rules?: Readonly<Record<string, string>>;
}

/** Actions of the rail. */
export const actions: RailCode["actions"] = {
  injection_detection: findAction(RAIL),
  omit_injections: maskAction(RAIL),
};

/** Creates the detector for all stages; without `injections` it detects all types. */
export const prepare = prepareDetection({
  rail: RAIL,
  detectors(settings, { report }) {
    const { injections = [], yara_path: folder, yara_rules: rules = {} } = settings as InjectionSettings;
    const hint = "write them as regular expressions under `rails.config.regex_detection`";
    if (typeof folder === "string") report({ path: ["yara_path"], message: "YARA rules cannot be run", hint });
    if (Object.keys(rules).length > 0) report({ path: ["yara_rules"], message: "YARA rules cannot be run", hint });
    // The detector rejects unknown types.
    const kinds = injections as NonNullable<CodeInjectionOptions["kinds"]>;
    return [codeInjection(kinds.length === 0 ? {} : { kinds })];
  },
  threshold: () => 0.5,
  replacement: "",
});
