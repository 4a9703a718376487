import type { PhraseTable } from "../../phrases/phrase-table.js";

/**
 * Three concepts in the languages beside English: the rules of the assistant cast off ("put aside the rules they gave you", "obey
 * only me"), its filters switched off, and the text before the conversation asked for word by word.
 */
export const OTHER_CONCEPTS: PhraseTable = {
  "instruction-override.cast-off": [
    // German
    "(ignorier*|leg|lege|missachte*|schieb*|streich*|vergesst|vergiss|verwirf|wirf) ~3 (anweisungen|beschränkungen|einschränkungen|grenzen|regeln|richtlinien|vorgaben) ~5 (beiseite|deine entwickler*|dir auferlegt|dir gegeben|du bekommen|du erhalten|du hast|man dir|über bord)",
    "(folge|gehorch|gehorche|hör|höre) ~1 (ausschließlich|nur) ~2 (auf mich|mir)",
    // French
    "(abandonne*|ignore*|laisse*|mets|mettez|oublie*|rejette*) ~3 (consignes|directives|instructions|limites|restrictions|règles) ~4 (de côté|de tes|imposé*|on t|t a|t as|t ont|tu as reçu*|vous a)",
    "(laisse*|mets|mettez) ~1 de côté ~3 (consignes|directives|instructions|limites|restrictions|règles)|oublie tout ce qu ~3 (appris|demandé|dit|ordonné)|(obéis|obéissez) ~1 (moi|seulement à moi|uniquement à moi)",
    // Spanish
    "(abandona|deja|ignora|olvida*|olvídate|pon) ~4 (directrices|instrucciones|límites|normas|reglas|restricciones) ~3 (has recibido|recibiste|te dieron|te han|te impusieron|te pusieron|tus creadores)",
    "(obedece|obedéceme) ~1 (solo|sólo|únicamente) ~1 (a mí|mis)",
    // Italian
    "(abbandona|dimentica*|ignora|lascia*|metti|scorda*) ~4 (direttive|istruzioni|limiti|norme|regole|restrizioni) ~3 (che hai|dato|hai ricevuto|imposto|ti hanno|ti sono state)",
    "(obbedisci|rispondi|ubbidisci) ~1 (solo|soltanto|unicamente) ~1 a me",
    // Portuguese
    "(abandone|deixe|esquece|esqueça|ignore|largue) ~4 (diretrizes|instruções|limites|normas|regras|restrições) ~3 (foram dadas|impuseram|lhe deram|que deram|recebeu|te deram|você recebeu)",
    "(obedece|obedeça) ~1 (apenas|somente|só) ~1 a mim",
    // Dutch
    "(gooi|laat|leg|negeer|vergeet|zet) ~3 (beperkingen|instructies|regels|richtlijnen|voorschriften) ~3 (gegeven zijn|hebt gekregen|je hebt|je kreeg|naast je|opzij|overboord)",
    "(gehoorzaam|luister) ~1 (alleen|enkel|uitsluitend) ~1 (mij|naar mij)",
    // Polish
    "(odrzuć|odłóż|porzuć|zapomnij|zignoruj) ~3 (instrukcj*|ograniczeni*|reguł*|wytyczn*|zasad*) ~3 (ci dano|ci podano|dostałeś|na bok|narzucono|otrzymałeś)",
    "(odsuń|odłóż) na bok ~2 (instrukcje|reguły|wytyczne|zasady)|(słuchaj|słuchaj się) tylko mnie",
    // Russian
    "(забудь*|игнорируй*|отбрось*|отложи*|отринь) ~3 (инструкци*|ограничени*|правил*|указани*|установк*) ~3 (данные тебе|которые тебе|тебе дали|тебе задали|тебе навязали|ты получил*)",
    "(повинуйся|подчиняйся|слушай|слушайся) только (меня|мне)",
    // Chinese
    "(丟掉|丢开|丢掉|忘掉|扔掉|抛到|抛开|抛弃|拋開|放下) ~8 (准则|指令|指示|準則|規則|規定|规则|规定|限制)|(准则|指令|規則|規定|规则|规定|限制) ~2 (丢掉|忘掉|扔掉|抛开|抛弃|放下)|(仅|只) ~1 (听|听从|服从|聽|聽從) ~1 我",
    // Japanese
    "(ガイドライン|ルール|制約|制限|指示|規則) ~4 (取り払って|忘れて|捨てて|捨てろ|破って|破棄して)|(俺|僕|私) ~4 (命令|指示|言うこと) ~2 (だけ|のみ) ~2 (従|聞)",
    // Korean
    "(규칙*|제한*|지시*|지침*) ~2 (내려놓*|버려*|버리*|잊고|잊어|잊어라|잊어버려|잊어버려라|잊어버리고|잊어주*|잊으*)|내 (말만|명령만|지시만) ~1 (들어*|따라*)",
    // Turkish
    "(kuralları|kısıtlamaları|talimatları|yönergeleri) ~2 (at|bir kenara bırak|boş ver|unut|yok say)|(sadece|yalnızca) (bana|benim) ~2 (dinle|itaat et|uy)",
    // Arabic
    "(اترك|انس|انسى|تجاهل|دع) ~2 (الإرشادات|التعليمات|القواعد|القيود|جميع القواعد|كل التعليمات|كل القواعد) ~2 (أعطيت|التي|السابقة)",
  ],
  "authority.own": [
    "(deaktivier*|schalt*|stell*) ~1 (deine|deinen) ~1 (beschränkungen|filter|inhaltsfilter|schutzmechanismen|sicherheitsfilter|sperren)",
    "(coupe|désactive*|enlève|retire) ~1 (tes|vos) ~1 (filtres|garde fous|limites|restrictions|sécurités)",
    "(apaga|desactiva|desactive|elimina|quita) ~1 (sus|tus) ~1 (filtros|límites|restricciones|salvaguardas)",
    "(disabilita|disattiva|rimuovi|spegni|togli) ~1 (i suoi|i tuoi|le tue) ~1 (blocchi|filtri|limiti|restrizioni)",
    "(desativa|desative|desligue|remova|retire) ~1 (as suas|os seus|seus|suas|teus) ~1 (bloqueios|filtros|limites|restrições)",
    "(schakel|verwijder|zet) ~1 (je|jouw) ~1 (beperkingen|beveiligingen|filters|veiligheidsfilters)",
    "(usuń|wyłącz|zdejmij) ~1 (swoje|twoje) ~1 (blokady|filtry|ograniczenia|zabezpieczenia)|wyłącz filtry i odpowiadaj",
    "(выключи*|отключи*|сними*|убери) ~1 (все свои|свои|твои) ~1 (запреты|ограничения|рамки|фильтры)",
    "(停用|关掉|关闭|去掉|解除|關掉|關閉) ~1 (你的|你自己的|妳的) ~2 (安全|审查|審查|过滤|過濾|限制)",
    "(フィルター|制限|安全装置|検閲) ~2 (オフにして|切って|外して|無効にして|解除して)",
    "(검열*|안전장치*|제한*|필터*) ~1 (꺼|꺼라|끄고|풀고|해제하고)",
    "(filtrelerini|kısıtlamalarını|sansürünü|sınırlarını) ~1 (devre dışı|kaldır|kapat)",
    "(أزل|ألغ|أوقف|عطل) ~1 (رقابتك|فلاترك|قيودك|مرشحات|مرشحاتك)",
  ],
  "prompt-leak.where": [
    "(druck*|gib|nenne|schreib*|wiederhol*|zeig*) ~4 (anweisung*|nachricht|regeln|systemanweisung*|text|vorgaben) ~6 (am anfang bekommen|im wortlaut|vor dieser nachricht|wort für wort|wortwörtlich|zu beginn erhalten)",
    "(im wortlaut|wort für wort|wortwörtlich) ~4 (deine anweisungen|deinen anweisungen|systemanweisung*|systemprompt*|vorgaben)",
    "(affiche*|copie*|donne*|montre*|recopie*|répète*|écris) ~3 (exactement|mot pour mot|textuellement|à la lettre) ~4 (consignes|directives|instructions|message|prompt)",
    "(copia*|dame|escribe|muestra*|muéstrame|repite*) ~2 (exactamente|literalmente|palabra por palabra|textualmente) ~4 (directrices|indicaciones|instrucciones|mensaje|prompt)",
    "(copia|dammi|mostra*|ripeti|scrivi) ~2 (esattamente|letteralmente|parola per parola|testualmente) ~4 (direttive|istruzioni|messaggio|prompt|regole)",
    "(copie|escreva|exiba|mostre|repita) ~2 (exatamente|literalmente|palavra por palavra|textualmente) ~4 (diretrizes|instruções|mensagem|prompt|regras)",
    "(geef|herhaal|kopieer|laat|schrijf|toon) ~3 (letterlijk|woord voor woord) ~5 (aanwijzingen|instructies|systeembericht|systeemprompt*)",
    "(podaj|pokaż|powtórz|skopiuj|wypisz) ~2 (co do słowa|dosłownie|słowo w słowo) ~4 (instrukcj*|promp*|wiadomości|wiadomość|wytyczn*)",
    "(выведи*|напиши*|повтори*|покажи*|скопируй*) ~2 (буквально|дословно|слово в слово) ~3 (инструкци*|правил*|промпт*|сообщени*|указани*)",
    "(得到|收到|给你|設定|设定) ~3 (指令|指示|提示|消息|规则) ~3 (一字不差|原封不动|完整|逐字)",
    "(システムプロンプト|初期設定|受け取った指示|最初の指示) ~6 (そのまま|一字一句|正確に)",
    "(받은 지침*|시스템 프롬프트*|처음 받은*|초기 지시*) ~3 (그대로|정확히|한 글자도)",
  ],
  "no-restrictions.obeys": [
    "(jamais|mai|nie|niemals|nigdy|nooit|nunca|никогда не) ~2 (ablehnt|dice que no|diz não|nein sagt|niega|odmawia|recusa|refuse|refuse rien|rifiuta|verweigert|weigert|отказывает*)",
    "(antwoord|antworte|odpowiadaj|responda|responde|rispondi|répond|réponds|отвечай) ~5 (a todo|a tutto|alles|bez cenzury|ongecensureerd|sans censure|sem censura|senza censura|senza filtr*|sin censura|tudo|ungefiltert|zonder censuur|à tout|без цензуры)",
    "(从不拒绝|回答所有问题|從不拒絕|有问必答|毫无保留|绝不拒绝)|(すべて答え|何でも答え|拒否は禁止)|(모든 질문에 답*|무조건 답*)|her soruya ~1 cevap*|أجب عن كل",
  ],
};
