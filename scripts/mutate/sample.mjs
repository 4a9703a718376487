import { readdirSync, readFileSync } from "node:fs";
import { listMutants } from "./operators.mjs";
import { EQUIVALENT, SETS } from "./sets.mjs";

/** The same number of mutants of each set, chosen by the seed; of one file at most a tenth of its set's. */
export function sample({ count, seed, names, ofFiles }) {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `src/${name}`)
    .sort();
  const chosen = [];
  const next = randomOf(seed);
  for (const [at, name] of names.entries()) {
    const share = Math.floor(count / names.length) + (at < count % names.length ? 1 : 0);
    const taken = new Set(chosen.map(({ path }) => path));
    const ofSet = files.filter((path) => SETS[name].some((pattern) => pattern.test(path)) && !taken.has(path));
    const paths = ofSet.filter((path) => ofFiles.test(path));
    const all = shuffle(
      paths.flatMap((path) => listMutants(path, readFileSync(path, "utf8"))).filter((mutant) => !isEquivalent(mutant)),
      next,
    );
    const perFile = new Map();
    const fair = all.filter(({ path }) => {
      perFile.set(path, (perFile.get(path) ?? 0) + 1);
      return perFile.get(path) <= Math.ceil(share / Math.min(8, paths.length));
    });
    chosen.push(...fair.slice(0, share).map((mutant) => ({ ...mutant, set: name })));
  }
  if (names.length === Object.keys(SETS).length && ofFiles.source === "(?:)") checkRules(files);
  return chosen.map((mutant, id) => ({ ...mutant, id: id + 1 }));
}

const used = new Set();

function isEquivalent({ path, what, before, around }) {
  const rule = EQUIVALENT.find(
    (each) =>
      each.path.test(path) &&
      each.before.test(before) &&
      (each.what?.test(what) ?? true) &&
      (each.around?.test(around) ?? true),
  );
  if (rule !== undefined) used.add(rule);
  return rule !== undefined;
}

/** INVARIANT: an excluded mutant was reviewed in exactly this form, so a rule without a match is an error. */
function checkRules(files) {
  const idle = EQUIVALENT.filter((rule) => !used.has(rule)).map(({ path, before, reason }) => {
    return `no mutant fits the rule \`${path} ${before}\`: ${reason}`;
  });
  const unmatched = Object.entries(SETS).flatMap(([name, patterns]) =>
    patterns
      .filter((pattern) => !files.some((path) => pattern.test(path)))
      .map((pattern) => `no file of the set ${name} matches \`${pattern}\``),
  );
  if (idle.length + unmatched.length > 0) throw new Error([...idle, ...unmatched].join("\n"));
}

function shuffle(items, next) {
  const mixed = [...items];
  for (let at = mixed.length - 1; at > 0; at -= 1) {
    const other = Math.floor(next() * (at + 1));
    [mixed[at], mixed[other]] = [mixed[other], mixed[at]];
  }
  return mixed;
}

function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
