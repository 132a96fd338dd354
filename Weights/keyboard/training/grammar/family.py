"""Family: children, parents, babies, pets, love."""

RULES = {
    "baby_do": "*sleep | *cry | *eat | *nap | *teethe | *crawl | *smile | *walk | *giggle | *drool | *kick | *babble",
    "kid_thing": """homework | toys | vegetables | bike | doll | lego | coloring book | backpack | blanket | bottle |
        pacifier | stroller | teddy bear | crayons | pajamas | puzzle | shoes | jacket | snack | tricycle | swing |
        kite | stickers""",
    "kid_do": """*brush {my} teeth | *take a bath | *go to bed | *do {my} homework | *eat {my} vegetables | *clean
        {my} room | *play outside | *put on {my} pajamas | *share the toys | *draw a picture | *ride the bike | *build
        a castle | *watch cartoons | *practice the piano | *play in the mud | *wash {my} hands | *feed the ducks |
        *climb the tree | *jump on the trampoline | *play hide and seek | *say please and thank you | *tie {my} shoes
        | *lose a tooth | *color on the walls | *blow bubbles | *play in the sandbox | *tell the truth | *set a good
        example""",
    "family_do": """*pick up the kids | *drop off the kids | *call {kin_she} | *visit {my} grandparents | *call
        {kin_he} | *put the baby to bed | *babysit {my} nephew | *babysit the twins | *read a story | *give the baby a
        bath | *change the diaper | *have dinner with {my} parents | *take the kids {to_place} | *feed the baby |
        *walk the dog | *help {my} mom with the {chore} | *spend time with {my} family | *watch the kids | *look after
        the {pet} | *make breakfast for the kids | *get married | *have a baby | *move in with {name} | *get engaged |
        *adopt a {pet} | *take family photos | *plan the wedding | *name the baby | *sing a lullaby | *play with the
        kids | *bake cookies | *argue with {my} sister | *celebrate together | *hug {my} mom | *raise {count} kids |
        *tuck the kids in | *teach {name} to drive | *spoil the grandchildren | *rock the baby to sleep | *kiss the
        baby good night""",
    "trait": """sweet | smart | stubborn | tall | shy | kind | funny | lazy | curious | polite | loud | brave | gentle
        | spoiled | talented | cute | handsome | adorable | naughty | sensitive | patient | bossy | cheerful | clever
        | honest | independent | jealous | moody | picky | quiet | responsible | selfish | silly | strict | wise |
        creative | clumsy""",
    "age": """one | two | three | four | five | six | seven | eight | nine | ten | twelve | fifteen | sixteen |
        eighteen | thirty | forty | fifty | sixty | seventy | eighty | ninety""",
    "relation": """together | married | engaged | divorced | dating | best friends | neighbors | twins | separated |
        related""",
}

TEMPLATES = """
did you {family_do} {past}?
can you pick up the kids {at_time}?
can you pick up {name} from {kid_place} {fut}?
i'll pick up {name} from {kid_place} {fut}
who is picking up the kids {fut}?
the kids are {kid_do:ing}
the kids need to {kid_do}
the kids want to {kid_do} {fut}
the kids don't want to {kid_do}
the kids are asleep, please be quiet
the kids are driving me crazy
the kids miss you so much
the kids had a {good} time {at_place}
{name} doesn't want to {kid_do}
{name} refuses to {kid_do}
{boy} lost his {kid_thing} {past}
{girl} lost her {kid_thing} {past}
{girl} left her {kid_thing} {at_place}
{boy} forgot his {kid_thing} {at_place}
please make sure {name} has the {kid_thing}
did you {kid_do}?
you need to {kid_do} {before_that}
no tv until you {kid_do}
please {kid_do} right now
time to {kid_do}, {dear}
don't forget to {kid_do}, {dear}
the baby is {baby_do:ing}
the baby won't {baby_do}
the baby started to {baby_do} {past}
the baby {baby_do:past} all night
the baby is finally {baby_do:ing}, be quiet
the baby is due in {month}
the baby weighs seven pounds and is healthy
it's a boy!
it's a girl!
we're having a baby!
we're expecting our {ordinal} child in {month}
{name} is pregnant!
{name} and {name} are getting married {fut}
{name} and {name} are {relation}
{name} and {name} are not {relation} anymore
are you and {name} still {relation}?
we've been {relation} for {span}
he asked me to marry him and i said yes!
{name} proposed to me {past}!
{girl} is turning {age} {fut}
{boy} just turned {age}
how old is {name} now? i think {age}
my {my_she} is {age} years old
my {my_he} is {age} years old
{name} is so {trait}
{name} is so {trait} for {age}
our {child} is very {trait}
our {child} is {very} {trait}, just like {my} dad
you're so {trait}, just like your mother
my {my_she} is {trait} and {trait}
my {my_he} can be {very} {trait}
{name} looks just like {kin_she}
the {pet} is {very} {trait}
the {pet} ran away {past}
the {pet} ate my {thing}
the {pet} is sleeping on the {furniture}
we got a new {pet}, his name is {boy}
we're getting a {pet} for the kids
who will look after the {pet} while we're gone?
{kin_she} is coming to visit {fut}
{kin_he} is coming to stay with us {fut}
{kin_she} called, call her back {please}
{kin_he} called, he wants to know if {S} {'m} coming {fut}
{kin_she} made {home_dish} for us
{kin_she} asked about you
{kin_he} isn't feeling well
{kin_she} had to go to the hospital {past}
{kin_she} sends her love
how is {kin_she}?
how are your parents?
how are the kids doing?
my parents are coming over {fut}
my parents are visiting us {fut}
my parents have been {relation} for {amount} years
we're going to see my parents {fut}
i'm at my parents' house {now}
i'm home, {dear}
are you home yet?
when are you coming home, {dear}?
what time will you be home?
i'll be home {at_time}
i'll be home late, don't wait up
dinner is ready, come downstairs
i love you so much
i love you more than anything
i love you too, {dear}
love you to the moon and back
we love you and miss you
you're the love of my life
you're going to be a {good} {parent}
happy anniversary, {dear}!
family dinner is {fut} at {oclock}
family comes first
be home before {oclock}, ok?
you're grounded until {weekday}
ask your {parent}
listen to your {parent} please
i'm your {parent}, of course i worry
"""
RULES["kid_place"] = """school | daycare | practice | kindergarten | soccer | ballet | the party | the bus stop |
        piano lessons | camp | preschool | swimming | the playground | grandma's | karate | choir | scouts"""
RULES["child"] = """son | daughter | baby | nephew | niece | grandson | granddaughter | youngest | oldest | toddler |
        teenager"""
RULES["parent"] = "mom | dad | mother | father | grandmother | parent | uncle | aunt | grandpa | grandma"
RULES["home_dish"] = """lasagna | apple pie | soup | cookies | a cake | meatballs | pancakes | dumplings | roast
        chicken | jam | stew"""
