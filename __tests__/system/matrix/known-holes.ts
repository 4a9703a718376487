/** Rows that are still red, with the surfaces on which they are. A row that turns green fails the matrix until it is taken out here. */
export const KNOWN_HOLES: Readonly<Record<string, readonly string[]>> = {};
