/** How YAML 1.1 spells booleans. YAML 1.2 reads these as text, and only keys that hold a boolean take them for one. */
export const TRUE_WORDS = ["true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"] as const;
export const FALSE_WORDS = ["false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"] as const;

export function meansTrue(value: unknown): boolean {
  return value === true || TRUE_WORDS.some((word) => word === value);
}
