import type { CompiledFlow } from "../../../colang2/program.js";
import {
  type CreateDialogIndex,
  type DialogHit,
  type DialogIndex,
  intentsByText,
  lazyIndex,
} from "../../../generation/indexes.js";
import type { DialogItem } from "../../../retrieval/embedding-index.js";
import type { Colang2Access } from "./conversation-access.js";
import type { Expression } from "../../../expressions/ast.js";
import type { FlowDefinition, Group, Spec, Statement } from "../../../colang2/ast.js";
import { standardModuleNames } from "../../../colang2/imports/imports.js";
import { parseColang2 } from "../../../colang2/parse/parse.js";
import { createSourceFile } from "../../../diagnostics/source-file.js";

/** Indexes over the flows of a program, each built at its first search. */
interface FlowIndexes {
  /** Utterances of users; `meta.intent`. */
  readonly utterances: DialogIndex;
  /** Names of intents; `meta.intent`. */
  readonly intents: DialogIndex;
  /** Whole flows; `meta.flow`. */
  readonly flows: DialogIndex;
  /** Descriptions of flows; `meta.flow`. */
  readonly instructions: DialogIndex;
  /** Returns the intent with exactly this text among its examples; undefined if several have it. */
  exactIntent(text: string): string | undefined;
}

export interface Colang2Indexes {
  /** Returns the indexes for a conversation: those of the program plus those over its added flows. */
  of(access: Pick<Colang2Access, "definitions" | "isAdded">): FlowIndexes;
}

/** Number of conversations whose indexes of added flows are cached. */
const MAX_KNOWN = 200;

/**
 * Creates the indexes of a program without building them. Flows that a conversation adds or removes are indexed
 * separately.
 */
export function createColang2Indexes(
  flows: readonly CompiledFlow[],
  createIndex: CreateDialogIndex,
  createExampleIndex: CreateDialogIndex = createIndex,
): Colang2Indexes {
  const ofProgram = indexFlows(flows, createIndex, createExampleIndex);
  const ofAdded = new Map<string, FlowIndexes>();
  return {
    of: (access) => {
      const added = [...access.definitions.values()].filter(
        ({ id }) => access.isAdded(id) && !id.startsWith("_dynamic_"),
      );
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
      const results = await Promise.all([first, second].map((index) => index.search(text, maxResults, threshold)));
      const hits: DialogHit[] = results.flat().sort((left, right) => right.score - left.score);
      return hits.slice(0, maxResults);
    },
  };
}

/**
 * User utterances with their intents: literals of a flow `user …` whose body is one statement of alternatives, or one
 * match of a transcript.
 */
export function utteranceItems(flows: readonly CompiledFlow[]): readonly DialogItem[] {
  return flows
    .filter(({ id }) => id.startsWith("user "))
    .flatMap((flow) => textsOf(flow).map((text) => ({ text, meta: { intent: flow.id } })));
}

/** Names of user intents. */
function intentItems(flows: readonly CompiledFlow[]): readonly DialogItem[] {
  return flows.filter(isUserIntent).map(({ id }) => ({ text: id, meta: { intent: id } }));
}

/** Returns true for a flow `user …` that is an intent, rather than an action such as `user said` of the library. */
export function isUserIntent(flow: CompiledFlow): boolean {
  if (hasTag(flow, "user_intent")) return flow.meta["user_intent"] !== false;
  return flow.id.startsWith("user ") && !hasTag(flow, "user_action") && !LIBRARY.has(flow.module);
}

/** Returns true if a flow has the tag, also as a template. */
export function hasTag({ meta, metaTemplates }: CompiledFlow, tag: string): boolean {
  return Object.hasOwn(meta, tag) || Object.hasOwn(metaTemplates, tag);
}

const LIBRARY: ReadonlySet<string> = new Set(standardModuleNames());

/** Flows that check texts, which is irrelevant for a prompt. */
const RAILS: ReadonlySet<string> = new Set(["input rails", "output rails", "retrieval rails"]);

/** Whole flows of the program, except excluded ones and LLM-written flows for a single use. */
export function flowItems(flows: readonly CompiledFlow[]): readonly DialogItem[] {
  return shownFlows(flows).map(({ sourceText }) => ({ text: sourceText, meta: { flow: sourceText } }));
}

/** Flows with instructions, searchable by that text. */
export function instructionItems(flows: readonly CompiledFlow[]): readonly DialogItem[] {
  return shownFlows(flows).flatMap(({ docstring, comment, sourceText }) => {
    const text = (docstring ?? comment ?? "").trim();
    return text === "" ? [] : [{ text, meta: { flow: sourceText } }];
  });
}

function shownFlows(flows: readonly CompiledFlow[]): readonly CompiledFlow[] {
  return flows.filter(
    ({ id, module, isHiddenFromPrompts, isNameless }) =>
      !isHiddenFromPrompts && !isNameless && !LIBRARY.has(module) && !RAILS.has(id) && !/^_|^dynamic_/.test(id),
  );
}

function textsOf({ id, sourceText }: CompiledFlow): readonly string[] {
  const { ast } = parseColang2(createSourceFile(id, sourceText));
  const [statement, ...others] = bodyOf(ast.flows[0]);
  if (statement?.kind !== "Operation" || others.length > 0) return [];
  if (statement.operator !== "await" && statement.operator !== "match") return [];
  return alternativesOf(statement.group).flatMap((spec) => literalOf(spec) ?? []);
}

/** The statements without a leading docstring. */
function bodyOf(flow: FlowDefinition | undefined): readonly Statement[] {
  const body = flow?.body ?? [];
  return body[0]?.kind === "Docstring" ? body.slice(1) : body;
}

function alternativesOf(group: Group): readonly Spec[] {
  if (group.kind === "Spec") return [group];
  return group.kind === "Or" ? group.operands.flatMap(alternativesOf) : [];
}

function literalOf({ callee, members }: Spec): string | undefined {
  if (callee.kind !== "NameCallee") return undefined;
  const { text } = callee.name;
  if (text.startsWith("user ") && members.length === 0) {
    const [first] = callee.arguments;
    return first?.name === undefined ? textLiteral(first?.value) : undefined;
  }
  const given =
    text === "UtteranceUserActionFinished"
      ? callee.arguments
      : text === "UtteranceUserAction" && members[0]?.name.text === "Finished"
        ? members[0].arguments
        : undefined;
  return textLiteral(given?.find(({ name }) => name === "final_transcript")?.value);
}

function textLiteral(value: Expression | undefined): string | undefined {
  return value?.kind === "Literal" && typeof value.value === "string" && value.value.trim() !== ""
    ? value.value
    : undefined;
}
