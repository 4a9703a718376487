// Control characters move the cursor of a terminal, are not allowed in HTML, and turn the order of letters around.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** A text with a mark in place of every control character but tab and newline. */
export function toVisibleText(text: string): string {
  return text.replace(CONTROLS, "\uFFFD");
}
