const LONGEST_LABEL = 24;
/** A word with a letter that addresses do not have, or what closes a name: `peer`, `"ip"`. The `n` of `\n` is no such letter. */
const LABEL =
  /(?:(?<!\\)(?![a-f])[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}][\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\d_.-]*|["'\]])$/iu;

/** Returns true if a colon ends the name of a value (`peer:fe80::1`), and belongs to no address of hexadecimal digits. */
export function endsLabel(text: string, colon: number): boolean {
  return LABEL.test(text.slice(Math.max(0, colon - LONGEST_LABEL), colon));
}
