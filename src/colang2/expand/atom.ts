import { didYouMean } from "../../diagnostics/suggestion.js";
import type { Span } from "../../diagnostics/source-file.js";
import type { Expression } from "../../expressions/ast.js";
import {
  ACTION_MEMBERS,
  actionEventName,
  classifyName,
  flowEventName,
  isActionMember,
  isInternalEvent,
} from "../event-names.js";
import type { CallArgument, NameCallee, Spec, SpecMember, VariableCallee } from "../ast.js";
import { quoteText } from "../../diagnostics/diagnostic.js";
import type { ElementArgument, Pattern } from "../elements.js";
import { isLifecycleMember, LIFECYCLE_MEMBERS } from "../parse/reserved-words.js";
import { type ExpandContext, report, type FlowSignature, member, variable } from "./context.js";
import { addGeneratedValue } from "./generate-value.js";

interface AtomBase {
  readonly span: Span;
  /** `as $x`. */
  readonly reference?: string;
}

/** A spec of a group, classified. */
export type Atom = NamedAtom | ReferenceAtom | EventAtom;

interface MemberEvent {
  readonly name: string;
  readonly arguments: readonly ElementArgument[];
}

/** A flow or an action by its name. */
interface NamedAtom extends AtomBase {
  readonly kind: "flow" | "action";
  readonly name: string;
  readonly arguments: readonly ElementArgument[];
  readonly member?: MemberEvent;
}

/** A reference in a variable, whose kind is only known at run time. */
interface ReferenceAtom extends AtomBase {
  readonly kind: "reference";
  readonly value: Expression;
  readonly arguments: readonly ElementArgument[];
  readonly member?: MemberEvent;
}

interface EventAtom extends AtomBase {
  readonly kind: "event";
  readonly name: string;
  readonly isInternal: boolean;
  readonly arguments: readonly ElementArgument[];
}

/** Classifies a spec and lowers its arguments; undefined if a problem was reported. */
export function readAtom(context: ExpandContext, spec: Spec): Atom | undefined {
  const { callee } = spec;
  return callee.kind === "VariableCallee" ? readReference(context, spec, callee) : readNamed(context, spec, callee);
}

function readReference(context: ExpandContext, spec: Spec, callee: VariableCallee): Atom | undefined {
  const last = spec.members.at(-1);
  const isEvent = last !== undefined && isLifecycleMember(last.name.text);
  const path = isEvent ? spec.members.slice(0, -1) : spec.members;
  const wrong = path.find((step) => step.arguments !== undefined);
  if (wrong) return reportMember(context, wrong);
  const value = path.reduce((object, { name }) => member(object, name.text), variable(callee.variable));
  const given = lowerArguments(context, callee.arguments);
  const base = { ...baseOf(spec), kind: "reference", value, arguments: given } as const;
  return isEvent ? { ...base, member: memberEvent(context, last) } : base;
}

function readNamed(context: ExpandContext, spec: Spec, callee: NameCallee): Atom | undefined {
  const name = callee.name.text;
  const kind = classifyName(name, context.flows);
  const [first, second] = spec.members;
  if (kind === "event") return readEvent(context, spec, callee);
  if (second) return reportMember(context, second);
  const isKnown = kind === "flow" ? FLOW_MEMBERS.has(first?.name.text ?? "") : isActionMember(first?.name.text ?? "");
  if (first && !isKnown) return reportMember(context, first, kind === "flow" ? FLOW_MEMBERS : ACTION_MEMBERS);
  const given =
    kind === "flow"
      ? lowerArguments(context, callee.arguments, context.flows.get(name)?.parameters)
      : lowerNamedArguments(context, callee.arguments, "an action");
  const base: NamedAtom = { ...baseOf(spec), kind, name, arguments: given };
  return first ? { ...base, member: memberEvent(context, first) } : base;
}

function readEvent(context: ExpandContext, spec: Spec, callee: NameCallee): Atom | undefined {
  const name = callee.name.text;
  const [first] = spec.members;
  if (first) {
    const message = `${quoteText(name)} is an event and has no ${quoteText(first.name.text)}`;
    const hint = name.endsWith("Action")
      ? "the name of an action does not begin with `Start`, `Stop` or `Change`"
      : "only flows and actions have events of their own";
    return report(context, "C2-118", message, { span: first.span, hint });
  }
  const given = lowerNamedArguments(context, callee.arguments, "an event");
  return { ...baseOf(spec), kind: "event", name, isInternal: isInternalEvent(name), arguments: given };
}

function baseOf({ span, reference }: Spec): AtomBase {
  return { span, ...(reference ? { reference: reference.text } : {}) };
}

const ONE_POSITIONAL: ReadonlySet<string> = new Set(["Finished", "Failed", "Finish"]);

function memberEvent(context: ExpandContext, { name, arguments: given = [] }: SpecMember): MemberEvent {
  const hasPositional = ONE_POSITIONAL.has(name.text) && given[0]?.name === undefined;
  const named: readonly CallArgument[] = hasPositional ? given.slice(1) : given;
  return {
    name: name.text,
    arguments: [
      ...lowerArguments(context, hasPositional ? given.slice(0, 1) : []),
      ...lowerNamedArguments(context, named, "an event"),
    ],
  };
}

const FLOW_MEMBERS: ReadonlySet<string> = new Set([...LIFECYCLE_MEMBERS].filter((name) => flowEventName(name)));

function reportMember(
  context: ExpandContext,
  { name }: SpecMember,
  known: ReadonlySet<string> = LIFECYCLE_MEMBERS,
): undefined {
  const hint = didYouMean(name.text, known) ?? `it has ${[...known].map((member) => `\`${member}\``).join(", ")}`;
  return report(context, "C2-120", `unknown member ${quoteText(name.text)}`, { span: name.span, hint });
}

/** Returns the pattern of an event atom; undefined for other atoms. */
export function patternOf(atom: Atom): Pattern | undefined {
  if (atom.kind === "event") return { form: "event", name: atom.name, arguments: atom.arguments };
  const { member: event } = atom;
  if (atom.kind === "reference") {
    return {
      form: "reference",
      value: atom.value,
      ...(event ? { member: event.name } : {}),
      arguments: event?.arguments ?? atom.arguments,
    };
  }
  if (!event) return undefined;
  if (atom.kind === "flow") {
    const name = flowEventName(event.name) ?? event.name;
    return { form: "flow", flow: atom.name, event: name, flowArguments: atom.arguments, arguments: event.arguments };
  }
  const name = actionEventName(atom.name, event.name);
  return { form: "action", action: atom.name, event: name, startArguments: atom.arguments, arguments: event.arguments };
}

/**
 * Lowers arguments. Generated values are generated into temporaries before the statement, so this runs before any of it
 * is written.
 */
function lowerArguments(
  context: ExpandContext,
  given: readonly CallArgument[],
  parameters: FlowSignature["parameters"] = [],
): readonly ElementArgument[] {
  return given.map(({ name, value, isGenerated, spread }, at) => {
    const wanted = name ?? parameters[at]?.name;
    const computed = isGenerated ? variable(addGeneratedValue(context, value, wanted)) : value;
    return { ...(name === undefined ? {} : { name }), value: computed, ...(spread ? { spread } : {}) };
  });
}

/** Arguments of events and actions, which are always named. */
function lowerNamedArguments(
  context: ExpandContext,
  given: readonly CallArgument[],
  what: string,
): readonly ElementArgument[] {
  const wrong = given.find(({ name, spread }) => name === undefined && spread !== "**");
  if (wrong) {
    report(context, "C2-206", `${what} takes named arguments only`, { span: wrong.span, hint: "write `name=value`" });
  }
  return lowerArguments(context, given);
}
