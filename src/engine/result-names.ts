import { CONTEXT_VARIABLES } from "./context-variables.js";

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
