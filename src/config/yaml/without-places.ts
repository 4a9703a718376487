import { formatPath, type RawNode, rawMap } from "./raw-node.js";

/** Returns the settings without the nodes at these paths, in the notation of `formatPath`. */
export function withoutPlaces(
  node: RawNode,
  places: readonly string[],
  path: readonly (string | number)[] = [],
): RawNode {
  const here = formatPath(path);
  // Most settings contain none of these paths.
  if (!places.some((place) => place.startsWith(here))) return node;
  const stays = (key: string | number): boolean => !places.includes(formatPath([...path, key]));
  if (node.kind === "map") {
    const entries = [...node.entries].filter(([key]) => stays(key));
    const kept = entries.map(
      ([key, entry]) => [key, { ...entry, value: withoutPlaces(entry.value, places, [...path, key]) }] as const,
    );
    return rawMap(kept, node.span);
  }
  if (node.kind !== "list") return node;
  const items = node.items.flatMap((item, index) =>
    stays(index) ? [withoutPlaces(item, places, [...path, index])] : [],
  );
  return { ...node, items };
}
