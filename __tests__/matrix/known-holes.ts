/** Rows that are still red, with the surfaces on which they are. A row that turns green fails the matrix until it is taken out here. */
export const KNOWN_HOLES: Readonly<Record<string, readonly string[]>> = {
  "output: a document beside an answer": ["outputModeration"],
  "input: a key of an argument of a call": ["tool()"],
  "input: a name of a key": [
    "wrap(chain)",
    "wrap(chain) with keys",
    "input()",
    "inputModeration",
    "check",
    "rail() of the user",
    "branch()",
  ],
  "input: a nested key of an object": [
    "wrap(chain)",
    "wrap(chain) with keys",
    "input()",
    "inputModeration",
    "branch()",
  ],
  "input: another key beside messages": ["wrap(chain)", "input()", "inputModeration", "branch()"],
  "input: another key of an object": ["wrap(chain)", "wrap(chain) with keys", "input()", "inputModeration", "branch()"],
  "output: a key of an argument": ["wrap(model).bindTools", "guardrailsMiddleware"],
  "output: a name of a tool": ["wrap(model).bindTools", "guardrailsMiddleware"],
  "output: metadata of a document": ["retrieval()"],
};
