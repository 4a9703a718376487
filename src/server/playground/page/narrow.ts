/** Maximum width at which chat and details are not side by side, as in the style sheet. */
const NARROW = "(max-width: 55rem)";

/** Returns true on a screen that shows either chat or details. */
export function isNarrow(): boolean {
  return matchMedia(NARROW).matches;
}

/** Moves the focus from the chat to the details that replaced it. */
export function focusDetails(): void {
  if (isNarrow()) setTimeout(() => document.getElementById("panel")?.focus());
}
