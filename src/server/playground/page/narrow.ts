/** Width up to which chat and details are not side by side, as in the style sheet. */
const NARROW = "(max-width: 55rem)";

/** Returns true on a screen that shows chat or details, and not both. */
export function isNarrow(): boolean {
  return matchMedia(NARROW).matches;
}

/** Moves the focus to the details where they have replaced the chat, which had it. */
export function focusDetails(): void {
  if (isNarrow()) setTimeout(() => document.getElementById("panel")?.focus());
}
