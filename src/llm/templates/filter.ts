/** Arguments written by name, `default(value="x")`. */
export type NamedArguments = Readonly<Record<string, unknown>>;

/** A template filter: plain function over plain values. It must not change what it is given. */
export type TemplateFilter = (value: unknown, args: readonly unknown[], named: NamedArguments) => unknown;

export type FilterTable = Readonly<Record<string, TemplateFilter>>;

/** The filter of that name; only own names count, so `constructor` is as unknown as any other. */
export function findFilter(filters: FilterTable, name: string): TemplateFilter | undefined {
  return Object.hasOwn(filters, name) ? filters[name] : undefined;
}

/** An argument given by position or by name, when it is a whole number. */
export function integerArgument(
  args: readonly unknown[],
  named: NamedArguments,
  name: string,
  fallback: number,
): number {
  const given = args[0] ?? (Object.hasOwn(named, name) ? named[name] : undefined);
  return typeof given === "number" && Number.isInteger(given) ? given : fallback;
}
