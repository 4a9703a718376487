import { secrets } from "../../detectors/secrets/secrets.js";
import { omitUndefined } from "../../engine/plain-data.js";
import { detectionActions, prepareDetection } from "../detection.js";

const RAIL = "secrets-detection";

/** `rails.config.secrets_detection`, with defaults filled in. */
interface SecretsSettings {
  readonly include?: readonly string[] | null;
  readonly exclude?: readonly string[] | null;
  readonly allow?: readonly string[] | null;
  readonly entropy?: number;
}

/** Actions of the rail. */
export const actions = detectionActions(RAIL, "secrets");

/** Creates the detector for all stages. */
export const prepare = prepareDetection({
  rail: RAIL,
  detectors(settings) {
    const { include, exclude, allow, entropy } = settings as SecretsSettings;
    const [included, excluded, allowed] = [include ?? undefined, exclude ?? undefined, allow ?? undefined];
    return [secrets(omitUndefined({ include: included, exclude: excluded, allow: allowed, entropy }))];
  },
});
