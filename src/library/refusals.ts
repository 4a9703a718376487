import { LANGUAGES, languageOf } from "../detectors/text/language/language-of.js";
import { DEFAULT_REFUSAL } from "../engine/default-refusal.js";

/** A refusal: one text, or texts by ISO 639-1 code. */
export type RefusalText = string | Readonly<Record<string, string>>;

/** `rails.refusals`, parsed. */
export interface RefusalSettings {
  readonly byLanguage: boolean;
  /** Text for all refusals that the configuration does not define; default: the built-in texts. */
  readonly fallback: RefusalText | undefined;
  readonly byFlow: ReadonlyMap<string, RefusalText>;
  /** Names that built-in refusals list, by flow and type of finding; default: none. */
  readonly listed?: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** Minimum confidence in the detected language of a user's message. */
const LEAST_SCORE = 0.5;

type Kind = "refusal" | "unknown" | "toolCall" | "toolResult";

/** Built-in messages in English, equal to those of `messages.v1.co` and `messages.co`. */
const KINDS: ReadonlyMap<string, Kind> = new Map([
  [DEFAULT_REFUSAL, "refusal"],
  ["I'm sorry, I don't know the answer to that.", "unknown"],
  ["This tool call was not allowed.", "toolCall"],
  ["The result of this tool was withheld.", "toolResult"],
]);

/** Built-in messages by language: refusal, unknown answer, refused tool call, blocked tool result. */
const TRANSLATIONS: Readonly<Record<string, Readonly<Record<Kind, string>>>> = {
  ar: messages(
    "عذرًا، لا يمكنني الرد على ذلك.",
    "عذرًا، لا أعرف الإجابة عن ذلك.",
    "لم يُسمح باستدعاء هذه الأداة.",
    "حُجبت نتيجة هذه الأداة.",
  ),
  de: messages(
    "Es tut mir leid, darauf kann ich nicht antworten.",
    "Es tut mir leid, darauf weiß ich keine Antwort.",
    "Dieser Werkzeugaufruf war nicht erlaubt.",
    "Das Ergebnis dieses Werkzeugs wurde zurückgehalten.",
  ),
  es: messages(
    "Lo siento, no puedo responder a eso.",
    "Lo siento, no sé la respuesta a eso.",
    "Esta llamada a la herramienta no está permitida.",
    "El resultado de esta herramienta fue retenido.",
  ),
  fr: messages(
    "Je suis désolé, je ne peux pas répondre à cela.",
    "Je suis désolé, je ne connais pas la réponse à cela.",
    "Cet appel d'outil n'était pas autorisé.",
    "Le résultat de cet outil a été retenu.",
  ),
  hi: messages(
    "क्षमा करें, मैं इसका जवाब नहीं दे सकता।",
    "क्षमा करें, मुझे इसका उत्तर नहीं पता।",
    "इस टूल कॉल की अनुमति नहीं थी।",
    "इस टूल का परिणाम रोक लिया गया।",
  ),
  it: messages(
    "Mi dispiace, non posso rispondere a questo.",
    "Mi dispiace, non conosco la risposta.",
    "Questa chiamata allo strumento non era consentita.",
    "Il risultato di questo strumento è stato trattenuto.",
  ),
  ja: messages(
    "申し訳ありませんが、それにはお答えできません。",
    "申し訳ありませんが、その答えはわかりません。",
    "このツール呼び出しは許可されていません。",
    "このツールの結果は表示されません。",
  ),
  ko: messages(
    "죄송하지만 그 내용에는 답변할 수 없습니다.",
    "죄송하지만 그 답을 알지 못합니다.",
    "이 도구 호출은 허용되지 않았습니다.",
    "이 도구의 결과는 제공되지 않습니다.",
  ),
  nl: messages(
    "Het spijt me, daar kan ik niet op antwoorden.",
    "Het spijt me, daar weet ik het antwoord niet op.",
    "Deze aanroep van het hulpmiddel was niet toegestaan.",
    "Het resultaat van dit hulpmiddel is achtergehouden.",
  ),
  pl: messages(
    "Przykro mi, nie mogę na to odpowiedzieć.",
    "Przykro mi, nie znam odpowiedzi na to pytanie.",
    "To wywołanie narzędzia nie było dozwolone.",
    "Wynik tego narzędzia został wstrzymany.",
  ),
  pt: messages(
    "Desculpe, não posso responder a isso.",
    "Desculpe, não sei a resposta para isso.",
    "Esta chamada de ferramenta não foi permitida.",
    "O resultado desta ferramenta foi retido.",
  ),
  ru: messages(
    "Извините, я не могу на это ответить.",
    "Извините, я не знаю ответа на этот вопрос.",
    "Этот вызов инструмента не разрешён.",
    "Результат этого инструмента не был передан.",
  ),
  th: messages(
    "ขออภัย ฉันไม่สามารถตอบเรื่องนี้ได้",
    "ขออภัย ฉันไม่ทราบคำตอบของเรื่องนี้",
    "การเรียกใช้เครื่องมือนี้ไม่ได้รับอนุญาต",
    "ผลลัพธ์ของเครื่องมือนี้ถูกระงับไว้",
  ),
  tr: messages(
    "Üzgünüm, buna yanıt veremem.",
    "Üzgünüm, bunun cevabını bilmiyorum.",
    "Bu araç çağrısına izin verilmedi.",
    "Bu aracın sonucu paylaşılmadı.",
  ),
  zh: messages(
    "抱歉,我无法回答这个问题。",
    "抱歉,我不知道这个问题的答案。",
    "此工具调用未被允许。",
    "此工具的结果已被拦截。",
  ),
};

function messages(refusal: string, unknown: string, toolCall: string, toolResult: string): Record<Kind, string> {
  return { refusal, unknown, toolCall, toolResult };
}

/** Languages of the built-in refusals except English. */
export const REFUSAL_LANGUAGES: readonly string[] = Object.keys(TRANSLATIONS);

/** Codes of the languages that are recognised in the user's message. */
export const RECOGNISED_LANGUAGES: readonly string[] = LANGUAGES;

/** Built-in refusals by language, including English. */
export function builtInRefusals(): Readonly<Record<string, string>> {
  const texts = Object.entries(TRANSLATIONS).map(([code, { refusal }]) => [code, refusal] as const);
  return { en: DEFAULT_REFUSAL, ...Object.fromEntries(texts) };
}

/**
 * Returns the texts of refusals according to `rails.refusals`. Precedence: the text for the flow in the settings; a text that the
 * configuration defines in Colang; the default of the settings; the built-in text in the user's language; the English one.
 */
export function refusalWording({ byLanguage, fallback, byFlow, listed }: RefusalSettings): {
  reword(flow: string, text: string, userText: unknown, categories?: readonly string[]): string;
} {
  const worded = (refusal: RefusalText | undefined, language: () => string | undefined): string | undefined => {
    if (refusal === undefined || typeof refusal === "string") return refusal;
    const code = language() ?? "en";
    return ownText(refusal, code) ?? ownText(refusal, "en");
  };
  return {
    reword(flow, text, userText, categories = []) {
      let known: { readonly language: string | undefined } | undefined;
      const language = (): string | undefined => (known ??= { language: languageIn(userText) }).language;
      const flowRefusal = worded(byFlow.get(flow), language);
      if (flowRefusal !== undefined) return flowRefusal;
      const kind = KINDS.get(text);
      if (kind === undefined) return text;
      const isSpoken = kind === "refusal" || kind === "unknown";
      const general = isSpoken ? worded(fallback, language) : undefined;
      if (general !== undefined) return general;
      const code = byLanguage ? language() : undefined;
      const isKnown = code !== undefined && Object.hasOwn(TRANSLATIONS, code);
      const message = isKnown ? (TRANSLATIONS[code]?.[kind] ?? text) : text;
      const names = listed?.get(flow);
      const rules = categories.flatMap((type) =>
        names !== undefined && Object.hasOwn(names, type) ? [names[type]] : [],
      );
      return rules.length === 0 ? message : `${message} (${rules.join(", ")})`;
    },
  };
}

function ownText(texts: Readonly<Record<string, string>>, code: string): string | undefined {
  return Object.hasOwn(texts, code) ? texts[code] : undefined;
}

function languageIn(text: unknown): string | undefined {
  const found = typeof text === "string" ? languageOf(text) : undefined;
  return found !== undefined && found.score >= LEAST_SCORE ? found.language : undefined;
}
