import type { EventPattern, Pattern, UserPattern } from "../ast.js";
import { ANY, type Matcher, type PropertyTest } from "../elements.js";

/** Returns the intents that have a text as an example. */
type IntentsOf = (text: string) => readonly string[];

/** Lowers a list of alternatives; neighbours of one kind become one matcher. */
export function lowerPatterns(patterns: readonly Pattern[], intentsOf: IntentsOf): Matcher[] {
  const matchers: Matcher[] = [];
  for (const pattern of patterns) {
    const matcher = lowerPattern(pattern, intentsOf);
    const last = matchers.at(-1);
    if (last && last.kind !== "Event" && matcher.kind === last.kind) {
      matchers[matchers.length - 1] = { kind: last.kind, intents: mergeIntents(last.intents, matcher.intents) };
    } else matchers.push(matcher);
  }
  return matchers;
}

function mergeIntents(first: readonly string[], second: readonly string[]): readonly string[] {
  const all = new Set([...first, ...second]);
  return all.has(ANY) ? [ANY] : [...all];
}

function lowerPattern(pattern: Pattern, intentsOf: IntentsOf): Matcher {
  if (pattern.kind === "UserPattern") return { kind: "User", intents: userIntents(pattern, intentsOf) };
  if (pattern.kind === "BotPattern") {
    return { kind: "Bot", intents: pattern.any || !pattern.intent ? [ANY] : [pattern.intent.text] };
  }
  return { kind: "Event", type: pattern.type.text, properties: propertyTests(pattern) };
}

function userIntents(pattern: UserPattern, intentsOf: IntentsOf): readonly string[] {
  if (pattern.any) return [ANY];
  if (pattern.text) return intentsOf(pattern.text.value);
  return pattern.intent ? [pattern.intent.text] : [];
}

function propertyTests(pattern: EventPattern): PropertyTest[] {
  return pattern.properties.map(({ name, exists, value }): PropertyTest => {
    if (exists || !value) return { name, test: "exists" };
    if (value.kind === "Literal" && value.value === ANY) return { name, test: "any" };
    return { name, test: "equals", value };
  });
}
