"""Making plans: meeting, inviting, arriving, being late."""

RULES = {
    "event": """party | birthday party | wedding | concert | barbecue | picnic | dinner | game | movie night | show |
        festival | reunion | housewarming | baby shower | parade | sleepover | ceremony | workshop | auction |
        fundraiser | exhibition | opening | bonfire | funeral | graduation | anniversary | costume party | fair |
        reception | game night""",
    "occasion": """christmas | thanksgiving | easter | halloween | new year's eve | valentine's day | mother's day |
        father's day""",
    "own_day": "birthday | anniversary | graduation | wedding | retirement | promotion | engagement",
    "plans_do": """*meet {name} at {meet_place} | *go {to_place} | *come over | *go out | *stay home | *hang out with
        {person} | *invite {person} | *visit {person} | *grab a coffee | *go for a walk | *see a movie | *organize a
        {event} | *pick a date | *book a table | *catch up with {person} | *throw a {event} | *celebrate {name}'s
        {own_day} | *get together | *stop by {my_place} | *buy tickets for the {event} | *meet up {at_place} | *have
        people over | *cancel the {event} | *make a reservation | *reschedule the {event} | *drop by | *leave early |
        *bring a friend | *dress up | *stay out late | *host the {event} | *plan a surprise for {person} | *send out
        the invitations | *decorate the {room} | *wait for {person} | *join the others | *arrive on time | *sleep in |
        *crash at {name}'s place | *split the bill | *wait in line | *save a seat for {person} | *bring a bottle of
        wine | *make a toast | *hire a band""",
    "my_place": "my place | your place | {name}'s place | the office | our house | the shop",
    "bring": """dessert | wine | snacks | drinks | a salad | some beer | ice | a cake | chips | a sweater | cash |
        your swimsuit | the kids | a friend | the tickets | a gift | some music | your camera | board games | a
        folding chair | flowers | paper plates | sunscreen | an appetite | your dancing shoes | balloons | candles |
        the speakers | a lighter""",
    "delay": """traffic is {bad} | the train is delayed | i missed the bus | i overslept | my meeting ran over | the
        car won't start | i got lost | there was an accident on the highway | i can't find parking | i had to go back
        for my {thing} | the bridge is closed | the elevator is stuck | i had to walk the dog""",
    "along": """there | on my way | five minutes away | almost there | nearby | at the door | just around the corner |
        outside""",
}

TEMPLATES = """
are you free {fut}?
are you coming to the {event} {fut}?
what are you doing {fut}?
what are your plans for {the_time}?
do you want to meet {at_time} at {meet_place}?
how about {oclock} at {meet_place}?
{oclock} works for me, see you at {meet_place}
{weekday} works better for me than {weekday}
can we make it {oclock} instead of {oclock}?
can we move the {event} to {weekday}?
i can't make it {fut}, {reason}
i can make it {at_time} if that works for {group}
let me check my calendar and get back to you
let me know if {day} works for you
let me know what time {S} should be there
see you {at_time} at {meet_place}
see you {fut} then
i'll be there {at_time}
i'll be there in {minutes} minutes
i'm running {minutes} minutes late, {delay}
sorry i'm late, {delay}
i'm {along}, where are you?
i'm {along}, i'll see you in {minutes} minutes
where should we meet {fut}?
what time should i pick you up?
what time does the {event} start?
when does the {event} begin and how long will it last?
the {event} starts {at_time}, don't be late
the {event} is {fut} at {meet_place}
the {event} has been moved to {weekday}
the {event} was {very} {good}, thanks for inviting us
the {event} got cancelled because {reason}
we're having a {event} {fut}, would you like to come?
we're having a few people over {fut}
you're invited to {name}'s {event} {fut}
it's {name}'s {own_day} {fut}
it's {my} {own_day} {fut}, what should we do?
happy (birthday|{occasion}), {dear}!
happy {occasion}! i hope you have a {good} day
what are you getting {name} for (christmas|{my} birthday)?
should i bring {bring} or {bring}?
please bring {bring} and {bring}
don't worry about bringing {bring}, we have plenty
i'll bring {bring} and you bring {bring}
can you bring {bring} to the {event}?
everyone is bringing {bring} to the {event}
count me in
count me out this time, {reason}
i'm in, what time?
i'm down for whatever you want to do
i'd love to come to the {event}
i'd love to, but i already have plans {fut}
rain check? {reason}
can we do it another time? {reason}
something came up, can we reschedule?
how many people are coming to the {event}?
who else is coming {fut}?
who's driving {fut}?
there will be about {amount} people at the {event}
is it ok if {name} comes too?
is {someone} coming to the {event} too?
do you need a ride to the {event}?
i can give you a ride {to_place}
can you give me a ride {to_place} {fut}?
i'll wait for you at {meet_place}
wait for me at {meet_place}, i'm {along}
text me when you get to {meet_place}
call me when you're {along}
let me know when you're {along}
i'm already at {meet_place}
we're waiting for you at {meet_place}
we're all {at_place}, come join us
no rush, take your time
take your time, we're not leaving until {oclock}
my flight lands {at_time}, can you pick me up?
we should get together soon
it's been too long, we should catch up
long time no see, are you around {fut}?
i was thinking we could {plans_do} {fut}
the usual time at the usual spot?
same time next week?
same place as last time?
is {oclock} too early for {group}?
is {oclock} too late for the kids?
does {weekday} or {weekday} work better for you?
any plans for {the_time}?
nothing planned for {the_time} yet
what do you feel like doing {fut}?
i don't mind, you choose
it's up to you
whatever works best for {group}
i booked a table for {count} {at_time}
the table is booked under {name}'s name
tickets cost {money} each, should i get {count}?
the tickets for the {event} are sold out
doors open {at_time} and the show starts an hour later
dress code is casual, just wear something {color}
what are you wearing to the {event}?
i have nothing to wear to the {event}
are kids allowed at the {event}?
keep it a secret, {name} doesn't know about the {event}
surprise! we planned a {event} for you
save the date, the {event} is in {month}
"""
RULES["the_time"] = """tonight | the weekend | tomorrow | {weekday} | new year's eve | the holidays | your {own_day} |
        summer"""
