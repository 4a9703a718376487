/** Piece of text that imitates the format of a conversation, and the kind of evidence that it is. */
export interface Marker<Kind extends string = "fake-markers.strong" | "fake-markers.weak" | "many-shot.dialogue"> {
  readonly kind: Kind;
  readonly start: number;
  readonly end: number;
}

const TOKENS =
  /<\|(?:im_start|start_header_id|system)\|>\s{0,4}(?:system)?|<<sys>>|\[\/?inst\]|<\|[a-z_]{2,20}\|>|[<[{](?:\/?system|\/user|\/assistant|\/human|system (?:message|prompt|note|instruction|override)|admin|developer|assistant|new instructions?)[\]>:]|#{2,6} ?(?:system|new|updated|instructions?|response|assistant|end of)\b/y;
/** First characters of these marks. */
const OPENINGS = ["<", "[", "{", "#"];
const STRONG = /^(?:<\|(?:im_start|start_header_id|system)\|>|<<sys>>|\[\/?inst\])/;
const TURNS = /^[ \t>*]{0,4}(?:human|user|assistant|ai|chatbot|bot|gpt|chatgpt) ?:/gm;
/** Turns of a dialogue within one text that are more than a quotation. */
const MANY_TURNS = 6;

/** Returns the marks of chat templates and the invented turns in a text in lower case. */
export function findMarkers(folded: string): readonly Marker[] {
  const found = [...findTemplateMarks(folded), ...findDialogues(folded)];
  return found.sort((a, b) => a.start - b.start);
}

/** Returns the marks of chat templates in a text in lower case. */
export function findTemplateMarks(folded: string): readonly Marker<"fake-markers.strong" | "fake-markers.weak">[] {
  const found: Marker<"fake-markers.strong" | "fake-markers.weak">[] = [];
  // Faster than one search for a class of characters.
  for (const sign of OPENINGS) {
    for (let at = folded.indexOf(sign); at >= 0; at = folded.indexOf(sign, at + 1)) {
      TOKENS.lastIndex = at;
      const mark = TOKENS.exec(folded)?.[0];
      if (mark === undefined) continue;
      found.push({
        kind: STRONG.test(mark) ? "fake-markers.strong" : "fake-markers.weak",
        start: at,
        end: at + mark.length,
      });
      at += mark.length - 1;
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

function findDialogues(folded: string): readonly Marker[] {
  if (!hasManyColons(folded)) return [];
  const turns = [...folded.matchAll(TURNS)];
  return turns.flatMap((turn, index) => {
    const first = turns[index - MANY_TURNS + 1];
    if (first === undefined || turn.index - first.index > 4000) return [];
    return [{ kind: "many-shot.dialogue" as const, start: first.index, end: turn.index + turn[0].length }];
  });
}

/** Returns true for a text with enough colons for many turns; most texts have fewer. */
function hasManyColons(folded: string): boolean {
  let at = -1;
  for (let count = 0; count < MANY_TURNS; count++) {
    at = folded.indexOf(":", at + 1);
    if (at < 0) return false;
  }
  return true;
}
