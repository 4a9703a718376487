import { GuardrailsError } from "../../../diagnostics/errors.js";
import { hasTemplateTags, type MessageTemplate, plainMessage } from "../../../llm/templates/message-text.js";

/** Selects a variant of a message. */
export type PickVariant = (variants: readonly string[], intent: string) => string;

/** Called with an undefined variable that a message reads (CO-408). */
type OnUndefined = (variable: string) => void;

/** Messages that need no model: defined in flows or in the settings. */
export interface PredefinedMessages {
  /** Returns true if a message of this name has at least one variant. */
  has(intent: string): boolean;
  /** Returns the text of a message; undefined if it is not predefined. */
  render(
    intent: string,
    context: Readonly<Record<string, unknown>>,
    onUndefined?: OnUndefined,
  ): Promise<string | undefined>;
  /** Returns true for a rendered text without variable values. */
  isFixed(text: string): boolean;
  /** Renders a text written in a flow. */
  renderText(text: string, context: Readonly<Record<string, unknown>>, onUndefined?: OnUndefined): Promise<string>;
}

const MAX_FIXED = 1_000;

/** Selects a variant at random, with equal probability. */
const pickAnyVariant: PickVariant = (variants) => variants[Math.floor(Math.random() * variants.length)] ?? "";

/** Selects the first variant, for tests and recordings. */
export const pickFirstVariant: PickVariant = (variants) => variants[0] ?? "";

/** @throws GuardrailsError for a broken template */
async function compileWithVariables(text: string): Promise<MessageTemplate> {
  const { compileMessageTemplate } = await import("../../../llm/templates/message-template.js");
  if (hasTemplateTags(text)) {
    const { loadTemplateSyntax } = await import("../../../llm/templates/template-syntax.js");
    await loadTemplateSyntax();
  }
  const { template, diagnostics } = compileMessageTemplate(text);
  if (template !== undefined) return template;
  const { message = "broken template", code = "PR-101" } = diagnostics[0] ?? {};
  throw new GuardrailsError(`the message cannot be rendered: ${message}`, { code });
}

/**
 * Renders predefined messages. Each variant is compiled once, at its first use.
 *
 * @example
 * ```ts
 * const messages = createPredefinedMessages({ hi: ["Hello $name."] }, pickFirstVariant);
 * await messages.render("hi", { name: "Ada" }); // "Hello Ada."
 * ```
 */
export function createPredefinedMessages(
  botMessages: Readonly<Record<string, readonly string[]>>,
  pickVariant: PickVariant = pickAnyVariant,
): PredefinedMessages {
  const variants = new Map(Object.entries(botMessages));
  const known = new Set([...variants.values()].flat());
  const fixed = new Set<string>();
  const compiled = new Map<string, MessageTemplate>();

  const compile = async (text: string): Promise<MessageTemplate> => {
    const ready = compiled.get(text);
    if (ready) return ready;
    const template = plainMessage(text) ?? (await compileWithVariables(text));
    // Only texts of the configuration are cached; those of LLM-written flows would accumulate.
    if (known.has(text)) compiled.set(text, template);
    return template;
  };
  const renderText: PredefinedMessages["renderText"] = async (text, context, onUndefined) => {
    const template = await compile(text);
    const rendered = template.render(context, onUndefined);
    // INVARIANT: the set is bounded by the configuration; it excludes texts of LLM-written flows.
    if (template.variables.length === 0 && (known.has(text) || fixed.size < MAX_FIXED)) fixed.add(rendered);
    return rendered;
  };
  return {
    has: (intent) => (variants.get(intent)?.length ?? 0) > 0,
    async render(intent, context, onUndefined) {
      const choices = variants.get(intent) ?? [];
      return choices.length === 0 ? undefined : renderText(pickVariant(choices, intent), context, onUndefined);
    },
    isFixed: (text) => fixed.has(text),
    renderText,
  };
}
