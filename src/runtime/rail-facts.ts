import { readsContext } from "../actions/define-action.js";
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
  /** True if the flow's code shows all of its effects. */
  readonly isKnown: boolean;
  /** Names of actions that may do more than emit text. */
  readonly actions: readonly string[];
  /** Another reason why the rail does more than judge, such as an event that it sends. */
  readonly effect: string | undefined;
}

/** Builds the traits of a rail. INVARIANT: unknown behaviour counts as more than judging. */
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

/** Variables with the user's text. */
const USER_TEXTS: ReadonlySet<string> = new Set(["user_message", "last_user_message"]);

function isOnly(names: ReadonlySet<string>, allowed: ReadonlySet<string>): boolean {
  return [...names].every((name) => allowed.has(name));
}

/** Returns true for a verdict of a function that only takes its parameters; built-in actions read variables and prompts. */
function readsGiven(registry: ActionRegistry, name: string): boolean {
  const resolution = registry.resolve(name);
  if (!resolution.found) return false;
  const { verdict, system, run } = resolution.definition;
  return verdict && !system && !readsContext(run);
}

/** Returns true if an action may read any variable: functions that may take a second parameter, and remote actions. */
function readsAllVariables(registry: ActionRegistry, actions: readonly string[]): boolean {
  return actions.some((name) => {
    const resolution = registry.resolve(name);
    // Built-in actions also take a second parameter; their manifest states if they read evidence.
    return !resolution.found || (!resolution.definition.system && readsContext(resolution.definition.run));
  });
}

/** Returns true for a rail that compares a text with evidence. */
export const needsEvidence: RailDialect["needsEvidence"] = (reference) =>
  findLibraryFlow(parseFlowReference(reference).id)?.flow.needsEvidence === true;

const SCOPES: ReadonlySet<unknown> = new Set<RailScope>(["window", "word", "line", "findings", "answer"]);

/** Reads the scope stated by a flow (`meta {"stream": "word"}`); any other value means the whole response. */
export function statedScope(stated: unknown): RailScope {
  return SCOPES.has(stated) ? (stated as RailScope) : "answer";
}

/** Error for an unknown flow named by the caller. */
export function unknownFlow(flows: Iterable<{ readonly id: string }>, name: string): DiagnosticError {
  const near = didYouMean(
    name,
    Array.from(flows, ({ id }) => id),
  );
  return new DiagnosticError([createDiagnostic("CO-204", `unknown flow \`${name}\``, { hint: near })]);
}
