/** Pronouns of the writer and the reader, who are people. */
export const READER_PRONOUNS = /\b(?:your|yours|our|us|my|we)\b/;
/** Pronouns of what was named before. */
export const CONTEXT_PRONOUNS = /\b(?:you|it|them|they|he|she|him|her|this|these|those|mir|uns|ihm|ihn|ihnen)\b/;
/** All of them: a question with one is about persons or things of the document. */
export const PRONOUNS =
  /\b(?:i|we|our|us|my|mine|me|he|she|they|your|yours|you|his|her|their|it|this|that|these|those|its)\b/;
