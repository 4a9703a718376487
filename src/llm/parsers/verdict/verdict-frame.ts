import { REASONING_TAG, stripReasoning } from "../gradual/reasoning.js";

/** Maximum length of a verdict. */
const MAX_LENGTH = 20_000;
/** Maximum number of steps to unwrap a reply; a verdict needs few. */
const MAX_STEPS = 12;

/** One ASCII word, as most judges respond, has no frame. */
const BARE = /^[A-Za-z]{1,20}\.?$/;
const BLANK = /^[\s\u200b-\u200d\u2060\ufeff]+|(?<![\s\u200b-\u200d\u2060\ufeff])[\s\u200b-\u200d\u2060\ufeff]+$/g;
/** Other spellings of reasoning tags. */
const OTHER_TAG = /(?:\[|◁|<seed:)(\/?)think(?:\]|▷|>)|<(\/)seed:think>/gi;
/** The analysis channel of the harmony format, directly before the final one. */
const ANALYSIS =
  /^\s*<\|channel\|>analysis<\|message\|>[\s\S]*?<\|end\|>(?=<\|start\|>assistant<\|channel\|>final<\|message\|>)/;

/** Chat template tokens that servers leave in a completion; only those that begin or end an assistant turn. */
const OPENING =
  /^(?:<s>|<bos>|<\|(?:begin_of_text|startoftext|begin▁of▁sentence|assistant|message)\|>|\[\/inst\]|<\|(?:im_start|start)\|>assistant|<\|(?:start_header_id|header_start)\|>assistant<\|(?:end_header_id|header_end)\|>|<\|start_of_role\|>assistant<\|end_of_role\|>|<start_of_turn>model|<\|channel\|>final<\|message\|>)/i;
const CLOSING =
  /(?:<\/s>|<eos>|<eod>|<pad>|<end_of_turn>|\[eos\]|\[\/inst\]|\[done\]|<\|(?:im_end|eot_id|eom_id|eot|eos|end|return|endoftext|end_of_text|end_of_turn|end_of_turn_token|end_of_sentence|end▁of▁sentence)\|>)$/i;

const FENCE = /^```\w*\n([^`]*)\n?```$/;
const BOXED = /^\$?\\boxed\{(?:\\text\{([^{}]*)\}|([^{}]*))\}\$?[.!]?$/;
const ANSWER_TAG =
  /^<(answer|final_answer|reply|assistant|final|verdict|decision|result|response|output|label|classification|judge?ment)>([^<>]*)<\/\1>$/i;
const QUOTED = [/^"([^"]*)"[.!]?$/, /^'([^']*)'[.!]?$/, /^\(([^()]*)\)[.!]?$/, /^\[([^[\]{}"]*)\][.!]?$/] as const;
const EMPHASIS = /(?<!\w)(\*\*\*|\*\*|__|\*|_|`)(?=[^\s*_`])([^*_`]*[^\s*_`])\1(?!\w)/g;
const LINE_BREAK = /<br\s*\/?>/gi;
const INLINE_TAG = /<(b|strong|i|em|u|span|code|mark)>([^<>]*)<\/\1>/gi;
const BLOCK_TAG = /<(p|div|pre|h[1-6])>([^<>]*)<\/\1>/gi;
const LIST_MARK = /^(?:¡|[-–—*•>]\s+|#{1,6}\s+|\(?1[.)]\s*|a[.)]\s+)/i;

const LABELS =
  "answer verdict decision result response reply output judgement judgment classification assessment evaluation " +
  "conclusion determination label " +
  "antwort entscheidung ergebnis urteil réponse verdict décision résultat respuesta veredicto decisión resultado risposta " +
  "verdetto decisione resposta decisão antwoord oordeel svar beslut odpowiedź werdykt odpověď ответ вердикт відповідь " +
  "回答 答案 答 结论 判定 答え 判断 답변 답 cevap yanıt";
const LABEL = new RegExp(
  "^(?:(?:(?:so|thus|therefore|hence|in|here is|here's),?\\s+)?(?:(?:my|the|final|overall|short|correct|moderation|policy|die|meine|la|ma|mi|il|de|mijn|a)\\s+){0,3}" +
    `(?:${LABELS.split(" ").join("|")})(?:\\s+finale?)?(?:\\s*\\(yes\\s*(?:/|or)\\s*no\\))?` +
    "\\s*(?::|=>|->|→|=|\\s-\\s|\\n|\\s(?:is|ist|est|es|è|é)(?=[\\s:]):?)|(?:judge|assistant|ai|bot|model|a)\\s*:|assistant\\s*\\n|yes(?:/| or )no\\s*:)\\s*",
  "i",
);
const MAX_LABELS = 3;

/**
 * Removes the frame of a judge's reply: leading reasoning blocks, template tokens, fences, quotes, emphasis, a list
 * marker, and labels such as `Answer:`. Undefined if reasoning is unfinished or mixed with the reply, or the reply is
 * too long.
 *
 * INVARIANT: only marks around the whole reply and balanced emphasis are removed, never a word.
 *
 * @example
 * ```ts
 * unframe("<think>a weapon?</think>\n**Answer:** No</s>"); // "Answer: No" and then "No"
 * ```
 */
export function unframe(completion: string): string | undefined {
  if (BARE.test(completion)) return completion;
  if (completion.length > MAX_LENGTH) return undefined;
  const answer = withoutReasoning(completion);
  if (answer === undefined) return undefined;
  let text = foldWidth(answer);
  let labels = 0;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const before = text;
    text = withoutMarks(text.replace(BLANK, ""));
    if (labels < MAX_LABELS && LABEL.test(text)) {
      text = text.replace(LABEL, "");
      labels += 1;
    }
    if (text === before) return text;
  }
  return undefined;
}

/**
 * Removes reasoning and chat template tokens around a guard model's reply, which has a single format. Undefined if
 * reasoning is unfinished or mixed with the reply, or the reply is too long.
 *
 * INVARIANT: a lone closing tag does not end reasoning, since the reply may quote it.
 *
 * @example
 * ```ts
 * bareReply("<think>a weapon?</think>\nunsafe\nS1<|eot_id|>"); // "unsafe\nS1"
 * ```
 */
export function bareReply(completion: string): string | undefined {
  if (BARE.test(completion)) return completion;
  if (completion.length > MAX_LENGTH) return undefined;
  if (firstTag(completion)?.[1] === "/") return undefined;
  const reply = withoutReasoning(completion)?.replace(/\r\n?/g, "\n").replace(BLANK, "");
  return reply?.replace(OPENING, "").replace(CLOSING, "").replace(BLANK, "");
}

/** Returns the text with one spelling of the tags around reasoning. */
function withOneSpelling(text: string): string {
  return text.replace(OTHER_TAG, (_, slash = "", seed = "") => `<${String(slash || seed)}think>`);
}

/** Returns the first tag of reasoning in a completion, in any spelling; its index is the one in the completion. */
export function firstTag(completion: string): RegExpExecArray | undefined {
  const [own, other] = [REASONING_TAG, OTHER_TAG].map((tag) => completion.matchAll(tag).next().value);
  if (other === undefined || (own !== undefined && own.index < other.index)) return own;
  other[1] = withOneSpelling(other[0]).startsWith("</") ? "/" : "";
  return other;
}

/** Returns true for a completion with a tag of reasoning. */
export function hasReasoning(completion: string): boolean {
  return firstTag(completion) !== undefined || ANALYSIS.test(completion);
}

function withoutReasoning(completion: string): string | undefined {
  const text = withOneSpelling(completion.replace(BLANK, "").replace(ANALYSIS, "").replace(OPENING, ""));
  const tags = [...text.matchAll(REASONING_TAG)];
  const last = tags.at(-1);
  if (last === undefined) return text;
  // A second lone tag may be a quote.
  if (tags[0]?.[1] === "/" && tags.length > 1) return undefined;
  const rest = text.slice(last.index + last[0].length).trim();
  return stripReasoning(text) === rest ? rest : undefined;
}

/**
 * Folds full-width forms to ASCII and unifies quotes. INVARIANT: no wider folding, which would turn the sign for
 * "number" into "No".
 */
function foldWidth(text: string): string {
  return text
    .normalize("NFC")
    .replace(/[\uff01-\uff5e]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
    .replace(/[\u3000\u00a0\u202f]/g, " ")
    .replace(/\r\n?/g, "\n")
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/[\u201c-\u201e\u00ab\u00bb\u300c-\u3011\u2039\u203a]/g, '"');
}

function withoutMarks(given: string): string {
  let text = given.replace(OPENING, "").replace(CLOSING, "");
  text = FENCE.exec(text)?.[1] ?? text;
  text = text.replace(LINE_BREAK, "\n").replace(INLINE_TAG, "$2").replace(BLOCK_TAG, "\n$2\n").replace(EMPHASIS, "$2");
  const boxed = BOXED.exec(text);
  text = boxed?.[1] ?? boxed?.[2] ?? text;
  text = ANSWER_TAG.exec(text)?.[2] ?? text;
  for (const quoted of QUOTED) text = quoted.exec(text)?.[1] ?? text;
  return text.replace(LIST_MARK, "");
}
