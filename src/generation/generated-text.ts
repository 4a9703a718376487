/** A bot text before the output rails, where it comes from, and the variables that change with it. */
export interface GeneratedText {
  readonly text: string;
  readonly source: "predefined" | "variable" | "llm" | "generator";
  readonly contextUpdates: Readonly<Record<string, unknown>>;
}
