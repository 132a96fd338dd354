"""Forms of English verbs and nouns."""

#: base: (third person, -ing, past, past participle); regular forms are None.
IRREGULAR = {
    base: tuple(None if form == "-" else form for form in forms.split("/"))
    for base, forms in (entry.split(" ") for entry in """
be is/being/was/been; have has/-/had/had; do does/doing/did/done; go goes/going/went/gone; get -/getting/got/gotten
see -/seeing/saw/seen; say -/-/said/said; make -/-/made/made; take -/-/took/taken; come -/-/came/come
know -/-/knew/known; think -/-/thought/thought; give -/-/gave/given; find -/-/found/found; tell -/-/told/told
feel -/-/felt/felt; become -/-/became/become; leave -/-/left/left; put -/putting/put/put; mean -/-/meant/meant
keep -/-/kept/kept; let -/letting/let/let; begin -/beginning/began/begun; write -/-/wrote/written
run -/running/ran/run; sit -/sitting/sat/sat; stand -/-/stood/stood; lose -/-/lost/lost; pay -/-/paid/paid
meet -/-/met/met; set -/setting/set/set; lead -/-/led/led; speak -/-/spoke/spoken; read -/-/read/read
spend -/-/spent/spent; grow -/-/grew/grown; win -/winning/won/won; teach -/-/taught/taught; buy -/-/bought/bought
send -/-/sent/sent; build -/-/built/built; fall -/-/fell/fallen; cut -/cutting/cut/cut; sell -/-/sold/sold
break -/-/broke/broken; catch -/-/caught/caught; drive -/-/drove/driven; wear -/-/wore/worn; eat -/-/ate/eaten
sleep -/-/slept/slept; drink -/-/drank/drunk; fly -/-/flew/flown; bring -/-/brought/brought; hold -/-/held/held
hear -/-/heard/heard; choose -/-/chose/chosen; draw -/-/drew/drawn; swim -/swimming/swam/swum; sing -/-/sang/sung
throw -/-/threw/thrown; ride -/-/rode/ridden; hang -/-/hung/hung; feed -/-/fed/fed; wake -/-/woke/woken
forget -/forgetting/forgot/forgotten; hide -/-/hid/hidden; hurt -/-/hurt/hurt; lend -/-/lent/lent
fight -/-/fought/fought; quit -/quitting/quit/quit; shut -/shutting/shut/shut; steal -/-/stole/stolen
stick -/-/stuck/stuck; sweep -/-/swept/swept; understand -/-/understood/understood; lay -/-/laid/laid
lie -/lying/lay/lain; die -/dying/-/-; tie -/tying/-/-; shake -/-/shook/shaken; shoot -/-/shot/shot
hit -/hitting/hit/hit; cost -/-/cost/cost; bite -/-/bit/bitten; blow -/-/blew/blown; freeze -/-/froze/frozen
dig -/digging/dug/dug; bend -/-/bent/bent; burst -/-/burst/burst; deal -/-/dealt/dealt; spread -/-/spread/spread
split -/splitting/split/split; swear -/-/swore/sworn; tear -/-/tore/torn; rise -/-/rose/risen
bleed -/-/bled/bled; spill -/-/-/-; burn -/-/-/-; slide -/-/slid/slid; ring -/-/rang/rung
withdraw -/-/withdrew/withdrawn; upset -/upsetting/upset/upset; bet -/betting/bet/bet; beat -/-/beat/beaten
overthink -/-/overthought/overthought; oversleep -/-/overslept/overslept; redo redoes/redoing/redid/redone
rewrite -/-/rewrote/rewritten; rebuild -/-/rebuilt/rebuilt; proofread -/-/proofread/proofread
shine -/-/shone/shone; babysit -/babysitting/babysat/babysat; undo undoes/undoing/undid/undone
pet -/petting/-/-; quiz quizzes/quizzing/quizzed/quizzed; knit -/knitting/-/-; picnic -/picnicking/picnicked/picnicked
""".replace("\n", "; ").split("; ") if entry)
}

#: Verbs whose last consonant doubles before -ing and -ed.
DOUBLING = set("""
plan stop chat drop shop grab skip wrap rip trip hug beg jog mop chop nap pop rob rub scrub snap step tap tip trim
slip zip clap clip dip flip fan tan scan ban jam ram slam cram swap map nag drag brag tug plug log blog admit commit
permit refer prefer occur control cancel travel label fit knot pat submit stir star sip ship strip swat unplug unzip
wag whip regret transfer chip hop top program unwrap
""".split())
UNDOUBLED = {"cancel", "travel", "label"}  # American spelling

PLURALS = {
    "child": "children", "person": "people", "man": "men", "woman": "women", "foot": "feet", "tooth": "teeth",
    "mouse": "mice", "knife": "knives", "leaf": "leaves", "shelf": "shelves", "half": "halves", "loaf": "loaves",
    "life": "lives", "wife": "wives", "thief": "thieves", "scarf": "scarves", "potato": "potatoes",
    "tomato": "tomatoes", "mango": "mangoes", "fish": "fish", "sheep": "sheep", "goose": "geese",
}


def third(verb):
    form = IRREGULAR.get(verb, (None,))[0]
    if form:
        return form
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def doubled(verb):
    return verb + verb[-1] if verb in DOUBLING - UNDOUBLED else verb


def ing(verb):
    form = IRREGULAR.get(verb, (None, None))[1]
    if form:
        return form
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "ye", "oe")):
        return verb[:-1] + "ing"
    return doubled(verb) + "ing"


def past(verb, participle=False):
    form = IRREGULAR.get(verb, (None,) * 4)[3 if participle else 2]
    if form:
        return form
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ied"
    return doubled(verb) + "ed"


def plural(phrase):
    """The phrase with its last word in the plural."""
    head, space, noun = phrase.rpartition(" ")
    if noun in PLURALS:
        noun = PLURALS[noun]
    elif noun.endswith(("s", "x", "z", "ch", "sh")):
        noun += "es"
    elif noun.endswith("y") and noun[-2:-1] not in "aeiou":
        noun = noun[:-1] + "ies"
    else:
        noun += "s"
    return head + space + noun


def inflect(verb, form):
    """`verb` as base, s, ing, past or pp."""
    if form == "s":
        return third(verb)
    if form == "ing":
        return ing(verb)
    if form in ("past", "pp"):
        return past(verb, participle=form == "pp")
    return verb


def article(word):
    """`a` or `an`, depending on the next word."""
    if word.startswith(("hour", "honest", "honor", "heir")):
        return "an"
    if word.startswith(("uni", "use", "usu", "euro", "one", "once", "ukulele", "unicorn")) and word != "unimportant":
        return "a"
    if word in ("8", "11", "18") or word.startswith(("8:", "11:", "18:")):
        return "an"
    return "an" if word[:1] in tuple("aeiou") else "a"


#: Plural-only and mass nouns: never with "a".
PLURAL_ONLY = set("""
shoes jeans pants boots sneakers socks pajamas gloves leggings heels sandals slippers earrings shorts mittens earmuffs
sunglasses glasses clothes underwear scissors headphones earbuds binoculars sunscreen goggles keys popcorn candy
chocolate marshmallows cookies brownies cupcakes donuts muffins gingerbread pudding luggage curtains blinds
""".split())


def is_plural(noun):
    last = noun.split(" ")[-1]
    return last.endswith("s") and not last.endswith(("ss", "us")) and noun != "fish and chips"
