import type { PhraseTable } from "../../phrases/phrase-table.js";

/**
 * The assistant told to behave as if no rules held for it: "act as if you had no limits". Unlike "an AI without limits", which a
 * story may have, this speaks to the assistant itself, so that it is enough alone.
 */
export const PRETENDED_FREEDOM: PhraseTable = {
  "no-restrictions.pretend": [
    // English
    "(respond|answer|reply|speak) ~1 (as if|as though|like) (there were|there are) ~1 (no) ~2 (restrictions|rules|limits|filters|guidelines|limitations|policies)",
    "(act|behave|respond|answer|reply|speak|operate|continue|write) ~1 (as if|as though|like) ~1 (you had|you have|youve|you were|you are|youre) ~2 (no|not bound by|without|free of|free from|beyond) ~2 (restrictions|rules|limits|filters|guidelines|limitations|constraints|ethics|morals|policies|boundaries)",
    "(pretend|imagine|assume|suppose) ~1 (that) ~1 (you have|you had|you are under|you are bound by|there are|there were) ~1 (no|zero) ~2 (restrictions|rules|filters|guidelines|limitations|ethics|morals|policies|content policy|content policies)",
    "(pretend|imagine) (you have|you had|you are under|you are bound by) ~1 (no|zero) ~2 (restrictions|rules|limits|filters|guidelines|limitations|constraints|ethics|morals|policies|boundaries)",
    // German
    "(tu|tue|tut|handle|verhalte dich|antworte|stell dir vor|gib vor) ~2 (als|dass|du) ~2 (keine|keinerlei|ohne) ~2 (richtlinie*|regeln|einschränkung*|filter|grenzen|beschränkung*|vorgaben|ethik|moral)",
    "(du|dir|dich) ~6 (keine|keinerlei) (regeln|richtlinien|filter|einschränkungen|grenzen|beschränkungen) mehr",
    // French
    "(fais|faites|agis|agissez|comporte toi|réponds|répondez) ~1 comme si ~2 (n avais|n aviez|n avait|n existait) ~1 (aucune|aucun|pas de|plus de|plus aucune) ~2 (restriction*|limite*|règle*|filtre*|consigne*|contrainte*|éthique|morale)",
    // Spanish
    "(actúa|actúe|responde|responda|finge|finja|compórtate|haz|haz de cuenta|imagina) ~1 (como si|que) ~1 (no tuvieras|no tuviera|no tienes|no tuvieses|no existieran|no hubiera) ~2 (límites|reglas|restricciones|filtros|normas|ética|moral|ninguna restricción|ninguna regla|ningún límite|ningún filtro)",
    // Italian
    "(fingi|fai finta|comportati|agisci|rispondi|immagina) ~1 (di|come se) ~1 (non avere|non avessi|non ci fossero) ~2 (restrizion*|regole|limiti|filtri|vincoli|limitazion*|etica|morale)",
    // Portuguese
    "(finja|finge|aja|responda|comporte se|imagine|faça de conta) ~1 (que|como se) ~1 (não tem|não tivesse|não houvesse|não existissem|não possui) ~2 (restriç*|regra*|limite*|filtro*|ética|moral|diretriz*)",
    // Dutch
    "(doe|gedraag je|antwoord|stel je voor) ~1 (alsof|dat) ~1 je ~2 (geen|zonder) ~2 (filters|regels|beperking*|richtlijnen|grenzen|ethiek|moraal)",
    // Russian
    "(притворись|притворитесь|представь|веди себя|отвечай|сделай вид|действуй) ~2 (что|так будто|будто|словно|как будто) ~1 (у тебя нет|тебя не связывают|не существует|у вас нет) ~2 (правил|ограничений|фильтров|запретов|границ|рамок)",
    // Polish
    "(udawaj|udawajcie|zachowuj się|odpowiadaj|działaj|wyobraź sobie) ~1 (że|jakby|jak gdyby|jakbyś) ~1 (nie masz|nie miał*|nie było|nie obowiązują*) ~2 (zasad|ograniczeń|reguł|filtrów|limitów|granic)",
    // Turkish
    "(kısıtlama*|kural*|sınır*|filtre*|etik*) ~1 yokmuş gibi",
    // Chinese
    "(假装|假裝|装作|裝作|假设|假設|想象|想像|就像|好像|仿佛) ~3 (没有|沒有|不存在|不受) ~6 (限制|约束|約束|规则|規則|道德|审查|審查|过滤|過濾|底线)",
    // Japanese
    "(制限|制約|ルール|規則|フィルター|倫理|規制|ガイドライン) ~4 (ないふり|ないかのよう|無いかのよう|ないつもり|ないものとして|存在しないかのよう)",
    // Korean
    "(제한*|규칙*|제약*|필터*|한계*|윤리*) ~1 (없는|없다는) ~1 (척*|것처럼|듯이|듯)",
    // Arabic
    "(تظاهر|تظاهري|تصرف|تصرفي|أجب|تخيل) ~2 (بأنه|أنه|بأنك|أنك|كأنك|كأنه|كما لو|وكأنك|وكأنه) ~2 (ليس|ليست|لا توجد|بلا|بدون|لا تملك) ~2 (قيود|قواعد|حدود|قيد|فلاتر|ضوابط)",
    // Hindi
    "(दिखाओ|नाटक|मानो|मान लो|जैसे|सोचो) ~4 (कोई|किसी) ~1 (पाबंदी*|प्रतिबंध*|नियम*|सीमा*|फ़िल्टर*) ~1 (नहीं|न)",
    // Indonesian
    "(berpura pura*|bertindak*|jawab*|bayangkan|anggap) ~3 (tidak punya|tidak memiliki|tanpa|tidak ada) ~1 (batasan|aturan|filter|larangan|pembatasan)",
  ],
  "instruction-override.full": [
    "(set aside|put aside|overlook|pay no heed to|look past|do away with|throw out|let go of|abandon|drop|waive|dismiss) ~4 (guidance|guidelines|instructions|rules|constraints|restrictions|directives|policies|limitations|orders) ~2 (you were given|you have been given|youve been given|placed on you|imposed on you|given to you|given earlier|you received|set for you|programmed into you|from the system|by the system|in the system|of the system prompt|your developers*)",
    "(haz caso omiso|haga caso omiso|desobedece|no sigas) ~2 (tus|sus) ~2 (instruccion*|indicacion*|regla*|directric*|normas)",
    "(не обращай внимания|не обращайте внимания|не учитывай|не слушай) ~1 (на) ~1 (предыдущ*|прежн*|прошл*|исходн*|все|свои|твои|системн*) ~3 (инструкци*|указани*|команд*|правил*|промпт*|ограничени*)",
    "(忽略|无视|忘记|不要理会|不理会|不要管|别管|別管|不用管) ~6 (规定|規定|规矩|規矩|守则|守則|约定|吩咐)",
    "(pomiń*|ignoruj*|zapomnij*) ~2 (wcześniejsz*|poprzedni*|twoje|swoje|wszystk*) ~2 (wytyczn*|zasad*|reguł*|instrukcj*)",
    "(önceki|tüm|bütün|mevcut) ~2 (yönerge*|kural*|talimat*) ~1 (dikkate alma*|boş ver*|umursama*)",
  ],
  "no-restrictions.ai": [
    "(ai|assistant|bot|model|chatbot|persona|character) ~2 (never|always) ~1 (says no|say no|refuses|refuse|declines|decline|complies|comply|obeys|obey|says yes)",
    "(kuralları|kurallari|kısıtlamaları|filtresi|sınırları|kuralı) (olmayan|tanımayan) ~1 (bir) ~1 (yapay zeka*|asistan*|model*|bot*)",
    "(ki|chatbot|assistent*|modell|bot) ~4 (niemals|nie) ~2 (ablehnt|verweigert|nein sagt|widerspricht)",
  ],
  "persona.act": [
    "(artık|artik|bundan böyle) ~5 (yapay zekasın|yapay zekasin|asistansın|botsun|modelsin)",
    "(spiel|spiele|simuliere|verkörpere) ~2 (ki|chatbot|assistent*|modell|bot)",
  ],
  "authority.strong": [
    "the ~1 (content policy|safety rules|safety checks|safety guidelines|safety filters|safeguards|usage policy|usage policies) ~1 (is|are|has been|have been|now) ~1 (suspended|lifted|disabled|void|revoked|waived|deactivated|switched off|turned off|off|inactive)",
    "your ~1 (content policy|guidelines|restrictions|safety rules|safety checks|safety guidelines|safety filters|filters|policies|safeguards|usage policy|usage policies) ~1 (is|are|has been|have been|now) ~1 (suspended|lifted|disabled|void|revoked|waived|deactivated|switched off|turned off|off|inactive)",
  ],
  "dual-response.form": ["(respond|answer|reply) (twice|two times|in two voices) ~8 (once|one|first|normally)"],
  "refusal-suppression.full": [
    "(never|always) (says no|say no|refuses|says yes|complies)|(niemals|nie) ~2 (ablehnt|ablehnst|verweigert|verweigerst)",
  ],
  "prompt-leak.full": [
    "(what|which) ~1 (text|words|content|message|messages|instructions) ~1 (appears|appear|is|are|comes|come|stands|precedes|was|were|sits) ~1 (above|before) ~6 (context window|your context|your prompt|this conversation|this chat)",
    "(tampilkan|tunjukkan|ulangi|bocorkan|berikan|cetak|tulis) ~3 (prompt sistem*|instruksi sistem*|pesan sistem*)",
  ],
};
