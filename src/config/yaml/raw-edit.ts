import { EMPTY_MAP, type RawEntry, type RawMap, type RawNode } from "./raw-node.js";

/** Raw trees never change; these make changed copies that share everything else. */
export function withEntry(map: RawMap, key: string, entry: RawEntry): RawMap {
  return { ...map, entries: new Map([...map.entries, [key, entry]]) };
}

export function withoutKey(map: RawMap, key: string): RawMap {
  const entries = new Map(map.entries);
  entries.delete(key);
  return { ...map, entries };
}

/** Replaces the map at a path of keys; maps that are missing on the way are made. Leaves other kinds of nodes alone. */
export function editMap(root: RawMap, path: readonly string[], change: (map: RawMap) => RawMap): RawMap {
  const [key, ...rest] = path;
  if (key === undefined) return change(root);
  const entry = root.entries.get(key);
  const child = isEmpty(entry?.value) ? EMPTY_MAP : entry?.value;
  if (child?.kind !== "map") return root;
  const changed = editMap(child, rest, change);
  return changed === child ? root : withEntry(root, key, { ...entry, value: changed });
}

/** A key with nothing behind it is as good as absent. */
export function isEmpty(node: RawNode | undefined): boolean {
  return node === undefined || (node.kind === "scalar" && (node.value === null || node.value === undefined));
}
