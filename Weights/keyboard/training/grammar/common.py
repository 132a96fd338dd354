"""Shared rules: people, times, places, numbers, function words and common activities."""

RULES = {
    # People. `@…` gives the agreement of a noun as a subject.
    "girl": """anna | emma | maria | sarah | lisa | julia | sophie | laura | kate | nina | amy | rachel | olivia | mia
        | grace | lucy | hannah | elena | chloe | zoe | alice | megan | claire | helen | ruth | nora | ella | priya |
        mei | fatima | aisha | carmen | rosa | ingrid | jenny | becky | molly | tess | diana | vera | leah | naomi |
        paula | monica | tanya | yuki | sofia | lena | martha | joan | wendy | holly | daisy | ivy | maya | amina""",
    "boy": """tom | ben | max | david | alex | mark | paul | sam | jack | mike | leo | daniel | james | peter | chris
        | nick | adam | simon | josh | luke | oscar | felix | henry | ryan | kevin | eric | george | frank | matt |
        omar | ali | raj | ivan | marco | diego | carlos | jonas | hugo | theo | noah | ethan | liam | owen | greg |
        steve | brian | tony | victor | walter | kenji | ahmed | pablo | louis | arthur | stefan | jamal | toby""",
    "name": "{girl} | {boy}",
    "kin_she": "mom | grandma | aunt {girl} | nana | mum | granny",
    "kin_he": "dad | grandpa | uncle {boy} | grandad",
    "my_she": """sister | wife | girlfriend | daughter | roommate | boss | neighbor | niece | cousin | mother |
        teacher | landlady | manager | aunt | grandmother | friend {girl} | sister in law | stepmom | coworker |
        goddaughter""",
    "my_he": """brother | husband | boyfriend | son | roommate | boss | neighbor | nephew | cousin | father | teacher
        | landlord | manager | uncle | grandfather | friend {boy} | brother in law | stepdad | colleague | godson""",
    "my_they": """parents | kids | friends | neighbors | grandparents | cousins | sisters | brothers | in laws |
        roommates | colleagues | twins | nieces | nephews | grandkids""",
    "person": "{name} | {kin_she} | {kin_he} | {my} {my_she} | {my} {my_he} | {my} {my_they}",
    "someone": "{girl}@she | {boy}@he | my {my_she}@she | my {my_he}@he | {kin_she}@she | {kin_he}@he",
    "some_people": """my {my_they}@they | the kids@they | {name} and {name}@they | the neighbors@they | everyone@he |
        {name} and i@we | the boys@they | the girls@they | the others@they""",
    "third": "he | she | {someone} | they | {some_people}",
    "one_third": "he | she | {someone}",
    "S": "i | i | i | i | we | you | he | she | they | {someone} | {some_people}",
    "they_or_we": "we | they | {some_people}",
    "dear": "love | honey | babe | sweetie | dear | darling | buddy | man | sweetheart | bro | mate | girl | pal",
    "group": """everyone | guys | you two | you all | all of you | the whole family | the family | your parents | the
        gang""",
    # Times: future, past, habitual.
    "weekday": "monday | friday | saturday | tuesday | sunday | thursday | wednesday",
    "month": """march | june | may | september | april | october | july | december | august | january | november |
        february""",
    "daypart": "morning | evening | afternoon",
    "oclock": """six | seven | eight | five | four | three | two | nine | ten | noon | one | eleven | half past six |
        half past seven | a quarter to five | a quarter past eight | 7 | 6 | 8 | 5 | 9 | 6:30 | 7:30 | 5:30 | 8:15 |
        9:45 | 10 | 4 | 3:30 | 11 | 2:15 | midnight | twelve | half past four | ten to nine | 7 pm | 9 am | 10 am | 3
        pm | 8 pm | 6 pm""",
    "at_time": "at {oclock} | around {oclock} | before {oclock} | after {oclock} | by {oclock}",
    "day": "tomorrow | today | tonight | on {weekday} | this weekend | next week | next {weekday} | this {weekday}",
    "fut": """tomorrow | tonight | later | this weekend | next week | on {weekday} | tomorrow {daypart} | later today
        | after work | this {daypart} | next {weekday} | soon | {at_time} | on {weekday} {daypart} | at the weekend |
        after lunch | after dinner | next month | in {minutes} minutes | in an hour | the day after tomorrow | before
        dinner | first thing tomorrow | in a few days | in {month} | at lunchtime | when i get home | on the way home
        | sometime next week | by the end of the week | over the holidays | in the new year""",
    "past": """yesterday | last night | last week | this morning | on {weekday} | last {weekday} | a few days ago |
        last weekend | earlier today | just now | two weeks ago | last month | the other day | an hour ago | yesterday
        {daypart} | last year | over the weekend | a while ago | a couple of hours ago | in {month} | when i was a kid
        | years ago | ages ago | the day before yesterday | last summer | last winter""",
    "usual": """every day | every morning | on {weekday:pl} | most days | every week | once a week | every evening |
        twice a week | on weekends | all the time | every {weekday} | at night | in the mornings | every summer | once
        a month | every single day | from time to time | now and then | every other week""",
    "often": "always | usually | never | often | sometimes | rarely | still | hardly ever | mostly | normally",
    "now": "right now | at the moment | now | this week | today | these days | tonight | lately",
    "span": """an hour | two hours | a week | a few days | three weeks | ten minutes | half an hour | a month | ages |
        a couple of days | all day | all week | the whole weekend | a few months | years | two years | a while | six
        months | the last few weeks | a long time | twenty minutes | most of the day | so long""",
    "minutes": """ten | five | twenty | fifteen | 10 | 5 | 20 | thirty | two | 15 | forty | 30 | a few | 45 | a couple
        of""",
    "count": """two | three | four | five | six | a few | a couple of | ten | seven | eight | a dozen | several |
        twelve""",
    "times": """twice | three times | once | four times | a few times | a hundred times | so many times | again and
        again""",
    "ordinal": "first | second | third | last | next | fourth | fifth | final",
    "amount": "20 | 50 | 10 | 100 | 15 | 40 | 200 | 5 | 30 | 12 | 60 | 80 | 25 | 300 | 500 | 75 | 1000 | 150",
    "money": "{amount} dollars | {amount} bucks | {amount} euros | {amount} pounds | too much | almost nothing",
    # Places as destination, location or origin.
    "to_place": """to the gym | to the store | to the park | to the beach | to the library | to work | to school | to
        the office | to the doctor | home | to the airport | to the market | downtown | to the movies | to the bank |
        to the post office | to the mall | to {name}'s place | to the station | to church | to the bakery | to the
        pharmacy | to the museum | to the pool | to the zoo | to the lake | abroad | to the hairdresser | to the
        dentist | to a concert | to the theater | to the garage | to the bar | to the playground | to the hardware
        store | to the farm | to the mountains | to my parents' house | to a party | to the stadium | to the salon |
        to the laundromat | to the butcher | to the harbor | to the garden center | to bed | upstairs | outside | next
        door | into town | to the city""",
    "at_place": """at home | at work | at the office | at school | at the gym | in the car | at the store | at the
        airport | at the station | at the park | on the bus | on the train | at {name}'s place | at the beach | in bed
        | in a meeting | at the library | in the kitchen | outside | downstairs | at the hospital | upstairs | in the
        garden | at the restaurant | at the pool | in the bathroom | at the market | in the garage | at the pub | at
        the cafe | at the bank | in the basement | at the bus stop | at the dentist | nearby | in the living room | at
        the hotel | in the parking lot | in town | on the couch | in the backyard | at my desk | in the shower | on
        the balcony | in the hallway | in the attic | on the roof | in class""",
    "room": """kitchen | bedroom | bathroom | living room | garage | basement | attic | hallway | office | nursery |
        dining room | guest room | laundry room | balcony | closet | garden | yard | pantry | porch | cellar""",
    "meet_place": """the station | the cafe | the park | my place | your place | the mall | the library | the usual
        spot | the cinema | the bus stop | the front door | the entrance | the bridge | the parking lot | the lobby |
        the corner | the fountain | the gym | the office | the new bar | the pier | platform {count} | the gate""",
    # Function words.
    "very": "so | really | very | pretty | super | quite | kind of | extremely | a bit | way too | too | absolutely",
    "really": """really | actually | honestly | probably | definitely | finally | already | just | still | also |
        maybe | certainly | totally | basically | apparently | obviously | hopefully | simply""",
    "guess": """i think | i guess | maybe | i hope | i bet | i'm sure | i'm pretty sure | apparently | i heard | i
        believe | it looks like | it seems like | it sounds like | i feel like | i suppose | looks like | i imagine |
        i know""",
    "yes": """yes | yeah | sure | of course | ok | absolutely | yep | definitely | sounds good | no problem | okay |
        why not | for sure | yes please | great | perfect | deal | totally | fine by me | good idea | with pleasure |
        gladly""",
    "no": """no | nope | not really | i don't think so | not yet | sorry no | no way | unfortunately not | i'm afraid
        not | not at all | never | not today | no thanks | of course not | absolutely not | not that i know of""",
    "wow": """wow | oh no | oh | haha | oh wow | ugh | omg | lol | yay | hmm | oops | hey | aww | phew | whoa | oh
        dear | oh my god | damn | hooray | yikes | my goodness | well well""",
    "link": "and | but | so | because | and then | although | since | even though | while | unless",
    "please": """please | (please|) | if you can | when you get a chance | if you have time | if it's not too much
        trouble | whenever you can | if you don't mind | as soon as you can | asap""",
    # Expressions of intention, obligation or wish, followed by a verb phrase in its base form.
    "will": """will | want to | have to | need to | am going to | should | might | would like to | can | would love to
        | am planning to | could | hope to | must | am about to | was going to | plan to | ought to | 'd better""",
    "aux": """{'ll} | {*want} to | {*have} to | {*need} to | {'m} going to | should | might | would like to | can |
        can't | would love to | {'m} planning to | could | {*hope} to | {'m} about to | {was} going to | {*try} to |
        won't | {don't} want to | {don't} have to | {don't} need to | {'m} trying to | {*plan} to | {*like} to | must
        | {'m} supposed to | probably won't | {'m} not going to | {'m} hoping to | used to | {'m} ready to |
        shouldn't""",
    "start": """*start | *stop | *keep | *enjoy | *love | *hate | *avoid | *finish | *like | *prefer | *mind |
        *consider""",
    "who": """{name} | everyone | someone | anyone | nobody | your mom | your dad | your sister | your brother | the
        kids""",
    "thing": """phone | keys | bag | wallet | book | jacket | umbrella | laptop | charger | car | camera | ticket |
        passport | headphones | bike | glasses | watch | backpack | notebook | coat | scarf | hat | suitcase | gift |
        purse | lunch box | water bottle | ring | badge | license | toothbrush | sunglasses | gloves | earbuds |
        tablet | tent | guitar | ladder | drill | sleeping bag | cooler | blanket | pen | calculator | helmet""",
    "color": """blue | red | black | green | white | yellow | gray | pink | brown | purple | orange | navy | beige |
        golden | turquoise | silver | dark green | light blue | maroon | olive""",
    "good": """great | good | nice | amazing | fun | perfect | wonderful | lovely | awesome | cool | fantastic |
        beautiful | delicious | excellent | brilliant | incredible | interesting | gorgeous | impressive | marvelous |
        superb | delightful | charming | stunning""",
    "bad": """terrible | bad | awful | boring | horrible | annoying | sad | weird | disappointing | crazy | stressful
        | frustrating | exhausting | scary | ridiculous | disgusting | dreadful | painful | embarrassing | unfair |
        pathetic | unbearable | tedious | messy | shocking""",
    "better": """better | easier | cheaper | faster | closer | worse | later | earlier | longer | warmer | quieter |
        nicer | harder | healthier | safer | bigger | smaller | simpler | slower | stronger | happier | busier | more
        fun""",
}
