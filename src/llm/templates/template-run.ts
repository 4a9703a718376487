import { GuardrailsError } from "../../diagnostics/errors.js";
import { TemplateError } from "./template-error.js";
import { checkTemplateLimit } from "./template-limits.js";

/** Gives the value of a free variable; undefined when there is none. */
export type ResolveVariable = (name: string) => unknown;

/** Told of every printed value that is undefined. */
export type OnUndefined = (name: string) => void;

/** One rendering: what it reads, the values of its loops, and what it has used up. */
export interface TemplateRun {
  readonly resolve: ResolveVariable;
  readonly onUndefined: OnUndefined | undefined;
  readonly slots: unknown[];
  steps: number;
  length: number;
}

export function startTemplateRun(resolve: ResolveVariable, onUndefined?: OnUndefined): TemplateRun {
  return { resolve, onUndefined, slots: [], steps: 0, length: 0 };
}

/** @throws LimitError after a million steps */
export function countStep(run: TemplateRun): void {
  checkTemplateLimit("template_steps", (run.steps += 1));
}

/** Counts text once per block it passes through, which bounds it well before memory does. */
export function countText(run: TemplateRun, text: string): string {
  checkTemplateLimit("template_output", (run.length += text.length));
  return text;
}

/** A value that is not too long to be used. */
export function boundText(value: unknown): unknown {
  if (typeof value === "string") checkTemplateLimit("template_output", value.length);
  return value;
}

/** What a filter or a value throws is a failure of the template, except our own errors. */
export function guardTemplate<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (GuardrailsError.isInstance(error)) throw error;
    throw new TemplateError("template cannot be rendered", { cause: error });
  }
}
