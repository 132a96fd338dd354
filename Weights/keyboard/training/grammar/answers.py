"""Questions and answers, reactions, opinions, requests: what fits any conversation."""

RULES = {
    "topic_x": """it | that | this | the plan | the party | the trip | the idea | the house | the movie | work | the
        game | the neighbors | the meeting | the wedding | the car | {name} | the news | the weather | dinner | the
        price | the book""",
    "truth": """true | right | wrong | possible | a good idea | a bad idea | impossible | a lie | a joke | obvious | a
        secret | a mistake | unfair | amazing | ridiculous | strange | a miracle | important | serious | a surprise |
        your choice""",
    "idea": """wait until {weekday} | ask {person} first | take the {vehicle} | do it ourselves | start over | try
        again | sleep on it | find another way | leave it for {fut_class} | ask for help | keep it simple | forget
        about it | talk to {person} | flip a coin | look it up | take turns | toss the old one | make a list | be more
        careful | give it a try | take a vote | make a decision | change the subject | look on the bright side | take
        a chance""",
    "number": """one | two | three | ten | seven | a hundred | a thousand | zero | a million | twenty | half | both |
        none | all""",
    "fact": """the earth is round | cats sleep all day | {name} has a twin | money can't buy happiness | the early
        bird gets the worm | practice makes perfect | time flies | honesty is the best policy | better late than never
        | nobody is perfect | two heads are better than one | laughter is the best medicine | every cloud has a silver
        lining""",
    "answers_do": """*ask {person} | *answer the question | *think about it | *figure it out | *look it up | *find out
        | *tell {person} the truth | *make a decision | *change {my} mind | *explain it to {person} | *give {person}
        advice | *wait and see | *take a guess | *agree with {person} | *disagree with {person} | *prove it | *check
        the facts | *choose the {color} one | *solve the problem | *repeat the question | *keep a secret | *take it
        seriously | *make a suggestion | *settle the argument | *admit {my} mistake | *follow the rules | *pay
        attention | *try again | *count to ten | *make fun of {person} | *break the rules | *keep {my} promise | *win
        the argument | *learn something""",
    "feature": """color | number | name | address | idea | place | restaurant | animal | song | season | day | plan |
        word | food | joke""",
    "animal": """dog | cat | elephant | lion | tiger | dolphin | horse | monkey | penguin | panda | giraffe | owl |
        bear | wolf | fox | rabbit | cow | pig | sheep | goat | duck | snake | zebra | kangaroo | koala | whale |
        shark | octopus | camel | mouse""",
}

TEMPLATES = """
what do you think about {topic_x}?
what do you mean?
what do you want to do about {topic_x}?
what did {one_third} say about {topic_x}?
what did {one_third} say?
what happened to {topic_x}?
what's going on?
what's your {feature}?
what's your favorite {feature}?
what's your favorite animal? mine is the {animal}
what's the {feature} of {my} {my_she}?
what's the difference between {topic_x} and {topic_x}?
what's taking so long?
what time is it?
what day is it today?
what are you talking about?
what else do you need?
what can i do for you?
what would you do?
what would you do if you {answers_do:past}?
when did {one_third} tell you about {topic_x}?
when will you know more about {topic_x}?
where are you {now}?
where did you hear about {topic_x}?
where have you been?
where are you from?
where do you live?
who told you about {topic_x}?
who told you that?
who knows about {topic_x}?
who is {name}?
who was that {at_place}?
why did {S} {answers_do}?
why not?
why do you ask?
why didn't you tell me about {topic_x}?
why don't we {idea}?
why don't you {idea}?
how do you know about {topic_x}?
how do you know {name}?
how did you find out?
how many do you need? {number}
how many are there? about {amount}
how much do you need?
how much longer?
how come?
how about we {idea}?
how do you spell that?
how do you say that in {language}?
which one do you want?
which {feature} do you like best?
are you sure about {topic_x}?
are you sure?
are you serious?
are you kidding me?
are you ready?
are you busy {now}?
are you there?
are you still awake?
are you listening to me?
is that {truth}?
is it {truth} that {fact}?
is everything ok?
is anyone {at_place}?
is {name} still {at_place}?
do you know what i mean?
do you know if {name} is {at_place}?
do you know anything about {topic_x}?
do you remember {name}?
do you think it's {truth}?
do you think {S} will {answers_do}?
do you need any help?
do you need help with {topic_x}?
do you mind if we {idea}?
does that make sense?
does {name} know about {topic_x}?
did you know that {fact}?
did you get my message?
did you hear about {topic_x}?
did {one_third} say anything about {topic_x}?
can i ask you something?
can i ask you a favor?
can i call you {fut}?
can you help me with {topic_x}?
can you tell me more about {topic_x}?
can you keep a secret?
can you do me a favor and {answers_do}?
could you please repeat that?
that's {truth}
that's not {truth}
that's {very} {truth_adj}
that's what i thought
that's what {one_third} said
that's exactly what i mean
that's a good {feature}
that's not what i meant
that's all i know about {topic_x}
that's fine with me
that would be {good}
that works for me
this is {very} {truth_adj}
this is {truth}
it's {truth}
it's not {truth}
it's {very} {truth_adj}
it's about {topic_x}
it depends on {topic_x}
it doesn't matter
it's none of your business
it's {number} or {number}, i don't remember
i think it's {truth}
i think we should {idea}
i think so too
i don't think it's {truth}
i don't think that's {truth}
i don't think so
i don't know
i don't know anything about {topic_x}
i don't know yet, i have to {answers_do}
i don't know if it's {truth}
i don't mind
i don't remember
i don't understand
i don't agree with {person}
i have no idea
i have a question about {topic_x}
i have an idea, let's {idea}
i have something to tell you
i have good news about {topic_x}
i'm not sure about {topic_x}
i'm not sure, let me {answers_do}
i'm sure it's {truth}
i'm just kidding
i'm serious
i know, right?
i know what you mean
i know it's {truth}
i knew it!
i was just kidding about {topic_x}
i was wrong about {topic_x}
i told you about {topic_x} {past}
i told you so
i heard about {topic_x} {past}
i see what you mean
i totally agree with {person}
i completely forgot about {topic_x}
i can't believe it
i can't believe it's {truth}
i guess you're right
i guess we could {idea}
i hope so
i hope it's {truth}
i hope not
i wish i knew
let me know about {topic_x}
let me think about it
let me {answers_do} and i'll get back to you
let's {idea}
let's see what {one_third} says
maybe we should {idea}
maybe you're right
maybe, maybe not
you're right about {topic_x}
you're right, we should {idea}
you're kidding!
you know what? let's {idea}
you never told me about {topic_x}
you can say that again
we'll see
we could always {idea}
we need to {idea}
we need to talk about {topic_x}
good question, i'll {answers_do}
good point
good for you!
never mind, i {answers_do:past}
never mind
no idea, ask {person}
not that i know of
me too
me neither
same here
of course it's {truth}
of course not
exactly, it's {truth}
as far as i know, {fact}
as you know, {fact}
in my opinion, it's {truth}
on second thought, let's {idea}
on the other hand, {fact}
either {idea} or {idea}
first we {idea}, then we {idea}
"""
RULES["truth_adj"] = """important | strange | funny | interesting | easy | true | simple | sad | likely | clear | kind
        | different | weird | useful | helpful | complicated | normal | rare | special | common | dangerous | smart |
        silly"""
