import { checkHostileValue } from "./check-value.js";
import { generateHostileValue } from "./hostile-values.js";
import { type FuzzTarget, FUZZ_TARGETS } from "./targets.js";
import { checkTurn, generateTurn } from "./turns.js";

const VALUES: FuzzTarget = { tokens: [], generate: generateHostileValue, check: checkHostileValue };
const TURNS: FuzzTarget = { tokens: [], generate: generateTurn, check: checkTurn };

/** Targets with the runs that `npm run fuzz` gives each of them for each seed. */
export const ALL_TARGETS: Readonly<Record<string, { readonly target: FuzzTarget; readonly runs: number }>> = {
  parser: { target: FUZZ_TARGETS.parser, runs: 200_000 },
  colang2: { target: FUZZ_TARGETS.colang2, runs: 200_000 },
  "printed-colang1": { target: FUZZ_TARGETS["printed-colang1"], runs: 20_000 },
  "printed-colang2": { target: FUZZ_TARGETS["printed-colang2"], runs: 20_000 },
  expressions: { target: FUZZ_TARGETS.expressions, runs: 200_000 },
  config: { target: FUZZ_TARGETS.config, runs: 20_000 },
  conversations: { target: FUZZ_TARGETS.conversations, runs: 1_000 },
  values: { target: VALUES, runs: 5_000 },
  turns: { target: TURNS, runs: 2_000 },
};
