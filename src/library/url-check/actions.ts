import { urls } from "../../detectors/links/urls.js";
import { omitUndefined } from "../../engine/plain-data.js";
import { detectionActions, prepareDetection } from "../detection.js";

const RAIL = "url-check";

/** `rails.config.url_check`, with defaults filled in. */
interface UrlSettings {
  readonly allow?: readonly string[] | null;
  readonly deny?: readonly string[] | null;
  readonly protect?: readonly string[] | null;
}

/** Actions of the rail. */
export const actions = detectionActions(RAIL, "urls");

/** Creates the detector for all stages. */
export const prepare = prepareDetection({
  rail: RAIL,
  detectors(settings) {
    const { allow, deny, protect } = settings as UrlSettings;
    return [urls(omitUndefined({ allow: allow ?? undefined, deny: deny ?? undefined, protect: protect ?? undefined }))];
  },
});
