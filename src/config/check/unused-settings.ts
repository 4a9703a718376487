import { type Diagnostic, report } from "../../diagnostics/diagnostic.js";
import {
  childOf,
  formatPath,
  isEmpty,
  keySpanAt,
  nodeAt,
  type RawMap,
  type RawNode,
  scalarAt,
} from "../yaml/raw-node.js";

/** A setting of a rail that has no effect: because the rail has no use for it, or because of another setting. */
interface UnusedSetting {
  /** Key of the rail's settings. */
  readonly rail: string;
  /** Keys below it, each on its own. */
  readonly keys: readonly string[];
  /** Sections that contain the keys; default: the settings of the rail. */
  readonly sections?: readonly string[];
  /** Returns true if the settings give the keys no effect; default: they never have any. */
  readonly isUnused?: (settings: RawNode) => boolean;
  readonly hint: string;
}

const isSet = (settings: RawNode, ...path: readonly string[]): boolean => !isEmpty(nodeAt(settings, path));
const without = (key: string) => (settings: RawNode) => !isSet(settings, key);
const beside = (key: string) => (settings: RawNode) => isSet(settings, key);

const KEY_HINT = "`api_key_env_var` names the key; remove `api_key`, and keep keys out of files";

const UNUSED: readonly UnusedSetting[] = [
  {
    rail: "jailbreak_detection",
    keys: ["embedding"],
    hint: "the server that is asked has an embedding model of its own; remove the setting",
  },
  {
    rail: "jailbreak_detection",
    keys: ["nim_server_endpoint"],
    isUnused: without("nim_base_url"),
    hint: "it is a path below `nim_base_url`; set that as well, or remove the path",
  },
  { rail: "jailbreak_detection", keys: ["api_key"], isUnused: beside("api_key_env_var"), hint: KEY_HINT },
  { rail: "gliner", keys: ["api_key"], isUnused: beside("api_key_env_var"), hint: KEY_HINT },
  {
    rail: "gliner",
    keys: ["model"],
    isUnused: (settings) => !/\/chat\/completions\/*$/.test(String(scalarAt(settings, ["server_endpoint"]))),
    hint: "an address that ends with `/chat/completions` has a model; remove the setting, or change `server_endpoint`",
  },
  {
    rail: "gcpnlp",
    keys: ["access_token_env_var"],
    isUnused: beside("api_key_env_var"),
    hint: "the key of `api_key_env_var` is used; keep one of the two",
  },
  {
    rail: "sensitive_data_detection",
    sections: ["input", "output", "retrieval", "tool_input"],
    keys: ["mask_token"],
    hint: "a finding is replaced by its type, such as `<EMAIL_ADDRESS>`, as in NeMo Guardrails; remove the setting",
  },
  {
    rail: "sensitive_data_detection",
    keys: ["language", "api_key_env_var", "timeout", "retries", "on_error"],
    isUnused: without("server_endpoint"),
    hint: "it is for a Presidio server; set `server_endpoint`, or remove the setting",
  },
  {
    rail: "regex_detection",
    sections: ["input", "output", "retrieval"],
    keys: ["mask_token"],
    hint: "the rail blocks texts and drops chunks, and replaces nothing; remove the setting",
  },
  {
    rail: "patronus",
    keys: ["input"],
    hint: "the rail checks bot messages; move the evaluation to `output`",
  },
  {
    rail: "self_check_hallucination",
    keys: ["threshold"],
    isUnused: (settings) => scalarAt(settings, ["method"]) !== "each",
    hint: "it counts answers that are compared one by one; set `method: each`, or remove the setting",
  },
  {
    rail: "ai_defense",
    keys: ["fail_open"],
    isUnused: beside("on_error"),
    hint: "`on_error` decides; keep one of the two",
  },
  {
    rail: "content_safety",
    sections: ["multilingual"],
    keys: ["refusal_messages"],
    isUnused: (settings) => !isSet(settings, "multilingual", "enabled"),
    hint: "set `enabled: true` to refuse in the language of the user",
  },
];

/** INVARIANT: no setting of a rail is ignored in silence. */
export function checkUnusedSettings(root: RawMap, problems: Diagnostic[]): void {
  const all = nodeAt(root, ["rails", "config"]);
  for (const { rail, sections, keys, isUnused, hint } of UNUSED) {
    const settings = childOf(all, rail);
    if (settings === undefined || isUnused?.(settings) === false) continue;
    const places =
      sections === undefined
        ? keys.map((key) => [key])
        : sections.flatMap((section) => keys.map((key) => [section, key]));
    for (const place of places) {
      if (!isSet(settings, ...place)) continue;
      const path = ["rails", "config", rail, ...place];
      const message = `\`${formatPath(path)}\` has no effect`;
      report(problems, "CF-211", message, { span: keySpanAt(root, path), hint, path: formatPath(path) });
    }
  }
}
