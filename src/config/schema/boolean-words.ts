/** Spellings of booleans in YAML 1.1. YAML 1.2 reads them as text; only boolean keys accept them. */
export const TRUE_WORDS = ["true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"] as const;
export const FALSE_WORDS = ["false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"] as const;

export function meansTrue(value: unknown): boolean {
  return value === true || TRUE_WORDS.some((word) => word === value);
}
