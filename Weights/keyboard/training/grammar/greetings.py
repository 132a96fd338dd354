"""Greetings, small talk, thanks, apologies, compliments, goodbyes: also the openers and closers of any message."""

RULES = {
    "hi": """hi | hey | hello | hi there | hey there | good morning | morning | good evening | good afternoon | hiya |
        howdy""",
    "called": "{name} | {dear} | {kin_she} | {kin_he} | {group} | {name} | {name}",
    "favor": """help | support | advice | patience | kindness | hospitality | feedback | understanding | generosity |
        quick reply | hard work | encouragement | company | honesty | effort | cooperation | present | lovely card |
        invitation | message""",
    "thanks_for": """your {favor} | the {gift} | everything | yesterday | dinner | the ride | the reminder | the
        update | the invite | listening | being there | coming | asking | checking in | the coffee | the tip | the
        recipe | letting me know | picking me up | your time | the photos | waiting | looking after {person} | the
        flowers""",
    "gift": """gift | flowers | card | book | chocolates | necklace | candle | tickets | sweater | bracelet | plant |
        mug | basket""",
    "wrong": """being late | the delay | the late reply | the confusion | what i said | the mess | the noise | yelling
        | not calling | missing your call | forgetting your birthday | the short notice | the trouble | the
        misunderstanding | waking you up | the inconvenience | breaking your {thing} | bothering you | interrupting |
        the typo | being rude | not answering sooner | losing your {thing} | my attitude | the bad news | keeping you
        waiting | overreacting""",
    "look": """{good} | {very} {good} | tired | happy | great in {color} | younger than ever | familiar | stunning |
        elegant""",
    "wish": """good luck | have fun | take care | safe travels | sleep well | get well soon | enjoy | sweet dreams |
        be careful | have a great day | have a good night | have a safe trip | enjoy your meal | enjoy your weekend |
        stay safe | have a nice evening | congratulations | well done | cheers | bon voyage | keep in touch | rest
        well | drive safely""",
    "bye": """bye | see you later | talk to you soon | see you soon | love you | take care | see you {fut} | talk
        later | good night | catch you later | goodbye | love you too | miss you | kisses | hugs | lots of love | ttyl
        | speak soon | all the best | best wishes | xoxo | bye for now | later | cheers | thanks again | see ya""",
    "greetings_do": """*say hello to {person} | *call {person} | *text {person} | *write to {person} | *apologize to
        {person} | *thank {person} | *keep in touch | *introduce {name} to {person} | *wave goodbye | *shake hands |
        *hug {person} | *talk to {person} | *chat with {person} | *answer the phone | *reply to {name}'s message |
        *send {person} a postcard | *forgive {person} | *congratulate {person} | *check on {person} | *smile at
        strangers | *wish {person} luck | *compliment {name} | *gossip about {name} | *facetime {person} | *leave a
        voicemail | *explain everything | *ask {person} a question | *tell {person} the news | *share a joke | *listen
        to {person}""",
    "mood": """great | fine | good | okay | not bad | pretty good | busy as always | tired but happy | can't complain
        | so so | much better | a little sleepy | never better | hanging in there | exhausted | wonderful""",
}

OPENERS = """
{hi} {called},
{hi}!
{hi},
{hi} {called}!
{wow},
{yes},
{no},
{name},
{dear},
{really},
sorry,
by the way,
ok so
just so you know,
quick question,
thanks {called}!
good news!
bad news,
guess what!
well,
so
anyway,
"""

CLOSERS = """
{bye}
{bye}!
{wish}!
{wish}, {called}
thanks!
thank you (so|very) much!
thanks in advance
let me know
let me know what you think
what do you think?
ok?
does that work?
is that ok?
haha
lol
call me
text me back
no worries if not
can't wait!
{bye} {dear}
"""

TEMPLATES = """
how are you?
how are you doing {now}?
how are you feeling today?
how have you been?
how was your {daypart}?
how was your {time_off}?
how's it going?
how's everything with {person}?
how's {someone} doing?
how are {my} {my_they} doing?
what's up?
what's new with you?
what have you been up to lately?
what are you up to?
i'm {mood}, thanks for asking
i'm {mood}, how about you?
doing {mood}, and you?
all {mood} here
nothing much, just {greetings_do:ing}
same as always, nothing new
long time no see!
it's been {span} since we last talked
it's so nice to hear from you
nice to meet you, i'm {name}
it was {good} to see you {past}
it was so {good} meeting you {past}
i was just thinking about you
i was just about to text you
welcome back, we missed you!
welcome home, {dear}
thank you so much for {thanks_for}
thanks for {thanks_for}
thanks for {thanks_for}, it was {good}
thanks again for {thanks_for}, i really appreciate it
thank you for {thanks_for}, it means a lot to me
i really appreciate {thanks_for}
i can't thank you enough for {thanks_for}
you're welcome, {dear}
you're welcome, it was nothing
no problem at all
my pleasure
don't mention it
anytime, that's what friends are for
i owe you one
you're the best!
you're a lifesaver, thank you
i'm so sorry about {wrong}
sorry for {wrong}
sorry about {wrong}, it won't happen again
i apologize for {wrong}
please forgive me for {wrong}
i feel {bad} about {wrong}
i didn't mean to hurt your feelings
it was my fault, i'm sorry
it's my fault, not yours
it's not your fault
apology accepted, don't worry about it
don't worry about {wrong}
no worries, it happens to everyone
it's okay, i understand
that's okay, we all make mistakes
you look {look} today
you looked {look} {past}
i love your new {thing}, where did you get it?
that {color} {thing} looks {good} on you
congratulations on the {news}!
congratulations, i'm so happy for you!
congrats on your new {newthing}!
i heard about the {news}, {wish}!
good luck with the {news} {fut}
good luck {fut}, you'll do great!
{wish} and say hi to {person}
say hi to {person} for me
give my love to {person}
tell {person} i said hello
{one_third} says hi
{one_third} sends {my} regards
have a {good} {daypart}!
have a {good} {time_off}!
enjoy your {time_off}!
good night, sleep tight
good night {dear}, see you in the morning
see you {fut}, {dear}
i have to go, {bye}
gotta go, {bye}
i'll call you {fut}
talk to you {fut}, {bye}
i'll text you when i get home
text me when you get home
let's talk {fut}
i miss you so much
i miss you too, {dear}
missing you already
merry christmas and a happy new year!
happy birthday {called}, have a {good} day!
happy birthday! i hope all your wishes come true
best wishes to you and {my} family
may i ask who this is?
who is this? i lost all my contacts
sorry, wrong number
i got a new phone, this is my new number
can you hear me now? the connection is {bad}
"""
RULES["time_off"] = """weekend | day | vacation | trip | holiday | evening | night | week | flight | birthday | summer
        | honeymoon"""
RULES["news"] = """baby | new job | promotion | engagement | exam | interview | move | presentation | new house |
        wedding | award | surgery | race | audition | scholarship | diploma | contract | pregnancy | performance |
        recital | victory"""
RULES["newthing"] = """job | house | car | apartment | baby | puppy | bike | haircut | kitchen | home | business |
        role | boat"""
