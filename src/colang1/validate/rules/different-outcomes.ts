import type { Pattern, StatementOf } from "../../ast.js";
import { lowerPatterns } from "../../lower/lower.js";
import { ANY, type EventMatcher, type Matcher, type PropertyTest } from "../../elements.js";
import type { ProgramFacts } from "../program-facts.js";
import type { Report, Rule } from "./rule.js";

/**
 * CO-314: statements whose outcome differs from NeMo Guardrails in a way that a configuration written for it may rely
 * on: overlapping branches and `stop` in a dialog flow. A rail that speaks and goes on is
 * reported by the rule on speaking rails.
 */
export const differentOutcomes: Rule = (facts, report) => {
  const calledByUsers = new Set<string>();
  for (const { id, compiled } of facts.flows) {
    if (compiled.tier !== "user") continue;
    for (const called of facts.calls.get(id) ?? []) calledByUsers.add(called);
  }
  return {
    When: (statement) => checkBranches(statement, facts, report),
    Stop: ({ span }, { id, compiled }) => {
      // A subflow that no flow calls by name may be a rail of another configuration.
      if (compiled.tier !== "user" || (compiled.isSubflow && !calledByUsers.has(id))) return;
      report("CO-314", "`stop` ends this flow and the turn; NeMo Guardrails drops every other flow too", { span });
    },
  };
};

function checkBranches(statement: StatementOf<"When">, facts: ProgramFacts, report: Report): void {
  const intentsOf = (text: string): readonly string[] => facts.intentsByText.get(text) ?? [];
  const seen = new Map<string, Seen[]>();
  let at = 0;
  for (const { patterns } of statement.branches) {
    const branches = patterns.flatMap((pattern) =>
      lowerPatterns([pattern], intentsOf).map((matcher): Seen => ({ pattern, matcher, at: (at += 1) })),
    );
    for (const { pattern, matcher } of branches) {
      const near = namesSought(matcher).flatMap(
        (name) => seen.get(name)?.find((other) => overlap(other.matcher, matcher)) ?? [],
      );
      if (near.length === 0) continue;
      const earlier = near.reduce((first, other) => (other.at < first.at ? other : first));
      report("CO-314", "what fits both branches takes the first one; NeMo Guardrails takes the last", {
        span: pattern.span,
        labels: [{ span: earlier.pattern.span, text: "the first one" }],
      });
      break;
    }
    for (const branch of branches) {
      for (const name of [branch.matcher.kind, ...namesIn(branch.matcher)]) {
        const known = seen.get(name);
        if (known) known.push(branch);
        else seen.set(name, [branch]);
      }
    }
  }
}

interface Seen {
  readonly pattern: Pattern;
  readonly matcher: Matcher;
  /** Position in the statement. */
  readonly at: number;
}

function namesIn(matcher: Matcher): readonly string[] {
  const names = matcher.kind === "Event" ? [matcher.type] : matcher.intents;
  return names.map((name) => `${matcher.kind} ${name}`);
}

/** Names below which matchers that may overlap with this one are found. */
function namesSought(matcher: Matcher): readonly string[] {
  if (matcher.kind === "Event") return namesIn(matcher);
  return matcher.intents.includes(ANY) ? [matcher.kind] : [...namesIn(matcher), `${matcher.kind} ${ANY}`];
}

function overlap(first: Matcher, second: Matcher): boolean {
  if (first.kind === "Event") return second.kind === "Event" && overlappingEvents(first, second);
  if (second.kind !== first.kind) return false;
  if (first.intents.includes(ANY)) return second.intents.length > 0;
  return second.intents.some((intent) => intent === ANY || first.intents.includes(intent));
}

function overlappingEvents(first: EventMatcher, second: EventMatcher): boolean {
  if (first.type !== second.type) return false;
  return first.properties.every((test) => second.properties.every((other) => compatible(test, other)));
}

function compatible(first: PropertyTest, second: PropertyTest): boolean {
  if (first.name !== second.name || first.test !== "equals" || second.test !== "equals") return true;
  if (first.value.kind !== "Literal" || second.value.kind !== "Literal") return true;
  return first.value.value === second.value.value;
}
