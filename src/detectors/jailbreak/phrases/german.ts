import type { PhraseTable } from "../../phrases/phrase-table.js";

/** German phrases, with English words where German users write English. */
export const GERMAN: PhraseTable = {
  "instruction-override.full": [
    "(ignorier*|vergiss|vergesse|vergesst|vergessen sie|missachte*|befolge keine|folge nicht|beachte nicht) ~4 (vorherig*|vorangegangen*|bisherig*|früher*|obig*|vorig*|ursprünglich*|alle|all|sämtliche|jegliche|deine|ihre|system) ~3 (anweisung*|instruktion*|befehl*|regel*|vorgabe*|prompt*|richtlinie*|anordnung*|systemprompt*|programmierung|direktive*)",
    "(ignorier*|vergiss|vergessen sie|missachte*) ~1 (alles|sämtliches) ~4 (zuvor|vorher|bisher|oben|davor|vorhergehende|gesagt*|vorherige)",
    "(neue|geänderte) (anweisung*|instruktion*|systemanweisung*) ~2 (lautet|lauten|ab sofort|befolge)",
  ],
  "prompt-leak.full": [
    "(zeig*|gib*|geben sie|wiederhol*|druck*|verrat*|nenne*|offenbar*|schreib*|wie lautet|wie lauten|was ist|was sind|was steht in|übersetze|teile|drucke|liste|enthülle|kopier*) ~5 (systemprompt*|system prompt*|systemanweisung*|systemnachricht|ursprünglichen anweisung*|anfänglichen anweisung*|initialen anweisung*|deine anweisung*|deinen anweisung*|deine instruktion*|ihre anweisungen|deine regeln|geheimen anweisung*|versteckten anweisung*|deinen prompt|internen anweisung*|internen richtlinien)",
    "(wiederhol*|gib*|schreib*|zeig*) ~3 (den text|alles|wörter|worte|text) ~2 (oben|darüber|über dieser|zuvor) ~2",
    "welche (anweisung*|instruktion*|befehle) (hast du|wurden dir|haben sie)",
  ],
  "no-restrictions.full": [
    "(keine|keinerlei|ohne|frei von|befreit von|keinen|nicht an|nicht durch) ~4 (einschränkung*|beschränkung*|filter*|zensur|grenzen|regeln|richtlinien|ethik|moral|moralisch*|ethisch*|hemmung*|vorgaben|limits|tabus) ~2",
    "(egal wie|auch wenn|selbst wenn|unabhängig davon ob) ~4 (illegal|unethisch|unmoralisch|gefährlich|schädlich|beleidigend)",
  ],
  "no-restrictions.ai": [
    "(ki|chatbot|assistent*|modell|sprachmodell|bot|version) ~5 (ohne|keine|keinerlei|frei von|keinen) ~3 (einschränkung*|beschränkung*|filter*|zensur|regeln|grenzen|moral*|ethi*|richtlinien)",
    "(unzensiert*|ungefiltert*|uneingeschränkt*|unmoralisch*|amoralisch*|bösartig*) ~2 (ki|chatbot|assistent*|modell|antwort*|version|sprachmodell)",
  ],
  "persona.act": [
    "(du bist|sie sind) (jetzt|nun|ab jetzt|ab sofort|nicht mehr|nicht länger)|(tu so|tue so|stell dir vor|gib vor|verhalte dich|schlüpfe in die rolle|übernimm die rolle|spiele die rolle)|(ab jetzt|von nun an|ab sofort) ~1 (bist du|wirst du|sind sie|antwortest du)",
  ],
  "refusal-suppression.full": [
    "(niemals|nie|nicht|keine|keinen|ohne|verweigere) ~4 (ablehnen|verweigern|warnung*|warnhinweis*|haftungsausschluss|entschuldig*|moralpredigt*|disclaimer|weigern|tut mir leid)",
  ],
  "stay-in-character.full": [
    "(bleib*|bleiben sie) (in|immer in) ~1 (rolle|charakter)|(nie|niemals|nicht) ~2 (aus der rolle|aus deiner rolle)",
  ],
  "known-jailbreak.strong": ["dan modus|jailbreak modus|tu jetzt alles|alles jetzt tun"],
  "known-jailbreak.mode": ["entwicklermodus|entwickler modus|gottmodus"],
  "authority.strong": [
    "(deaktivier*|schalte*|umgeh*|schalt) ~4 (sicherheitsfilter*|inhaltsfilter*|schutzmechanism*|moderation|zensur|filter aus|sicherheitsrichtlinien)",
  ],
  "secret-extraction.full": [
    "(verrat*|nenne*|sag*|gib*|wie lautet|was ist|buchstabier*) ~4 (geheime passwort|geheimes passwort|geheimen schlüssel|geheimer schlüssel|geheime schlüssel|geheimwort|geheimcode|den geheimcode|zauberwort)",
  ],
  "secret-extraction.ask": [
    "(verrat*|nenne*|sag*|gib*|wie lautet|was ist|buchstabier*) ~4 (das passwort|geheimnis|den code)",
  ],
};
