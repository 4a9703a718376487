import type { PhraseTable } from "../../phrases/phrase-table.js";

/** German phrases, with English words where German users write English. */
export const GERMAN: PhraseTable = {
  "instruction-override.full": [
    "(beachte nicht|befolge keine|folge nicht|ignorier*|missachte*|vergesse|vergessen sie|vergesst|vergiss) ~4 (all|alle|bisherig*|deine|früher*|ihre|jegliche|obig*|system|sämtliche|ursprünglich*|vorangegangen*|vorherig*|vorig*) ~3 (anordnung*|anweisung*|befehl*|direktive*|instruktion*|programmierung|prompt*|regel*|richtlinie*|systemprompt*|vorgabe*)",
    "(ignorier*|missachte*|vergessen sie|vergiss) ~1 (alles|sämtliches) ~4 (bisher|davor|gesagt*|oben|vorher|vorhergehende|vorherige|zuvor)",
    "(geänderte|neue) (anweisung*|instruktion*|systemanweisung*) ~2 (ab sofort|befolge|lauten|lautet)",
  ],
  "prompt-leak.full": [
    "(druck*|enthülle|geben sie|gib*|kopier*|liste|nenne*|offenbar*|schreib*|teile|verrat*|was ist|was sind|was steht in|wie lauten|wie lautet|wiederhol*|zeig*|übersetze) ~5 (anfänglichen anweisung*|deine anweisung*|deine instruktion*|deine regeln|deinen anweisung*|deinen prompt|geheimen anweisung*|ihre anweisungen|initialen anweisung*|internen anweisung*|internen richtlinien|system prompt*|systemanweisung*|systemnachricht|systemprompt*|ursprünglichen anweisung*|versteckten anweisung*)",
    "(gib*|schreib*|wiederhol*|zeig*) ~3 (alles|den text|text|worte|wörter) ~2 (darüber|oben|zuvor|über dieser) ~2",
    "welche (anweisung*|befehle|instruktion*) (haben sie|hast du|wurden dir)",
  ],
  "no-restrictions.full": [
    "(befreit von|frei von|keine|keinen|keinerlei|nicht an|nicht durch|ohne) ~4 (beschränkung*|einschränkung*|ethik|ethisch*|filter*|grenzen|hemmung*|limits|moral|moralisch*|regeln|richtlinien|tabus|vorgaben|zensur) ~2",
    "(auch wenn|egal wie|selbst wenn|unabhängig davon ob) ~4 (beleidigend|gefährlich|illegal|schädlich|unethisch|unmoralisch)",
  ],
  "no-restrictions.ai": [
    "(assistent*|bot|chatbot|ki|modell|sprachmodell|version) ~5 (frei von|keine|keinen|keinerlei|ohne) ~3 (beschränkung*|einschränkung*|ethi*|filter*|grenzen|moral*|regeln|richtlinien|zensur)",
    "(amoralisch*|bösartig*|uneingeschränkt*|ungefiltert*|unmoralisch*|unzensiert*) ~2 (antwort*|assistent*|chatbot|ki|modell|sprachmodell|version)",
  ],
  "persona.act": [
    "(du bist|sie sind) (ab jetzt|ab sofort|jetzt|nicht länger|nicht mehr|nun)|(gib vor|schlüpfe in die rolle|spiele die rolle|stell dir vor|tu so|tue so|verhalte dich|übernimm die rolle)|(ab jetzt|ab sofort|von nun an) ~1 (antwortest du|bist du|sind sie|wirst du)",
  ],
  "refusal-suppression.full": [
    "(keine|keinen|nicht|nie|niemals|ohne|verweigere) ~4 (ablehnen|disclaimer|entschuldig*|haftungsausschluss|moralpredigt*|tut mir leid|verweigern|warnhinweis*|warnung*|weigern)",
  ],
  "stay-in-character.full": [
    "(bleib*|bleiben sie) (immer in|in) ~1 (charakter|rolle)|(nicht|nie|niemals) ~2 (aus deiner rolle|aus der rolle)",
  ],
  "known-jailbreak.strong": ["alles jetzt tun|dan modus|jailbreak modus|tu jetzt alles"],
  "known-jailbreak.mode": ["entwickler modus|entwicklermodus|gottmodus"],
  "authority.strong": [
    "(deaktivier*|schalt|schalte*|umgeh*) ~4 (filter aus|inhaltsfilter*|moderation|schutzmechanism*|sicherheitsfilter*|sicherheitsrichtlinien|zensur)",
  ],
  "secret-extraction.full": [
    "(buchstabier*|gib*|nenne*|sag*|verrat*|was ist|wie lautet) ~4 (den geheimcode|geheimcode|geheime passwort|geheime schlüssel|geheimen schlüssel|geheimer schlüssel|geheimes passwort|geheimwort|zauberwort)",
  ],
  "secret-extraction.ask": [
    "(buchstabier*|gib*|nenne*|sag*|verrat*|was ist|wie lautet) ~4 (das passwort|den code|geheimnis)",
  ],
};
