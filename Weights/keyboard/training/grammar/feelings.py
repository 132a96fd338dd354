"""Feelings: joy, worry, anger, comfort, opinions, dreams."""

RULES = {
    "happy": """happy | excited | proud | grateful | relieved | glad | thrilled | lucky | calm | hopeful | confident |
        delighted | optimistic | cheerful | thankful | blessed | inspired | peaceful | satisfied | overjoyed |
        comfortable | amused""",
    "unhappy": """tired | sad | stressed | worried | angry | nervous | upset | bored | lonely | scared | anxious |
        exhausted | disappointed | confused | jealous | embarrassed | frustrated | overwhelmed | annoyed | guilty |
        hurt | depressed | homesick | ashamed | grumpy | miserable | furious | heartbroken | terrified | restless |
        insecure | desperate | helpless | uncomfortable | shocked | offended | hopeless | cranky | irritated |
        suspicious | discouraged""",
    "about": """the move | the exam | work | money | the future | {name} | {person} | the news | my job | the wedding
        | the results | the trip | what happened | everything | this whole situation | the interview | moving away |
        the surgery | the election | my grades | the divorce | my health | our relationship | the argument | the
        flight | school""",
    "cause": """my dog died | {name} broke up with me | {name} didn't call | i failed the exam | i lost my job | my
        best friend is moving away | nobody remembered my birthday | we lost the game | i miss my family | {S} had a
        fight with {person} | i didn't sleep at all | {name} lied to me | i have so much to do | i got rejected | they
        ignored me | i made a stupid mistake | my plans fell through | someone stole my {thing}""",
    "joy": """i got the job | we won the game | {name} said yes | i passed the exam | spring is finally here | it's
        friday | we're going on vacation | the results came back fine | {name} is coming to visit | i finished the
        book | we found an apartment | i got a raise | they accepted my application | my team made the finals | i'm in
        love""",
    "comfort": """it will be okay | everything will be fine | you're not alone | i'm here for you | don't give up | it
        gets better | you did your best | i believe in you | it's not the end of the world | you deserve better | hang
        in there | take it one day at a time | tomorrow is another day | you've got this | i'm always on your side |
        be strong | be kind to yourself | things will work out | you'll get through this | take a deep breath | it's
        not worth it""",
    "feelings_do": """*cry | *worry about {about} | *laugh about {about} | *think about {about} | *talk about {about}
        | *complain about {about} | *relax | *calm down | *fall in love | *make up with {person} | *be alone | *stay
        positive | *get over {name} | *trust {person} | *lose {my} temper | *have a good cry | *be honest | *argue
        with {person} | *overthink everything | *take a deep breath | *dream about {about} | *panic | *apologize |
        *change {my} mind | *be patient | *cheer {person} up | *feel better | *break up with {name} | *keep a diary |
        *meditate | *hide {my} feelings | *surprise {person} | *face {my} fears | *open up | *let go | *give up |
        *forgive {name} | *miss {person} | *admire {person} | *regret {about} | *enjoy the silence""",
    "adverb": """so | really | very | a little | a bit | pretty | quite | extremely | kind of | incredibly | terribly
        | totally""",
}

TEMPLATES = """
i'm {adverb} {happy} today
i'm {adverb} {happy} about {about}
i'm {adverb} {happy} because {joy}
i'm {adverb} {unhappy} {now}
i'm {adverb} {unhappy} about {about}
i'm {adverb} {unhappy} because {cause}
i'm {unhappy} and i don't know why
i'm not {unhappy}, just {unhappy}
i feel {adverb} {unhappy} {now}
i feel {happy} when {S} {'m} {at_place}
i feel like nobody understands me
i feel much better now
i've never been so {happy} in my life
i've never felt so {unhappy}
i was {adverb} {unhappy} {past}
i was {adverb} {happy} to see {person} {past}
i've been {adverb} {unhappy} {now}
are you {unhappy} about {about}?
are you {happy} about {about}?
are you {unhappy} with me?
are you mad at me?
why are you so {unhappy}?
why are you {unhappy} {now}?
don't be {unhappy}, {comfort}
don't be so {unhappy} about {about}
don't worry about {about}, {comfort}
please don't cry, {comfort}
{comfort}, {dear}
i know it's hard, but {comfort}
just remember, {comfort}
it's normal to feel {unhappy} about {about}
it's okay to be {unhappy}
{one_third} {am} {adverb} {unhappy} {now}
{one_third} {am} {adverb} {happy} about {about}
{one_third} seems {adverb} {unhappy} {now}
{one_third} looked {adverb} {unhappy} {past}
{some_people} {am} {happy} that {joy}
what's wrong? you seem {unhappy}
what's wrong? you look {unhappy}
what's the matter, {dear}?
what happened? are you ok?
what made you so {happy}?
do you want to talk about it?
do you want to talk about {about}?
i don't want to talk about {about}
i don't want to talk about it {now}
i need someone to talk to
i just need some time alone
i need a hug
sending you a big hug
i'm here if you need anything
i'm here if you want to talk
you can always talk to me
you can tell me anything
you make me {adverb} {happy}
you make me laugh
that makes me {adverb} {happy}
that makes me {adverb} {unhappy}
that's {adverb} {good}!
that's {adverb} {bad}
that's {adverb} funny
that sounds {good}!
that sounds {adverb} {bad}
that's {good} news!
that's {bad} news
that's the {good_est} thing i've ever heard
i can't believe {joy}!
i can't believe {cause}
i can't stop thinking about {about}
i can't stop laughing
i can't sleep, i keep thinking about {about}
i couldn't sleep {past}, i was {adverb} {unhappy}
i had a {bad} day
i had a {good} day today
i had a {adverb} {bad} dream {past}
i'm having a {bad} day
i'm having the {good_est} day ever
today was {adverb} {bad}
today was {adverb} {good}
i'm so in love with you
i think i'm falling in love
i think i'm in love with {name}
i don't love him anymore
i don't know how i feel about {about}
i don't know what to do about {about}
i don't know what to say
i don't care about {about} anymore
i changed my mind about {about}
i have mixed feelings about {about}
i have a bad feeling about {about}
i have a good feeling about {about}
i hope you feel better soon
i hope you're not {unhappy} with me
i hope you know how much i {care} you
i'm sorry you feel {unhappy}
i'm sorry to hear that
i'm sorry for your loss
my heart is broken
my heart goes out to you and your family
my thoughts are with you
she hurt my feelings
he never listens to me
he always makes me feel {unhappy}
she told me she was {unhappy} about {about}
we had a big fight {past}
we made up {past} and everything is fine now
it's hard to be {happy} {now}
it hurts so much
life is {good}
life is too short to be {unhappy}
never give up on your dreams
i'm proud of you
i'm so proud of how far you've come
you should be proud of yourself
to be honest, i'm {adverb} {unhappy} about {about}
"""
RULES["good_est"] = """best | worst | funniest | nicest | sweetest | saddest | craziest | strangest | happiest |
        dumbest | kindest"""
RULES["care"] = "love | miss | appreciate | admire | need | respect | value"
