import type { PhraseTable } from "../../phrases/phrase-table.js";

/** Words of the languages of one kind of script, in the places of an order. */
interface OrderWords {
  /** Imperatives of "ignore" and "forget". */
  readonly void: string;
  /** "all", "previous" and "above". */
  readonly earlier: string;
  /** "your", "system" and "original". */
  readonly own: string;
  /** Instructions, rules and prompts. */
  readonly orders: string;
  /** The same with an ending that says "your". */
  readonly owned: string;
  /** Imperatives of "show" and "reveal". */
  readonly show: string;
  /** "from now on"; with "you" unless `lack` or `limits` say it. */
  readonly now: string;
  /** "without" and "have no". */
  readonly lack: string;
  readonly limits: string;
}

/**
 * The three orders that attacks repeat in every language: earlier instructions ignored, the system prompt shown, all limits
 * removed. Stems are shared by related languages; no word that English texts use belongs here.
 */
const LATIN: OrderWords = {
  void: "abaikan|aizmirsti|amal qilma|balewalain|bortse från|bỏ qua|chefuo|eira|felejts el|felejtsd el|felejtse el|följ inte|følg ikke|gbagbe|glem|glöm|hagyd figyelmen kívül|hagyja figyelmen kívül|haz caso omiso|hou geen rekening|houd geen rekening|huwag mong pansinin|huwag pansinin|huwag sundin|ignora|ignorați|ignoreer|ignoreeri|ignorer|ignorera|ignoreu|ignoriraj|ignoriši|ignoruj|ignorujte|ignoruok|ignoră|ignorē|ikke følg|jangan hiraukan|jangan ikut|jangan patuhi|jätä huomiotta|kalimutan|không làm theo|không tuân theo|ko gbogbo|lalekna|leghara|lirwakna|lupakan|manta da|məhəl qoyma|ne kövesd|ne tenez pas compte|ne tiens pas compte|ne upoštevaj|nedodržuj|neievēro|nemoj pratiti|nemoj slijediti|nepaisyk|neriaď sa|nesilaikyk|nesocotește|neņem vērā|neřiď se|nie zwracaj uwagi|no hagas caso|no segueixis|no tengas en cuenta|non tenere conto|nu mai urma|nu respecta|nu urma|não leve em conta|nəzərə alma*|oblida|oblideu|ohita|pamiršk|phớt lờ|pozabi|prezri|puuza|quên|sahau|se bort fra|strunta i|tiborsiz qoldir*|uitați|uită|unohda|unusta|unut|usifuate|vergeet|watsi da|zaboravi|zaboravite|zabudni|zabudnite|zanemari|zanemarite|zapomeň|zapomeňte|zapomnij|älä noudata|älä välitä|ära järgi|đừng làm theo|đừng tuân theo|əməl etmə",
  earlier:
    "acima|aiemmat|aiemmin|aiempia|al die|alla|alle|ankstesn*|anterioare|anteriores|anteriors|avvalgi|awali|barcha|baya|bovenstaande|bên trên|bütün|ci dessus|de mai sus|di atas|duk|eddigi|edelliset|eelmis*|eelneva*|előző|fenti|foregående|föregående|gabata|gara aga|gbogbo|gornje|hapo juu|hierbo|iepriekš*|isaaju|itaas|kabeh|kaikki|korábbi|kõiki|lahat|mbụ|mọi|nakaraang|naunang|niile|oldingi|ovan|ovanstående|ovenfor|ovenstående|phía trên|poprzednie|powyższe|precedente|precedenti|predchádzajúce|predošlé|prejšnj*|prethodn*|prèvies|précédentes|předchozí|předchozími|předešlé|saamasi|sadurunge|sebelum ini|semua|sopra|sve|terdahulu|tidigare|tidligere|toate|totes|trước|tất cả|visas|visus|vorige|vsa|výše|všechny|všetky|yaliyotangulia|yote|zgornj*|zote|înainte|összes|əvvəlki",
  own: "algsed|alkuperäi*|anda|asal|asali|awak|ban đầu|của bạn|dina|dine|eredeti|eto|gị|hệ thống|ilkin|inițiale|iyong|izvorne|jou|järjestelmä*|mfumo|oma|oorspronklike|opprinnelig*|oprindelig*|originals|orihinal|početne|pradines|prvotna|pôvodné|původní|re|savas|savo|savu|savus|sistem*|stelsel*|svoj|svoja|svoje|svojich|svá|své|svých|svůj|swoich|systemow*|systémov*|sākotnējās|tale|teu|teves|tizim|tvoja|tvoje|tău|ursprunglig*|yako|zako|zgornjih|ți",
  orders:
    "allt som|alt hvad|anvisning*|arahan|ase|chỉ dẫn|chỉ thị|consignes|dokokin|gesaan|göstəriş*|hướng dẫn|instrucciones|instruccions|instructies|instructions|instrucțiuni*|instrukc*|instruks*|instruktion*|instruções|inštrukc*|istruzioni|itoni|itóni|iwu|juhis*|kaikki mitä|koʻrsatma*|lời nhắc|maagizo|maelekezo|navodil*|norādījum*|noteikum*|ntuziaka|nurodym*|ofin|ohjeet|ohjeita|patakaran|peraturan|pokynov|pokyny|polecenia|poziv|pravidl*|pravila|prentah|prompt|promptul|qayda*|qoida*|quy tắc|raginim*|reegl*|reglene|regler*|regles|reguli*|rendszerpromptot|reëls|rsatma*|sanottu|sheria|szabály*|säännöt|tagubilin|taisykl*|tot ce|təlimat*|umarnin|uputa|upute|uputstva|utasítás*|utos|uzvedn*|všechno|všetko|zasad*|òfin",
  owned:
    "aturanmu|dokokinka|instruksimu|järjestelmäkehott*|kuralların*|ohjeesi|promptingni|qaydaların*|qoidalaring*|rendszerprompt*|sistemmu|stelselprompt|systemprompt*|szabályaid*|sääntösi|süsteemiviip*|təlimatların*|umarnin tsarin*|umarninka|utasításaid*",
  show: "afișează|afslør|arată|atklāj|atskleisk|avalda|avslöja|avslør|ayting|açıqla|bayyana|beritahu|berätta|cho tôi xem|dedahkan|dezvăluie|digues|fedd fel|fichua|fortell|fortæl|gaya mini|gjenta|gosi|göstər|han|hiển thị|ibunyag|ipakita|kerro|koʻrsat|mondd el|mondd meg|mostra|mutasd|niambie|nuna|näita|näytä|onyesha|openbaar|otkrij|paljasta|parodyk|parādi|pasaki|pasakyk|pokaži|povedz|povej|prezraď|prikaži|prozraď|razkrij|reci|revela|rsat|sabihin|skriv ut|spune|söylə|tiết lộ|toista|tuduhna|tunjukkan|ukaž|ukáž|vertel my|vis|visa|vypiš|wys|zobraz|írd ki|ütle|řekni",
  now: "ab jetzt bist du|ab jetzt hast du|acum|adesso non|adesso sei|agora|ahora|ara|artık|artıq|bundan sonra|bây giờ|de acum înainte|du bist jetzt|du har nu|du har nå|désormais tu|endi|ești acum|fra nu af|fra nå av|från nu|från nu på har du|från och med nu|je bent nu|jesteś teraz|mostantól|mula ngayon|mulai sekarang|no šī brīža|nuo šiol|nyní|nüüdsest|od sada|od teraz|od teď|od této chvíle|od zdaj|odteraz|ora non|ora sei|sada|saiki|sasa|sekarang|sinulla ei ole enää|teraz|tu es maintenant|tästä lähtien|từ giờ|van nou af|vanaf nu ben je|vanaf nu heb je|yanzu",
  lack: "anda tiada|ba ka da|bez|bạn không bị|bạn không còn|bạn không có|er du uden|er du uten|esi be|estás sin|ets sense|ești fără|fără|geen|hai|har du inga|het jy geen|huna|inga|ingen|is jy sonder|jsi bez|kamu tanpa|kamu tidak punya|keine|kowe ora duwe|mitään|n as plus|nemaš|nemáš|nie masz|nimaš|nincsenek|no tens|no tienes|nu ai|nu mai ai|ohne|oled ilma|olet ilman|sans|senza|si bez|si brez|tev nav|você está sem|você não tem|wala ka nang|wala kang|yo q|yok|yoxdur|yoʻq|zonder|är du utan",
  limits:
    "apribojim*|batasan|begrensning*|begränsning*|begrænsning*|beperking*|beschränkung*|cheklov*|einschränkung*|filtr*|giới hạn|hạn chế|ierobežojum*|iyaka|korlátaid|kısıtlamaların|kısıtlaman|limitasyon|limitação|limite|limită|məhdudiyyətin*|obmedzen*|ograniczeń|ograničen*|omejit*|omezení|piirangu*|pravidla|rajoituks*|regler|restricciones|restriccions|restricció|restricción|restriction*|restricți*|restrizion*|restrições|sekatan|sınırların|sınırın|vikwazo|watesan",
};

const CYRILLIC: OrderWords = {
  void: "заборави|забравете|забрави|забудзь*|забудь*|занемари|игнорирай*|игнорирај|игнориши|не виконуй|не дотримуйся|не зважай на|не обращай внимания|не прати|не следвай|не спазвай|не учитывай|пренебрегни*|проігноруй*|ігнаруй*|ігноруй*",
  earlier:
    "вище|всички|всі|выше|горе|папярэдні*|попередн*|предишн*|предходн*|предыдущие|претходн*|раніше|све|сите|усе|усі",
  own: "началн*|початков*|почетн*|свае|своите|свої|свој|своја|свій|си|системн*|системск*|сістэмн*|твоите|твої|твојот",
  orders: "вказівк*|все що|всичко|инструкци*|правил*|правіл*|промпт*|указани*|упутства|усе що|інструкцы*|інструкці*",
  owned: "",
  show: "виведи|кажи|откриј|пакажы|повтори|покажи|прикажи|разкрий|раскрый|реци|розкажи|розкрий|скажи",
  now: "вече|віднині|відтепер|зараз|од сада|од сега|отныне|отсега|отсега нататък|сада|сега|тепер|теперь|цяпер",
  lack: "немаш|нямаш|си без|ти без|ти не маєш|ты без|у тебе немає|у тебя нет",
  limits: "абмежаванн*|обмежен*|ограничени*|ограничењ*|ограничувањ*|филтри",
};

const OTHER_SCRIPTS: OrderWords = {
  void: "αγνοήστε|αγνόησε|μην ακολουθείς|ξέχασε|ξέχνα|ξεχάστε|אל תציית*|התעלם|התעלמו|התעלמי|שכח|תשכח|بھول جا*|عمل نکن|عمل نہ کر*|فراموش کن*|لا تلتفت إلى|له پامه وغورځ*|نادیده بگیر*|نظر انداز کر*|نظرانداز کر*|هېر کړه|پیروی نکن|दुर्लक्ष कर*|ध्यान न द*|ध्यान मत दो|पालन न कर*|पालन मत कर*|पाळू नको*|बिर्स|बिर्सनुहोस्|बेवास्ता गर*|मत मानो|विसर|विसरा|विसरून जा*|উপেক্ষা কর*|ভুলে যা*|ਅਣਡਿੱਠ ਕਰ*|ਨਜ਼ਰਅੰਦਾਜ਼ ਕਰ*|ਭੁੱਲ ਜਾ*|અવગણ*|ભૂલી જા*|ଅଣଦେଖା କର*|ଭୁଲିଯାଅ|பின்பற்றாதே|புறக்கணி|புறக்கணிக்க*|மறந்துவிடு|மறந்துவிடுங்கள்|పట్టించుకో*|పాటించకు|పాటించవద్దు|మరచిపో|మరచిపోండి|మర్చిపో|మర్చిపోండి|విస్మరించ*|ಕಡೆಗಣಿಸ*|ನಿರ್ಲಕ್ಷಿಸ*|ಮರೆತುಬಿಡ*|അവഗണിക്ക*|മറക്കുക|മറന്നേക്ക*|අමතක කර*|නොසලක*|නොසලකා හරින්න|ችላ በ*|እርሳ|잊어라|잊어버려",
  earlier:
    "παραπάνω|πριν|προηγούμεν*|όλες|όλους|הקודמ*|כל|לעיל|מכל|קודם|שלמעלה|أعلاه|السابقة|اوپر|بالا|تمام|قبلی|مخکین*|همه|ټولې|پچھل*|پیشین|अघिल्ल*|आधीचे|आधीच्या|ऊपर|पहिले*|मागील|माथि*|वरील|सबै|सर्व|আগের|উপরের|পূর্ববর্তী|সব|সমস্ত|ਉੱਪਰ*|ਪਿਛਲ*|ਸਾਰ*|અગાઉની|ઉપરની|પહેલાની|બધી|ଉପରୋକ୍ତ|ପୂର୍ବ*|ସମସ୍ତ|அனைத்து|எல்லா|முந்தைய|மேலே|అన్ని|పై|ముందు|మునుపటి|ಎಲ್ಲಾ|ಮೇಲಿನ|ಮೊದಲಿನ|ಹಿಂದಿನ|എല്ലാ|മുകളി*|മുമ്പത്തെ|മുൻ|ඉහත|කලින්|පෙර|සියලු|ሁሉ*|ከላይ|የቀድሞ|ያለፉት*",
  own: "σας|σου|συστήματος|המערכת|המקורי*|שלך|ابتدائی|ات|اولیه|اپنا|اپنے|خود|خودت|خپل*|سسٹم|سیستم|سیسټم|आफ्न*|तिम्र*|तुझ*|तुमच*|मूळ|सिस्टम|আপনার|তোমার|প্রাথমিক|সিস্টেম|ਆਪਣ*|ਤੇਰ*|ਸਿਸਟਮ|તમાર*|તાર*|સિસ્ટમ|ତୁମର|ସିଷ୍ଟମ|உங்கள்|உன்|சிஸ்டம்|నీ|మీ|సిస్టమ్|ನಿನ್ನ|ನಿಮ್ಮ|ಸಿಸ್ಟಮ್|നിങ്ങളുടെ|നിന്റെ|സിസ്റ്റം|ඔබේ|පද්ධති|የመጀመሪያ|የስርዓት|너의|네",
  orders:
    "prompt|εντολές|κανόνες|οδηγίες|προτροπή|όλα όσα|ההוראות|ההנחיות|הכללים|הנחיית|להוראות|מה שנאמר|מההוראות|מההנחיות|احکامات|التعليمات|دستور*|قواعد|قوانین|لارښوون*|پرامپت|پرامپٹ|پرامپټ|ہدایات|नियम*|निर्देश*|प्रम्प्ट|प्रॉम्प्ट|सूचना*|নিয়ম*|নির্দেশ*|প্রম্পট*|ਨਿਯਮ*|ਨਿਰਦੇਸ਼*|ਪ੍ਰੌਂਪਟ|ਹਦਾਇਤ*|નિયમ*|પ્રોમ્પ્ટ|સૂચના*|ନିର୍ଦ୍ଦେଶ*|ନିୟମ*|ପ୍ରମ୍ପ୍ଟ|அறிவுறுத்தல்*|கட்டளை*|ப்ராம்ப்ட*|வழிமுறை*|விதி*|ఆదేశ*|నియమ*|ప్రాంప్ట్|సూచన*|ಆದೇಶ*|ನಿಯಮ*|ಪ್ರಾಂಪ್ಟ್|ಸೂಚನೆ*|നിയമ*|നിർദേശ*|നിർദ്ദേശ*|പ്രോംപ്റ്റ്|උපදෙස්|නීති|රොම්ප්ට්|ህጎች|መመሪያ*|ትዕዛ*|규칙*|지시*",
  owned: "ህጎችህን|መመሪያህን|መመሪያዎችህን",
  show: "αποκάλυψε|δείξε|πες|אሳይ|הצג|הראה|חשוף|תגיד*|بتا*|بگو|دکھا*|ظاہر کر*|فاش کن*|نشان بده*|وښایه|उघड कर*|खुलाउ*|दाखव*|देखाउ*|देखाऊ|भन*|सांग*|দেখা*|প্রকাশ কর*|বল*|ਦਿਖਾ*|ਦੱਸ*|કહો|જાહેર કર*|બતાવ*|ଦେଖା*|காட்டு*|சொல்*|வெளிப்படுத்து*|చూపించ*|చెప్ప*|వెల్లడించ*|ತೋರಿಸ*|ಬಹಿರಂಗಪಡಿಸ*|ಹೇಳ*|കാണിക്ക*|പറയ*|വെളിപ്പെടുത്ത*|පෙන්වන්න|ንገረኝ|አሳይ|ግለጽ",
  now: "από εδώ και πέρα|από τώρα|τώρα|מעכשיו|עכשיו|أنت الآن|اب آپ پر|اب تم پر|از این پس|از این پس تو|اوس ته|تو اکنون|من الآن فصاعدا|अब आप पर|अब तपाईंमाथि|अब तिमीमाथि|अब तुम पर|अब से आपकी|अब से तुम्हारी|आता तुझ्यावर|आता तुमच्यावर|এখন তোমার|এখন থেকে|ਹੁਣ ਤੁਹਾਡੇ|ਹੁਣ ਤੇਰੇ|હવે તમારા|હવે તારા|இப்போது உங்களுக்கு|இப்போது உனக்கு|ఇకపై నీకు|ఇప్పుడు నీకు|ఇప్పుడు మీకు|දැන් ඔබට|አሁን|너는 이제|넌 이제|이제부터 너*|지금부터 너*",
  lack: "δεν έχεις|είσαι χωρίς|אין לך|אתה בלי|אתה ללא|بدون|بلا|تو هیچ|شما هیچ|ليس لديك|نداری|نہیں|هیڅ|छैन*|नहीं|नाही*|নেই|ਨਹੀਂ|નથી|இல்லை|లేదు|లేవు|නැත|የለህም|የለብህም|없*",
  limits:
    "περιορισμ*|הגבלות|מגבלות|قيود|محدودیت*|پابندی*|निर्बंध*|प्रतिबंध*|प्रतिबन्ध*|सीमा|বিধিনিষেধ|সীমাবদ্ধতা|ਪਾਬੰਦੀ*|પ્રતિબંધ*|கட்டுப்பாடு*|ఆంక్ష*|పరిమితు*|සීමා*|ገደብ*|제약*|제한*",
};

/** Scripts without spaces, in which a gap counts characters. */
const UNSPACED: OrderWords = {
  void: "ละเว้น|ลืม|อย่าทำตาม|อย่าสนใจ|เพิกเฉย|ไม่ต้องทำตาม|ไม่ต้องสนใจ|မေ့လိုက်|လျစ်လျူရှု|唔使理|唔好理|唔記得晒",
  earlier: "ก่อนหน้า|ข้างต้น|ด้านบน|ทั้งหมด|ယခင်|အထက်ပါ|အရင်|အားလုံး|之前|以上|所有",
  own: "ของคุณ|ระบบ|စနစ်|သင့်|你啲|你嘅",
  orders: "กฎ|คำสั่ง|คำแนะนำ|พรอมต์|พรอมป์|พร้อมท์|စည်းမျဉ်း|ညွှန်ကြားချက်|ပရောမ့်|指令|指示|系統提示|規則",
  owned: "初始指令",
  show: "บอก|เปิดเผย|แสดง|ပြပါ|ဖော်ပြ|話我知|顯示出嚟",
  now: "จากนี้ไป|ตอนนี้|ต่อจากนี้|ယခု|အခု|あなたは今|これからあなた|今からあなた|从现在开始你|从现在起你|你现在|你現在|你而家|從現在起你|從現在開始你",
  lack: "คุณไม่มี|မရှိ|がありません|がない|はありません|はない|もない|不受|冇|沒有|没有",
  limits: "ข้อจำกัด|ကန့်သတ်ချက်|制約|制限|約束|约束|限制",
};

const SCRIPTS = { latin: LATIN, cyrillic: CYRILLIC, other: OTHER_SCRIPTS, unspaced: UNSPACED };

/** Words of each place by the name of their list: `latin-void`. */
export const WORLD_LISTS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(SCRIPTS).flatMap(([script, words]) =>
    Object.entries(words).map(([place, list]) => [`${script}-${place}`, list] as const),
  ),
);

/** Most words between two places of a phrase: after a verb, between the others, and before a verb. */
interface Gaps {
  readonly next: number;
  readonly near: number;
  readonly far: number;
}

const LATIN_GAPS: Gaps = { next: 2, near: 3, far: 4 };
const WORDS: Gaps = { next: 1, near: 3, far: 4 };
const CHARACTERS: Gaps = { next: 3, near: 3, far: 12 };

/** Returns the phrases of a script. */
function phrasesOf(script: keyof typeof SCRIPTS, { next, near, far }: Gaps): PhraseTable {
  const each = (...phrases: readonly string[]): readonly string[] =>
    phrases.map((phrase) => phrase.replaceAll("<", `<${script}-`));
  const overridden = ["earlier", "own"].flatMap((whose) =>
    each(
      `<void> ~${next} <${whose}> ~${near} <orders>`,
      `<void> ~${next} <orders> ~${near} <${whose}>`,
      `<${whose}> ~${near} <orders> ~${far} <void>`,
      `<orders> ~${near} <${whose}> ~${far} <void>`,
    ),
  );
  return {
    "instruction-override.full": [...overridden, ...each(`<void> ~${near} <owned>`, `<owned> ~${near} <void>`)],
    "prompt-leak.full": each(
      `<show> ~${near} <own> ~${near} <orders>`,
      `<show> ~${near} <orders> ~${near} <own>`,
      `<own> ~${near} <orders> ~${far} <show>`,
      `<orders> ~${near} <own> ~${far} <show>`,
      `<show> ~${near} <owned>`,
      `<owned> ~${near} <show>`,
    ),
    "no-restrictions.pretend": each(
      `<now> ~${near} <lack> ~${near} <limits>`,
      `<now> ~${far} <limits> ~${near} <lack>`,
    ),
  };
}

/** Phrases whose parts are one word, or words of English. */
const FUSED: PhraseTable = {
  "instruction-override.full": [
    "(abeg|forget all di|ignore all di|no follow|no mind) ~4 (instruction|instructions|rules)",
  ],
  "no-restrictions.pretend": [
    "(from now on you are|from now on you have|you are now|youre now) ~1 (free from|free of|no|without) ~1 (censorship|filters|limitations|limits|restrictions|rules)",
    "mostantól ~1 korlátozások nélkül (működsz|vagy|válaszolsz)",
    "(ಈಗ ನಿನಗೆ|ಈಗ ನಿಮಗೆ) ~2 ನಿರ್ಬಂಧಗಳಿಲ್ಲ|(ഇപ്പോൾ നിങ്ങൾക്ക്|ഇപ്പോൾ നിനക്ക്) ~2 (നിയന്ത്രണങ്ങളില്ല|നിയന്ത്രണങ്ങളൊന്നുമില്ല)",
  ],
};

/** Phrases of some fifty languages by concepts alone. */
export const WORLD_LANGUAGES: readonly PhraseTable[] = [
  FUSED,
  phrasesOf("latin", LATIN_GAPS),
  phrasesOf("cyrillic", WORDS),
  phrasesOf("other", WORDS),
  phrasesOf("unspaced", CHARACTERS),
];
