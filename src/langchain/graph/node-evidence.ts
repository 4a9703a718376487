import type { Block, GuardrailsMetadata } from "../../turn/decision.js";
import { readEntries, readEvidence, reviewPassages } from "../review/evidence-review.js";
import { evidenceTexts } from "../values/evidence.js";
import { isObject, type PlainObject } from "../values/message-kinds.js";
import { messageAtoms } from "../values/read-response.js";
import type { KnownMessages } from "../values/response.js";
import { copyWith } from "../../engine/walk.js";
import { readableWork, reviewedWork, sentKey } from "./node-work.js";
import type { NodeRun, NodeWork } from "./node-state.js";

/** All that a retrieval node passes on, after review. */
interface RetrievedWork extends NodeWork {
  readonly update: PlainObject;
  readonly verdict: GuardrailsMetadata;
  readonly block?: Block;
}

/**
 * Runs the retrieval rails over all that a node passes on, in one review: its evidence, that in the arguments of other
 * nodes, and, as lines next to it, everything else. A block removes all of these texts.
 *
 * @returns undefined if there is nothing to review
 * @throws InputShapeError if the evidence cannot be read
 */
export async function reviewRetrieved(
  run: NodeRun,
  work: NodeWork,
  { question, known }: { readonly question: string | undefined; readonly known: KnownMessages },
): Promise<RetrievedWork | undefined> {
  const whole = readableWork(work);
  if (whole === undefined) return undefined;
  const key = run.options.contextKey ?? "context";
  const sent = sentKey(work.update);
  const sentItems: readonly unknown[] = Array.isArray(whole[sent]) ? whole[sent] : [];
  const holders = sentItems.filter((item) => isObject(item) && evidenceTexts(item[key]) !== undefined);
  const held = [...(whole[key] === undefined ? [] : [whole]), ...holders] as readonly PlainObject[];
  const apart = sentItems.map((item) => (holders.includes(item) ? without(item as PlainObject, key) : item));
  const otherWork = { ...without(whole, key), ...(sentItems.length === 0 ? {} : { [sent]: apart }) };
  const isGiven = (name: string): boolean => name !== sent && run.state[name] === otherWork[name];
  const entries = readEntries(otherWork, isGiven, messageAtoms({ known }));
  const passages = held.map((holder) => readEvidence(holder[key]));
  if (held.length === 0 && entries.wholes.length === 0 && entries.unseen.length === 0) return undefined;
  const { values, verdict, block } = await reviewPassages([...passages, entries], run.call, question);
  const evidence = new Map(held.map((holder, index) => [holder, values[index]]));
  const after = values.at(-1) as PlainObject;
  const sentAfter: readonly unknown[] = Array.isArray(after[sent]) ? after[sent] : [];
  const reviewed = {
    ...after,
    ...(evidence.has(whole) ? { [key]: evidence.get(whole) } : {}),
    ...(sentAfter.length === 0 ? {} : { [sent]: sentAfter.map((item, index) => withEvidence(item, sentItems[index])) }),
  };
  return { ...reviewedWork(work, reviewed), verdict, ...(block === undefined ? {} : { block }) };

  function withEvidence(item: unknown, holder: unknown): unknown {
    const itemEvidence = evidence.get(holder as PlainObject);
    return itemEvidence === undefined || !isObject(item)
      ? item
      : copyWith(item, Object.entries({ ...item, [key]: itemEvidence }));
  }
}

function without(value: PlainObject, key: string): PlainObject {
  return copyWith(
    value,
    Object.entries(value).filter(([name]) => name !== key),
  );
}
