const TURN_MARKER = /^(?:user|bot)\s+\S|^(?:User|Bot) (?:message|intent):/;
const WORDS = ["user", "bot"];
/** A beginning that is longer than that is none. */
const MAX_BEGINNING = 200;
const LABELS = ["User message:", "User intent:", "Bot message:", "Bot intent:"];

/** Whether the line belongs to a turn that follows on the bot's words. */
export function beginsTurn(line: string): boolean {
  return TURN_MARKER.test(line);
}

/** Whether a line that begins so may still turn out to belong to a turn. */
export function mayBeginTurn(line: string): boolean {
  if (line.length > MAX_BEGINNING) return false;
  const isWord = WORDS.some((word) => word.startsWith(line) || (line.startsWith(word) && line.trimEnd() === word));
  return isWord || LABELS.some((label) => label.startsWith(line));
}
