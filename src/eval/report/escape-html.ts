import { toVisibleText } from "./visible-text.js";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text for the inside of an element or of a quoted attribute. */
export function escapeHtml(text: string): string {
  return toVisibleText(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
