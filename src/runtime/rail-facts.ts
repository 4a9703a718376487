import type { ActionRegistry } from "../actions/registry.js";
import { createDiagnostic } from "../diagnostics/diagnostic.js";
import { DiagnosticError } from "../diagnostics/errors.js";
import { didYouMean } from "../diagnostics/suggestion.js";
import { parseFlowReference } from "../engine/flow-reference.js";
import { findLibraryFlow } from "../library/manifest.js";
import { type RailTraits, PASSED_TEXTS } from "../rails/plan.js";
import type { RailDialect, RailScope } from "../rails/rail-dialect.js";

/** Facts about the flow of a rail, for both dialects. */
export interface FlowFacts {
  readonly reads: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
  /** True if the flow shows everything that it may do. */
  readonly isKnown: boolean;
  /** Names of the actions that may do more than emit text. */
  readonly actions: readonly string[];
  /** A further reason why the rail does more than judge, such as an event that it sends. */
  readonly effect: string | undefined;
}

/** Builds the traits of a rail. INVARIANT: whatever a flow does not show counts as more than judging. */
export function railTraits(
  registry: ActionRegistry,
  { reads, writes, isKnown, actions, effect }: FlowFacts,
): RailTraits {
  const text = PASSED_TEXTS.find((name) => writes.has(name));
  const action = actions.find((name) => !isVerdict(registry, name));
  const because =
    text !== undefined
      ? `it assigns \`$${text}\``
      : action !== undefined
        ? `its action \`${action}\` is not declared as a verdict`
        : (effect ?? (isKnown ? undefined : "what it runs is known only at run time"));
  return {
    rewrites: because !== undefined,
    rewritesText: text !== undefined || !isKnown,
    isKnown,
    readsAll: readsAllVariables(registry, actions),
    judgesByText:
      isKnown &&
      effect === undefined &&
      isOnly(reads, USER_TEXTS) &&
      actions.every((name) => readsGiven(registry, name)),
    reads,
    writes,
    ...(because === undefined ? {} : { because }),
  };
}

function isVerdict(registry: ActionRegistry, name: string): boolean {
  const resolution = registry.resolve(name);
  return resolution.found && resolution.definition.verdict;
}

/** The variables with the text of the user. */
const USER_TEXTS: ReadonlySet<string> = new Set(["user_message", "last_user_message"]);

function isOnly(names: ReadonlySet<string>, allowed: ReadonlySet<string>): boolean {
  return [...names].every((name) => allowed.has(name));
}

/**
 * Returns true for a verdict of a function that takes its parameters alone. One without a parameter may still read all that
 * it is given, as its rest; built-in actions read variables and prompts.
 */
function readsGiven(registry: ActionRegistry, name: string): boolean {
  const resolution = registry.resolve(name);
  if (!resolution.found) return false;
  const { verdict, system, run } = resolution.definition;
  return verdict && !system && run.length === 1;
}

/** Returns true if an action may read any variable: functions with a second parameter, and those of other processes. */
function readsAllVariables(registry: ActionRegistry, actions: readonly string[]): boolean {
  return actions.some((name) => {
    const resolution = registry.resolve(name);
    // Built-in actions take a second parameter too; those that read evidence state it in their manifest.
    return !resolution.found || (!resolution.definition.system && resolution.definition.run.length > 1);
  });
}

/** Returns true for a rail that compares a text with evidence. */
export const needsEvidence: RailDialect["needsEvidence"] = (reference) =>
  findLibraryFlow(parseFlowReference(reference).id)?.flow.needsEvidence === true;

const SCOPES: ReadonlySet<unknown> = new Set<RailScope>(["window", "word", "line", "findings", "answer"]);

/** Reads the scope that a flow states (`meta {"stream": "word"}`); any other value means the whole answer. */
export function statedScope(stated: unknown): RailScope {
  return SCOPES.has(stated) ? (stated as RailScope) : "answer";
}

/** Error for a flow that a caller names and that does not exist. */
export function unknownFlow(flows: Iterable<{ readonly id: string }>, name: string): DiagnosticError {
  const near = didYouMean(
    name,
    Array.from(flows, ({ id }) => id),
  );
  return new DiagnosticError([createDiagnostic("CO-204", `unknown flow \`${name}\``, { hint: near })]);
}
