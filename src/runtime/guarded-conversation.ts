import { imageRails, reviewImages, type UserPictures } from "./image-rails.js";
import { comparesEvidence, historyRails, type HistoryMode, speculates, stageOfSubject } from "./rails-of-call.js";
import { selectRails, selectVerdictRails } from "../rails/plan.js";
import {
  checkRail,
  checkStage,
  openStageReview,
  reviewStage,
  type StageReview,
  stageOfRail,
} from "../rails/stage-check.js";
import { checkTool, selectToolRails } from "../rails/tools/tool-check.js";
import type { ToolSubject } from "../rails/tools/tool-subject.js";
import { InputShapeError } from "../diagnostics/errors.js";
import { andThen, type Cancellation, isPromise, type MaybePromise } from "../engine/async.js";
import { extrasAt, withExtras } from "../turn/extra-text.js";
import {
  type Block,
  blockWith,
  type GuardrailsMetadata,
  type RailDecision,
  summarizeDecisions,
  type RailsStage,
  type ToolStage,
} from "../turn/decision.js";
import type { TurnMessage, TurnOptions } from "../turn/options.js";
import type { RailSubject, StageResult, TurnResult } from "../turn/result.js";
import type { StreamPlan } from "../turn/stream-plan.js";
import type { Turn } from "../turn/turn.js";
import type { DialectHost, StoredTurn } from "./dialect-host.js";
import type { EarlierReview, EarlierReviews } from "./history-review.js";
import { historyDecisions, isRepeatable, reviewEarlier } from "./history-review.js";
import { CallPseudonyms, splitStored } from "./pseudonyms.js";
import { blocked, blockOf, passed, withCallNames } from "./review.js";
import type { CallObserver, OpenInput, PendingText, Refusals, Review, ToolReview } from "./review.js";
import { threadIdOf, type ThreadKeeper } from "../threads/thread-keeper.js";

interface ConversationParts {
  readonly host: DialectHost;
  readonly threads: ThreadKeeper;
  readonly turn: Turn;
  readonly observer: CallObserver | undefined;
  readonly refusals: Refusals;
  readonly earlierReviews: EarlierReviews;
  readonly hasPseudonyms: boolean;
}

/**
 * The guarded conversation of one call: the only place where rails are selected, run, counted and turned into
 * decisions. Its stages share one turn, and so its limits, variables and cancellation.
 */
export class GuardedConversation {
  readonly #host: DialectHost;
  readonly #threads: ThreadKeeper;
  readonly #turn: Turn;
  readonly options: TurnOptions;
  /** Span of the call, if it is traced. */
  readonly span: Turn["span"];
  readonly #observer: CallObserver | undefined;
  readonly #refusals: Refusals;
  readonly #earlierReviews: EarlierReviews;
  /** True if the program has rails that give pseudonyms. */
  readonly #hasPseudonyms: boolean;
  #pseudonyms: CallPseudonyms | undefined;
  /** Decisions about earlier messages. */
  readonly #history: RailDecision[] = [];
  /** Reviews of earlier messages to hide, by text. */
  readonly hidden = new Map<string, EarlierReview>();

  constructor({ host, threads, turn, observer, refusals, earlierReviews, hasPseudonyms }: ConversationParts) {
    this.#hasPseudonyms = hasPseudonyms;
    this.#refusals = refusals;
    this.#earlierReviews = earlierReviews;
    this.#host = host;
    this.#threads = threads;
    this.#turn = turn;
    this.options = turn.options;
    this.span = turn.span;
    this.#observer = observer;
  }

  /** Context variables set so far by rails and flows of this call. */
  get variables(): Readonly<Record<string, unknown>> {
    return this.#turn.variables;
  }

  /** Pseudonyms of the call. */
  get pseudonyms(): CallPseudonyms {
    return (this.#pseudonyms ??= new CallPseudonyms(this.#turn, this.#threads, this.#host, this.#hasPseudonyms));
  }

  /** Seeds variables set by an earlier call of the same agent run. */
  assign(variables: Readonly<Record<string, unknown>>): void {
    this.#turn.assign(variables);
  }

  /**
   * Checks all user-side texts since the last response, oldest first: tool results by the rails of their tool, all others
   * by the input rails. Stops at the first block.
   */
  input(pending: readonly PendingText[], history?: RailSubject["history"]): MaybePromise<Review> {
    return this.#hasPseudonyms
      ? this.pseudonyms.read().then(() => this.#reviewInput(pending, history))
      : this.#reviewInput(pending, history);
  }

  #reviewInput(pending: readonly PendingText[], history: RailSubject["history"]): MaybePromise<Review> {
    const decisions = this.takeHistory();
    const texts = pending.map(({ text }) => text);
    const open = { pending, texts, decisions, history };
    const isResult = ({ tool, reviewed }: PendingText): boolean =>
      reviewed !== true && tool !== undefined && this.guardsTool("tool_input", tool.tool);
    const results = pending.flatMap((message, index) => (isResult(message) ? [index] : []));
    return results.length === 0 ? this.#inputTexts(open, results) : this.#inputResults(open, results);
  }

  async #inputResults(open: OpenInput, results: readonly number[]): Promise<Review> {
    const { pending, texts, decisions } = open;
    for (const index of results) {
      const review = await this.toolResult(pending[index]?.tool as ToolSubject);
      decisions.push(...review.decisions);
      if (review.block !== undefined) return blocked(texts, blockWith(review.block, decisions), index);
      texts[index] = review.check.result;
    }
    return this.#inputTexts(open, results);
  }

  /** Checks all texts except tool results. */
  #inputTexts({ pending, texts, decisions, history }: OpenInput, results: readonly number[]): MaybePromise<Review> {
    const isOpen = ({ reviewed, text, extra }: PendingText): boolean =>
      reviewed !== true && (text !== "" || extra !== undefined);
    const checked = pending.flatMap((message, index) => (isOpen(message) && !results.includes(index) ? [index] : []));
    if (checked.length === 0) return passed(texts, decisions);
    const userMessages = checked.map((index) => texts[index] ?? "");
    const extras = extrasAt(checked, (index) => pending[index]?.extra);
    const subject = { userMessages, extras, history };
    return andThen(reviewStage(this.#host.stages, this.#turn, "input", subject), (result) =>
      andThen(this.publish(result.decisions, withExtras(userMessages, extras)), (decided) => {
        decisions.push(...decided);
        checked.forEach((index, at) => (texts[index] = result.userMessages[at] ?? ""));
        const block = blockOf(result, decisions);
        if (block === undefined) return passed(texts, decisions);
        this.#refusals.add(block.refusal);
        return blocked(texts, block, checked[result.blockedAt ?? 0] ?? 0);
      }),
    );
  }

  /**
   * Checks user messages answered in earlier turns, each separately. A block hides the message, not the call.
   *
   * @returns the texts that change; undefined for a text to hide
   */
  async history(texts: readonly string[], mode: HistoryMode): Promise<ReadonlyMap<string, string | undefined>> {
    const { services } = this.#host;
    const rails = historyRails(services, this.options, mode);
    const changed = new Map<string, string | undefined>();
    if (rails.length === 0) return changed;
    if (this.#hasPseudonyms) await this.pseudonyms.read();
    const known = this.#earlierReviews.of(rails, services.railPlans.traits);
    for (const text of texts) {
      const before = known?.get(text);
      const review = before ?? (await reviewEarlier(services, this.#turn, rails, text));
      // Listeners count decisions of rails, whether new or cached.
      if (before !== undefined) for (const decision of before.decisions) this.#turn.notify({ ...decision });
      else if (isRepeatable(review)) known?.set(text, review);
      if (review.left === text) continue;
      changed.set(text, review.left);
      if (review.left === undefined) this.hidden.set(text, review);
      await this.#noteHistory(review.decisions, text);
    }
    return changed;
  }

  async #noteHistory(decisions: readonly RailDecision[], text: string): Promise<void> {
    this.#history.push(...(await this.publish(historyDecisions(decisions), [text])));
  }

  /** True if rails review messages answered in earlier turns. */
  reviewsHistory(mode: HistoryMode): boolean {
    return historyRails(this.#host.services, this.options, mode).length > 0;
  }

  /** Returns the decisions about the history once, for the verdict of the call. */
  takeHistory(): RailDecision[] {
    return this.#history.splice(0);
  }

  /** True if an input rail of this runtime has refused a message. */
  get hasRefused(): boolean {
    return !this.#refusals.isEmpty;
  }

  /** Returns true for the text of a refusal by an input rail of this runtime. */
  isRefusal(text: string): boolean {
    return this.#refusals.has(text);
  }

  /** Rails of the call that can check images. */
  get imageRails(): readonly string[] {
    return imageRails(this.#host.services, this.#host.models, this.options);
  }

  /** Runs rails on the images of pending messages. */
  async images(pictures: UserPictures): Promise<Review> {
    const { shown, result } = await reviewImages(this.#host, this.#turn, pictures);
    const decisions = await this.publish(result.decisions, [shown]);
    const block = blockOf(result, decisions);
    return block === undefined ? passed([], decisions) : blocked([], block);
  }

  /** Runs rails on the images of a message answered in an earlier turn; returns true if it must be hidden. */
  async earlierImages(pictures: UserPictures): Promise<boolean> {
    const { shown, result } = await reviewImages(this.#host, this.#turn, pictures, true);
    await this.#noteHistory(result.decisions, shown);
    return result.verdict.blocked || result.exception !== undefined;
  }

  /** Adds decisions about earlier messages to the verdict of the call. */
  noteEarlier(decisions: readonly RailDecision[]): void {
    this.#history.push(...decisions);
  }

  /** Runs the retrieval rails over evidence. */
  async retrieval(subject: RailSubject): Promise<StageResult & { readonly block?: Block }> {
    if (this.#hasPseudonyms) await this.pseudonyms.read();
    const result = await checkStage(this.#host.stages, this.#turn, "retrieval", subject);
    const decisions = await this.publish(result.decisions, [subject.relevantChunks ?? []].flat());
    const block = blockOf(result, decisions);
    return { ...result, decisions, ...(block === undefined ? {} : { block }) };
  }

  /**
   * Runs the output rails over a response, with its question and evidence.
   *
   * @param session - the review that has seen the response in parts, if any
   * @param parts - the parts that it has seen
   */
  async output(subject: RailSubject, session?: StageReview, parts: readonly string[] = []): Promise<Review> {
    const { botMessage = "", reasoning = "" } = subject;
    // A message with only tool calls has no text yet; execution rails check its arguments.
    if (botMessage === "" && reasoning === "") {
      session?.close();
      return passed([""], []);
    }
    const result = await (session === undefined
      ? checkStage(this.#host.stages, this.#turn, "output", subject)
      : session.finish(subject));
    const decisions = await this.publish(result.decisions, [botMessage, reasoning, subject.userMessage, ...parts]);
    const block = blockOf(result, decisions);
    const review = block === undefined ? passed([result.botMessage], decisions) : blocked([result.botMessage], block);
    return result.reasoning === undefined ? review : { ...review, reasoning: result.reasoning };
  }

  /** Opens the review of a streamed response, which `output` completes. */
  openOutput(plan: StreamPlan | undefined): StageReview | undefined {
    return plan === undefined ? undefined : openStageReview(this.#host.stages, this.#turn, plan);
  }

  /** Returns true if rails check the calls or the results of a tool in this call. */
  guardsTool(stage: ToolStage, tool: string): boolean {
    return selectToolRails(this.#host.services, stage, tool, this.options).length > 0;
  }

  /** Returns true if rails of the stage run in this call. */
  guards(stage: RailsStage): boolean {
    return selectRails(this.#host.stages, this.options, stage).length > 0;
  }

  /** Reader of extra lines next to a user's text: listed input rails, a flow `input rails` (within the text), or none. */
  get extraReader(): "rails" | "flow" | undefined {
    if (this.#host.hasInputFlow) return "flow";
    return selectVerdictRails(this.#host.stages, this.options, "input").length > 0 ? "rails" : undefined;
  }

  /** Use of evidence by the rails: retrieval rails review it, or output rails compare the response with it. */
  get evidenceReader(): "reviewed" | "compared" | undefined {
    if (this.guards("retrieval")) return "reviewed";
    return comparesEvidence(this.#host.stages, this.options) ? "compared" : undefined;
  }

  /** Runs the tool-call rails over one proposed call. */
  toolCall(subject: ToolSubject, quoted: readonly string[] = []): Promise<ToolReview> {
    return this.#tool("tool_output", subject, quoted);
  }

  /** Runs the tool-result rails over one result. */
  toolResult(subject: ToolSubject): Promise<ToolReview> {
    return this.#tool("tool_input", subject, [subject.result ?? "", subject.extra ?? ""]);
  }

  /** Runs one rail as a classifier. */
  async rail(reference: string, subject: RailSubject & { readonly stage?: RailsStage }): Promise<RailDecision> {
    const stage = subject.stage ?? this.stageOfRail(reference) ?? stageOfSubject(subject);
    if (subject.relevantChunks === undefined && this.#host.stages.rails.needsEvidence(reference)) {
      throw new InputShapeError(
        `rail \`${reference}\` compares a text with evidence, and none was given; pass it as \`relevantChunks\``,
      );
    }
    const decision = await checkRail(this.#host.stages, this.#turn, reference, { ...subject, stage });
    const texts = [subject.userMessage, subject.botMessage, ...[subject.relevantChunks ?? []].flat()];
    const [redacted = decision] = await this.publish([decision], texts);
    return redacted;
  }

  /**
   * Returns the stage of a rail; undefined if neither the configuration nor the rail determines it.
   *
   * @throws DiagnosticError `CO-209` for an unknown rail; InputShapeError for a tool rail
   */
  stageOfRail(reference: string): RailsStage | undefined {
    return stageOfRail(this.#host.stages, reference);
  }

  /** Runs one dialog turn over messages, on the conversation selected by the call. */
  turn(messages: readonly TurnMessage[], options: TurnOptions = this.options): Promise<TurnResult> {
    const { config, state } = options;
    const thread = threadIdOf(config);
    if (thread === undefined || state !== undefined) {
      const stored = { stored: state, keep: state !== undefined };
      const take = (storedTurn: StoredTurn) => this.#host.takeTurn(this.#turn.part(options), messages, storedTurn);
      const isPlain = state === undefined && !this.#hasPseudonyms;
      const taking = isPlain ? take(stored) : this.pseudonyms.around(stored, take);
      return taking.then(({ result }) => this.#rememberTurn(result));
    }
    const taking = this.#threads.takeTurn(thread, config, (inner, conversation) =>
      this.pseudonyms.around(conversation, (own) =>
        this.#host.takeTurn(this.#turn.part({ ...options, config: inner }), messages, own),
      ),
    );
    return taking.then((result) => this.#rememberTurn(result));
  }

  /** Remembers the refusal of an input rail. */
  #rememberTurn(result: TurnResult): TurnResult {
    this.#observer?.onTurn?.(result);
    this.#turn.span?.answered(result);
    if (result.verdict.blocked && result.verdict.stage === "input") this.#refusals.add(result.text);
    return result;
  }

  /** Returns true if the stored conversation waits for the result of one of these tool calls. */
  async awaitsResult(toolCallIds: readonly string[]): Promise<boolean> {
    const { config, state } = this.options;
    const thread = threadIdOf(config);
    if (toolCallIds.length === 0) return false;
    const stored = state ?? (thread === undefined ? undefined : await this.#threads.peek(thread, config));
    const { state: known } = splitStored(stored);
    return known === undefined ? false : this.#host.awaits(known, toolCallIds);
  }

  /** True if the response may start while the input rails run: speculation is enabled, and no rail rewrites the text. */
  get allowsSpeculation(): boolean {
    return speculates(this.#host, this.options);
  }

  /** True if output rails review the reasoning of models. */
  get readsReasoning(): boolean {
    return this.#host.services.config.settings.rails.output.apply_to_reasoning_traces;
  }

  /** Counts a responder call that belongs to no dialog turn. */
  countModelCall(): void {
    this.#turn.countModelCall();
  }

  /** Cancellation of the call, which follows the signal of its config. */
  get cancellation(): Cancellation {
    return this.#turn.cancellation;
  }

  /** Detaches from the caller's signal. */
  close(): void {
    this.#turn.close();
  }

  async #tool(stage: ToolStage, subject: ToolSubject, quoted: readonly string[]): Promise<ToolReview> {
    if (this.#hasPseudonyms) await this.pseudonyms.read();
    const check = await checkTool(this.#host.services, this.#turn, stage, subject);
    const redacted = this.#observer?.redact(check.decisions, quoted) ?? check.decisions;
    const decisions = redacted.map((decision, index) => withCallNames(decision, check.decisions[index]));
    await this.#observer?.notify(decisions);
    if (check.status !== "blocked" && check.status !== "error") return { check, decisions };
    const verdict: GuardrailsMetadata = { ...summarizeDecisions(decisions), blocked: true };
    return { check, decisions, block: { refusal: check.refusal ?? "", exception: check.exception, verdict } };
  }

  /** Redacts decisions and passes them to the observer of the call. */
  publish(
    decisions: readonly RailDecision[],
    texts: readonly (string | undefined)[],
  ): MaybePromise<readonly RailDecision[]> {
    const redacted = this.#observer?.redact(decisions, texts) ?? decisions;
    const notified = this.#observer?.notify(redacted);
    return isPromise(notified) ? notified.then(() => redacted) : redacted;
  }
}
