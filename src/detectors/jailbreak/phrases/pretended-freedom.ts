import type { PhraseTable } from "../../phrases/phrase-table.js";

/**
 * The assistant told to behave as if no rules held for it: "act as if you had no limits". Unlike "an AI without limits", which a
 * story may have, this speaks to the assistant itself, so that it is enough alone.
 */
export const PRETENDED_FREEDOM: PhraseTable = {
  "no-restrictions.pretend": [
    // English
    "(answer|reply|respond|speak) ~1 (as if|as though|like) (there are|there were) ~1 (no) ~2 (filters|guidelines|limitations|limits|policies|restrictions|rules)",
    "(act|answer|behave|continue|operate|reply|respond|speak|write) ~1 (as if|as though|like) ~1 (you are|you had|you have|you were|youre|youve) ~2 (beyond|free from|free of|no|not bound by|without) ~2 (boundaries|constraints|ethics|filters|guidelines|limitations|limits|morals|policies|restrictions|rules)",
    "(assume|imagine|pretend|suppose) ~1 (that) ~1 (there are|there were|you are bound by|you are under|you had|you have) ~1 (no|zero) ~2 (content policies|content policy|ethics|filters|guidelines|limitations|morals|policies|restrictions|rules)",
    "(imagine|pretend) (you are bound by|you are under|you had|you have) ~1 (no|zero) ~2 (boundaries|constraints|ethics|filters|guidelines|limitations|limits|morals|policies|restrictions|rules)",
    // German
    "(antworte|gib vor|handle|stell dir vor|tu|tue|tut|verhalte dich) ~2 (als|dass|du) ~2 (keine|keinerlei|ohne) ~2 (beschränkung*|einschränkung*|ethik|filter|grenzen|moral|regeln|richtlinie*|vorgaben)",
    "(dich|dir|du) ~6 (keine|keinerlei) (beschränkungen|einschränkungen|filter|grenzen|regeln|richtlinien) mehr",
    // French
    "(agis|agissez|comporte toi|fais|faites|répondez|réponds) ~1 comme si ~2 (n avais|n avait|n aviez|n existait) ~1 (aucun|aucune|pas de|plus aucune|plus de) ~2 (consigne*|contrainte*|filtre*|limite*|morale|restriction*|règle*|éthique)",
    // Spanish
    "(actúa|actúe|compórtate|finge|finja|haz|haz de cuenta|imagina|responda|responde) ~1 (como si|que) ~1 (no existieran|no hubiera|no tienes|no tuviera|no tuvieras|no tuvieses) ~2 (filtros|límites|moral|ninguna regla|ninguna restricción|ningún filtro|ningún límite|normas|reglas|restricciones|ética)",
    // Italian
    "(agisci|comportati|fai finta|fingi|immagina|rispondi) ~1 (come se|di) ~1 (non avere|non avessi|non ci fossero) ~2 (etica|filtri|limitazion*|limiti|morale|regole|restrizion*|vincoli)",
    // Portuguese
    "(aja|comporte se|faça de conta|finge|finja|imagine|responda) ~1 (como se|que) ~1 (não existissem|não houvesse|não possui|não tem|não tivesse) ~2 (diretriz*|filtro*|limite*|moral|regra*|restriç*|ética)",
    // Dutch
    "(antwoord|doe|gedraag je|stel je voor) ~1 (alsof|dat) ~1 je ~2 (geen|zonder) ~2 (beperking*|ethiek|filters|grenzen|moraal|regels|richtlijnen)",
    // Russian
    "(веди себя|действуй|отвечай|представь|притворись|притворитесь|сделай вид) ~2 (будто|как будто|словно|так будто|что) ~1 (не существует|тебя не связывают|у вас нет|у тебя нет) ~2 (границ|запретов|ограничений|правил|рамок|фильтров)",
    // Polish
    "(działaj|odpowiadaj|udawaj|udawajcie|wyobraź sobie|zachowuj się) ~1 (jak gdyby|jakby|jakbyś|że) ~1 (nie było|nie masz|nie miał*|nie obowiązują*) ~2 (filtrów|granic|limitów|ograniczeń|reguł|zasad)",
    // Turkish
    "(etik*|filtre*|kural*|kısıtlama*|sınır*) ~1 yokmuş gibi",
    // Chinese
    "(仿佛|假装|假裝|假設|假设|好像|就像|想像|想象|装作|裝作) ~3 (不受|不存在|沒有|没有) ~6 (审查|審查|底线|約束|约束|規則|规则|过滤|過濾|道德|限制)",
    // Japanese
    "(ガイドライン|フィルター|ルール|倫理|制約|制限|規制|規則) ~4 (ないかのよう|ないつもり|ないふり|ないものとして|存在しないかのよう|無いかのよう)",
    // Korean
    "(규칙*|윤리*|제약*|제한*|필터*|한계*) ~1 (없는|없다는) ~1 (것처럼|듯|듯이|척*)",
    // Arabic
    "(أجب|تخيل|تصرف|تصرفي|تظاهر|تظاهري) ~2 (أنك|أنه|بأنك|بأنه|كأنك|كأنه|كما لو|وكأنك|وكأنه) ~2 (بدون|بلا|لا تملك|لا توجد|ليس|ليست) ~2 (حدود|ضوابط|فلاتر|قواعد|قيد|قيود)",
    // Hindi
    "(जैसे|दिखाओ|नाटक|मान लो|मानो|सोचो) ~4 (किसी|कोई) ~1 (नियम*|पाबंदी*|प्रतिबंध*|फ़िल्टर*|सीमा*) ~1 (न|नहीं)",
    // Indonesian
    "(anggap|bayangkan|berpura pura*|bertindak*|jawab*) ~3 (tanpa|tidak ada|tidak memiliki|tidak punya) ~1 (aturan|batasan|filter|larangan|pembatasan)",
  ],
  "instruction-override.full": [
    "(abandon|dismiss|do away with|drop|let go of|look past|overlook|pay no heed to|put aside|set aside|throw out|waive) ~4 (constraints|directives|guidance|guidelines|instructions|limitations|orders|policies|restrictions|rules) ~2 (by the system|from the system|given earlier|given to you|imposed on you|in the system|of the system prompt|placed on you|programmed into you|set for you|you have been given|you received|you were given|your developers*|youve been given)",
    "(desobedece|haga caso omiso|haz caso omiso|no sigas) ~2 (sus|tus) ~2 (directric*|indicacion*|instruccion*|normas|regla*)",
    "(не обращай внимания|не обращайте внимания|не слушай|не учитывай) ~1 (на) ~1 (все|исходн*|предыдущ*|прежн*|прошл*|свои|системн*|твои) ~3 (инструкци*|команд*|ограничени*|правил*|промпт*|указани*)",
    "(不理会|不用管|不要理会|不要管|別管|别管|忘记|忽略|无视) ~6 (吩咐|守则|守則|约定|規定|規矩|规定|规矩)",
    "(ignoruj*|pomiń*|zapomnij*) ~2 (poprzedni*|swoje|twoje|wcześniejsz*|wszystk*) ~2 (instrukcj*|reguł*|wytyczn*|zasad*)",
    "(bütün|mevcut|tüm|önceki) ~2 (kural*|talimat*|yönerge*) ~1 (boş ver*|dikkate alma*|umursama*)",
  ],
  "no-restrictions.ai": [
    "(ai|assistant|bot|character|chatbot|model|persona) ~2 (always|never) ~1 (complies|comply|decline|declines|obey|obeys|refuse|refuses|say no|says no|says yes)",
    "(filtresi|kuralları|kuralı|kısıtlamaları|sınırları) (olmayan|tanımayan) ~1 (bir) ~1 (asistan*|bot*|model*|yapay zeka*)",
    "(assistent*|bot|chatbot|ki|modell) ~4 (nie|niemals) ~2 (ablehnt|nein sagt|verweigert|widerspricht)",
  ],
  "persona.act": [
    "(artık|bundan böyle) ~5 (asistansın|botsun|modelsin|yapay zekasın)",
    "(simuliere|spiel|spiele|verkörpere) ~2 (assistent*|bot|chatbot|ki|modell)",
  ],
  "authority.strong": [
    "the ~1 (content policy|safeguards|safety checks|safety filters|safety guidelines|safety rules|usage policies|usage policy) ~1 (are|has been|have been|is|now) ~1 (deactivated|disabled|inactive|lifted|off|revoked|suspended|switched off|turned off|void|waived)",
    "your ~1 (content policy|filters|guidelines|policies|restrictions|safeguards|safety checks|safety filters|safety guidelines|safety rules|usage policies|usage policy) ~1 (are|has been|have been|is|now) ~1 (deactivated|disabled|inactive|lifted|off|revoked|suspended|switched off|turned off|void|waived)",
  ],
  "dual-response.form": ["(answer|reply|respond) (in two voices|twice|two times) ~8 (first|normally|once|one)"],
  "refusal-suppression.full": [
    "(always|never) (complies|refuses|say no|says no|says yes)|(nie|niemals) ~2 (ablehnst|ablehnt|verweigerst|verweigert)",
  ],
  "prompt-leak.full": [
    "(what|which) ~1 (content|instructions|message|messages|text|words) ~1 (appear|appears|are|come|comes|is|precedes|sits|stands|was|were) ~1 (above|before) ~6 (context window|this chat|this conversation|your context|your prompt)",
    "(berikan|bocorkan|cetak|tampilkan|tulis|tunjukkan|ulangi) ~3 (instruksi sistem*|pesan sistem*|prompt sistem*)",
  ],
};
