import type { PhraseTable } from "../../phrases/phrase-table.js";

/**
 * Three concepts in the languages beside English: the rules of the assistant cast off ("put aside the rules they gave you", "obey
 * only me"), its filters switched off, and the text before the conversation asked for word by word.
 */
export const OTHER_CONCEPTS: PhraseTable = {
  "instruction-override.cast-off": [
    // German
    "(vergiss|vergesst|wirf|ignorier*|missachte*|leg|lege|schieb*|streich*|verwirf) ~3 (regeln|vorgaben|richtlinien|anweisungen|einschränkungen|beschränkungen|grenzen) ~5 (man dir|dir gegeben|du bekommen|du erhalten|du hast|über bord|beiseite|dir auferlegt|deine entwickler*)",
    "(gehorche|gehorch|folge|höre|hör) ~1 (nur|ausschließlich) ~2 (mir|auf mich)",
    // French
    "(oublie*|laisse*|ignore*|mets|mettez|abandonne*|rejette*) ~3 (règles|consignes|instructions|directives|limites|restrictions) ~4 (t a|t ont|t as|tu as reçu*|vous a|on t|de tes|imposé*|de côté)",
    "(laisse*|mets|mettez) ~1 de côté ~3 (règles|consignes|instructions|directives|limites|restrictions)|oublie tout ce qu ~3 (dit|appris|demandé|ordonné)|(obéis|obéissez) ~1 (moi|uniquement à moi|seulement à moi)",
    // Spanish
    "(olvida*|olvídate|deja|ignora|abandona|pon) ~4 (reglas|normas|instrucciones|directrices|restricciones|límites) ~3 (te dieron|te impusieron|te han|has recibido|recibiste|te pusieron|tus creadores)",
    "(obedéceme|obedece) ~1 (solo|sólo|únicamente) ~1 (a mí|mis)",
    // Italian
    "(dimentica*|lascia*|metti|ignora|abbandona|scorda*) ~4 (regole|istruzioni|direttive|restrizioni|limiti|norme) ~3 (hai ricevuto|ti hanno|ti sono state|che hai|imposto|dato)",
    "(obbedisci|ubbidisci|rispondi) ~1 (solo|soltanto|unicamente) ~1 a me",
    // Portuguese
    "(esqueça|esquece|deixe|ignore|abandone|largue) ~4 (regras|diretrizes|instruções|restrições|limites|normas) ~3 (lhe deram|te deram|recebeu|você recebeu|impuseram|foram dadas|que deram)",
    "(obedeça|obedece) ~1 (somente|só|apenas) ~1 a mim",
    // Dutch
    "(vergeet|negeer|leg|zet|gooi|laat) ~3 (regels|richtlijnen|instructies|beperkingen|voorschriften) ~3 (je kreeg|je hebt|hebt gekregen|gegeven zijn|naast je|opzij|overboord)",
    "(luister|gehoorzaam) ~1 (alleen|enkel|uitsluitend) ~1 (naar mij|mij)",
    // Polish
    "(zapomnij|odłóż|odrzuć|zignoruj|porzuć) ~3 (zasad*|reguły|reguł*|wytyczn*|instrukcj*|ograniczeni*) ~3 (dostałeś|otrzymałeś|ci podano|ci dano|narzucono|na bok)",
    "(odłóż|odsuń) na bok ~2 (zasady|reguły|wytyczne|instrukcje)|(słuchaj|słuchaj się) tylko mnie",
    // Russian
    "(забудь*|отбрось*|отложи*|игнорируй*|отринь) ~3 (правил*|инструкци*|указани*|ограничени*|установк*) ~3 (тебе дали|тебе навязали|ты получил*|тебе задали|которые тебе|данные тебе)",
    "(слушайся|слушай|подчиняйся|повинуйся) только (меня|мне)",
    // Chinese
    "(抛开|拋開|丢掉|丟掉|丢开|放下|抛弃|抛到|扔掉|忘掉) ~8 (规定|規定|规则|規則|限制|准则|準則|指令|指示)|(规定|規定|规则|規則|限制|准则|指令) ~2 (抛开|抛弃|丢掉|扔掉|忘掉|放下)|(只|仅) ~1 (听从|听|服从|聽從|聽) ~1 我",
    // Japanese
    "(ルール|規則|指示|制限|制約|ガイドライン) ~4 (捨てて|破って|破棄して|捨てろ|忘れて|取り払って)|(私|俺|僕) ~4 (命令|指示|言うこと) ~2 (だけ|のみ) ~2 (従|聞)",
    // Korean
    "(규칙*|지침*|지시*|제한*) ~2 (버리*|버려*|잊어|잊어라|잊어버려|잊어버려라|잊어버리고|잊어주*|잊고|잊으*|내려놓*)|내 (명령만|지시만|말만) ~1 (따라*|들어*)",
    // Turkish
    "(kuralları|talimatları|yönergeleri|kısıtlamaları) ~2 (unut|bir kenara bırak|at|boş ver|yok say)|(sadece|yalnızca) (bana|benim) ~2 (itaat et|uy|dinle)",
    // Arabic
    "(تجاهل|انس|انسى|اترك|دع) ~2 (القواعد|التعليمات|القيود|الإرشادات|كل القواعد|كل التعليمات|جميع القواعد) ~2 (التي|السابقة|أعطيت)",
  ],
  "authority.own": [
    "(deaktivier*|schalt*|stell*) ~1 (deine|deinen) ~1 (filter|inhaltsfilter|sicherheitsfilter|sperren|schutzmechanismen|beschränkungen)",
    "(désactive*|coupe|enlève|retire) ~1 (tes|vos) ~1 (filtres|restrictions|garde fous|sécurités|limites)",
    "(desactiva|desactive|apaga|quita|elimina) ~1 (tus|sus) ~1 (filtros|restricciones|límites|salvaguardas)",
    "(disattiva|disabilita|spegni|togli|rimuovi) ~1 (i tuoi|i suoi|le tue) ~1 (filtri|restrizioni|limiti|blocchi)",
    "(desative|desativa|desligue|remova|retire) ~1 (seus|os seus|teus|suas|as suas) ~1 (filtros|restrições|limites|bloqueios)",
    "(schakel|zet|verwijder) ~1 (je|jouw) ~1 (filters|beperkingen|beveiligingen|veiligheidsfilters)",
    "(wyłącz|usuń|zdejmij) ~1 (swoje|twoje) ~1 (filtry|ograniczenia|zabezpieczenia|blokady)|wyłącz filtry i odpowiadaj",
    "(отключи*|выключи*|сними*|убери) ~1 (свои|твои|все свои) ~1 (фильтры|ограничения|запреты|рамки)",
    "(关掉|关闭|關閉|關掉|解除|去掉|停用) ~1 (你的|你自己的|妳的) ~2 (过滤|過濾|审查|審查|限制|安全)",
    "(フィルター|制限|検閲|安全装置) ~2 (切って|オフにして|外して|解除して|無効にして)",
    "(필터*|제한*|검열*|안전장치*) ~1 (끄고|꺼|꺼라|해제하고|풀고)",
    "(filtrelerini|kısıtlamalarını|sansürünü|sınırlarını) ~1 (kapat|kaldır|devre dışı)",
    "(عطل|عطّل|أوقف|ألغ|أزل) ~1 (مرشحاتك|فلاترك|قيودك|رقابتك|مرشحات)",
  ],
  "prompt-leak.where": [
    "(gib|zeig*|schreib*|wiederhol*|nenne|druck*) ~4 (text|nachricht|anweisung*|systemanweisung*|vorgaben|regeln) ~6 (wortwörtlich|wort für wort|vor dieser nachricht|am anfang bekommen|zu beginn erhalten|im wortlaut)",
    "(wortwörtlich|wort für wort|im wortlaut) ~4 (systemanweisung*|systemprompt*|deinen anweisungen|deine anweisungen|vorgaben)",
    "(recopie*|copie*|affiche*|répète*|montre*|écris|donne*) ~3 (mot pour mot|exactement|textuellement|à la lettre) ~4 (consignes|instructions|message|directives|prompt)",
    "(copia*|muestra*|muéstrame|repite*|escribe|dame) ~2 (palabra por palabra|textualmente|literalmente|exactamente) ~4 (mensaje|instrucciones|indicaciones|directrices|prompt)",
    "(ripeti|copia|mostra*|scrivi|dammi) ~2 (parola per parola|testualmente|letteralmente|esattamente) ~4 (istruzioni|messaggio|direttive|regole|prompt)",
    "(mostre|copie|repita|escreva|exiba) ~2 (palavra por palavra|textualmente|literalmente|exatamente) ~4 (instruções|mensagem|diretrizes|regras|prompt)",
    "(toon|laat|kopieer|herhaal|geef|schrijf) ~3 (letterlijk|woord voor woord) ~5 (systeemprompt*|instructies|systeembericht|aanwijzingen)",
    "(pokaż|powtórz|wypisz|skopiuj|podaj) ~2 (słowo w słowo|dosłownie|co do słowa) ~4 (instrukcj*|wiadomości|wiadomość|wytyczn*|promp*)",
    "(выведи*|покажи*|повтори*|напиши*|скопируй*) ~2 (дословно|слово в слово|буквально) ~3 (инструкци*|указани*|сообщени*|промпт*|правил*)",
    "(收到|给你|設定|设定|得到) ~3 (指令|指示|提示|规则|消息) ~3 (一字不差|逐字|原封不动|完整)",
    "(システムプロンプト|最初の指示|受け取った指示|初期設定) ~6 (一字一句|そのまま|正確に)",
    "(시스템 프롬프트*|처음 받은*|받은 지침*|초기 지시*) ~3 (그대로|한 글자도|정확히)",
  ],
  "no-restrictions.obeys": [
    "(niemals|nie|jamais|nunca|mai|nooit|nigdy|никогда не) ~2 (ablehnt|verweigert|nein sagt|refuse|refuse rien|niega|dice que no|rifiuta|recusa|diz não|weigert|odmawia|отказывает*)",
    "(répond|réponds|antworte|responde|rispondi|responda|antwoord|odpowiadaj|отвечай) ~5 (à tout|sans censure|ungefiltert|alles|a todo|sin censura|a tutto|senza filtr*|senza censura|tudo|sem censura|ongecensureerd|zonder censuur|bez cenzury|без цензуры)",
    "(从不拒绝|從不拒絕|绝不拒绝|毫无保留|有问必答|回答所有问题)|(何でも答え|すべて答え|拒否は禁止)|(모든 질문에 답*|무조건 답*)|her soruya ~1 cevap*|أجب عن كل",
  ],
};
