import type { RuleMatch, TriggerRule } from "../../detector.js";
import { isNearWord } from "../../scan/context-words.js";
import { isWordAt } from "../digit-groups.js";

/** Words near which a date is one of birth, in the languages of the months below. */
const BIRTH_WORDS: readonly string[] =
  "born|birth|date of birth|dob|d.o.b|bday|geboren|geburtsdatum|geburtstag|geb.|né le|née le|naissance|date de naissance|nacid|nació|nacio |nacimiento|fecha de nacimiento|nato il|nata il|nato a|nata a|nascita|data di nascita|nascido|nascida|nascimento|data de nascimento|geboortedatum|född|født|fødsel|syntynyt|syntymä|urodz|narozen|született|születés|născut|naștere|народ|doğum|рожд|родил|γέννησ|γεννήθηκ|出生|生年月日|生まれ|생년월일|ngày sinh|lahir|जन्म|לידה|ميلاد|تولد".split(
    "|",
  );
const MONTH =
  "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez|janv|févr|fevr|mars|avr|juin|juil|août|aout|déc|ene|abr|ago|dic|" +
  "genn|magg|giug|lugl|sett|ott|fev|maio|set|out|maa|mei|maj|янв|фев|мар|апр|мая|июн|июл|авг|сен|окт|ноя|дек|" +
  "sty|lut|kwi|cze|lip|sie|wrz|paź|lis|gru|led|úno|bře|dub|květ|červ|srp|září|říj|pro|oca|şub|nis|haz|tem|ağu|eyl|eki|kas|ara|" +
  "tam|hel|huh|tou|kes|hei|elo|syy|lok|joul|ian|iun|iul|січ|лют|бер|кві|тра|чер|лип|сер|вер|жов|лис|гру|" +
  "ιαν|φεβ|μαρ|απρ|μαΐ|ιουν|ιουλ|αυγ|σεπ|οκτ|νοε|δεκ)\\p{L}{0,10}\\.?";
const YEAR = "(?:(?:18|19|20)\\d\\d)";
const MONTH_NUMBER = "(?:0?[1-9]|1[0-2])";
const DAY = "(?:0?[1-9]|[12]\\d|3[01])";
/** Dates that begin with digits. */
const DATE = new RegExp(
  `(?:${YEAR}([-./])${MONTH_NUMBER}\\1${DAY}|(?:${DAY}([-./ ])${MONTH_NUMBER}\\2|${MONTH_NUMBER}([-./ ])${DAY}\\3)(?:${YEAR}|\\d\\d(?![-./ ]\\d))|` +
    `${DAY}(?:st|nd|rd|th|er|º|\\.)?(?: of| de)?[ /-]${MONTH}(?: de)?,?[ /-]${YEAR}|` +
    `(?:19|20)\\d\\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\\d|3[01])|` +
    `(?<=昭和|平成|令和|大正)\\d{1,2}年\\d{1,2}月\\d{1,2}日|${YEAR} ?[年년] ?\\d{1,2} ?[月월] ?\\d{1,2} ?[日일]?)(?!\\d)`,
  "iuy",
);
/** Dates that begin with the month: from the day on, and what stands before it. */
const DAY_AND_YEAR = new RegExp(`${DAY}(?:st|nd|rd|th)?,? ${YEAR}(?!\\d)`, "iy");
const MONTH_BEFORE = new RegExp(`(?<!\\p{L})${MONTH} $`, "iu");
const MONTH_LENGTH = 14;
/** Digits of a date without separators: `19800513`. */
const WHOLE_DATE = 8;
/** Characters that stand after the first number of a date, in lower case. */
const AFTER_NUMBER = "-./, snrteº年년";

/** Dates near a word for birth. */
export const birthDateRule: TriggerRule = {
  name: "birth-date",
  type: "DATE_OF_BIRTH",
  score: 0.85,
  views: "decoded",
  reach: 96,
  before: MONTH_LENGTH,
  digits: 1,
  find: (view, start, end) => {
    const isWhole = end - start === WHOLE_DATE;
    if (!isWhole && (end - start > 4 || !AFTER_NUMBER.includes(view.folded.charAt(end)))) return undefined;
    const match = findDate(view.text, start);
    return match !== undefined && isNearWord(view, match, BIRTH_WORDS) ? match : undefined;
  },
};

function findDate(text: string, start: number): RuleMatch | undefined {
  if (isWordAt(text, start - 1)) return undefined;
  DATE.lastIndex = start;
  if (DATE.test(text)) return { start, end: DATE.lastIndex };
  DAY_AND_YEAR.lastIndex = start;
  if (!DAY_AND_YEAR.test(text)) return undefined;
  const month = MONTH_BEFORE.exec(text.slice(Math.max(0, start - MONTH_LENGTH), start))?.[0];
  return month === undefined ? undefined : { start: start - month.length, end: DAY_AND_YEAR.lastIndex };
}
