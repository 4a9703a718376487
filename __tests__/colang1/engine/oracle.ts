import type {
  ElementOf,
  Colang1Program,
  CompiledFlow,
  Element,
  ElementArgument,
  EventMatcher,
  Matcher,
  Tier,
} from "../../../src/colang1/elements.js";
import { COLANG_1_DIALECT } from "../../../src/colang1/expression-dialect.js";
import type { EventDraft, GuardrailsEvent } from "../../../src/engine/events.js";
import type { Expression } from "../../../src/expressions/ast.js";
import { evaluate } from "../../../src/expressions/evaluate/evaluate.js";
import { isTruthy, toValue } from "../../../src/expressions/values/value.js";

/**
 * A reference interpreter for tests: it keeps nothing between two calls and replays the whole history from an empty
 * state, examines every flow for every event, and shares no code with the engine. Not supported: calls by value,
 * results of calls, dotted targets, LLM-written flows, nested rails, calls without a turn.
 */
export interface Replayed {
  readonly drafts: readonly EventDraft[];
  readonly context: ReadonlyMap<string, unknown>;
  readonly live: readonly string[];
}

type Status = "active" | "interrupted" | "aborted" | "completed";

interface Running {
  readonly flow: CompiledFlow;
  readonly tier: Tier;
  readonly caller: Running | undefined;
  readonly priority: number;
  readonly bornOn: string;
  pc: number;
  status: Status;
  holder: Running | undefined;
  asleep: boolean;
  action: unknown;
  interruptedAt: number;
  tookStep: boolean;
  /** It receives the utterance instead of the `UserMessage`. */
  raw: boolean;
}

interface Wish {
  readonly who: Running;
  readonly challenge: number;
  readonly stored: number;
}

type Cause =
  | { readonly by: "step"; readonly who: Running }
  | { readonly by: "action"; readonly who: Running; readonly callers: readonly Running[] }
  | undefined;

/** Marks the start of a call in a history. */
const CALL = "$call";
const UTTERANCE = "UtteranceUserActionFinished";
/** Events that do not show the kind of the call. */
const QUIET = new Set(["hide_prev_turn", "ContextUpdate"]);
const ACTIONABLE = new Set<Element["kind"]>(["Say", "Run", "Emit", "Stop"]);
const SLIDING = new Set<Element["kind"]>(["Assign", "Jump", "JumpIfNot", "Check", "Return", "Call"]);
const OPEN_TYPES: ReadonlySet<string> = new Set([
  "UserIntent",
  "BotIntent",
  "UserMessage",
  "BotMessage",
  "StartUtteranceBotAction",
  UTTERANCE,
  "start_flow",
]);

/** The consequence of the last event of a history. */
export function replay(program: Colang1Program, history: readonly GuardrailsEvent[]): Replayed {
  const visible: GuardrailsEvent[] = [];
  // The call may have an utterance, other events, or only events that are hidden again.
  let brought: "nothing" | "events" | "utterance" = "nothing";
  for (const event of history) {
    if (event.type === CALL) brought = "nothing";
    else if (event.type === UTTERANCE) brought = "utterance";
    else if (!QUIET.has(event.type) && brought === "nothing") brought = "events";
    if (event.type !== "hide_prev_turn") visible.push(event);
    else {
      const utterance = brought === "events" ? -1 : visible.findLastIndex((each) => each.type === UTTERANCE);
      const call = visible.findLastIndex((each) => each.type === CALL);
      visible.length = utterance === -1 ? call + 1 : utterance;
      brought = "nothing";
    }
  }
  const world = new World(program);
  // Hiding the first turn removes its events, but the conversation has still begun.
  if (history.some((event) => event.type !== CALL && event.type !== "hide_prev_turn")) world.initialise();
  let drafts: readonly EventDraft[] = [];
  for (const [at, event] of visible.entries()) drafts = world.fold(event, visible.slice(0, at));
  return {
    drafts: history.at(-1)?.type === "hide_prev_turn" ? [] : drafts,
    context: world.context,
    live: world.running.map((each) => `${each.flow.id}@${each.pc} ${each.status}`),
  };
}

class World {
  running: Running[] = [];
  readonly context = new Map<string, unknown>();
  private readonly unreported = new Set<string>();
  private wanted: { who: Running; draft: EventDraft } | undefined;
  private readonly actions = new Map<unknown, { who: Running; callers: readonly Running[] }>();
  private lastAction: { who: Running; callers: readonly Running[] } | undefined;
  private announced: unknown[] = [];
  private utterance: GuardrailsEvent | undefined;
  private failure: EventDraft | undefined;
  private begun = false;
  private now = 0;
  // Per event:
  private event: GuardrailsEvent = { type: "" };
  private cause: Cause;
  private wishes: Wish[] = [];
  private hit: Running[] = [];
  private unharmed = new Set<Running>();
  private extensionEnded = new Set<Tier>();
  private born: Running[] = [];

  constructor(private readonly program: Colang1Program) {}

  fold(event: GuardrailsEvent, before: readonly GuardrailsEvent[]): readonly EventDraft[] {
    if (event.type === CALL) {
      this.forget();
      return [];
    }
    this.now += 1;
    this.event = event;
    this.wishes = [];
    this.hit = [];
    this.unharmed = new Set();
    this.extensionEnded = new Set();
    if (event.type === UTTERANCE || event.type === "Listen") this.failure = undefined;
    this.initialise();
    if (event.type === UTTERANCE) {
      this.utterance = event;
      this.forget();
    }
    this.cause = this.causeOf(event);
    switch (event.type) {
      case "FlowFailed":
        this.failure = undefined;
        this.wanted = undefined;
        return [];
      case "StartInternalSystemAction":
        return this.startAction(event);
      case "ContextUpdate":
        return this.update(event);
      case "Listen":
        this.listen();
        return [];
    }
    if (event.type === "BotIntent" && event["intent"] === "stop") {
      this.stop(before);
      return [];
    }
    return this.react();
  }

  private forget(): void {
    this.wanted = undefined;
    this.lastAction = undefined;
    this.announced = [];
  }

  initialise(): void {
    if (this.begun) return;
    this.begun = true;
    for (const flow of this.program.flows) if (flow.isInitialiser && !flow.isSubflow) this.go(this.make(flow), 1);
    this.wishes = [];
  }

  private causeOf(event: GuardrailsEvent): Cause {
    const [expected] = this.announced;
    if (this.lastAction && sameEvent(expected as EventDraft | undefined, event)) {
      this.announced = this.announced.slice(1);
      return { by: "action", ...this.lastAction };
    }
    if (this.wanted && sameEvent(this.wanted.draft, event)) return { by: "step", who: this.wanted.who };
    return this.lastAction && { by: "action", ...this.lastAction };
  }

  private startAction(event: GuardrailsEvent): readonly EventDraft[] {
    const who = this.cause?.by === "step" ? this.cause.who : undefined;
    this.wanted = undefined;
    const element = who?.flow.elements[who.pc];
    if (!who || !this.running.includes(who) || element?.kind !== "Run") return [];
    for (const each of chain(who)) each.tookStep = true;
    for (const each of this.running) {
      if (each.status !== "active" || (each !== who && each.tier !== "user") || each.action !== undefined) continue;
      const other = each.flow.elements[each.pc];
      if (other?.kind === "Run" && sameRun(other, element)) {
        if (each === who || each.tier === "user") each.action = event["action_uid"];
      } else if (who.tier === "user" && !each.flow.interruptible) each.status = "aborted";
    }
    // A flow waiting for another action blocks no flow, but must not be interrupted either.
    for (const each of this.running) {
      const waits = each.action !== undefined && each.action !== event["action_uid"];
      if (
        who.tier === "user" &&
        each.tier === "user" &&
        each.status === "active" &&
        waits &&
        !each.flow.interruptible
      ) {
        each.status = "aborted";
      }
    }
    this.endWaiters();
    this.actions.set(event["action_uid"], { who, callers: chain(who).slice(1) });
    this.lastAction = undefined;
    this.announced = [];
    this.sweep();
    return [];
  }

  private update(event: GuardrailsEvent): readonly EventDraft[] {
    const own = this.cause?.by === "step" && this.unreported.size === 0;
    const data = event["data"] as Readonly<Record<string, unknown>>;
    for (const [name, value] of Object.entries(data)) {
      this.context.set(name, value);
      this.unreported.delete(name);
    }
    return own ? this.react() : [];
  }

  private listen(): void {
    const own = this.cause?.by === "step";
    this.forget();
    if (!own) return;
    this.passEmit();
    this.sweep();
  }

  private stop(before: readonly GuardrailsEvent[]): void {
    const { cause } = this;
    if (cause?.who.tier === "user") {
      const ended = new Set([...chain(cause.who), ...(cause.by === "action" ? cause.callers : [])]);
      this.running = this.running.filter((each) => !ended.has(each));
      for (const each of this.running) {
        if (each.status !== "interrupted" || !each.holder || !ended.has(each.holder)) continue;
        each.status = "active";
        each.holder = undefined;
      }
    } else {
      let source = this.running;
      const turn = before.findLastIndex((each) => each.type === UTTERANCE || each.type === CALL);
      if (cause && turn !== -1) {
        const past = new World(this.program);
        past.initialise();
        for (let at = 0; at < turn; at += 1) past.fold(before[at] as GuardrailsEvent, before.slice(0, at));
        source = past.running;
      }
      this.running = source.filter((each) => each.tier === "user");
    }
    this.forget();
    this.actions.clear();
  }

  /** The rules of arbitration in their order, as a reference for the engine. */
  private react(): readonly EventDraft[] {
    const { event } = this;
    if (this.cause?.by === "step" && this.running.includes(this.cause.who)) {
      for (const each of chain(this.cause.who)) each.tookStep = true;
    }
    if (event.type === "UserMessage") this.context.set("last_user_message", event["text"] ?? null);
    if (event.type === "StartUtteranceBotAction") {
      this.context.set("last_bot_message", event["script"] ?? null);
      const fromPipeline = this.cause?.by === "step" && this.cause.who.tier === "system";
      for (const each of this.running) {
        if (!fromPipeline && each.tier === "system" && !each.tookStep && each.bornOn === "BotIntent") {
          each.status = "aborted";
        }
      }
    }
    const ended = event.type === "InternalSystemActionFinished" ? this.actions.get(event["action_uid"]) : undefined;
    this.passEmit();
    const moved = this.running.filter((each) => each.status === "active").filter((each) => this.meet(each, ended?.who));
    if (event.type === "UserIntent" && !moved.some((each) => each.tier === "user")) this.reachSuspended();
    this.startAll();
    this.bringBack();
    for (const tier of ["system", "user"] as const) this.holdBack(tier);
    this.settle();
    const drafts = this.conclude();
    if (ended) {
      this.lastAction = ended;
      this.actions.delete(event["action_uid"]);
      this.announced = (event["events"] as unknown[] | undefined) ?? [];
    } else if (this.cause?.by === "step") this.lastAction = undefined;
    return drafts;
  }

  private conclude(): readonly EventDraft[] {
    const userWaits = this.pipelineBusy();
    const winner = best(this.wishes.filter((wish) => wish.who.tier === "system" || !userWaits));
    if (!userWaits && winner?.tier === "system" && this.event.type === "UserIntent") {
      for (const { who } of this.wishes) {
        if (who.tier !== "user" || who.status !== "active") continue;
        for (const member of chain(who)) member.status = "aborted";
      }
    }
    for (const each of this.running) {
      const lost = each.tier === "system" && each !== winner && each.status === "active" && this.stepOf(each);
      if (lost && !chain(each).some((member) => member.tookStep)) {
        for (const member of chain(each)) member.status = "aborted";
      }
    }
    this.wanted = undefined;
    if (winner && !this.failure) {
      const draft = this.draft(winner);
      if (draft && !this.failure) this.wanted = { who: winner, draft };
    }
    this.sweep();
    if (this.failure) return [this.failure];
    const data = Object.fromEntries([...this.unreported].map((name) => [name, this.context.get(name)]));
    const update = this.unreported.size > 0 ? [{ type: "ContextUpdate", data }] : [];
    return this.wanted ? [...update, this.wanted.draft] : update;
  }

  private draft(who: Running): EventDraft | undefined {
    const element = who.flow.elements[who.pc];
    const values = (given: readonly ElementArgument[]): Record<string, unknown> =>
      Object.fromEntries(given.map(({ name, value }) => [name ?? "", this.value(value, who) ?? null]));
    if (element?.kind === "Stop") return { type: "BotIntent", intent: "stop" };
    if (element?.kind === "Emit") return { type: element.type, ...values(element.arguments) };
    if (element?.kind === "Run") {
      return {
        type: "StartInternalSystemAction",
        action_name: element.action,
        action_params: values(element.arguments),
        action_result_key: element.result?.name ?? null,
        is_system_action: false,
        flow_id: who.flow.id,
      };
    }
    if (element?.kind !== "Say") return undefined;
    const { content } = element;
    if (content.type === "intent") return { type: "BotIntent", intent: content.intent };
    if (content.type === "literal") return { type: "BotIntent", intent: content.intent, text: content.text };
    const value = this.value(content.value, who) ?? null;
    if (value !== null) return { type: "BotIntent", intent: content.source, value };
    this.fail(who, "CO-401", `message variable \`${content.source}\` is not defined`, element);
    return undefined;
  }

  private fail(who: Running, code: string, message: string, element: Element): void {
    who.status = "aborted";
    this.failure ??= { type: "FlowFailed", flow_id: who.flow.id, code, message, location: element.location };
  }

  private passEmit(): void {
    const who = this.cause?.by === "step" ? this.cause.who : undefined;
    if (!who || !this.running.includes(who) || who.flow.elements[who.pc]?.kind !== "Emit") return;
    const old = new Set(this.running);
    for (const each of chain(who)) each.tookStep = true;
    this.unharmed.add(who);
    who.pc += 1;
    this.goInList(who, 1);
    this.settle();
    for (const each of this.running) if (!old.has(each)) this.unharmed.add(each);
    this.wishes = [];
  }

  /** Step 4 for one instance; true when the event moved it. */
  private meet(who: Running, requester: Running | undefined): boolean {
    const element = who.flow.elements[who.pc];
    const { event } = this;
    const isResult = event.type === "InternalSystemActionFinished" && event["action_uid"] === who.action;
    let next: number | undefined;
    if (who.action === undefined) next = this.matched(who.flow, who.pc, who.tier, who);
    else if (isResult && event["status"] === "success") next = who.pc + 1;
    if (next !== undefined) {
      this.move(who, next);
      return true;
    }
    const { cause } = this;
    const otherStep = cause?.by === "step" && cause.who.tier === "user" && cause.who !== who;
    const standard =
      event.type === "UserIntent" ||
      event.type === "BotIntent" ||
      (event.type === "InternalSystemActionFinished" &&
        ((isResult && who.action !== undefined) || (requester?.tier === "user" && who.tier === "user")));
    const listening = !this.isPrivate() && this.listens(who.flow, who.pc, who.tier);
    let harmed = (standard || listening) && !this.unharmed.has(who);
    if (!who.flow.interruptible && !this.unharmed.has(who)) {
      const foreign = who.tier === "user" && otherStep;
      harmed = foreign || (harmed && (event.type === "UserIntent" || (isResult && who.action !== undefined)));
    }
    if (!harmed) this.wish(who, 0.9);
    else if (!who.flow.interruptible || (element && ACTIONABLE.has(element.kind))) {
      who.status = "aborted";
      who.action = undefined;
      this.hit.push(who);
    } else this.interrupt(who);
    return false;
  }

  private move(who: Running, next: number): void {
    const element = who.flow.elements[who.pc];
    if (element && who.tier === "user" && this.event.type === "UserMessage") who.raw ||= this.matchedRaw(who, next);
    who.pc = next;
    who.action = undefined;
    this.goInList(who, 1);
  }

  private matchedRaw(who: Running, next: number): boolean {
    const element = who.flow.elements[next - 1];
    const first = element?.kind === "Match" && element.matchers.find((each) => this.fits(each, who.tier, who));
    return first ? first.kind === "Event" && first.type === UTTERANCE : false;
  }

  private interrupt(who: Running): void {
    who.status = "interrupted";
    who.holder = undefined;
    who.interruptedAt = this.now;
  }

  private reachSuspended(): void {
    let found: Running | undefined;
    for (const each of this.running) {
      if (each.status !== "interrupted" || each.tier !== "user" || each.asleep) continue;
      if (this.matched(each.flow, each.pc, each.tier, each) === undefined) continue;
      if (!found || each.interruptedAt >= found.interruptedAt) found = each;
    }
    if (!found) return;
    const { holder } = found;
    found.status = "active";
    found.holder = undefined;
    this.move(found, this.matched(found.flow, found.pc, found.tier, found) ?? found.pc);
    if (holder && this.running.includes(holder) && holder.status === "active" && !this.stepOf(holder)) {
      this.interrupt(holder);
    }
  }

  private startAll(): void {
    for (const flow of this.program.flows) {
      if (flow.isSubflow || flow.isInitialiser) continue;
      if (!flow.allowMultiple && this.running.some((each) => each.flow === flow)) continue;
      const overlay = new Map<string, unknown>();
      let next: number | undefined;
      let pc: number | undefined = 0;
      while (pc !== undefined) {
        const element: Element | undefined = flow.elements[pc];
        if (!element || element.kind === "Call" || element.kind === "Return") break;
        if (!SLIDING.has(element.kind)) {
          next = this.matched(flow, pc, flow.tier, undefined, overlay);
          break;
        }
        pc = this.slideDry(element, pc, overlay);
      }
      if (next === undefined) continue;
      for (const [name, value] of overlay) this.assign(name, value);
      const who = this.make(flow);
      who.raw = flow.tier === "user" && this.event.type === "UserMessage" && this.matchedRaw(who, next);
      who.pc = next;
      this.running.push(who);
      this.go(who, 1);
      this.running.push(...this.born);
      this.born = [];
    }
  }

  private slideDry(element: Element, pc: number, overlay: Map<string, unknown>): number | undefined {
    if (element.kind === "Jump") return element.target;
    if (element.kind === "Assign") overlay.set(element.target.name, this.value(element.value, undefined, overlay));
    if (element.kind !== "JumpIfNot" && element.kind !== "Check") return pc + 1;
    const holds = isTruthy(toValue(this.value(element.condition, undefined, overlay)));
    if (holds) return pc + 1;
    return element.kind === "Check" ? undefined : element.target;
  }

  private bringBack(): boolean {
    const back = this.hit.filter((each) => each.status === "aborted" && this.extensionEnded.has(each.tier));
    for (const tier of ["system", "user"]) {
      for (const each of back) {
        if (each.tier !== tier) continue;
        each.status = "active";
        each.holder = undefined;
        this.wish(each, 1);
      }
    }
    return back.length > 0;
  }

  private holdBack(tier: Tier): void {
    const waits = tier === "user" && this.pipelineBusy();
    const rivals = tier === "user" && this.event.type === "UserIntent" ? ["user", "system"] : [tier];
    const first = waits ? undefined : best(this.wishes.filter((wish) => rivals.includes(wish.who.tier)));
    const decider = first?.tier === tier ? first : undefined;
    for (const each of this.running) {
      const fresh = each.status === "interrupted" && each.interruptedAt === this.now && !each.asleep && !each.holder;
      if (each.tier === tier && fresh) each.holder = decider;
    }
    const extension = decider && chain(decider).find((each) => each.flow.isExtension);
    if (!extension) return;
    for (const each of this.hit) {
      if (each.tier !== tier || each.status !== "aborted" || !each.flow.interruptible) continue;
      each.status = "interrupted";
      each.holder = extension;
    }
  }

  private settle(): void {
    for (;;) {
      let changed = false;
      for (const each of this.running) {
        if (each.status !== "interrupted") continue;
        const { holder, asleep } = each;
        const gone = !holder || !this.running.includes(holder) || holder.status === "completed";
        if (!gone) continue;
        each.status = "active";
        each.holder = undefined;
        each.asleep = false;
        if (asleep && holder && this.unharmed.has(holder)) this.unharmed.add(each);
        this.goInList(each, 1);
        changed = true;
      }
      if (this.bringBack()) changed = true;
      if (!changed && !this.endWaiters()) return;
    }
  }

  private endWaiters(): boolean {
    let any = false;
    for (let changed = true; changed;) {
      changed = false;
      for (const each of this.running) {
        if (each.status !== "interrupted" || each.holder?.status !== "aborted") continue;
        if (!this.running.includes(each.holder)) continue;
        each.status = "aborted";
        changed = true;
        any = true;
      }
    }
    return any;
  }

  private sweep(): void {
    this.running = this.running.filter((each) => each.status === "active" || each.status === "interrupted");
  }

  private pipelineBusy(): boolean {
    return this.running.some((each) => {
      if (each.tier !== "system") return false;
      const starting = each.bornOn === UTTERANCE && !each.tookStep;
      if (this.event.type === UTTERANCE && starting) return true;
      return each.status === "active" && this.stepOf(each) && chain(each).some((member) => member.tookStep);
    });
  }

  private make(flow: CompiledFlow, caller?: Running): Running {
    const tier = caller?.tier ?? flow.tier;
    const raised = caller && tier === "system" && caller.priority > flow.priority;
    return {
      flow,
      tier,
      caller,
      priority: raised ? caller.priority : flow.priority,
      bornOn: this.event.type,
      pc: 0,
      status: "active",
      holder: undefined,
      asleep: false,
      action: undefined,
      interruptedAt: 0,
      tookStep: false,
      raw: caller?.raw ?? false,
    };
  }

  private goInList(who: Running, factor: number): void {
    this.go(who, factor);
    const at = this.running.indexOf(who);
    this.running = [...this.running.slice(0, at), ...this.born, ...this.running.slice(at)];
    this.born = [];
  }

  private go(who: Running, factor: number): void {
    while (who.status === "active") {
      const element = who.flow.elements[who.pc];
      if (!element) return this.end(who);
      if (!SLIDING.has(element.kind)) return this.wish(who, factor);
      this.slide(who, element);
    }
  }

  private slide(who: Running, element: Element): void {
    switch (element.kind) {
      case "Assign":
        this.assign(element.target.name, this.value(element.value, who));
        who.pc += 1;
        return;
      case "Jump":
        who.pc = element.target;
        return;
      case "JumpIfNot":
        who.pc = isTruthy(toValue(this.value(element.condition, who))) ? who.pc + 1 : element.target;
        return;
      case "Check":
        if (isTruthy(toValue(this.value(element.condition, who)))) who.pc += 1;
        else who.status = "aborted";
        return;
      case "Return":
        this.end(who);
        return;
      case "Call":
        this.call(who, element);
    }
  }

  private call(who: Running, element: ElementOf<"Call">): void {
    const target = this.program.flows.find((flow) => flow.id === element.flow) as CompiledFlow;
    if (chain(who).length >= 64) {
      this.fail(who, "CO-402", `\`do ${target.id}\` is nested deeper than 64`, element);
      return;
    }
    who.pc += 1;
    const callee = this.make(target, who);
    this.go(callee, 1);
    if (callee.status === "completed") return;
    if (callee.status === "aborted") {
      who.status = "aborted";
      return;
    }
    who.status = "interrupted";
    who.asleep = true;
    who.holder = callee;
    this.born.push(callee);
  }

  private end(who: Running): void {
    who.status = "completed";
    if (who.flow.isExtension) this.extensionEnded.add(who.tier);
  }

  private assign(name: string, value: unknown): void {
    this.context.set(name, value);
    this.unreported.add(name);
  }

  private wish(who: Running, factor: number): void {
    if (!this.stepOf(who) || who.action !== undefined) return;
    this.wishes.push({ who, challenge: who.priority, stored: who.priority * factor });
  }

  private stepOf(who: Running): boolean {
    const element = who.flow.elements[who.pc];
    return element !== undefined && ACTIONABLE.has(element.kind);
  }

  private matched(
    flow: CompiledFlow,
    pc: number,
    tier: Tier,
    who?: Running,
    overlay?: ReadonlyMap<string, unknown>,
  ): number | undefined {
    const element = flow.elements[pc];
    if (element?.kind === "Choice") {
      return element.heads
        .map((head) => this.matched(flow, head, tier, who, overlay))
        .find((each) => each !== undefined);
    }
    if (element?.kind === "Match") {
      return element.matchers.some((each) => this.fits(each, tier, who, overlay)) ? pc + 1 : undefined;
    }
    if (element?.kind !== "Say" || this.event.type !== "BotIntent") return undefined;
    const { content } = element;
    const wanted = content.type === "value" ? content.source : content.intent;
    const text = content.type === "literal" && content.intent === "say" ? content.text : this.event["text"];
    return this.event["intent"] === wanted && this.event["text"] === text ? pc + 1 : undefined;
  }

  private fits(matcher: Matcher, tier: Tier, who?: Running, overlay?: ReadonlyMap<string, unknown>): boolean {
    if (matcher.kind !== "Event") {
      const type = matcher.kind === "User" ? "UserIntent" : "BotIntent";
      if (this.event.type !== type) return false;
      return matcher.intents.includes("...") || matcher.intents.includes(String(this.event["intent"]));
    }
    const event = this.seen(matcher, tier);
    if (!event) return false;
    return matcher.properties.every((test) => {
      if (test.test === "any") return true;
      const value = event[test.name];
      if (test.test === "exists") return value !== undefined && value !== null;
      return value !== undefined && JSON.stringify(value) === JSON.stringify(this.value(test.value, who, overlay));
    });
  }

  private listens(flow: CompiledFlow, pc: number, tier: Tier): boolean {
    const element = flow.elements[pc];
    if (element?.kind === "Choice") return element.heads.some((head) => this.listens(flow, head, tier));
    if (element?.kind !== "Match") return false;
    return element.matchers.some((each) => each.kind === "Event" && this.seen(each, tier) !== undefined);
  }

  /** The event that a matcher is compared with, if it is of its type (CO-318). */
  private seen(matcher: EventMatcher, tier: Tier): GuardrailsEvent | undefined {
    const { event } = this;
    if (matcher.type !== UTTERANCE) return matcher.type === event.type ? event : undefined;
    if (tier === "system") return event.type === matcher.type ? event : undefined;
    return event.type === "UserMessage" ? this.rawUtterance() : undefined;
  }

  private rawUtterance(): GuardrailsEvent {
    const text = this.event["text"] ?? null;
    return { ...this.utterance, type: UTTERANCE, final_transcript: text };
  }

  private isPrivate(): boolean {
    const { type } = this.event;
    if (/^(Start(Input|Output|Retrieval)Rails?|(Input|Output|Retrieval)Rails?Finished)$/.test(type)) return true;
    return this.cause?.who.tier === "system" && !OPEN_TYPES.has(type) && !type.endsWith("Exception");
  }

  private value(expression: Expression, who?: Running, overlay?: ReadonlyMap<string, unknown>): unknown {
    const lookup = (name: string): unknown => {
      if (name === "event") return who?.raw && this.event.type === "UserMessage" ? this.rawUtterance() : this.event;
      if (name in this.program.constants) return this.program.constants[name];
      return overlay?.has(name) ? overlay.get(name) : this.context.get(name);
    };
    return evaluate(expression, { lookup: (name) => toValue(lookup(name)) }, COLANG_1_DIALECT);
  }
}

/** The offers in order: the first one wins until one has a higher priority than the stored one. */
function best(wishes: readonly Wish[]): Running | undefined {
  let stored = Number.NEGATIVE_INFINITY;
  let winner: Running | undefined;
  for (const wish of wishes) {
    if (wish.who.status !== "active" || stored >= wish.challenge) continue;
    winner = wish.who;
    stored = wish.stored;
  }
  return winner;
}

function chain(who: Running): Running[] {
  const members: Running[] = [];
  for (let each: Running | undefined = who; each; each = each.caller) members.push(each);
  return members;
}

function sameRun(left: Element, right: Element): boolean {
  const strip = ({ location: _location, text: _text, ...rest }: Element): string =>
    JSON.stringify(rest, (key, value: unknown) => (key === "start" || key === "end" ? undefined : value));
  return strip(left) === strip(right);
}

function sameEvent(draft: EventDraft | undefined, event: GuardrailsEvent): boolean {
  if (draft?.type !== event.type) return false;
  if (event.type === "BotIntent") return draft["intent"] === event["intent"];
  if (event.type === "StartInternalSystemAction") {
    return draft["action_name"] === event["action_name"] && draft["flow_id"] === event["flow_id"];
  }
  return Object.entries(draft).every(([key, value]) => JSON.stringify(event[key]) === JSON.stringify(value));
}
