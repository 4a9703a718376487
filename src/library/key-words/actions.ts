import { keyWords } from "../../detectors/text/key-words.js";
import { detectionActions, prepareDetection } from "../detection.js";
import { detectorFor } from "../detection-checks.js";

const RAIL = "key-words";

/** `rails.config.key_words`, with defaults filled in. */
interface KeyWordSettings {
  readonly words?: readonly string[];
  readonly lists?: Readonly<Record<string, readonly string[]>>;
  readonly parts?: boolean;
}

/** Actions of the rail. */
export const actions = detectionActions(RAIL, "key words");

/** Creates a detector for each list. */
export const prepare = prepareDetection({
  rail: RAIL,
  detectors(settings, { report }) {
    const { words = [], lists = {}, parts = false } = settings as KeyWordSettings;
    const named = Object.entries(lists).flatMap(([type, list]) =>
      detectorFor(["lists", type], () => keyWords({ words: list, type, parts }), { report }),
    );
    if (words.length === 0 && Object.keys(lists).length === 0) {
      const hint = "list words under `words`, or by their type under `lists`, such as `lists: { COMPETITOR: [acme] }`";
      report({ path: [], message: "the rail has no words to look for", hint });
    }
    return words.length === 0 ? named : [keyWords({ words, parts }), ...named];
  },
});
