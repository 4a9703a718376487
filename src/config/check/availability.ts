import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import {
  isEmpty,
  itemsAt,
  formatPath,
  keySpanAt,
  nodeAt,
  type RawMap,
  type RawNode,
  textAt,
} from "../yaml/raw-node.js";
import { meansTrue } from "../schema/boolean-words.js";

/** A setting for a feature that this release lacks. INVARIANT: such a setting is an error and never ignored. */
interface Unavailable {
  readonly path: readonly string[];
  readonly isAsked: (node: RawNode) => boolean;
  readonly what: string;
  readonly hint?: string;
  /** Only flows in this language cannot do it. */
  readonly dialect?: "1.0" | "2.x";
}

const isTrue = (node: RawNode): boolean => node.kind === "scalar" && meansTrue(node.value);
const isFilled = (node: RawNode): boolean =>
  node.kind === "list" ? node.items.length > 0 : node.kind === "map" ? node.entries.size > 0 : !isEmpty(node);

const UNAVAILABLE: readonly Unavailable[] = [
  {
    path: ["rails", "actions", "instant_actions"],
    isAsked: isFilled,
    what: "`instant_actions` for Colang 1.0 is",
    hint: "flows in Colang 1.0 do not need it",
    dialect: "1.0",
  },
  { path: ["tracing", "enabled"], isAsked: isTrue, what: "tracing is", hint: "LangChain callbacks see every step" },
  { path: ["metrics", "enabled"], isAsked: isTrue, what: "reporting of metrics is" },
];

const UNAVAILABLE_FOR_MODELS: readonly Unavailable[] = [
  { path: ["cache", "enabled"], isAsked: isTrue, what: "the cache of verdicts is" },
];

export function checkAvailability(root: RawMap, problems: Diagnostic[]): void {
  const dialect = textAt(root, ["colang_version"]) ?? "1.0";
  for (const entry of UNAVAILABLE) {
    if (entry.dialect === undefined || entry.dialect === dialect) check(root, entry, [], problems);
  }
  for (const index of itemsAt(root, ["models"]).keys()) {
    for (const entry of UNAVAILABLE_FOR_MODELS) check(root, entry, ["models", index], problems);
  }
}

function check(root: RawMap, entry: Unavailable, prefix: readonly (string | number)[], problems: Diagnostic[]): void {
  const path = [...prefix, ...entry.path];
  const node = nodeAt(root, path);
  if (!node || !entry.isAsked(node)) return;
  problems.push(
    createDiagnostic("CF-121", `${entry.what} not available yet`, {
      span: node.kind === "scalar" ? node.span : keySpanAt(root, path),
      hint: entry.hint ?? `remove \`${formatPath(path)}\``,
      path: formatPath(path),
    }),
  );
}

/** Settings of rails are checked for their shape and then refused while the rail itself does not exist. */
export function checkRailSettings(
  root: RawMap,
  existing: ReadonlySet<string>,
  known: readonly string[],
  problems: Diagnostic[],
): void {
  const path = ["rails", "config"];
  const settings = nodeAt(root, path);
  if (settings?.kind !== "map") return;
  for (const [key, { keySpan }] of settings.entries) {
    if (existing.has(key) || !known.includes(key)) continue;
    problems.push(
      createDiagnostic("CF-109", `\`${key}\` are settings of a rail that this release does not have`, {
        span: keySpan,
        hint: "the rail would not run; remove its settings, or write the rail in Colang with an action of your own",
        path: formatPath([...path, key]),
      }),
    );
  }
}
