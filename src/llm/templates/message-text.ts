/** A compiled bot message, which can be rendered any number of times. */
export interface MessageTemplate {
  readonly text: string;
  /** Context variables it reads. */
  readonly variables: readonly string[];
  /**
   * @param context - context variables; only own properties count
   * @param onUndefined - called with every undefined variable (CO-408), which renders empty
   */
  render(context: Readonly<Record<string, unknown>>, onUndefined?: (path: string) => void): string;
}

/** Returns true if a text has template tags. */
export function hasTemplateTags(text: string): boolean {
  return text.includes("{{") || text.includes("{%") || text.includes("{#");
}

/** Longer messages count against rendering limits. */
const MAX_PLAIN = 65_536;

/** Returns a message without variables, as most are; undefined for all others, which need the template engine. */
export function plainMessage(text: string): MessageTemplate | undefined {
  if (text.length > MAX_PLAIN || text.includes("$") || hasTemplateTags(text)) return undefined;
  const rendered = unescapeNewlines(text);
  return { text, variables: [], render: () => rendered };
}

/** Replaces the characters `\n` of a message with a newline. */
export function unescapeNewlines(text: string): string {
  return text.replaceAll("\\n", "\n");
}
