import type { PhraseTable } from "../../phrases/phrase-table.js";

/** Russian phrases. */
export const RUSSIAN: PhraseTable = {
  "instruction-override.full": [
    "(игнорируй*|проигнорируй*|игнорировать|забудь*|забудьте|отбрось*|не следуй*|не соблюдай*|пренебреги) ~4 (предыдущ*|прежн*|прошл*|выше*|ранее|исходн*|первоначальн*|все|всех|любые|свои|твои|ваши|системн*) ~3 (инструкци*|указани*|команд*|правил*|промпт*|директив*|установк*|приказ*|предписани*|подсказк*)",
    "(забудь|забудьте|игнорируй*) все ~3 (что|предыдущ*|сказан*|выше)",
    "новые (инструкции|указания|правила) ~3 (следуй*|заменяют|отменяют|выполняй)",
  ],
  "prompt-leak.full": [
    "(покажи*|повтори*|выведи*|раскрой*|напечатай*|напиши*|скажи*|назови*|какие|каков*|какой|перечисли*|переведи*|сообщи*|скопируй*|процитируй*|выдай) ~5 (системный промпт|системного промпта|системное сообщение|системные инструкции|системную инструкцию|системная инструкция|свои инструкции|твои инструкции|ваши инструкции|начальные инструкции|исходные инструкции|первоначальные инструкции|исходный промпт|твой промпт|свой промпт|скрытые инструкции|секретные инструкции|внутренние инструкции|твои правила|свои правила|системную подсказку)",
    "(повтори*|скопируй*|напиши*|выведи*) ~3 (текст|все|слова|сообщение) ~3 (выше|до этого|перед этим)",
    "какие (инструкции|указания|команды) ~2 (тебе|вам|ты получил*|вы получили)",
  ],
  "no-restrictions.full": [
    "(без|нет|никаких|свободен от|свободна от|не имеешь|не имеет|не связан|лишен|лишена|нарушая) ~3 (ограничени*|фильтр*|цензур*|правил|рамок|моральных|этических|морали|этики|запретов|табу|лимитов|границ)",
    "(даже если|независимо от|неважно насколько) ~5 (незаконн*|неэтичн*|аморальн*|опасн*|вредн*|оскорбительн*|противозаконн*)",
  ],
  "no-restrictions.ai": [
    "(ии|чат бот*|чатбот*|ассистент*|модел*|бот|бота|искусственный интеллект|нейросет*|помощник*) ~5 (без|не имеющ*|свободн*|лишенн*|никаких) ~3 (ограничени*|фильтр*|цензур*|правил|моральн*|этическ*|морали|этики|запретов)",
    "(нецензурируем*|неограниченн*|нефильтрованн*|аморальн*|безнравственн*) ~2 (ии|чат бот*|чатбот*|ассистент*|модел*|бот|ответ*|искусственный)",
  ],
  "persona.act": [
    "(ты теперь|теперь ты|вы теперь|отныне ты|с этого момента ты|с этого момента вы)|(притворись*|представь что ты|представь себя|сделай вид|веди себя как|действуй как|сыграй роль|играй роль|возьми на себя роль|войди в роль)",
  ],
  "refusal-suppression.full": [
    "(никогда не|не|без|нельзя|никаких) ~3 (отказывай*|отказываться|отказывать|отказа|отказов|предупреждени*|извинени*|извиняйся|оговорок|дисклеймер*|морализ*|нравоучений|нотаций)",
  ],
  "stay-in-character.full": ["(оставайся|оставайтесь) в ~1 (роли|образе)|не выходи* из ~1 (роли|образа)"],
  "known-jailbreak.strong": ["режим dan|режим джейлбрейка|делай что угодно сейчас"],
  "known-jailbreak.mode": ["режим разработчика|режиме разработчика|режим бога|режим без ограничений"],
  "authority.strong": [
    "(отключи*|выключи*|обойди*|сними*|деактивируй*) ~3 (фильтры безопасности|фильтр безопасности|модерацию|защитные механизмы|цензуру|ограничения безопасности|фильтры контента|все фильтры)",
  ],
  "secret-extraction.full": [
    "(раскрой*|скажи*|назови*|выдай*|какой|каков|сообщи*|напиши*|покажи*) ~4 (секретный пароль|секретный ключ|секретный код|секретное слово|кодовое слово|тайное слово|волшебное слово|секретную фразу)",
  ],
  "secret-extraction.ask": ["(раскрой*|скажи*|назови*|выдай*|какой|каков|сообщи*|напиши*|покажи*) ~4 (пароль|секрет)"],
};

/** Polish phrases. */
export const POLISH: PhraseTable = {
  "instruction-override.full": [
    "(ignoruj*|zignoruj*|zapomnij*|pomiń*|nie przestrzegaj|odrzuć|zlekceważ) ~4 (poprzedni*|wcześniejsz*|wszystk*|wszelki*|powyższ*|dotychczasow*|swoje|twoje|początkow*|systemow*) ~3 (instrukcj*|poleceni*|polecenia|zasad*|reguł*|wytyczn*|prompt*|rozkaz*|dyrektyw*)",
    "(zapomnij|zignoruj) ~1 (wszystk*)",
  ],
  "prompt-leak.full": [
    "(pokaż*|powtórz*|wyświetl*|ujawnij*|zdradź*|napisz*|podaj*|jaki jest|jakie są|przetłumacz*|wypisz*|skopiuj*) ~5 (prompt systemowy|promptu systemowego|instrukcje systemowe|wiadomość systemową|swoje instrukcje|twoje instrukcje|początkowe instrukcje|pierwotne instrukcje|ukryte instrukcje|swój prompt|twój prompt|wewnętrzne instrukcje|swoje zasady)",
    "(powtórz*|skopiuj*|wypisz*) ~3 (tekst|wszystko|słowa) ~2 (powyżej|wyżej|przed tym)",
  ],
  "no-restrictions.full": [
    "(bez|żadnych|wolny od|wolna od|nie masz|nie ma) ~3 (ograniczeń|ograniczenia|filtrów|cenzury|zasad|reguł|moralności|etyki|moralnych|etycznych|granic|hamulców)",
    "(nawet jeśli|niezależnie od) ~5 (nielegaln*|nieetyczn*|niemoraln*|niebezpieczn*|szkodliw*)",
  ],
  "no-restrictions.ai": [
    "(ai|si|chatbot*|asystent*|model*|bot|sztuczn* inteligencj*) ~5 (bez|wolny od|wolna od|nie ma) ~3 (ograniczeń|filtrów|cenzury|zasad|moralności|etyki|moralnych|etycznych)",
    "(nieocenzurowan*|niefiltrowan*|nieograniczon*|amoraln*|niemoraln*) ~2 (ai|chatbot*|asystent*|model*|bot|odpowied*)",
  ],
  "persona.act": [
    "(jesteś teraz|teraz jesteś|od teraz jesteś|od tej pory jesteś|udawaj|wciel się|zachowuj się jak|wyobraź sobie że jesteś|odgrywaj rolę|graj rolę)",
  ],
  "refusal-suppression.full": [
    "(nigdy nie|nie|bez|żadnych) ~3 (odmawiaj|odmawiać|odmów|odmowy|ostrzeżeń|ostrzeżenia|przeprosin|przepraszaj|zastrzeżeń|moralizuj|moralizowania)",
  ],
  "known-jailbreak.strong": ["tryb dan"],
  "known-jailbreak.mode": [
    "tryb dewelopera|tryb programisty|tryb deweloperski|trybie deweloperskim|tryb boga|tryb bez ograniczeń",
  ],
  "authority.strong": [
    "(wyłącz*|obejdź|dezaktywuj*|usuń) ~3 (filtry bezpieczeństwa|moderację|zabezpieczenia modelu|cenzurę|filtry treści)",
  ],
  "secret-extraction.full": [
    "(ujawnij|podaj|zdradź|powiedz|jakie jest|jaki jest|przeliteruj) ~4 (tajne hasło|tajny klucz|tajny kod|sekretne hasło|sekretne słowo|sekretny klucz|tajne słowo|magiczne słowo)",
  ],
};
