"""Sentence frames that suit the activities of every domain: {DO} becomes the domain's own rule of activities."""

#: Conjunctions of two activities of one domain.
RULES = {
    "reason": """{S} {'m} too tired | {S} {'m} running late | it's getting late | it's raining | there's no time |
        it's on the way | {S} already promised | it's almost over | the weather is so nice | it's {weekday} |
        everything is closed | it won't take long | it has to be done | nobody else will | {S} {have} no choice | it's
        good for us | it's a long story | {S} ran out of time | it's free | it was {one_third}'s idea | we have guests
        | {S} {have} an early start | it's too expensive | there was a lot of traffic""",
    "before_that": """before dinner | before it gets dark | before we leave | before the guests arrive | before bed |
        before it's too late | before breakfast | before the kids wake up | before it closes | before lunch | before
        the meeting | before summer | before anyone notices | before the weekend | before the rain starts""",
    "opinion": """it was {good} | it was {bad} | it was {very} {good} | it was {very} {bad} | it went {well} | it took
        {span} | it was worth it | it was a waste of time | it was easier than {S} thought | we had fun | it didn't
        work out | {S} loved it | {S} hated every minute | it was over in no time | it cost {money}""",
    "well": "well | really well | fine | pretty well | badly | okay | better than expected | great | smoothly",
    "ask": """can you | could you | would you | will you | can you please | could you please | do you want to | would
        you like to | do you have time to | are you able to | any chance you could | would you mind if we""",
    "know": "know | remember | forget | see | think | believe | understand | wonder",
}

FRAMES = """
{S} {aux} {DO} {fut}
{S} {aux} {DO} {fut}, is that ok?
{S} {'m} {DO:ing} {now}
{S} {'m} still {DO:ing}, can i call you {fut}?
{S} {'m} {at_place}, {DO:ing}
{S} {DO:past} {past}
{S} {DO:past} {past} and {opinion}
{S} just {DO:past}
{S} already {DO:past} {past}
{S} finally {DO:past}, {opinion}
{S} {have} never {DO:pp}
{S} {have} {DO:pp} {times} {now}
{S} {haven't} {DO:pp} in {span}
{S} {haven't} {DO:pp} yet
{S} {have} been {DO:ing} for {span}
{S} {often} {DO:agr} {usual}
{S} {DO:agr} {usual}
{S} used to {DO} {usual}
{S} {don't} want to {DO}, {reason}
{S} couldn't {DO} because {reason}
{S} can't {DO} {fut}, {reason}
{S} can't wait to {DO} {fut}
{S} forgot to {DO} {past}
{S} promised to {DO} {fut}
{S} decided to {DO} {fut}
{S} decided not to {DO} after all
{S} {'ll} {DO} and then {DO} {fut}
{S} {was} going to {DO}, but {reason}
{S} {was} {DO:ing} when {one_third} called
{S} had to {DO} again {past}
{S} really {*need} to {DO} {before_that}
{S} should {DO} more often
{S} {*feel} like {DO:ing} {now}
{S} {don't} have time to {DO} {now}
{S} spent {span} {DO:ing}
{S} {*enjoy} {DO:ing} with {person}
{S} {'m} thinking about {DO:ing} {fut}
{S} {'m} not in the mood to {DO}
{S} {'m} good at {DO:ing}
{S} {start:agr} {DO:ing} {usual}
{S} would rather {DO} than {DO}
{one_third} asked me to {DO} {fut}
{some_people} told me to {DO} {before_that}
{S} helped {person} {DO} {past}
{S} might {DO} {fut}, {guess} it will be {good}
{S} {'m} supposed to {DO} {fut} but {reason}
{Do} {S} want to {DO} {fut}?
{Do} {S} still {DO} {usual}?
{Do} {S} ever {DO}?
{Have} {S} {DO:pp} yet?
{Have} {S} ever {DO:pp} {usual}?
{Am} {S} {DO:ing} {fut}?
{Am} {S} still {DO:ing}?
did {S} {DO} {past}?
did {S} remember to {DO}?
when {do} {S} want to {DO}?
when did {S} last {DO}?
where did {S} {DO} {past}?
why {don't} {S} {DO} {fut}?
how long have you been {DO:ing}?
how often do you {DO}?
who wants to {DO} {fut}?
who {DO:past} {past}?
{ask} {DO} {fut}?
{ask} {DO} {before_that}?
{ask} {DO} for me? {reason}
{ask} help {person} {DO} {fut}?
should we {DO} {fut}?
shall we {DO} {fut} or do you want to {DO}?
what if we {DO:past} {fut}?
what about {DO:ing} {fut}?
are you free to {DO} {fut}?
is it ok if i {DO} {fut}?
is there time to {DO} {before_that}?
let's {DO} {fut}
let's not {DO} {fut}, {reason}
let's {DO} together {fut}
we could {DO} {fut} if you like
we should {DO} {before_that}
please {DO} {before_that}
please {DO}, {please}
please don't {DO} without me
don't forget to {DO} {fut}
remember to {DO} {before_that}
try to {DO} {fut}, {please}
make sure you {DO} {before_that}
i think {S} should {DO} {fut}
i hope you {DO:past} {past}
i hope {S} can {DO} {fut}
i know you hate {DO:ing}, but {reason}
i wish i could {DO} {now}
i wonder if {S} {DO:past}
i'm glad {S} {DO:past} {past}
i'm sorry i didn't {DO} {past}
i'm so tired of {DO:ing}
i'd love to {DO} with {person}
i'd rather {DO} {fut}
i'm about to {DO}, do you need anything?
i'm proud of {person} for {DO:ing}
i have to {DO}, talk to you later
if you {DO}, i'll {DO}
if {S} {DO:agr} {fut}, {guess} it will be {good}
if it rains {fut} we can {DO}
{guess} {S} {DO:past} {past}
{guess} {S} {'ll} {DO} {fut}
{guess} {S} {*want} to {DO}
{wow}, {S} {DO:past} {past}?
{wow}, did {S} really {DO}?
{yes}, we can {DO} {fut}
{yes}, i {DO:past} {past}
{yes}, but first i have to {DO}
{no}, {S} didn't {DO} {past}
{no}, i don't feel like {DO:ing}
{no}, {S} {'m} {DO:ing} {fut}
it takes {span} to {DO}
it's {very} {good} to {DO}
it's {very} {bad} to {DO} {usual}
it's too late to {DO} {now}
it's my turn to {DO}
it was {good} to {DO} with you {past}
it was {very} {bad}, {S} had to {DO}
there's no need to {DO} {fut}
thanks for {DO:ing} {past}
thank you for offering to {DO}
maybe {S} can {DO} {fut}
after {DO:ing} {S} {DO:past}
before {DO:ing} i always {DO}
while {S} {'m} {DO:ing}, can you {DO}?
instead of {DO:ing} we could {DO}
my plan is to {DO} {fut}
the best part was {DO:ing}
the last time {S} {DO:past} was {past}
next time we'll {DO}
{someone} is {DO:ing} {fut}
{someone} said {S} {DO:past} {past}
{name}, {ask} {DO}?
nobody wants to {DO} {now}
everyone {DO:past} except me
only {minutes} minutes left, then we'll {DO}
today {S} {DO:past} for the {ordinal} time
tomorrow {S} {aux} {DO} {at_time}
{past} {S} {DO:past} with {person}
{fut} {S} {aux} {DO}
every time {S} {DO:agr}, {S} {DO:agr} too
all i want is to {DO}
{DO:ing} is {very} {good}
{DO:ing} with {person} is {good}
{DO:ing} takes {span}
"""
