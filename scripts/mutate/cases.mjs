// Schedule of a run: open mutants, the tests that still have to judge them, and the next run.
import { readFileSync } from "node:fs";

/**
 * Time for one mutant in one warm run, in all its warm runs with its share of their loads, and in its cold runs: the
 * closest files, then the others.
 */
const STEP_MS = 8_000;
const CLOSEST = 4;
const WARM_MS = 60_000;
const COLD_ROUNDS_MS = [8_000, 40_000];
/** One warm run takes about so long, so that the jobs end together. */
const RUN_MS = 30_000;
const LOAD_MS = 3_000;
/** Mutants per millisecond that a cold run of one file kills; less promising warm runs come later. */
const COLD_WORTH = 0.5 / LOAD_MS;

export class Cases {
  #cases = new Map();
  #files;
  #onResult;

  constructor({ mutants, hits, onResult }) {
    this.#files = hits.files;
    this.#onResult = onResult;
    for (const mutant of mutants) {
      const entry = { mutant, warm: new Map(), cold: new Set(), spentMs: 0, isReachedWarm: false, busy: false };
      this.#cases.set(mutant.id, entry);
      const hitsOf = [...(hits.hitsOf.get(mutant.id) ?? [])];
      for (const [file, { atLoad, tests }] of hitsOf) {
        if (tests.length > 0) entry.warm.set(file, mix(tests, mutant.id));
        if (atLoad) entry.cold.add(file);
      }
      entry.closest = closestOf(mutant.path, entry.warm);
      if (hitsOf.length === 0) this.end(mutant.id, "not covered");
    }
  }

  /** A warm run `{ file, entries }`, a cold one `{ id, rounds }`, `{ wait }` while others work, or undefined at the end. */
  next() {
    const open = [...this.#cases.values()].filter(({ outcome }) => outcome === undefined);
    const free = open.filter(({ busy }) => !busy);
    // Mutants reached while files load gain nothing from warm runs, and the closest file kills most of them.
    const atLoad = free.filter(
      ({ warm, cold, spentMs, isReachedWarm }) => cold.size > 0 && !isReachedWarm && (warm.size === 0 || spentMs > 0),
    );
    const least = atLoad.length > 0 ? COLD_WORTH : 0;
    return (
      this.#nextWarm(free, least) ??
      this.#nextCold(atLoad) ??
      this.#nextCold(free) ??
      (open.length > 0 ? { wait: true } : undefined)
    );
  }

  #nextWarm(free, least) {
    const byFile = new Map();
    for (const entry of free.filter(({ spentMs }) => spentMs < WARM_MS)) {
      const closest = [...entry.warm].filter(([file]) => entry.closest.has(file));
      for (const [file, tests] of closest.length > 0 ? closest : entry.warm) {
        const step = { entry, ...stepOf(tests) };
        step.chance = chanceOf(entry.mutant.path, file, step.tests.length);
        byFile.set(file, [...(byFile.get(file) ?? []), step]);
      }
    }
    let best;
    for (const [file, all] of byFile) {
      const steps = all.sort((left, right) => right.chance / right.ms - left.chance / left.ms);
      const worth = sum(steps, ({ chance }) => chance) / (LOAD_MS + sum(steps, ({ ms }) => ms));
      if (best === undefined || worth > best.worth) best = { file, steps, worth };
    }
    if (best === undefined || best.worth < least) return undefined;
    let left = RUN_MS;
    const steps = best.steps.filter(({ ms }, at) => (left -= ms) > 0 || at === 0);
    for (const { entry } of steps) entry.busy = true;
    return { file: best.file, entries: steps.map(({ entry, tests, ms }) => ({ id: entry.mutant.id, tests, ms })) };
  }

  #nextCold([entry]) {
    if (entry === undefined) return undefined;
    entry.busy = true;
    const { mutant, cold } = entry;
    const usable = [...cold].filter((file) => this.#files.get(file).tests.every(({ passed }) => passed));
    const files = usable
      .map((file) => costOf(file, this.#files.get(file).tests))
      .sort((left, right) => closeness(mutant.path, left, right));
    // Mutants that warm runs reached too get the closest files only.
    const budgets = entry.isReachedWarm ? COLD_ROUNDS_MS.slice(0, 1) : COLD_ROUNDS_MS;
    const rounds = budgets.map((budget) => {
      const round = { files: [], ms: 0, longestMs: 0 };
      while (files.length > 0 && (round.files.length === 0 || round.ms + files[0].ms <= budget)) {
        const { file, ms, longestMs } = files.shift();
        round.files.push(file);
        round.ms += ms;
        round.longestMs = Math.max(round.longestMs, longestMs);
      }
      return round;
    });
    return { id: mutant.id, rounds: rounds.filter((round) => round.files.length > 0) };
  }

  takeWarm({ file, entries, notes }) {
    for (const { id, tests, ms } of entries) {
      const entry = this.#cases.get(id);
      entry.busy = false;
      const note = notes.find((each) => each.id === id);
      if (note?.outcome === "survived") {
        entry.spentMs += ms + LOAD_MS / entries.length;
        this.#drop(entry, file, new Set(tests.map(({ at }) => at)));
        if (note.missed.length > 0) entry.cold.add(file);
        if (note.missed.length < tests.length) entry.isReachedWarm = true;
      } else if (note?.outcome === "unclear") this.#leaveToCold(file, note.by);
      else if (note !== undefined) this.end(id, note.outcome, file);
      // A run that judged nothing is not repeated.
      else if (notes.length === 0) {
        entry.warm.delete(file);
        entry.cold.add(file);
      }
    }
  }

  /** A test that still fails after a mutant was removed judges only in separate processes. */
  #leaveToCold(file, at) {
    for (const entry of this.#cases.values()) {
      if (entry.warm.get(file)?.some((test) => test.at === at) !== true) continue;
      this.#drop(entry, file, new Set([at]));
      entry.cold.add(file);
    }
  }

  #drop(entry, file, done) {
    // Another run of the file may have left all of its tests to cold runs meanwhile.
    const rest = (entry.warm.get(file) ?? []).filter(({ at }) => !done.has(at));
    if (rest.length > 0) entry.warm.set(file, rest);
    else entry.warm.delete(file);
  }

  end(id, outcome, by) {
    const entry = this.#cases.get(id);
    entry.outcome = outcome;
    this.#onResult({ mutant: entry.mutant, outcome, by });
  }

  results() {
    return [...this.#cases.values()].map(({ mutant, outcome = "not run" }) => ({ mutant, outcome }));
  }
}

/** INVARIANT: the tests closest to its source judge a mutant before the others use up its time. */
function closestOf(path, warm) {
  const costs = [...warm].map(([file, tests]) => ({ file, ms: sum(tests, ({ ms }) => ms) }));
  const sorted = costs.sort((left, right) => closeness(path, left, right));
  return new Set(sorted.slice(0, CLOSEST).map(({ file }) => file));
}

function closeness(path, left, right) {
  return likeness(path, right.file) - likeness(path, left.file) || left.ms - right.ms;
}

function stepOf(tests) {
  let ms = 0;
  const taken = [];
  for (const test of tests) {
    if (taken.length > 0 && ms + test.ms > STEP_MS) break;
    taken.push(test);
    ms += test.ms + 1;
  }
  return { tests: taken, ms };
}

/** Tests of a file in an order that depends on the mutant alone, so that a part of them is spread over the file. */
function mix(tests, id) {
  const key = ({ at }) => Math.imul((at + 1) * 2654435761 + id, 0x9e3779b1) >>> 0;
  return [...tests].sort((left, right) => key(left) - key(right));
}

function costOf(file, tests) {
  return { file, ms: LOAD_MS / 2 + sum(tests, ({ ms }) => ms), longestMs: Math.max(0, ...tests.map(({ ms }) => ms)) };
}

function chanceOf(path, file, count) {
  return (1 - 0.97 ** count) * Math.min(0.8, 0.05 + 0.15 * likeness(path, file));
}

const wordsOf = (path) => new Set(path.replace(/^src\/|\.ts$/g, "").split(/[/.-]/));
const textOf = cached((file) => readFileSync(file, "utf8"));

/** How close a test is to a source: words that their paths share, and imports of the source or of its neighbours. */
const likeness = cached((path, file) => {
  const words = wordsOf(path);
  const shared = [...wordsOf(file)].filter((word) => words.has(word)).length;
  const source = path.replace(/\.ts$/, ".js");
  const isImported = textOf(file).includes(source);
  const isNear = textOf(file).includes(source.slice(0, source.lastIndexOf("/") + 1));
  return shared + (isImported ? 3 : isNear ? 2 : 0);
});

function cached(compute) {
  const known = new Map();
  return (...given) => {
    const key = given.join("\n");
    if (!known.has(key)) known.set(key, compute(...given));
    return known.get(key);
  };
}

function sum(items, valueOf) {
  return items.reduce((total, item) => total + valueOf(item), 0);
}
