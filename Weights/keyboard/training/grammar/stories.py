"""What happened: news, gossip, accidents, memories, descriptions of people, things and places."""

RULES = {
    "figure": """man | woman | neighbor | stranger | policeman | kid | cyclist | tourist | mayor | thief | old lady |
        guy | couple | firefighter | politician | journalist | president | shopkeeper | priest | soldier | hunter |
        clown | detective | burglar | passenger | driver | waiter | celebrity | singer | actor | inventor | hero |
        fisherman | nun | prince | queen | king | princess | astronaut | magician | millionaire | owner | guest |
        visitor | witness | crowd | gang | committee | government | minister | ambassador | champion | referee |
        athlete | poet | artist | sculptor | captain""",
    "manner": """slowly | quickly | quietly | suddenly | carefully | loudly | nervously | happily | secretly |
        accidentally | politely | angrily | gently | immediately | calmly | proudly | silently | desperately | bravely
        | eventually | perfectly | rarely | constantly | patiently | barely | briefly | seriously | anxiously |
        eagerly | gracefully | cheerfully | deliberately""",
    "object": """wallet | ladder | painting | hammer | bucket | rope | mirror | statue | radio | diary | treasure |
        envelope | candle | basket | blanket | bottle | sword | shovel | photograph | jewel | coin | lamp | map |
        barrel | boat | piano | telescope | tractor | bell | wheel | letter | crown | parachute | balloon | anchor |
        brick | drawer | fountain | helmet | jar | knife | magnet | needle | package | pillow | puppet | saddle |
        scissors | toolbox | trumpet | wagon | whistle | clock""",
    "describe": """strange | huge | tiny | old | mysterious | beautiful | empty | ancient | broken | shiny | narrow |
        heavy | dusty | enormous | wooden | hidden | golden | ugly | famous | rusty | round | wild | abandoned |
        colorful | invisible | sharp | smooth | rough | deep | shallow | bright | dark | silent | giant | magnificent
        | valuable | worthless | delicate | sturdy | crooked | hollow | sticky | fluffy | transparent | square |
        modern | traditional | simple | fancy | filthy""",
    "location": """forest | village | river | bridge | hill | island | tunnel | factory | castle | field | alley |
        barn | cave | church | court | desert | dock | farm | garden | graveyard | harbor | highway | jail | kitchen |
        library | lighthouse | market | meadow | mill | mine | mountain | museum | palace | police station | pond |
        ranch | school | shed | shore | swamp | temple | theater | tower | train station | valley | warehouse |
        windmill | neighborhood | city hall | cemetery""",
    "happening": """fire | robbery | accident | earthquake | flood | election | strike | protest | explosion | power
        outage | scandal | miracle | wedding | discovery | rescue | trial | celebration | competition | riot | crash |
        storm | crime | war | parade | rumor | emergency | crisis | mystery | tragedy | revolution | ceremony |
        investigation | kidnapping""",
    "creature": """bear | snake | wolf | spider | eagle | raccoon | squirrel | shark | whale | crocodile | donkey |
        peacock | bat | crab | hedgehog | beetle | butterfly | camel | crow | dragonfly | falcon | flamingo | hawk |
        jellyfish | leopard | lizard | moose | moth | otter | panther | pelican | pigeon | raven | rooster | salmon |
        seal | skunk | snail | swan | toad | turkey | vulture | wasp | weasel | woodpecker | worm | ant | cheetah |
        gorilla | hippo | rhino | walrus""",
    "stories_do": """*find a {describe} {object} | *lose the {object} | *see a {creature} | *hear a {describe} noise |
        *run {manner} | *follow the {figure} | *chase the {creature} | *climb the {describe} {location} | *help the
        {figure} | *call the police | *steal the {object} | *hide the {object} | *rescue the {creature} | *drop the
        {object} | *dig a hole | *tell a story | *warn the {figure} | *discover a {describe} {location} | *escape from
        the {location} | *carry the {object} | *photograph the {creature} | *describe the {figure} | *win a prize |
        *vote for the {figure} | *cross the {location} | *interview the {figure} | *invent a {describe} machine |
        *repair the {object} | *catch the {creature} | *protest | *remember the {happening} | *survive the {happening}
        | *report the {happening} | *witness the {happening} | *explore the {location} | *burn the {object} | *bury
        the {object} | *collect old {object:pl} | *knock on the door | *whisper {manner} | *shout {manner} |
        *recognize the {figure} | *believe the {figure} | *ignore the {figure} | *fall off the {object} | *polish the
        {object} | *admire the {describe} {object} | *inherit a {object} | *get arrested""",
    "century": """a hundred years ago | in the fifties | during the war | last century | in the nineties | in the old
        days | back then | long ago | before the internet | in those days""",
}

TEMPLATES = """
did you hear about the {happening} {past}?
did you hear about the {happening} in {city}?
did you read about the {happening}?
there was a {happening} near the {location} {past}
there was a {happening} in {city} {past}
there was a {describe} {creature} in the {location} {past}
there was a {describe} {figure} {at_place} {past}
there's a {describe} {object} in the {location}
there's a {creature} in our {room}!
there used to be a {location} here {century}
the {happening} was on the news {past}
the {happening} was {very} {bad}, the {location} was destroyed
the {happening} in {city} was {very} {bad}
the {figure} was {trait} and {trait}
the {figure} {stories_do:past} {past}
the {figure} {stories_do:past}, can you believe it?
the {figure} next door is {stories_do:ing} again
the {figure} next door is {very} {trait}
the {figure} walked {manner} to the {location}
the {figure} {manner} opened the {object}
the {figure} spoke {manner} about the {happening}
the {figure} looked at the {object} and smiled {manner}
the {figure} was arrested {past}
the {figure} lives in a {describe} {location}
the {figure} from the {location} sold me a {describe} {object}
the {creature} was {manner} eating the {ingredient}
the {creature} crossed the {location} {manner}
the {creature} is the fastest animal in the {location}
the {location} was {describe} and {describe}
the {location} is {very} {describe} at night
the {location} was built {century}
the {location} burned down {past}
the {object} was {describe} and {describe}
the {object} belonged to {person}
the {object} in the {location} is {amount} years old
the {object} fell into the {location}
we found a {describe} {object} in the {location}
we found a {creature} in the {location} {past}
we heard a {describe} noise in the {location}
we saw a {creature} and a {creature} at the zoo
we saw a {describe} {creature} near the {location}
we used to live near the {location}
we walked through the {describe} {location} {past}
we grew up in a {describe} house near the {location}
i saw a {describe} {creature} {past}!
i saw the {figure} {at_place} {past}
i saw the {figure} {manner} leaving the {location}
i met a {trait} {figure} {at_place}
i met a {figure} who had {stories_do:pp}
i had a dream about a {describe} {creature}
i had a dream about a {describe} {location}
i remember the {describe} {location} near our school
i remember when {S} {stories_do:past}
i'll never forget how {S} {stories_do:past}
i read a story about a {figure} and a {creature}
i heard a rumor about the {figure}
i heard that {name} and the {figure} are {relation}
i'm afraid of the {creature:pl}
i bought a {describe} {object} at the {location}
i once saw a {figure} who could {stories_do}
you won't believe what happened {past}
you should have seen the {figure}
you have to see the {describe} {object}
guess who i saw {at_place} {past}?
guess what the {figure} did {past}
have you ever seen a {creature}?
have you ever seen such a {describe} {object}?
have you seen the {object} from the {location}?
do you remember the {figure} from the {location}?
do you remember the {describe} {object} we had?
do you know the {figure} next door?
do you believe the {figure}?
who was the {figure} {at_place}?
what did the {figure} want?
what does a {creature} eat?
what does the {object} look like? it's {describe}
what was the {happening} about?
where did the {happening} happen?
where did you find the {object}?
how did the {happening} start?
how did the {creature} get into the {room}?
how big was the {creature}?
once upon a time there was a {trait} {figure}
once there was a {creature} who lived in the {location}
{someone} is {very} {trait}
{someone} was {manner} {stories_do:ing} {past}
{someone} told me about the {happening}
{someone} told me a story about the {figure}
{someone} has a {describe} {object}
{someone} was bitten by a {creature} {past}
{someone} fell {manner} into the {location}
{name} has moved to a {describe} house in {city}
{name} bought a {location} in {country}
{name} ran {manner} {to_place}
{name} smiled {manner} and left
{wow}, a {describe} {creature}!
{wow}, what a {describe} {object}!
look, a {describe} {creature}!
my {my_she} grew up on a {location}
my {my_he} grew up near the {location}
my {my_they} met {century}
my {my_he} was a {figure} {century}
life was {very} {different} {century}
everything was {different} {century}
people were {different} {century}
nobody knows what happened in the {location}
the end of the story was {very} {good}
to make a long story short, {S} {stories_do:past}
in the end, {S} {stories_do:past}
suddenly {S} heard a {describe} noise
first {S} {stories_do:past}, then {S} {stories_do:past}
after the {happening} nothing was the same
during the {happening} {S} {was} {at_place}
"""
RULES["different"] = """different | simpler | harder | cheaper | easier | quieter | slower | kinder | poorer | better
        | strange"""
