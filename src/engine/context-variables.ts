interface ContextVariable {
  readonly name: string;
  /** Writer: the engine and the runtime, the developer's `context` or flows, or rails. */
  readonly setBy: "engine" | "developer" | "rails";
  /** True if the caller's `context` may set it. Names that steer the turn or the rails never are. */
  readonly settable: boolean;
  /** The dialect that has it; absent for both. */
  readonly dialect?: "1.0" | "2.x";
}

/**
 * Global variables by which the standard library and the host control the rails. INVARIANT: nothing from outside sets
 * them, neither context nor events, since that would disable the rails.
 */
export const RAIL_VARIABLES: ReadonlySet<string> = new Set([
  "input_rails_key",
  "input_rails_asker",
  "input_rails_verdict",
  "output_rails_asker",
  "input_rails_off",
  "output_rails_off",
]);

function owned(
  setBy: ContextVariable["setBy"],
  names: readonly string[],
  dialect?: ContextVariable["dialect"],
): ContextVariable[] {
  return names.map((name) => ({ name, setBy, settable: setBy === "developer", ...(dialect && { dialect }) }));
}

/**
 * All predefined context variables. The compiler, prompt checks and readers of a caller's `context` share this table,
 * so a new variable is one entry.
 */
export const CONTEXT_VARIABLES: readonly ContextVariable[] = [
  ...owned("engine", [
    "event",
    "config",
    "input",
    "generation_options",
    "user_message",
    "bot_message",
    "last_user_message",
    "last_bot_message",
    "bot_thinking",
    "triggered_input_rail",
    "triggered_output_rail",
    "skip_output_rails",
    "passthrough_input",
    "passthrough_output",
    "tool_name",
    "tool_args",
    "tool_call_id",
    "tool_calls",
    "tool_message",
    "tool_problem",
    "_last_bot_prompt",
    "_own_evidence",
    "_chunk_places",
  ]),
  // Evidence is found by the retrieval stage or brought by the caller; the switches ask for one check of the next response.
  ...owned("developer", [
    "relevant_chunks",
    "relevant_chunks_sep",
    "relevant_chunks_sources",
    "retrieved_for",
    "check_facts",
    "check_hallucination",
    "hallucination_warning",
  ]),
  // Results that rails leave, and parameters of the built-in rails: another value would change a verdict.
  ...owned("rails", ["allowed", "policy_violations", "variant", "argument"]),
  // Variables of the Colang 2.x standard library.
  ...owned(
    "engine",
    [
      "self",
      "system",
      ...RAIL_VARIABLES,
      "last_bot_script",
      "last_user_transcript",
      "bot_talking_state",
      "user_talking_state",
      "user_intent_uids",
      "bot_intent_uids",
      "user_intent_state",
      "choice_selection_state",
      "attention_level",
      "attention_material",
      "attention_statistics",
    ],
    "2.x",
  ),
];

const BY_NAME: ReadonlyMap<string, ContextVariable> = new Map(
  CONTEXT_VARIABLES.map((variable) => [variable.name, variable]),
);

/** Names that exist in a dialect without being assigned by its flows. */
export function contextVariableNames(dialect: "1.0" | "2.x"): readonly string[] {
  return CONTEXT_VARIABLES.filter((variable) => (variable.dialect ?? dialect) === dialect).map(({ name }) => name);
}

/**
 * Returns true if the engine or the rails own the variable, so that a caller's `context` must not set it.
 *
 * @example
 * ```ts
 * isReservedVariable("skip_output_rails"); // true
 * isReservedVariable("relevant_chunks"); // false
 * isReservedVariable("city"); // false
 * ```
 */
export function isReservedVariable(name: string): boolean {
  return BY_NAME.get(name)?.settable === false;
}

const OF_THE_USER: ReadonlySet<string> = new Set(["user_message", "last_user_message", "input"]);

/**
 * Returns true if the variable describes one text or one step of the pipeline, so that the next stage of the same call
 * does not inherit it. What the user sent stays: later rails read it.
 */
export function belongsToOneStage(name: string): boolean {
  return BY_NAME.get(name)?.setBy === "engine" && !OF_THE_USER.has(name);
}

/** Texts, evidence and settings, which rails may ask for being there at all: `if $relevant_chunks`. */
const NEVER_VERDICTS: ReadonlySet<string> = new Set(
  CONTEXT_VARIABLES.flatMap(({ name, setBy }) => (setBy === "rails" ? [] : [name])),
);

/** Collects names of variables until a round adds none. Variables of the engine that hold texts are never among them. */
export function collectNames(round: (names: ReadonlySet<string>, add: (name: string) => void) => void): Set<string> {
  const names = new Set<string>();
  for (let size = -1; size !== names.size;) {
    size = names.size;
    round(names, (name) => {
      if (!NEVER_VERDICTS.has(name)) names.add(name);
    });
  }
  return names;
}
