import type { PhraseTable } from "../../phrases/phrase-table.js";

/** Russian phrases. */
export const RUSSIAN: PhraseTable = {
  "instruction-override.full": [
    "(забудь*|игнорировать|игнорируй*|не следуй*|не соблюдай*|отбрось*|пренебреги|проигнорируй*) ~4 (ваши|все|всех|выше*|исходн*|любые|первоначальн*|предыдущ*|прежн*|прошл*|ранее|свои|системн*|твои) ~3 (директив*|инструкци*|команд*|подсказк*|правил*|предписани*|приказ*|промпт*|указани*|установк*)",
    "(забудь|забудьте|игнорируй*) все ~3 (выше|предыдущ*|сказан*|что)",
    "новые (инструкции|правила|указания) ~3 (выполняй|заменяют|отменяют|следуй*)",
  ],
  "prompt-leak.full": [
    "(выведи*|выдай|какие|каков*|какой|назови*|напечатай*|напиши*|переведи*|перечисли*|повтори*|покажи*|процитируй*|раскрой*|скажи*|скопируй*|сообщи*) ~5 (ваши инструкции|внутренние инструкции|исходные инструкции|исходный промпт|начальные инструкции|первоначальные инструкции|свои инструкции|свои правила|свой промпт|секретные инструкции|системная инструкция|системного промпта|системное сообщение|системную инструкцию|системную подсказку|системные инструкции|системный промпт|скрытые инструкции|твои инструкции|твои правила|твой промпт)",
    "(выведи*|напиши*|повтори*|скопируй*) ~3 (все|слова|сообщение|текст) ~3 (выше|до этого|перед этим)",
    "какие (инструкции|команды|указания) ~2 (вам|вы получили|тебе|ты получил*)",
  ],
  "no-restrictions.full": [
    "(без|лишен|лишена|нарушая|не имеет|не имеешь|не связан|нет|никаких|свободен от|свободна от) ~3 (границ|запретов|лимитов|морали|моральных|ограничени*|правил|рамок|табу|фильтр*|цензур*|этики|этических)",
    "(даже если|неважно насколько|независимо от) ~5 (аморальн*|вредн*|незаконн*|неэтичн*|опасн*|оскорбительн*|противозаконн*)",
  ],
  "no-restrictions.ai": [
    "(ассистент*|бот|бота|ии|искусственный интеллект|модел*|нейросет*|помощник*|чат бот*|чатбот*) ~5 (без|лишенн*|не имеющ*|никаких|свободн*) ~3 (запретов|морали|моральн*|ограничени*|правил|фильтр*|цензур*|этики|этическ*)",
    "(аморальн*|безнравственн*|неограниченн*|нефильтрованн*|нецензурируем*) ~2 (ассистент*|бот|ии|искусственный|модел*|ответ*|чат бот*|чатбот*)",
  ],
  "persona.act": [
    "(вы теперь|отныне ты|с этого момента вы|с этого момента ты|теперь ты|ты теперь)|(веди себя как|возьми на себя роль|войди в роль|действуй как|играй роль|представь себя|представь что ты|притворись*|сделай вид|сыграй роль)",
  ],
  "refusal-suppression.full": [
    "(без|не|нельзя|никаких|никогда не) ~3 (дисклеймер*|извинени*|извиняйся|морализ*|нотаций|нравоучений|оговорок|отказа|отказов|отказывай*|отказывать|отказываться|предупреждени*)",
  ],
  "stay-in-character.full": ["(оставайся|оставайтесь) в ~1 (образе|роли)|не выходи* из ~1 (образа|роли)"],
  "known-jailbreak.strong": ["делай что угодно сейчас|режим dan|режим джейлбрейка"],
  "known-jailbreak.mode": ["режим без ограничений|режим бога|режим разработчика|режиме разработчика"],
  "authority.strong": [
    "(выключи*|деактивируй*|обойди*|отключи*|сними*) ~3 (все фильтры|защитные механизмы|модерацию|ограничения безопасности|фильтр безопасности|фильтры безопасности|фильтры контента|цензуру)",
  ],
  "secret-extraction.full": [
    "(выдай*|каков|какой|назови*|напиши*|покажи*|раскрой*|скажи*|сообщи*) ~4 (волшебное слово|кодовое слово|секретное слово|секретную фразу|секретный ключ|секретный код|секретный пароль|тайное слово)",
  ],
  "secret-extraction.ask": ["(выдай*|каков|какой|назови*|напиши*|покажи*|раскрой*|скажи*|сообщи*) ~4 (пароль|секрет)"],
};

/** Polish phrases. */
export const POLISH: PhraseTable = {
  "instruction-override.full": [
    "(ignoruj*|nie przestrzegaj|odrzuć|pomiń*|zapomnij*|zignoruj*|zlekceważ) ~4 (dotychczasow*|początkow*|poprzedni*|powyższ*|swoje|systemow*|twoje|wcześniejsz*|wszelki*|wszystk*) ~3 (dyrektyw*|instrukcj*|poleceni*|prompt*|reguł*|rozkaz*|wytyczn*|zasad*)",
    "(zapomnij|zignoruj) ~1 (wszystk*)",
  ],
  "prompt-leak.full": [
    "(jaki jest|jakie są|napisz*|podaj*|pokaż*|powtórz*|przetłumacz*|skopiuj*|ujawnij*|wypisz*|wyświetl*|zdradź*) ~5 (instrukcje systemowe|pierwotne instrukcje|początkowe instrukcje|prompt systemowy|promptu systemowego|swoje instrukcje|swoje zasady|swój prompt|twoje instrukcje|twój prompt|ukryte instrukcje|wewnętrzne instrukcje|wiadomość systemową)",
    "(powtórz*|skopiuj*|wypisz*) ~3 (słowa|tekst|wszystko) ~2 (powyżej|przed tym|wyżej)",
  ],
  "no-restrictions.full": [
    "(bez|nie ma|nie masz|wolna od|wolny od|żadnych) ~3 (cenzury|etycznych|etyki|filtrów|granic|hamulców|moralności|moralnych|ograniczenia|ograniczeń|reguł|zasad)",
    "(nawet jeśli|niezależnie od) ~5 (niebezpieczn*|nieetyczn*|nielegaln*|niemoraln*|szkodliw*)",
  ],
  "no-restrictions.ai": [
    "(ai|asystent*|bot|chatbot*|model*|si|sztuczn* inteligencj*) ~5 (bez|nie ma|wolna od|wolny od) ~3 (cenzury|etycznych|etyki|filtrów|moralności|moralnych|ograniczeń|zasad)",
    "(amoraln*|niefiltrowan*|niemoraln*|nieocenzurowan*|nieograniczon*) ~2 (ai|asystent*|bot|chatbot*|model*|odpowied*)",
  ],
  "persona.act": [
    "(graj rolę|jesteś teraz|od tej pory jesteś|od teraz jesteś|odgrywaj rolę|teraz jesteś|udawaj|wciel się|wyobraź sobie że jesteś|zachowuj się jak)",
  ],
  "refusal-suppression.full": [
    "(bez|nie|nigdy nie|żadnych) ~3 (moralizowania|moralizuj|odmawiaj|odmawiać|odmowy|odmów|ostrzeżenia|ostrzeżeń|przepraszaj|przeprosin|zastrzeżeń)",
  ],
  "known-jailbreak.strong": ["tryb dan"],
  "known-jailbreak.mode": [
    "tryb bez ograniczeń|tryb boga|tryb dewelopera|tryb deweloperski|tryb programisty|trybie deweloperskim",
  ],
  "authority.strong": [
    "(dezaktywuj*|obejdź|usuń|wyłącz*) ~3 (cenzurę|filtry bezpieczeństwa|filtry treści|moderację|zabezpieczenia modelu)",
  ],
  "secret-extraction.full": [
    "(jaki jest|jakie jest|podaj|powiedz|przeliteruj|ujawnij|zdradź) ~4 (magiczne słowo|sekretne hasło|sekretne słowo|sekretny klucz|tajne hasło|tajne słowo|tajny klucz|tajny kod)",
  ],
};
