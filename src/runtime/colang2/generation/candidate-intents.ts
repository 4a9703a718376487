import type { DialogHit } from "../../../generation/indexes.js";
import { isUserIntent } from "./flow-items.js";
import { oneLine, quoted } from "../../../llm/prompts/interaction-history.js";
import type { Colang2Step } from "./services.js";

const MAX_DESCRIPTION = 500;
const MAX_AWAITED = 50;

export interface CandidateIntents {
  /** Actions of users with what they mean, the most similar last. */
  readonly examples: string;
  /** The intents themselves, each once. */
  readonly potential_user_intents: string;
}

/**
 * What an utterance may mean (spec 9.3): what similar utterances of the program mean, and every intent that a flow waits
 * for at this moment. One of those with a docstring is described by it.
 */
export function candidateIntents(hits: readonly DialogHit[], step: Colang2Step): CandidateIntents {
  const awaited = awaitedIntents(step);
  const pairs: string[] = [];
  for (const name of awaited) {
    const docstring = step.access.definitions.get(name)?.docstring?.trim() ?? "";
    if (docstring !== "") pairs.push(pair(oneLine(docstring).slice(0, MAX_DESCRIPTION), name));
  }
  const shown = hits.toReversed();
  for (const { item } of shown) pairs.push(pair(`user said ${quoted(item.text)}`, item.meta["intent"] ?? ""));
  const intents = new Set([...shown.map(({ item }) => item.meta["intent"] ?? ""), ...awaited]);
  return { examples: pairs.join("\n\n"), potential_user_intents: [...intents].join(", ") };
}

function pair(action: string, intent: string): string {
  return `user action: ${action}\nuser intent: ${intent}`;
}

/** Intents of users that a waiting head awaits; a name that nobody has defined counts when it is one of a user. */
function awaitedIntents({ access, globals }: Colang2Step): readonly string[] {
  const marked = globals["user_intent_uids"];
  const uids = new Set<unknown>(Array.isArray(marked) ? marked : []);
  const names = access.awaitedFlows().flatMap(({ id, uid, isMarkedIntent }) => {
    const flow = access.definitions.get(id);
    if (flow === undefined) return id.startsWith("user ") ? [id] : [];
    const isMarked = isMarkedIntent || (uid !== undefined && uids.has(uid));
    return isMarked || isUserIntent(flow) ? [id] : [];
  });
  return [...new Set(names)].slice(0, MAX_AWAITED);
}
