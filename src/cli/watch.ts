import { type FSWatcher, statSync, watch } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { onAbortOf } from "../engine/async.js";

/** Milliseconds without a change after which changes are reported, because editors write a file in several steps. */
const QUIET_MS = 100;

/** Milliseconds between checks of the watched folder itself. */
const LOOK_MS = 500;

const SKIPPED = /^(?:\.|node_modules$)|(?:~|\.tmp|\.swp)$/;

/**
 * Calls `onChange` after files in a folder have changed, until the signal aborts. It watches folders instead of files, because
 * editors replace a file with a new one, which a file watcher misses.
 */
export async function watchFiles(path: string, signal: AbortSignal, onChange: () => Promise<void>): Promise<void> {
  const isFile = statSync(path).isFile();
  const watched = new WatchedFolders(isFile ? dirname(path) : path, isFile ? basename(path) : undefined, schedule);
  let timer: NodeJS.Timeout | undefined;
  let isQueued = false;
  // The folder itself may be moved or replaced, which ends its watcher. The timer also keeps the process alive.
  const looking = setInterval(() => watched.hasMoved() && schedule(), LOOK_MS);
  let working = watched.refresh();
  function schedule(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // One report covers all changes before it.
      if (isQueued) return;
      isQueued = true;
      working = working.then(refresh).then(onChange);
    }, QUIET_MS);
  }
  function refresh(): Promise<void> {
    isQueued = false;
    return watched.refresh();
  }
  try {
    await working;
    if (!signal.aborted) await new Promise<void>((resolve) => onAbortOf(signal, resolve));
  } finally {
    clearInterval(looking);
    clearTimeout(timer);
    await working.finally(() => watched.close());
  }
}

/** Watchers of a folder and those below it, or of one file in it. */
class WatchedFolders {
  readonly #root: string;
  readonly #only: string | undefined;
  readonly #onEvent: () => void;
  /** Watchers by path. A folder that replaces another one has a different inode number. */
  readonly #watchers = new Map<string, { readonly inode: number; readonly watcher: FSWatcher }>();

  /** @param only - name of the only file to watch; undefined for all files */
  constructor(root: string, only: string | undefined, onEvent: () => void) {
    this.#root = root;
    this.#only = only;
    this.#onEvent = onEvent;
    // Watches immediately, so that no change after the call is missed; subfolders follow with the first `refresh`.
    this.#watch(root, statSync(root).ino);
  }

  /** Watches new folders, and stops watching removed ones. */
  async refresh(): Promise<void> {
    const watched = await this.#foldersIn(this.#root);
    for (const [folder, { inode }] of this.#watchers) if (watched.get(folder) !== inode) this.#forget(folder);
    for (const [folder, inode] of watched) if (!this.#watchers.has(folder)) this.#watch(folder, inode);
  }

  /** Returns true if the folder was removed or replaced since the last `refresh`. */
  hasMoved(): boolean {
    return inodeOf(this.#root) !== this.#watchers.get(this.#root)?.inode;
  }

  close(): void {
    for (const folder of this.#watchers.keys()) this.#forget(folder);
  }

  async #foldersIn(folder: string, found = new Map<string, number>()): Promise<ReadonlyMap<string, number>> {
    try {
      found.set(folder, (await stat(folder)).ino);
      if (this.#only !== undefined) return found;
      for (const entry of await readdir(folder, { withFileTypes: true })) {
        if (entry.isDirectory() && !SKIPPED.test(entry.name)) await this.#foldersIn(join(folder, entry.name), found);
      }
    } catch {
      // The folder was removed meanwhile, which the watcher of its parent reports.
      found.delete(folder);
    }
    return found;
  }

  #watch(folder: string, inode: number): void {
    const watcher = watch(folder, (_kind, name) => {
      if (name !== null && (SKIPPED.test(name) || (this.#only !== undefined && name !== this.#only))) return;
      this.#onEvent();
    });
    watcher.on("error", () => this.#forget(folder));
    this.#watchers.set(folder, { inode, watcher });
  }

  #forget(folder: string): void {
    this.#watchers.get(folder)?.watcher.close();
    this.#watchers.delete(folder);
  }
}

function inodeOf(path: string): number | undefined {
  try {
    return statSync(path).ino;
  } catch {
    return undefined;
  }
}
