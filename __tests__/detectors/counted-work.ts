import { type Profiler, Session } from "node:inspector";

/** Characters of a text of one family, and of a repeated trigger. */
export const SIZE = 2000;
export const SHORT = 600;

/** Work over a text, and over one of twice its size. */
export type CountedWork = readonly [half: number, whole: number];

/** Parts of the names of scripts whose work counts: detectors, and the libraries that they use. */
const COUNTED = /\/src\/detectors\/|\/node_modules\/(?!.*jest)/;

/**
 * Counts work without a clock: how often each block of code ran, as the engine counts it, and the characters that regular
 * expressions passed over. The same call gives nearly the same number each time, if the functions were compiled after the counter was opened.
 */
export class WorkCounter {
  readonly #session = new Session();
  readonly #exec = RegExp.prototype.exec;
  #characters = 0;

  open(): void {
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    const count = (characters: number): void => void (this.#characters += characters);
    const exec = this.#exec;
    replaceExec(function (this: RegExp, text: string) {
      const from = this.global || this.sticky ? this.lastIndex : 0;
      const found = exec.call(this, text);
      if (found !== null) count(found.index + found[0].length - from);
      else count(this.sticky ? 1 : Math.max(0, text.length - from));
      return found;
    });
  }

  close(): void {
    replaceExec(this.#exec);
    this.#session.post("Profiler.stopPreciseCoverage");
    this.#session.disconnect();
  }

  /** Returns the steps that a call takes. */
  count(call: () => void): number {
    this.#take();
    this.#characters = 0;
    call();
    const blocks = this.#take()
      .filter(({ url }) => COUNTED.test(url))
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges));
    return blocks.reduce((sum, { count }) => sum + count, this.#characters);
  }

  /** Returns the counts of all blocks since the last time. */
  #take(): readonly Profiler.ScriptCoverage[] {
    let taken: readonly Profiler.ScriptCoverage[] | undefined;
    this.#session.post("Profiler.takePreciseCoverage", (error, { result }) => {
      if (error !== null) throw error;
      taken = result;
    });
    // The session is in this process, and calls back at once.
    if (taken === undefined) throw new Error("the engine counted nothing");
    return taken;
  }
}

/** Replaces what all regular expressions match with. */
function replaceExec(exec: RegExp["exec"]): void {
  Reflect.set(RegExp.prototype, "exec", exec);
}
