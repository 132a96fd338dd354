"""Errands, chores, repairs and things lost in the house."""

RULES = {
    "chore": """dishes | laundry | vacuuming | ironing | shopping | dusting | cooking | gardening | cleaning | grocery
        shopping | paperwork | recycling | mopping | packing | folding""",
    "parcel": """package | parcel | letter | order | delivery | box | envelope | mail | certificate | returned item |
        key""",
    "fixable": """sink | dishwasher | washing machine | fridge | heater | toilet | faucet | printer | door | window |
        lamp | oven | lawn mower | fence | shelf | dryer | microwave | shower | drain | light bulb | thermostat |
        doorbell | gutter | ceiling fan | air conditioner | vacuum cleaner | lock | toaster | smoke alarm | pipe | tap
        | stove | mailbox | hinge | blender | kettle | router | roof | chimney | radiator | furnace | garage door |
        socket | curtain rod | mattress""",
    "repairman": """plumber | electrician | handyman | landlord | mechanic | cleaner | painter | carpenter | locksmith
        | gardener""",
    "fault": """is broken | is leaking | doesn't work | stopped working | is making a weird noise | is clogged | needs
        fixing | fell off | is stuck | won't close | won't turn on | is frozen | smells funny | is dripping | keeps
        beeping | burned out | is rusty | is falling apart | overheated | needs to be replaced | is out of order | is
        loose""",
    "supply": """toilet paper | dish soap | batteries | light bulbs | trash bags | paper towels | laundry detergent |
        shampoo | dog food | cat litter | toothpaste | tape | glue | stamps | nails | screws | paint | bleach |
        sponges | napkins | aluminum foil | diapers | wipes | tissues | conditioner | deodorant | candles | charcoal |
        string | bandages""",
    "bill": """rent | electricity bill | phone bill | water bill | insurance | internet bill | parking ticket | gas
        bill | taxes | mortgage | fine | subscription | credit card bill | loan | tuition | membership fee | deposit |
        invoice""",
    "furniture": """table | sofa | chair | bed | bookshelf | desk | couch | rug | mirror | wardrobe | dresser |
        armchair | lamp | curtains | carpet | nightstand | bench | stool | crib | cupboard | picture frame | cabinet |
        blinds | pillow""",
    "errands_do": """*do the {chore} | *take out the trash | *walk the dog | *feed the cat | *clean the {room} | *mow
        the lawn | *water the plants | *wash the car | *pick up the {parcel} | *buy {supply} | *pay the {bill} | *fix
        the {fixable} | *call the {repairman} | *go to the post office | *mail the {parcel} | *empty the dishwasher |
        *fill up the tank | *change the sheets | *make the bed | *vacuum the {room} | *mop the floor | *fold the
        laundry | *tidy up the {room} | *set the table | *return the {parcel} | *move the {furniture} | *paint the
        {room} | *hang up the {furniture} | *sweep the {room} | *rake the leaves | *shovel the snow | *drop off the
        {parcel} | *iron {my} shirts | *wipe the counter | *load the dishwasher | *renew {my} passport | *get a
        haircut | *lock the door | *turn off the {fixable} | *charge {my} phone | *find {my} {thing} | *defrost the
        freezer | *dust the shelves | *scrub the bathtub | *replace the {fixable} | *assemble the {furniture} |
        *withdraw some cash | *trim the hedge | *print the {paper} | *sign the {paper} | *sort the recycling | *plant
        the tulips | *unpack the boxes | *declutter the {room} | *change the tires | *measure the {furniture} | *weed
        the garden | *repair the {fixable}""",
    "paper": """form | contract | tickets | lease | letter | photos | boarding passes | documents | receipt |
        application | permit""",
    "spot": """on the table | in the drawer | on the counter | under the bed | in my bag | by the door | in the car |
        on the couch | in the fridge | on the shelf | in the closet | next to the {furniture} | behind the {furniture}
        | on the {furniture} | in the {room} | under the {furniture} | in the top drawer | in my pocket | upstairs |
        in the glove compartment""",
}

TEMPLATES = """
can you pick up some {supply} on your way home?
can you get {supply} and {supply} from the store?
we're out of {supply} again
we're almost out of {supply}, can you buy some {fut}?
do we need {supply}?
do we have any {supply} left?
is there any {supply} left?
i'm at the store, do we need anything?
i'm at the store, do you want me to get {supply}?
i forgot to buy {supply}, sorry
add {supply} to the list please
the {fixable} {fault}
the {fixable} in the {room} {fault} again
the {fixable} {fault}, can you have a look?
the {fixable} {fault}, should we call the {repairman}?
i think the {fixable} {fault}
did the {repairman} come {past}?
the {repairman} is coming {fut} to fix the {fixable}
the {repairman} said it will cost {money}
the {repairman} can't come until {weekday}
who is going to fix the {fixable}?
do you know a good {repairman}?
i called the {repairman} about the {fixable} {past}
i tried to fix the {fixable} but it still {fault_s}
your {parcel} arrived {past}
your {parcel} is {spot}
a {parcel} came for you {past}
did the {parcel} arrive?
the {parcel} should arrive {fut}
the {parcel} was left with the neighbors
can you sign for the {parcel} {fut}?
the post office closes {at_time}
have you seen my {thing}?
have you seen my {color} {thing}? i can't find it anywhere
i can't find my {thing}
i lost my {thing} {past}
i found your {thing} {spot}
your {thing} is {spot}
i left my {thing} {spot}
i think i left my {thing} {at_place}, can you check?
did i leave my {thing} {at_place}?
where did you put the {thing}?
where are the car keys?
the keys are {spot}
the spare key is {spot}
i put the {parcel} {spot}
whose {thing} is this?
is this your {thing}?
don't forget to pay the {bill} {fut}
the {bill} is due {fut}
the {bill} went up by {money}
did you pay the {bill} {past}?
how much is the {bill} this month?
i paid the {bill} {past}, you owe me {money}
can you transfer {money} to my account?
can you lend me {money} until {weekday}?
i'll pay you back {fut}
please take the trash out before you leave
whose turn is it to do the {chore}?
it's your turn to do the {chore}
i did the {chore} {past}, it's your turn
i hate doing the {chore}
i'm in the middle of the {chore}
the {room} is {very} messy, please clean it up
the {room} looks {good} now
the house is a mess
your room is a mess, please tidy it up
please close the window before you go out
please turn off the lights when you leave
did you lock the front door?
i think i left the {fixable} on
did you turn off the {fixable}?
the laundry is still in the machine
your {color} shirt is in the dryer
we need a new {furniture} for the {room}
i bought a {color} {furniture} for the {room}
where should we put the {furniture}?
the {furniture} doesn't fit in the {room}
can you help me move the {furniture} {fut}?
the {furniture} is too heavy for one person
we're painting the {room} {color}
i'm repainting the {room}, what do you think about {color}?
the dog needs to go out
can you let the dog out {at_time}?
someone needs to feed the {pet} {fut}
the {pet} threw up on the {furniture}
the {pet} is scratching the {furniture} again
i need to stop {to_place} on the way home
i have to run a few errands {fut}
i'll be home after i go {to_place}
i'm stopping by the store, text me the list
the line {at_place} is {very} long
the car needs gas
the car is making a strange noise
the car is in the shop until {weekday}
we have a flat tire
the tank is almost empty
the power went out {past}
the internet is down again
the wifi password is on the {furniture}
we got a leak in the {room}
there's water all over the {room}
there's a spider in the {room}!
there are ants in the {room} again
"""
RULES["fault_s"] = "doesn't work | won't turn on | leaks | won't close | makes noise | smells funny | beeps"
RULES["pet"] = """cat | dog | hamster | puppy | rabbit | kitten | fish | parrot | goldfish | turtle | guinea pig |
        chickens | horse | lizard | bird"""
