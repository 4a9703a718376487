/** Rows that are still red, with the surfaces on which they are. A row that turns green fails the matrix until it is taken out here. */
export const KNOWN_HOLES: Readonly<Record<string, readonly string[]>> = {
  "output: a document beside an answer": ["outputModeration"],
  "input: a key of an argument of a call": ["tool()"],
  "output: a key of an argument": ["wrap(model).bindTools", "guardrailsMiddleware"],
  "output: a name of a tool": ["wrap(model).bindTools", "guardrailsMiddleware"],
  "output: metadata of a document": ["retrieval()"],
};
