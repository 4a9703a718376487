/**
 * Returns a getter of a pattern that is made when it is first needed. V8 checks every pattern that stands in a source when it
 * reads the source, also those of functions that never run, and makes the sets of their Unicode classes for it: 0.1 to
 * 0.4 ms for each pattern.
 */
export function deferPattern(source: string, flags: string): () => RegExp {
  let pattern: RegExp | undefined;
  return () => (pattern ??= new RegExp(source, flags));
}
