import type { Expression } from "../../../expressions/ast.js";
import type { FlowDefinition, Group, Spec, Statement } from "../../../colang2/ast.js";
import { standardModuleNames } from "../../../colang2/imports/imports.js";
import { parseColang2 } from "../../../colang2/parse/parse.js";
import type { CompiledFlow } from "../../../colang2/program.js";
import { createSourceFile } from "../../../diagnostics/source-file.js";
import type { DialogItem } from "../../../retrieval/embedding-index.js";

/**
 * Texts that users say, each with the intent it stands for (spec 9.2): the literals of a flow `user …` whose body is one
 * statement of alternatives, or one match of a transcript.
 */
export function utteranceItems(flows: readonly CompiledFlow[]): readonly DialogItem[] {
  return flows
    .filter(({ id }) => id.startsWith("user "))
    .flatMap((flow) => textsOf(flow).map((text) => ({ text, meta: { intent: flow.id } })));
}

/** Names of the intents of users. */
export function intentItems(flows: readonly CompiledFlow[]): readonly DialogItem[] {
  return flows.filter(isUserIntent).map(({ id }) => ({ text: id, meta: { intent: id } }));
}

/** A flow `user …` that means something and is not itself a way of acting, such as `user said` of the library. */
export function isUserIntent(flow: CompiledFlow): boolean {
  if (hasTag(flow, "user_intent")) return flow.meta["user_intent"] !== false;
  return flow.id.startsWith("user ") && !hasTag(flow, "user_action") && !LIBRARY.has(flow.module);
}

/** Whether a flow has the tag, also where its text is a template. */
export function hasTag({ meta, metaTemplates }: CompiledFlow, tag: string): boolean {
  return Object.hasOwn(meta, tag) || Object.hasOwn(metaTemplates, tag);
}

const LIBRARY: ReadonlySet<string> = new Set(standardModuleNames());

/** They say how texts are checked, which is nothing for a prompt. */
const RAILS: ReadonlySet<string> = new Set(["input rails", "output rails", "retrieval rails"]);

/** Whole flows of the program (spec 9.2); excluded ones and those a model wrote for one use are left out. */
export function flowItems(flows: readonly CompiledFlow[]): readonly DialogItem[] {
  return shownFlows(flows).map(({ sourceText }) => ({ text: sourceText, meta: { flow: sourceText } }));
}

/** Flows that begin by telling what they do, found by that text. */
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

/** The statements, a docstring at the beginning left out. */
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
