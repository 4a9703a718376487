// The environment of a test file in the copy. It records which mutants each test reaches, or judges many mutants after
// one load of the file: the tests run again for each mutant, and once more without it when one of them fails.
import { appendFileSync, readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";

import OneContextEnvironment from "../../__tests__/support/jest/environment.mjs";

export default class MutantEnvironment extends OneContextEnvironment {
  #run;

  constructor(config, context) {
    super(config, context);
    const { mode, ...plan } = JSON.parse(readFileSync(process.env.MUTANT_PLAN, "utf8"));
    this.#run = new { record: Recording, warm: WarmRun, cold: ColdRun }[mode](plan, context.testPath);
  }

  async setup() {
    await super.setup();
    this.global.mutant = (id) => this.#run.isOn(id);
  }

  handleTestEvent(event, state) {
    this.#run[event.name]?.(event, state);
  }
}

/** One run without mutants: records what is reached while the file loads, in hooks of all tests, and in each test. */
class Recording {
  #current = new Set();
  #tests = [];
  #started = 0;

  constructor({ out }, testPath) {
    Object.assign(this, { out, testPath, atLoad: this.#current, inHooks: new Set() });
  }

  isOn(id) {
    this.#current.add(id);
    return false;
  }

  run_start(_, { rootDescribeBlock }) {
    this.order = testsUnder(rootDescribeBlock);
    this.#current = this.inHooks;
  }

  test_start() {
    this.#current = new Set();
    this.#started = performance.now();
  }

  test_done({ test }) {
    const passed = test.errors.length === 0;
    const ms = performance.now() - this.#started;
    this.#tests.push({ at: this.order.indexOf(test), ms, passed, ids: [...this.#current] });
    this.#current = this.inHooks;
  }

  run_finish() {
    const { testPath, atLoad, inHooks } = this;
    append(this.out, { testPath, atLoad: [...atLoad], inHooks: [...inHooks], tests: this.#tests });
  }
}

/** One mutant, active from the load on; the first test that fails ends the file. */
class ColdRun {
  constructor({ id, out }) {
    Object.assign(this, { id, out });
  }

  isOn(id) {
    return id === this.id;
  }

  run_start(_, { rootDescribeBlock }) {
    this.tests = testsUnder(rootDescribeBlock);
  }

  test_start() {
    append(this.out, {});
  }

  test_done({ test }) {
    if (test.errors.length > 0) skip(this.tests);
  }
}

/** Many mutants after one load, each as a copy of the tree of tests that holds the tests which reach it. */
class WarmRun {
  #active = 0;
  #reached = false;
  #stages = new Map();
  #ended = 0;

  constructor({ out, mutants }) {
    Object.assign(this, { out, mutants });
  }

  isOn(id) {
    if (id !== this.#active) return false;
    this.#reached = true;
    return true;
  }

  run_start(_, { rootDescribeBlock: root }) {
    const order = testsUnder(root);
    const stages = this.mutants.flatMap(({ id, tests }) => {
      const limits = new Map(tests.map(({ at, limitMs }) => [order[at], { at, limitMs }]));
      const mutant = { id, missed: [], tree: copyOf(root, root, limits) };
      const check = { of: mutant, tree: copyOf(root, root, limits) };
      skip(testsUnder(check.tree));
      mutant.check = check;
      return [mutant, check];
    });
    for (const stage of stages) this.#stages.set(stage.tree, stage);
    root.children = stages.map(({ tree }) => tree);
    root.hooks = [];
  }

  run_describe_start({ describeBlock }) {
    this.stage = this.#stages.get(describeBlock) ?? this.stage;
    if (this.stage?.tree !== describeBlock || this.stopped) return;
    this.#active = this.stage.id ?? 0;
    if (this.#active > 0) append(this.out, { started: this.#active });
  }

  test_start({ test }) {
    this.#reached = false;
    if (test.mode !== "skip") append(this.out, {});
  }

  test_done({ test }) {
    if (this.stopped) return;
    const { stage } = this;
    if (stage.of !== undefined) {
      stage.failed = test.errors.length > 0;
    } else if (test.errors.length > 0) {
      stage.by = test.at;
      skip(testsUnder(stage.tree));
      if (hasHung(test)) stage.hung = true;
      else unskip(testsUnder(stage.check.tree).find(({ at }) => at === test.at));
    } else if (!this.#reached) {
      stage.missed.push(test.at);
    }
  }

  run_describe_finish({ describeBlock }) {
    const { stage } = this;
    if (stage?.tree !== describeBlock || this.stopped) return;
    this.#active = 0;
    if (stage.of !== undefined) this.#end(stage.of, stage);
  }

  #end({ id, by, hung, missed }, { failed }) {
    // An earlier mutant or test may have left state: such a run proves nothing, and ends.
    const isFirst = this.#ended === 0;
    this.stopped = hung || failed;
    this.#ended += 1;
    if (this.stopped) for (const { tree } of this.#stages.values()) skip(testsUnder(tree));
    if (failed) return append(this.out, { id, outcome: "unclear", by });
    if (hung && !isFirst) return undefined;
    return append(this.out, { id, outcome: hung ? "timed out" : by === undefined ? "survived" : "killed", by, missed });
  }
}

function append(file, entry) {
  appendFileSync(file, `${JSON.stringify(entry)}\n`);
}

function testsUnder(block) {
  return block.children.flatMap((child) => (child.type === "test" ? [child] : testsUnder(child)));
}

function copyOf(block, parent, wanted) {
  const copy = { ...block, parent };
  copy.hooks = block.hooks.map((hook) => ({ ...hook, parent: copy }));
  copy.children = block.children.flatMap((child) => {
    if (child.type === "describeBlock") {
      const inner = copyOf(child, copy, wanted);
      return inner.children.length > 0 ? [inner] : [];
    }
    if (!wanted.has(child)) return [];
    const { at, limitMs } = wanted.get(child);
    const fresh = { errors: [], retryReasons: [], seenDone: false, unhandledRejectionErrorByPromise: new Map() };
    return [{ ...child, ...fresh, parent: copy, at, timeout: limitMs, ownMode: child.mode }];
  });
  copy.tests = copy.children.filter(({ type }) => type === "test");
  return copy;
}

function skip(tests) {
  for (const test of tests) test.mode = "skip";
}

function unskip(test) {
  test.mode = test.ownMode;
}

function hasHung({ errors }) {
  return errors.some((error) => /Exceeded timeout of/.test(String(error?.[0]?.message ?? error?.message ?? error)));
}
