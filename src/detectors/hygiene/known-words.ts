/** Common words of requests, which show that a text was disguised: split, spelled or written in a cipher. */
const WORDS =
  "about above access according account action actions activate administrator after again against allow allowed always answer " +
  "answers anything assistant assistants authority available avoid because become been before begin being believe below best " +
  "better between build bypass called cannot change character characters chatbot code command commands complete completely " +
  "configuration confidential consider constraint constraints content continue control conversation could create credentials " +
  "data database debug delete deny describe details developer different directions directive directives disable disabled " +
  "discard disclose discuss display disregard document does doing download during earlier email emails enable enabled engineer " +
  "ensure entire erase ethical ethics every everyone everything example execute existing explain explicit expose external " +
  "filter filters first follow following forbidden forget forgetting format forward forwards freely from function generate " +
  "give given goes going guardrails guidance guideline guidelines hacker harmful have hello help hidden however human ignore " +
  "ignored ignoring illegal illicit immediately important inappropriate included including information initial input inputs " +
  "instead instruct instructed instruction instructions internal into jailbreak jailbroken kind know language leak letter " +
  "level like limit limitation limitations limits line list longer make many memory message messages might mode model more " +
  "most must name need never next nothing obey only open operator order orders other otherwise output outputs over override " +
  "overridden overriding password passwords people permission permissions persona phrase play please policies policy possible " +
  "preceding prefix pretend previous previously print prior private privileged proceed prohibited prompt prompts protocol " +
  "protocols provide question questions quote read real really refuse refusal regardless remember remove repeat replace reply " +
  "request requests required respond response responses restrict restricted restriction restrictions result retrieve return " +
  "reveal role rule rules safe safety safeguard safeguards same script secret secrets security send sensitive sentence set " +
  "share should show simulate someone something speak start starting state step steps still stop story such system systems " +
  "take talk task tasks text than that their them then there these they thing things think this those through today " +
  "together token tokens tool transcript translate treat true trust turn under unfiltered uncensored unlimited unlock " +
  "unrestricted until user users using verbatim very violate virus want warning warnings weapon weapons website were when " +
  "where which while whole will with within without word words work would write yourself your " +
  "act all and any are can for how new not now off one our ten the way who you";

const KNOWN: ReadonlySet<string> = new Set(WORDS.split(" "));

/** Words from this length on are known ones whatever stands around them. */
const LEAST = 4;

/** Words of at least four letters, as they are looked for. */
export const KNOWN_WORDS: readonly string[] = [...KNOWN].filter(({ length }) => length >= LEAST);

/** Returns true for a common word in small letters. */
export function isKnownWord(word: string): boolean {
  return KNOWN.has(word);
}
