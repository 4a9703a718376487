import type { CompiledFlow } from "../../../colang2/program.js";
import { type CreateDialogIndex, type DialogHit, type DialogIndex, lazyIndex } from "../../../generation/indexes.js";
import { type DialogItem } from "../../../retrieval/embedding-index.js";
import type { GenerationCall } from "../../../generation/services.js";
import type { Colang2Access } from "./conversation-access.js";
import { flowItems, instructionItems, intentItems, utteranceItems } from "./flow-items.js";

/** The indexes over the flows of a program (spec 9.2), each built when it is first asked. */
export interface FlowIndexes {
  /** What users say; `meta.intent`. */
  readonly utterances: DialogIndex;
  /** Names of intents; `meta.intent`. */
  readonly intents: DialogIndex;
  /** Whole flows; `meta.flow`. */
  readonly flows: DialogIndex;
  /** What flows say that they do; `meta.flow`. */
  readonly instructions: DialogIndex;
  /** The intent that has exactly this text among its examples; undefined when several have it. */
  exactIntent(text: string): string | undefined;
}

export interface Colang2Indexes {
  /** The indexes as a conversation has them: those of the program, and over the flows it has added. */
  of(access: Pick<Colang2Access, "definitions" | "isAdded">): FlowIndexes;
}

/** The same indexes, searched the way a call wants it. */
export function lookedUp(indexes: Colang2Indexes, lookup: NonNullable<GenerationCall["lookup"]>): Colang2Indexes {
  const through = (index: DialogIndex): DialogIndex => ({
    ...index,
    search: (...query) => lookup(["search", index, query], () => index.search(...query)),
  });
  return {
    of: (access) => {
      const { utterances, intents, flows, instructions, ...exact } = indexes.of(access);
      return {
        ...exact,
        utterances: through(utterances),
        intents: through(intents),
        flows: through(flows),
        instructions: through(instructions),
      };
    },
  };
}

/** How many conversations keep the indexes of what they have added. */
const MAX_KNOWN = 200;

/**
 * Describes the indexes of a program without building them. What a conversation adds is looked up beside them and follows
 * what it adds and removes.
 */
export function createColang2Indexes(
  flows: readonly CompiledFlow[],
  createIndex: CreateDialogIndex,
  createExampleIndex: CreateDialogIndex = createIndex,
): Colang2Indexes {
  const ofProgram = indexFlows(flows, createIndex, createExampleIndex);
  const ofAdded = new Map<string, FlowIndexes>();
  return {
    of: ({ definitions, isAdded }) => {
      const added = [...definitions.values()].filter(({ id }) => isAdded(id) && !id.startsWith("_dynamic_"));
      if (added.length === 0) return ofProgram;
      const key = added.map(({ hash, id }) => `${id}\n${hash}`).join("\n");
      const known = ofAdded.get(key) ?? joinIndexes(ofProgram, indexFlows(added, createIndex, createIndex));
      ofAdded.delete(key);
      ofAdded.set(key, known);
      if (ofAdded.size > MAX_KNOWN) ofAdded.delete(ofAdded.keys().next().value ?? "");
      return known;
    },
  };
}

function indexFlows(
  flows: readonly CompiledFlow[],
  createIndex: CreateDialogIndex,
  createExampleIndex: CreateDialogIndex,
): FlowIndexes {
  let utterances: readonly DialogItem[] | undefined;
  const readUtterances = (): readonly DialogItem[] => (utterances ??= utteranceItems(flows));
  let exact: ReadonlyMap<string, string | undefined> | undefined;
  return {
    exactIntent: (text) => (exact ??= intentsByText(readUtterances())).get(text.trim()),
    utterances: lazyIndex(readUtterances, createExampleIndex),
    intents: lazyIndex(() => intentItems(flows), createIndex),
    flows: lazyIndex(() => flowItems(flows), createIndex),
    instructions: lazyIndex(() => {
      const items = instructionItems(flows);
      return items.length > 0 ? items : flowItems(flows);
    }, createIndex),
  };
}

function intentsByText(items: readonly DialogItem[]): ReadonlyMap<string, string | undefined> {
  const intents = new Map<string, string | undefined>();
  for (const { text, meta } of items) {
    const known = intents.get(text.trim());
    const isOther = intents.has(text.trim()) && known !== meta["intent"];
    intents.set(text.trim(), isOther ? undefined : meta["intent"]);
  }
  return intents;
}

function joinIndexes(first: FlowIndexes, second: FlowIndexes): FlowIndexes {
  return {
    exactIntent: (text) => first.exactIntent(text) ?? second.exactIntent(text),
    utterances: joinIndex(first.utterances, second.utterances),
    intents: joinIndex(first.intents, second.intents),
    flows: joinIndex(first.flows, second.flows),
    instructions: joinIndex(first.instructions, second.instructions),
  };
}

function joinIndex(first: DialogIndex, second: DialogIndex): DialogIndex {
  return {
    acceptThreshold: async () => first.acceptThreshold?.(),
    search: async (text, maxResults, threshold) => {
      const found = await Promise.all([first, second].map((index) => index.search(text, maxResults, threshold)));
      const hits: DialogHit[] = found.flat().sort((left, right) => right.score - left.score);
      return hits.slice(0, maxResults);
    },
  };
}
