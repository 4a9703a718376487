const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

// Control characters other than tab and newline are not allowed in HTML and hide text from the reader.
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** A text for the inside of an element or of a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(CONTROLS, "\uFFFD").replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
