import { type Clock, startTask, systemClock } from "../engine/events.js";

/** Work items that one turn of the event loop starts immediately. An item takes a fraction of a millisecond. */
const AT_ONCE = 8;
/** Maximum number of queued items that a turn starts, and the time for them in milliseconds. */
const MOST = 64;
const WORK_MS = 2;

/**
 * Divides the turns of the event loop among requests. Node.js accepts one connection per turn, and reads all data of the other
 * connections before it accepts the next. Without a limit, a turn lasts as long as all requests that arrived meanwhile: with 256
 * active clients, a new client would wait for seconds, and a refusal for all work queued before it.
 *
 * Queued work gets two milliseconds of a turn, or as long as everything else in the turn took: refusals and streams leave it half
 * of the time.
 *
 * INVARIANT: work of one kind starts in order, and some starts in every turn, unless connections arrive and work has used more
 * than half of the time since. Active requests continue before others start: waiting requests hold little memory, and V8 has to
 * copy the objects of active ones in each collection.
 */
export class EventLoopShare {
  readonly #startTask: typeof startTask;
  readonly #clock: Clock;
  readonly #resuming: (() => void)[] = [];
  readonly #beginning: (() => void)[] = [];
  /** Scheduled tasks. Each runs one item, so that its promises are processed before the next. */
  #tasks = 0;
  /** Scheduled tasks that run in this turn. */
  #tasksOfTurn = 0;
  #deadline = 0;
  /** Start and end of the tasks of the last turn; undefined while no work is queued. */
  #last: { readonly began: number; ended: number } | undefined;
  /** Items that this turn has started immediately. */
  #started = 0;
  /** Number of turns for which connections count as still arriving. */
  #accepting = 0;
  /** Milliseconds that work has used beyond everything else, while connections arrive. */
  #lead = 0;
  #endsTurn = false;

  constructor({ startTask: tasks = startTask, clock = systemClock }: LoopOptions = {}) {
    this.#startTask = tasks;
    this.#clock = clock;
  }

  /** Records a new connection. More of them may be waiting, so turns stay short until one has brought no connection. */
  accepted(): void {
    // This turn and the next one, whose work may run before its connection is accepted.
    this.#accepting = 2;
    this.#awaitEnd();
  }

  /** Starts the work of a request: immediately if this turn has time and no work is queued, otherwise in a later turn. */
  begin(work: () => void): void {
    this.#run(work, this.#beginning, this.#waiting > 0);
  }

  /** Continues a request, before others start. */
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

  /** Adds a task for each queued item, and one that measures the time after them. */
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
    // Tasks that are added from here on belong to the next turn.
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

/** Shared instance of this thread. */
export const eventLoopShare = new EventLoopShare();
