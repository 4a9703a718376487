/** Returns the text in lower case; characters whose lower case is longer, such as `İ`, stay, so that offsets agree. */
export function foldCase(text: string): string {
  const folded = text.toLowerCase();
  if (folded.length === text.length) return folded;
  let kept = "";
  for (let at = 0; at < text.length; at++) {
    const unit = text.charAt(at);
    const lower = unit.toLowerCase();
    kept += lower.length === 1 ? lower : unit;
  }
  return kept;
}
