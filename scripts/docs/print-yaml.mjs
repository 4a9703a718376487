import { dump } from "js-yaml";

/** Prints settings as short YAML: lists in one line. */
export function printYaml(value) {
  return dump(value, { flowLevel: 4, lineWidth: 120, noRefs: true });
}
