const PLAIN_NAME = /^[A-Za-z_$][A-Za-z_$-]{0,39}$/;

/**
 * Returns true for a name that developers and protocols give: one word of letters. INVARIANT: this is the one rule by which
 * keys, labels and names count as texts that rails read or not.
 */
export function isPlainName(name: string): boolean {
  return PLAIN_NAME.test(name);
}
