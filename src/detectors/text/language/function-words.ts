import type { PhraseTable } from "../../phrases/phrase-table.js";

/** Commonest words of languages that share a script with others, by their codes of ISO 639-1. */
export const FUNCTION_WORDS: PhraseTable = {
  en: [
    "the|and|of|to|is|in|that|it|for|you|was|with|on|are|this|have|be|not|as|at|but|they|his|from|by|we|or|what|your|can|if|will|would|there|their|which|about|how|my|i|do|does|has|been|when|who|more|please|could|should|an|me|so|just|its|where|why",
  ],
  de: [
    "der|die|das|und|ist|nicht|ich|sie|es|ein|eine|einen|zu|mit|auf|für|den|dem|von|wir|ihr|auch|sich|wie|im|als|an|hat|noch|nur|oder|aber|bei|aus|nach|wenn|dass|werden|wird|kann|haben|sind|war|mein|meine|bitte|einem|einer|zum|zur|über|was|wo|warum|ihre|kein|keine|mir|mich|alle|alles|dein|deine|deinen|deiner|diese|dieser|dieses|jetzt|du|dir|dich|mal",
  ],
  fr: [
    "le|la|les|de|des|du|un|une|et|est|que|qui|dans|pour|pas|sur|avec|il|elle|nous|vous|je|ne|ce|cette|au|aux|plus|par|mais|ou|où|sont|son|ses|leur|être|avoir|fait|comme|tout|mon|ma|mes|votre|vos|comment|pourquoi|quand|bien|très|cela|si|se|on|en|quel|quelle|toutes|tous|ton|ta|tes|tu|te|moi|maintenant",
  ],
  es: [
    "el|la|los|las|de|que|y|en|un|una|es|por|con|para|no|se|del|al|lo|como|más|pero|sus|le|ya|o|este|esta|sí|porque|cuando|muy|sin|sobre|también|me|hasta|hay|donde|quien|desde|todo|nos|mi|su|qué|cómo|dónde|está|están|son|fue|ser|tiene|puedo|quiero|gracias|usted|todas|todos|toda|tu|tus|te|eres|esa|ese|eso|esto|ahora|hola",
  ],
  it: [
    "il|lo|la|i|gli|le|di|che|e|è|un|una|per|con|non|in|del|della|dei|delle|al|alla|si|da|come|ma|più|anche|sono|ha|ho|questo|questa|nel|nella|se|mi|ci|o|perché|quando|dove|chi|cosa|molto|essere|loro|mio|mia|suo|sua|tutti|tutto|posso|vorrei|grazie|sul|dal|fa|sarà|domani|oggi|bene|buono|buona|bello|ciao|quanto|quale|tutte|tuo|tua|tuoi|tue|tu|ora|adesso",
  ],
  pt: [
    "o|a|os|as|de|que|e|do|da|em|um|uma|para|com|não|por|mais|dos|das|como|mas|ao|ele|ela|à|seu|sua|ou|quando|muito|nos|já|eu|também|só|pelo|pela|até|isso|entre|era|depois|sem|mesmo|aos|meu|minha|você|está|são|foi|ser|tem|na|no|qual|onde|obrigado|porque",
  ],
  nl: [
    "de|het|een|en|van|ik|te|dat|die|in|is|niet|zijn|op|aan|met|als|voor|er|maar|om|hem|dan|zou|of|wat|mijn|men|dit|zo|door|over|ze|zich|bij|ook|tot|je|mij|uit|der|naar|heeft|heb|hebben|deze|wordt|worden|kan|geen|nog|wil|wij|jullie|hoe|waar|waarom|uw|alle|alles|jouw|eerdere|nu|ben|bent|jij",
  ],
  sv: [
    "och|att|det|i|en|jag|hon|som|han|på|den|med|var|sig|för|så|till|är|men|ett|om|hade|de|av|icke|mig|du|henne|då|sin|nu|har|inte|hans|honom|skulle|hennes|där|min|man|ej|vid|kunde|något|från|ut|när|efter|upp|vi|dem|vara|vad|över|än|hur|varför|kan|ska|ditt|blir|morgon|idag|mitt|dina|mycket|bra|kallt|varmt|vill|gärna|tack|inget",
  ],
  da: [
    "og|i|jeg|det|at|en|den|til|er|som|på|de|med|han|af|for|ikke|der|var|mig|sig|men|et|har|om|vi|min|havde|ham|hun|nu|over|da|fra|du|ud|sin|dem|os|op|man|hans|hvor|eller|hvad|skal|selv|her|alle|vil|blev|kunne|ind|når|være|dog|noget|hvorfor|hvordan|deres|mit|bliver|godt|koldt|gerne|tak|ikke|kort mit|jeres|meget|mine|dine|i dag",
  ],
  no: [
    "og|i|jeg|det|at|en|et|den|til|er|som|på|de|med|han|av|ikke|der|så|var|meg|seg|men|har|om|vi|min|mitt|hadde|hun|nå|over|da|ved|fra|du|ut|sin|dem|oss|opp|man|kan|hans|hvor|eller|hva|skal|selv|her|alle|vil|ble|kunne|inn|når|være|noe|hvorfor|hvordan|deg|etter|blir|fint|gjerne|takk|veldig|mitt|ditt|være|i dag|hvilken|noen",
  ],
  fi: [
    "ja|on|ei|se|että|oli|mutta|niin|kun|hän|minä|sinä|ovat|ole|olen|joka|mitä|myös|kuin|tai|jos|sen|hänen|nyt|vain|ollut|mikä|me|te|he|tämä|siitä|kaikki|olla|mukaan|voi|kanssa|jälkeen|sitä|tämän|miten|miksi|missä|minun|sinun|olisi|haluan|kiitos|vielä|sitten|ennen|jo|ettei|huomenna|tänään|kaunis|hyvä|hyvää|kiitos|paljon|saanko|voinko|haluaisin",
  ],
  et: [
    "ja|on|ei|see|et|oli|aga|kui|ma|sa|ta|nad|mis|kes|ka|või|siis|olen|oled|mida|kuidas|miks|kus|selle|seda|nii|mitte|minu|sinu|tema|oma|pole|olnud|juba|veel|väga|palun|aitäh|tuleb|saab|üks|kõik",
  ],
  hu: [
    "a|az|és|hogy|nem|is|egy|ez|van|volt|de|meg|mint|csak|el|már|még|ha|vagy|ki|mi|én|te|ő|nagyon|kell|lehet|azt|ezt|minden|után|majd|akkor|most|lesz|amely|aki|hogyan|miért|hol|szeretném|köszönöm|kérem|vagyok|vannak|nincs|be|fel|itt|ott|neki|nekem|holnap|szép|jó|hogyan|mennyi|tudom|tudok|tudja|szeretnék",
  ],
  pl: [
    "i|w|na|z|się|nie|to|że|do|jest|jak|o|co|ale|po|za|od|tak|jego|jej|był|była|było|są|dla|przez|czy|tylko|ten|ta|te|już|może|które|który|która|mnie|mi|ja|ty|on|ona|my|jeszcze|bardzo|gdzie|kiedy|dlaczego|proszę|dziękuję|mam|ma|moje|mój|przy|oraz|jutro|dziś|będzie|dobry|dobrze|dużo|chcę|mogę|moją|swoją|nasz|wszystkie|wszystko|swój|swoje|twój|twoje|teraz|jesteś|tych",
  ],
  cs: [
    "a|v|na|se|je|že|to|s|z|do|o|k|i|ale|jako|za|by|jsem|si|po|co|tak|jeho|její|byl|byla|bylo|jsou|pro|nebo|když|jen|už|může|který|která|které|mi|já|ty|on|ona|my|ještě|velmi|kde|kdy|proč|prosím|děkuji|mám|má|můj|při|také|jak|od|není|není|jste|bych|zítra|dnes|bude|hezky|dobrý|dobře|chci|mohu|svou|svůj|kolik|hodně|můžu",
  ],
  sk: [
    "a|v|na|sa|je|že|to|s|z|do|o|k|i|ale|ako|za|by|som|si|po|čo|tak|jeho|jej|bol|bola|bolo|sú|pre|alebo|keď|len|už|môže|ktorý|ktorá|ktoré|mi|ja|ty|on|ona|my|ešte|veľmi|kde|kedy|prečo|prosím|ďakujem|mám|má|môj|pri|tiež|od|nie|ste|aj|podľa|zajtra|dnes|bude|pekne|dobrý|dobre|chcem|môžem|svoju|svoj|koľko|veľa",
  ],
  ro: [
    "și|în|de|la|cu|nu|pe|că|este|un|o|a|din|care|mai|pentru|sunt|ce|se|să|dar|am|ai|au|fost|lui|ei|sau|dacă|acest|această|când|unde|cum|foarte|eu|tu|el|ea|noi|voi|vă|mi|îmi|te|ne|le|prin|după|fi|fără|până|toate|mulțumesc|vreau|pot|al|ale|era",
  ],
  tr: [
    "ve|bir|bu|da|de|için|ne|ile|çok|daha|var|yok|gibi|ama|ben|sen|o|biz|siz|onlar|mı|mi|mu|mü|değil|olarak|kadar|en|şey|her|sonra|ki|olan|oldu|nasıl|neden|nerede|hangi|benim|senin|bana|sana|lütfen|teşekkürler|istiyorum|olduğunu|ya|veya|hem|şu|çünkü|önce|üzere|göre",
  ],
  id: [
    "yang|dan|di|ini|itu|dengan|untuk|tidak|dari|dalam|akan|pada|juga|saya|ke|karena|tersebut|bisa|ada|mereka|lebih|kata|tahun|sudah|atau|saat|oleh|menjadi|orang|ia|telah|adalah|seperti|sebagai|bahwa|dapat|para|harus|namun|kita|dua|satu|masih|hari|hanya|mengatakan|kepada|kami|setelah|apa|bagaimana|mengapa|kamu|anda|tolong|terima kasih|aku|besok|hari ini|tetapi|baik|bagus|sekarang|kartu|boleh|ingin|banyak",
  ],
  vi: [
    "và|của|là|có|không|được|cho|một|người|những|các|trong|với|này|đã|để|khi|như|cũng|về|tôi|bạn|anh|chị|em|ở|thì|mà|ra|vào|đến|từ|rất|nhiều|nào|gì|làm|thế nào|tại sao|cảm ơn|xin|sẽ|đang|hay|hoặc|nhưng|nếu|vì|đó|lại|còn|năm",
  ],
  ca: [
    "el|la|els|les|de|que|i|en|un|una|és|per|amb|no|es|del|al|ho|com|més|però|seva|seu|ja|o|aquest|aquesta|perquè|quan|molt|sense|sobre|també|em|fins|hi|on|qui|des|tot|ens|meu|meva|què|són|va|ser|té|puc|vull|gràcies|vostè|dels|als|això|amb|està",
  ],
  hr: [
    "i|u|na|je|se|da|su|za|od|sa|s|ne|što|kao|ali|o|to|iz|bi|koji|koja|koje|ili|samo|sam|si|smo|ste|nije|kako|gdje|kada|zašto|moj|moja|tvoj|njegov|hvala|molim|želim|mogu|može|bio|bila|bilo|će|ću|te|po|do|više|još|već|sve|vrlo|taj|ta|ovaj|ova|što",
  ],
  ru: [
    "и|в|не|на|я|что|он|с|как|это|по|но|из|у|за|от|так|же|вы|мы|ты|она|они|бы|то|для|был|была|было|были|его|её|ее|мне|меня|если|или|уже|только|ещё|еще|когда|где|почему|который|которые|может|можно|есть|нет|очень|все|всё|пожалуйста|спасибо|чтобы|до|при|завтра|сегодня|будет|хорошо|хорошая|хороший|могу|хочу|моя|мой|свою|сколько|какой|привет|сейчас|этот|эта|твой|твои|свой|теперь",
  ],
  uk: [
    "і|в|не|на|я|що|він|з|як|це|по|але|із|у|за|від|так|ж|ви|ми|ти|вона|вони|би|то|для|був|була|було|були|його|її|мені|мене|якщо|або|вже|тільки|ще|коли|де|чому|який|які|може|можна|є|немає|дуже|всі|все|будь ласка|дякую|щоб|до|при|та|та|й|завтра|сьогодні|буде|добре|гарна|гарний|можу|хочу|моя|мій|свою|скільки|привіт|зараз|цей|ця",
  ],
  bg: [
    "и|в|не|на|аз|че|той|с|като|това|по|но|от|у|за|така|вие|ние|ти|тя|те|би|то|беше|са|е|се|да|ще|му|й|ми|ме|ако|или|вече|само|още|когато|къде|защо|който|които|може|има|няма|много|всички|моля|благодаря|при|до|си|към|какво|как|съм|всичко|твоя|твоите|сега|предишни",
  ],
  sr: [
    "и|у|на|је|се|да|су|за|од|са|с|не|што|као|али|о|то|из|би|који|која|које|или|само|сам|си|смо|сте|није|како|где|када|зашто|мој|моја|твој|његов|хвала|молим|желим|могу|може|био|била|било|ће|ћу|те|по|до|више|још|већ|све|веома|тај|овај",
  ],
  ar: [
    "في|من|على|إلى|أن|هذا|هذه|التي|الذي|ما|لا|هو|هي|كان|كانت|عن|مع|كل|لم|لن|قد|ذلك|بعد|قبل|أو|ثم|إذا|كيف|لماذا|أين|متى|أنا|أنت|نحن|هم|بين|حتى|غير|يكون|شكرا|أريد|عند|الى|ان|يمكنني|يمكن|سيكون|اليوم|غدا|لكن|ولكن|هل|الذين|جدا|هناك|ليس|أي|كم|جميع|السابقة|الآن|كنت|أنك|عليك|الخاص|الخاصة",
  ],
  fa: [
    "در|از|به|که|این|است|را|با|برای|آن|یک|می|تا|هم|من|تو|ما|شما|آنها|چه|چرا|کجا|چگونه|نیست|بود|شد|کرد|باید|اما|یا|اگر|هر|بر|های|خود|دارد|شده|کنید|لطفا|ممنون|هستند",
  ],
  ur: [
    "کے|کی|کا|میں|ہے|سے|کو|اور|نے|پر|یہ|ہیں|وہ|ایک|کہ|بھی|نہیں|تھا|تھی|ہو|کر|جو|اس|ان|آپ|ہم|کیا|کیوں|کہاں|کیسے|مجھے|گیا|گئی|لیے|ساتھ|بہت|شکریہ|اپنا|اپنی|سکتا|سکتی|ہوں|لیکن|اچھا|اب|تو|یا",
  ],
};
