import { type Clock, startTask, systemClock } from "../engine/events.js";

/** Pieces of work that one turn of the event loop starts without a wait. A piece takes a part of a millisecond. */
const AT_ONCE = 8;
/** Most pieces of those that waited that a turn may start, and the time for them in milliseconds. */
const MOST = 64;
const WORK_MS = 2;

/**
 * Shares the turns of the event loop among requests. Node.js accepts one connection in each turn, and reads all that has come on
 * the others before it looks again. Without a limit a turn takes as long as all requests that came meanwhile: with
 * 256 clients at work a new one would wait for seconds, and a refusal for all the work before it.
 *
 * What waits gets two milliseconds of a turn, or as long as everything else in it took: refusals and streams leave it half of
 * the time.
 *
 * INVARIANT: work of one kind starts in its order, and some starts in every turn, unless connections come and work had more
 * than half of the time since. Requests that are at work go on before others begin: those that wait hold little memory, and the
 * objects of those at work are what V8 has to copy in each collection.
 */
export class EventLoopShare {
  readonly #startTask: typeof startTask;
  readonly #clock: Clock;
  readonly #resuming: (() => void)[] = [];
  readonly #beginning: (() => void)[] = [];
  /** Tasks that are to run. Each does one piece, so that promises of one are served before the next. */
  #tasks = 0;
  /** Those of them that run in this turn. */
  #tasksOfTurn = 0;
  #deadline = 0;
  /** Times at which the tasks of the last turn began and ended; undefined while nothing waits. */
  #last: { readonly began: number; ended: number } | undefined;
  /** Pieces that this turn has started at once. */
  #started = 0;
  /** Turns in which connections count as still coming. */
  #accepting = 0;
  /** Milliseconds that work had more than everything else, while connections come. */
  #lead = 0;
  #endsTurn = false;

  constructor({ startTask: tasks = startTask, clock = systemClock }: LoopOptions = {}) {
    this.#startTask = tasks;
    this.#clock = clock;
  }

  /** Notes a new connection. More of them may wait, so turns stay short until one has brought none. */
  accepted(): void {
    // This turn and the next one, whose work may come before its connection.
    this.#accepting = 2;
    this.#awaitEnd();
  }

  /** Begins the work of a request: at once if this turn has time for it and nothing waits, otherwise in a later turn. */
  begin(work: () => void): void {
    this.#run(work, this.#beginning, this.#waiting > 0);
  }

  /** Goes on with a request, before others begin. */
  resume(work: () => void): void {
    this.#run(work, this.#resuming, this.#resuming.length > 0);
  }

  get #waiting(): number {
    return this.#resuming.length + this.#beginning.length;
  }

  #run(work: () => void, queue: (() => void)[], hasToWait: boolean): void {
    if (!hasToWait && this.#accepting === 0 && this.#started < AT_ONCE) {
      this.#started += 1;
      this.#awaitEnd();
      work();
      return;
    }
    queue.push(work);
    this.#addTasks();
  }

  /** Adds a task for each piece, and one that takes the time after them. */
  #addTasks(): void {
    const waiting = this.#waiting;
    const count = waiting === 0 ? 0 : Math.min(waiting, MOST) + 1;
    while (this.#tasks < count) {
      this.#tasks += 1;
      this.#startTask(this.#doNext);
    }
  }

  readonly #doNext = (): void => {
    const now = this.#clock.now();
    if (this.#tasksOfTurn === 0) this.#beginTurn(now);
    this.#tasks -= 1;
    this.#tasksOfTurn -= 1;
    const isPiece = this.#tasksOfTurn > 0 && now < this.#deadline;
    const next = isPiece ? (this.#resuming.shift() ?? this.#beginning.shift()) : undefined;
    this.#addTasks();
    if (this.#tasksOfTurn === 0) {
      if (this.#tasks === 0) this.#last = undefined;
      else if (this.#last !== undefined) this.#last.ended = now;
    }
    next?.();
  };

  #beginTurn(now: number): void {
    // Tasks that are added from now on belong to the next turn.
    this.#tasksOfTurn = this.#tasks;
    const { began, ended } = this.#last ?? { began: now, ended: now };
    const others = now - ended;
    this.#lead = this.#accepting > 0 ? Math.max(0, this.#lead + ended - began - others) : 0;
    this.#deadline = this.#lead > 0 ? now : now + Math.max(this.#accepting > 0 ? 0 : WORK_MS, others);
    this.#last = { began: now, ended: now };
  }

  #awaitEnd(): void {
    if (this.#endsTurn) return;
    this.#endsTurn = true;
    this.#startTask(this.#endTurn);
  }

  readonly #endTurn = (): void => {
    this.#endsTurn = false;
    this.#started = 0;
    if (this.#accepting === 0) return;
    this.#accepting -= 1;
    this.#awaitEnd();
  };
}

interface LoopOptions {
  readonly startTask?: typeof startTask;
  readonly clock?: Clock;
}

/** The one of this thread. */
export const eventLoopShare = new EventLoopShare();
