/** Certainty of formats with two check digits, or one and a date: at most one of 200 random numbers has them. */
export const STRONG = 0.85;
/** Certainty of formats that at most one of 100 random numbers has. */
export const MEDIUM = 0.6;
/** Certainty of formats with one check digit, below the usual threshold of 0.5: a context word must be near. */
export const WEAK = 0.4;
/** Certainty of formats that many other numbers have: with a context word 0.5, and below any useful threshold without. */
export const FAINT = 0.15;
