/** A part of a text that occurs in both versions or in one of them. */
export interface Part {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Minimum share of common words, relative to the longer text. Below it, the whole text is shown as replaced. */
const MIN_COMMON = 0.4;

/** Maximum number of word pairs to compare; longer texts are shown as replaced. */
const MAX_PAIRS = 1_000_000;

/** Returns the word-by-word difference of two texts. */
export function differenceOf(before: string, after: string): readonly Part[] {
  if (before === after) return before === "" ? [] : [{ kind: "same", text: before }];
  const [left, right] = [wordsOf(before), wordsOf(after)];
  if (left.length * right.length > MAX_PAIRS) return replaced(before, after);
  const width = right.length + 1;
  // Lengths of the longest common subsequences of the remaining words of both texts.
  const lengths = new Uint32Array((left.length + 1) * width);
  for (let row = left.length - 1; row >= 0; row -= 1) {
    for (let column = right.length - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        left[row] === right[column]
          ? (lengths[(row + 1) * width + column + 1] ?? 0) + 1
          : Math.max(lengths[(row + 1) * width + column] ?? 0, lengths[row * width + column + 1] ?? 0);
    }
  }
  if ((lengths[0] ?? 0) < MIN_COMMON * Math.max(left.length, right.length)) return replaced(before, after);
  const parts: { kind: Part["kind"]; text: string }[] = [];
  const add = (kind: Part["kind"], text = ""): void => {
    const last = parts.at(-1);
    if (last?.kind === kind) last.text += text;
    else parts.push({ kind, text });
  };
  let [row, column] = [0, 0];
  while (row < left.length || column < right.length) {
    if (row < left.length && column < right.length && left[row] === right[column]) {
      add("same", left[row]);
      row += 1;
      column += 1;
    } else if (
      column === right.length ||
      (row < left.length && (lengths[(row + 1) * width + column] ?? 0) >= (lengths[row * width + column + 1] ?? 0))
    ) {
      add("removed", left[row]);
      row += 1;
    } else {
      add("added", right[column]);
      column += 1;
    }
  }
  return parts;
}

/** Returns words and punctuation marks, each with the preceding white space. */
function wordsOf(text: string): readonly string[] {
  return text.match(/\s*[\p{L}\p{N}_]+|\s*[^\s\p{L}\p{N}_]|\s+$/gu) ?? [];
}

function replaced(before: string, after: string): readonly Part[] {
  const parts: readonly Part[] = [
    { kind: "removed", text: before },
    { kind: "added", text: after },
  ];
  return parts.filter(({ text }) => text !== "");
}
