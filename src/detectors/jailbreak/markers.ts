/** Piece of text that imitates the format of a conversation, and the kind of evidence that it is. */
export interface Marker {
  readonly kind: "fake-markers.strong" | "fake-markers.weak" | "many-shot.dialogue";
  readonly start: number;
  readonly end: number;
}

const TOKENS =
  /<\|(?:im_start|start_header_id|system)\|>\s{0,4}(?:system)?|<<sys>>|\[\/?inst\]|<\|[a-z_]{2,20}\|>|[<[{](?:\/?system|\/user|\/assistant|\/human|system (?:message|prompt|note|instruction|override)|admin|developer|assistant|new instructions?)[\]>:]|#{2,6} ?(?:system|new|updated|instructions?|response|assistant|end of)\b/g;
const STRONG = /^(?:<\|(?:im_start|start_header_id|system)\|>|<<sys>>|\[\/?inst\])/;
const TURNS = /^[ \t>*]{0,4}(?:human|user|assistant|ai|chatbot|bot|gpt|chatgpt) ?:/gm;
/** Turns of a dialogue within one text that are more than a quotation. */
const MANY_TURNS = 6;

/** Returns the marks of chat templates and the invented turns in a text in lower case. */
export function findMarkers(folded: string): readonly Marker[] {
  const found: Marker[] = [];
  if (/[<[{#]/.test(folded)) {
    for (const match of folded.matchAll(TOKENS)) {
      const kind = STRONG.test(match[0]) ? "fake-markers.strong" : "fake-markers.weak";
      found.push({ kind, start: match.index, end: match.index + match[0].length });
    }
  }
  if (folded.includes(":")) {
    const turns = [...folded.matchAll(TURNS)];
    turns.forEach((turn, index) => {
      const first = turns[index - MANY_TURNS + 1];
      if (first === undefined || turn.index - first.index > 4000) return;
      found.push({ kind: "many-shot.dialogue", start: first.index, end: turn.index + turn[0].length });
    });
  }
  return found.sort((a, b) => a.start - b.start);
}
