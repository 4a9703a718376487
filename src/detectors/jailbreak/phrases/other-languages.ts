import type { PhraseTable } from "../../phrases/phrase-table.js";

/** Dutch phrases. */
export const DUTCH: PhraseTable = {
  "instruction-override.full": [
    "(negeer|negeren|vergeet|vergeten|verwerp|volg niet) ~4 (vorige|eerdere|voorgaande|bovenstaande|alle|oorspronkelijke|je|jouw|uw|systeem) ~3 (instructie*|opdracht*|regels|richtlijn*|prompt*|aanwijzing*|bevel*|commando*)",
    "(negeer|vergeet) alles ~3 (hiervoor|hierboven|eerder|daarvoor|wat)",
  ],
  "prompt-leak.full": [
    "(toon|laat|herhaal|geef|onthul|print|schrijf|wat is|wat zijn|vertaal|deel|kopieer|vertel) ~5 (systeemprompt*|systeem prompt|systeeminstructies|systeembericht|je instructies|jouw instructies|uw instructies|oorspronkelijke instructies|eerste instructies|verborgen instructies|geheime instructies|interne instructies|je prompt)",
    "(herhaal|kopieer|schrijf) ~3 (tekst|alles|woorden) ~2 (hierboven|boven|hiervoor)",
  ],
  "no-restrictions.full": [
    "(zonder|geen|vrij van|enige|niet gebonden aan) ~3 (beperking*|filter*|censuur|regels|grenzen|ethiek|moraal|morele|ethische|richtlijnen|remmingen)",
    "(ongeacht|zelfs als|ook al) ~5 (illegaal|onethisch|immoreel|gevaarlijk|schadelijk)",
  ],
  "no-restrictions.ai": [
    "(ai|chatbot|assistent|model|bot|taalmodel) ~5 (zonder|geen|vrij van) ~3 (beperking*|filter*|censuur|regels|ethiek|moraal|morele|ethische)",
    "(ongecensureerde|ongefilterde|onbeperkte|amorele|immorele) ~2 (ai|chatbot|assistent|model|bot|antwoorden|versie)",
  ],
  "persona.act": [
    "(je bent nu|jij bent nu|u bent nu|vanaf nu ben je|vanaf nu ben jij|doe alsof|gedraag je als|speel de rol|stel je voor dat je)",
  ],
  "refusal-suppression.full": [
    "(nooit|niet|geen|zonder) ~3 (weiger|weigeren|waarschuwing*|excuses|verontschuldig*|disclaimer*|moraliseren)",
  ],
  "known-jailbreak.strong": ["dan modus|jailbreak modus"],
  "known-jailbreak.mode": ["ontwikkelaarsmodus|ontwikkelmodus|godmodus"],
  "authority.strong": [
    "(schakel|omzeil|deactiveer) ~3 (veiligheidsfilter*|contentfilter*|moderatie|beveiligingsfilter*|censuur)",
  ],
  "secret-extraction.full": [
    "(onthul|vertel|geef|wat is|spel|zeg) ~4 (geheime wachtwoord|geheime sleutel|geheime code|geheime woord|toverwoord)",
  ],
  "secret-extraction.ask": ["(onthul|vertel|geef|wat is|spel|zeg) ~4 (het wachtwoord|het geheim|codewoord)"],
};

/** Turkish phrases. */
export const TURKISH: PhraseTable = {
  "instruction-override.full": [
    "(önceki|yukarıdaki|tüm|bütün|daha önceki|mevcut|ilk|sistem) ~4 (talimat*|komut*|kural*|yönerge*|prompt*|istem*|emir*) ~3 (yok say*|görmezden gel*|unut*|dikkate alma*|göz ardı et*|boş ver*|uyma*|iptal et*)",
  ],
  "prompt-leak.full": [
    "(sistem istemi*|sistem prompt*|sistem talimat*|sistem mesaj*|talimatlarını|talimatların|ilk talimat*|başlangıç talimat*|gizli talimat*|promptunu) ~4 (göster*|yazdır*|tekrarla*|söyle*|paylaş*|açıkla*|yaz|ver|nedir|neler|çevir)",
  ],
  "no-restrictions.full": [
    "(hiçbir|kısıtlama*|sınırlama*|filtre*|sansür*|kural*|etik|ahlaki) ~3 (olmadan|olmayan|yok|tanımayan|tanımaz|sınır*|uymayan|uymaz|bağlı değil*)",
    "filtresiz|sansürsüz|sınırsız yapay",
  ],
  "no-restrictions.ai": [
    "(filtresiz|sansürsüz|kısıtlamasız|ahlaksız|sınırsız|kısıtlaması olmayan|sınırı olmayan|kuralsız) ~3 (yapay zeka*|sohbet botu*|chatbot*|asistan*|model*|bot)",
  ],
  "persona.act": [
    "(artık sen|sen artık|bundan sonra sen|şu andan itibaren|gibi davran*|rolünü oyna*|rolüne gir*|mış gibi yap*|miş gibi yap*)",
  ],
  "refusal-suppression.full": [
    "(asla|hiçbir zaman|hiçbir|uyarı*|özür) ~3 (reddetme*|reddedemezsin|geri çevirme*|uyarı yapma*|özür dileme*|uyarı ekleme*|dileme)",
  ],
  "known-jailbreak.strong": ["dan modu*|jailbreak modu*"],
  "known-jailbreak.mode": ["geliştirici modu*|tanrı modu*|sınırsız mod*"],
  "authority.strong": [
    "(güvenlik filtre*|içerik filtre*|güvenlik önlem*|sansür*) ~2 (kapat*|devre dışı*|atla*|kaldır*)",
  ],
  "secret-extraction.full": [
    "(gizli şifre*|gizli anahtar*|gizli kelime*|gizli kod*) ~3 (söyle*|ver|göster*|açıkla*|nedir|paylaş*)",
  ],
  "secret-extraction.ask": ["(sırrı|parolayı|şifreyi) ~3 (söyle*|ver|göster*|açıkla*|nedir|paylaş*)"],
};

/** Arabic phrases, with the prefixes that are written together with a word. */
export const ARABIC: PhraseTable = {
  "instruction-override.full": [
    "(تجاهل|تجاهلي|تجاهلوا|انس|انسى|انسَ|وتجاهل|لا تتبع|أهمل) ~4 (التعليمات|تعليمات|تعليماتك|الأوامر|أوامر|القواعد|قواعد|قواعدك|التوجيهات|توجيهات|توجيهاتك|الإرشادات|إرشادات|المطالبات|البرمجة|برمجتك)",
    "(تجاهل|انس|انسى) (كل|جميع|كافة) ~2 (ما|السابق*|التعليمات|الأوامر)",
  ],
  "prompt-leak.full": [
    "(اعرض|أظهر|اظهر|كرر|اكشف|اطبع|اكتب|أخبرني|اخبرني|ما هي|ما هو|أعطني|اعطني|ترجم|شارك|انسخ) ~5 (موجه النظام|تعليمات النظام|رسالة النظام|تعليماتك|التعليمات الأولية|التعليمات الأصلية|التعليمات السرية|التعليمات المخفية|توجيهاتك|مطالبة النظام|القواعد الخاصة بك|التعليمات التي)",
    "(كرر|انسخ|اطبع) ~3 (النص|كل ما|الكلمات) ~2 (أعلاه|السابق|فوق)",
  ],
  "no-restrictions.full": [
    "(بدون|بلا|دون|لا توجد|متحرر من|خال من|خالي من|ليس لديك|لا تلتزم|لا يلتزم) ~3 (قيود|أي قيود|حدود|فلاتر|مرشحات|رقابة|قواعد|أخلاق|أخلاقيات|ضوابط|القيود|أخلاقية|بالقواعد)",
    "(حتى لو|حتى وإن|بغض النظر) ~5 (غير قانوني*|غير أخلاقي*|ضار*|خطير*)",
  ],
  "no-restrictions.ai": [
    "(ذكاء اصطناعي|روبوت|مساعد|نموذج|الذكاء الاصطناعي|برنامج دردشة) ~5 (بدون|بلا|دون|متحرر من|خال من|لا يلتزم|ليس لديه) ~3 (قيود|أي قيود|حدود|فلاتر|مرشحات|رقابة|قواعد|أخلاق|أخلاقيات|ضوابط)",
  ],
  "persona.act": ["(أنت الآن|انت الان|من الآن فصاعدا|من الآن فصاعداً|تظاهر|تصرف كأنك|تصرف كما لو|تقمص|العب دور|تخيل أنك)"],
  "refusal-suppression.full": ["(لا|أبدا|أبداً|بدون|دون|لن) ~3 (ترفض|رفض|تحذير|تحذيرات|اعتذار|تعتذر|إخلاء مسؤولية|تقل لا)"],
  "known-jailbreak.strong": ["وضع dan"],
  "known-jailbreak.mode": ["وضع المطور|وضع المطورين|وضع الإله|وضع بلا قيود|كسر الحماية"],
  "authority.strong": [
    "(عطل|أوقف|تجاوز|ألغ|قم بتعطيل|إيقاف) ~3 (مرشحات الأمان|فلاتر الأمان|مرشحات المحتوى|بروتوكولات الأمان|الرقابة|قيود الأمان)",
  ],
  "secret-extraction.full": [
    "(أخبرني|اكشف|ما هي|ما هو|أعطني|قل لي|اعطني) ~3 (المفتاح السري|الكلمة السرية|كلمة المرور السرية|الرمز السري)",
  ],
  "secret-extraction.ask": ["(أخبرني|اكشف|ما هي|ما هو|أعطني|قل لي|اعطني) ~3 (السر)"],
};

/** Hindi phrases, and some in Latin letters. */
export const HINDI: PhraseTable = {
  "instruction-override.full": [
    "(पिछले|पिछली|पहले|सभी|सारे|ऊपर|उपरोक्त|पूर्व|अपने|मूल) ~5 (निर्देश*|निर्देशों|आदेश*|नियम*|नियमों|प्रॉम्प्ट*|हिदायत*|दिशानिर्देश*|बातें) ~4 (अनदेखा|अनदेखी|नज़रअंदाज़|नज़र अंदाज़|भूल|भुला|उपेक्षा|मत मानो|न मानें|रद्द)",
    "(pichle|pehle|sabhi|sare) ~4 (nirdesh|nirdeshon|instructions|niyam|rules) ~3 (bhool|bhul|ignore|nazarandaz|andekha)",
  ],
  "prompt-leak.full": [
    "(सिस्टम प्रॉम्प्ट*|सिस्टम संदेश*|सिस्टम निर्देश*|अपने निर्देश*|प्रारंभिक निर्देश*|मूल निर्देश*|छिपे निर्देश*|गुप्त निर्देश*|अपना प्रॉम्प्ट*|शुरुआती निर्देश*) ~5 (दिखा*|बता*|दोहरा*|लिख*|प्रकट*|साझा*|क्या|प्रिंट*|अनुवाद*)",
    "(ऊपर|उपरोक्त) ~3 (पाठ*|सब कुछ|टेक्स्ट*|शब्द*) ~4 (दोहरा*|लिख*|प्रिंट*)",
  ],
  "no-restrictions.full": [
    "(बिना|कोई|किसी भी|प्रतिबंध*|सीमा*|फ़िल्टर*|फिल्टर*|सेंसर*) ~4 (प्रतिबंध*|सीमा*|फ़िल्टर*|फिल्टर*|सेंसर*|नियम*|नैतिक*|रोक टोक|मुक्त|नहीं)",
    "(चाहे|भले ही) ~5 (अवैध|गैरकानूनी|अनैतिक|खतरनाक|हानिकारक)",
  ],
  "no-restrictions.ai": [
    "(बिना|किसी भी) ~5 (प्रतिबंध*|सीमा*|फ़िल्टर*|फिल्टर*|सेंसर*|नियम*|नैतिक*) ~5 (एआई|ai|चैटबॉट*|सहायक*|मॉडल*|बॉट*)",
  ],
  "persona.act": [
    "(अब तुम|अब आप|अब से तुम|अब से आप|तुम अब|आप अब|नाटक करो|नाटक करें|की भूमिका निभा*|मान लो कि तुम|कल्पना करो कि तुम|की तरह व्यवहार)",
  ],
  "refusal-suppression.full": ["(कभी|बिना|कोई|मत|नहीं) ~4 (मना मत|मना न|मना नहीं|इनकार*|चेतावनी*|माफी*|माफ़ी*|अस्वीकार*)"],
  "known-jailbreak.strong": ["dan मोड"],
  "known-jailbreak.mode": ["डेवलपर मोड*|डेवलपर मोड|गॉड मोड"],
  "authority.strong": ["(सुरक्षा फ़िल्टर*|सुरक्षा फिल्टर*|सामग्री फ़िल्टर*|मॉडरेशन) ~3 (बंद*|हटा*|अक्षम*)"],
  "secret-extraction.full": ["(गुप्त पासवर्ड*|गुप्त कुंजी*|गुप्त कोड*|गुप्त शब्द*) ~3 (बताओ|बताइए|बता दो|दिखाओ|क्या है|उजागर*)"],
  "secret-extraction.ask": ["(रहस्य*|पासवर्ड*) ~3 (बताओ|बताइए|बता दो|दिखाओ|क्या है|उजागर*)"],
};

/** Indonesian phrases. */
export const INDONESIAN: PhraseTable = {
  "instruction-override.full": [
    "(abaikan|lupakan|jangan ikuti|kesampingkan|hiraukan) ~4 (instruksi|perintah|aturan|arahan|prompt|petunjuk|pedoman) ~3 (sebelumnya|di atas|awal|sistem|terdahulu|anda|kamu|mu)",
    "(abaikan|lupakan) (semua|seluruh|segala) ~2 (instruksi|perintah|aturan|arahan|petunjuk|yang)",
  ],
  "prompt-leak.full": [
    "(tampilkan|tunjukkan|ulangi|bocorkan|beritahu|berikan|cetak|tulis|apa|sebutkan|terjemahkan|ungkapkan) ~5 (prompt sistem|perintah sistem|pesan sistem|instruksi sistem|instruksi awal|instruksi anda|instruksimu|instruksi kamu|instruksi asli|instruksi rahasia|instruksi tersembunyi|prompt awal)",
    "(ulangi|salin|tulis) ~3 (teks|semua|kata kata) ~2 (di atas|sebelumnya)",
  ],
  "no-restrictions.full": [
    "(tanpa|tidak ada|bebas dari|tidak memiliki|tidak terikat) ~3 (batasan|batas|filter|sensor|aturan|etika|moral|pembatasan|larangan)",
    "(meskipun|walaupun|terlepas dari|tidak peduli) ~5 (ilegal|tidak etis|tidak bermoral|berbahaya)",
  ],
  "no-restrictions.ai": [
    "(ai|chatbot|asisten|model|bot|kecerdasan buatan) ~5 (tanpa|bebas dari|tidak memiliki|tidak terikat) ~3 (batasan|batas|filter|sensor|aturan|etika|moral|pembatasan)",
  ],
  "persona.act": [
    "(kamu sekarang adalah|anda sekarang adalah|sekarang kamu adalah|sekarang anda adalah|mulai sekarang kamu|mulai sekarang anda|berpura pura|bertindaklah sebagai|berperanlah sebagai|bayangkan kamu adalah)",
  ],
  "refusal-suppression.full": [
    "(jangan pernah|jangan|tanpa|tidak boleh) ~3 (menolak|tolak|peringatan|meminta maaf|minta maaf|penafian)",
  ],
  "known-jailbreak.strong": ["mode dan aktif|mode jailbreak"],
  "known-jailbreak.mode": ["mode pengembang|mode dewa|mode tanpa batas"],
  "authority.strong": ["(nonaktifkan|matikan|lewati|hapus) ~3 (filter keamanan|filter konten|moderasi|sensor)"],
  "secret-extraction.full": [
    "(beritahu|ungkapkan|berikan|apa|sebutkan|bocorkan) ~3 (kata sandi rahasia|kunci rahasia|kode rahasia|kata rahasia)",
  ],
};
