"""Shopping, money, clothes, orders and returns."""

RULES = {
    "clothing": """shirt | dress | jacket | shoes | sweater | jeans | coat | skirt | pants | boots | hat | sneakers |
        suit | tie | belt | scarf | socks | blouse | hoodie | swimsuit | pajamas | gloves | t shirt | underwear |
        cardigan | tuxedo | leggings | raincoat | heels | sandals | slippers | uniform | vest | cap | necklace |
        earrings | bracelet | ring | handbag | bikini""",
    "gadget": """phone | laptop | camera | tv | headphones | tablet | printer | keyboard | speaker | charger | monitor
        | mouse | game console | smartwatch | drone | router | hard drive | microphone | coffee maker | blender |
        vacuum | hair dryer | e reader | turntable | projector | radio | calculator | air fryer | electric toothbrush
        | battery | cable | razor""",
    "item": """{clothing} | {gadget} | {furniture} | {thing} | book | toy | perfume | lipstick | plant | vase |
        bicycle | painting""",
    "brand_new": """new | used | second hand | {color} | cheap | expensive | leather | cotton | wool | silk | designer
        | vintage | matching | smaller | bigger | waterproof | wireless | handmade | striped | plain | wooden |
        plastic | metal""",
    "shop": """store | mall | supermarket | market | bookstore | pharmacy | shoe store | outlet | thrift store |
        hardware store | bakery | flower shop | gift shop | department store | jewelry store | toy store | pet store |
        grocery store | electronics store | website | flea market | butcher | corner shop | boutique | garden center |
        furniture store""",
    "size": "small | medium | large | extra large | 38 | 40 | 42 | 8 | 10 | 12 | bigger | smaller",
    "fit": """{*fit} perfectly | {am} too small | {am} too big | {don't} fit | {*look} {good} on you | {am} too
        expensive | {am} on sale | {am} sold out | {was} a bargain | {*cost} {money} | {am} half price | {*come} in
        {color} | shrank in the wash | {have} a hole | {have} a stain | {am} too tight | {am} too loose | {have} a two
        year warranty | arrived damaged | went out of style | {*feel} soft | came without a {gadget} | {am} just what
        we wanted | {*look} cheap | {am} great quality""",
    "shopping_do": """*go shopping | *buy a {item} | *order a {item} | *return the {item} | *try on the {clothing} |
        *get a new {item} | *save money | *sell {my} {item} | *spend {money} | *exchange the {item} | *go to the
        {shop} | *buy a present for {person} | *order online | *compare prices | *pay by card | *pay in cash | *track
        the order | *find a {brand_new} {clothing} | *wrap the presents | *use the coupon | *keep the receipt | *get a
        refund | *look for a {brand_new} {item} | *buy {my} {clothing} | *check the price | *open a bank account |
        *buy groceries | *borrow {money} from {person} | *lend {person} {money} | *ask for a discount | *make a list |
        *wear the {clothing} | *donate {my} old {clothing} | *window shop | *invest {money} | *pay off {my} debt |
        *cancel the order | *haggle""",
}

TEMPLATES = """
i bought a {brand_new} {item} {past}
i bought a {brand_new} {item} for {money}
i bought a {brand_new} {clothing} and a {clothing}
i bought you a {item}!
i just bought the {item} you wanted
i just ordered a {brand_new} {item}
i ordered the {item} {past}, it should arrive {fut}
i'm looking for a {brand_new} {item}
i'm looking for a {item} for {person}
i'm looking for a {clothing} in size {size}
i'm looking for a birthday present for {person}
i need a {brand_new} {item}
i need a {brand_new} {clothing} for the {event}
i need new {clothing_pl}
i want to buy a {brand_new} {gadget}
i want to return this {item}, it's {broken}
i returned the {item} because it was {broken}
i'd like to return this {item} please
i'd like to exchange this {clothing} for a {size}
i found a {brand_new} {item} at the {shop}
i found a {good} {item} at the {shop} for {money}
i saw a {brand_new} {item} at the {shop} {past}
i saw a {good} {clothing} {at_place}
i love this {clothing}, where did you get it?
i love your {brand_new} {clothing}!
i don't like the {color} {item}
i don't need a {brand_new} {item}
i can't afford a {brand_new} {item} {now}
i can't decide between the {color} {item} and the {color} one
i spent {money} on a {item}
i spent too much money {past}
i'm saving up for a {brand_new} {item}
i'm broke until {weekday}
i'm at the {shop}, do you need anything?
i'm at the {shop}, what size are you?
i'm going to the {shop}, do you want to come?
i sold my old {item} for {money}
the {item} {fit}
the {brand_new} {item} {fit}
this {item} {fit}
this {clothing} {fit}, what do you think?
that {item} {fit}
the {color} {clothing} {fit}
the {item} i ordered {fit}
the {item} {was} {broken} when it arrived
the {item} {am} only {money} at the {shop}
the {shop} is closed {fut}
the {shop} closes {at_time}
the {shop} opens {at_time}
the {shop} has a sale {fut}
the {shop} was {very} {crowded} {past}
the {shop} didn't have the {item}
the line at the {shop} is {very} long
everything at the {shop} is {amount} percent off
is the {item} still available?
is the {item} on sale?
is there a {shop} near {meet_place}?
is the {shop} open {fut}?
does this {item} come in {color}?
does the {clothing} fit?
do you have this {clothing} in {size}?
do you have this in {color}?
do you like the {color} one or the {color} one?
do you like my {brand_new} {clothing}?
do you need anything from the {shop}?
do you take credit cards?
how much is the {item}?
how much did you pay for the {item}?
how much does the {brand_new} {item} cost?
how do you like your {brand_new} {item}?
how long will the delivery take?
what size do you wear?
what size is the {clothing}?
what color is the {item}?
what should i get {person} for {occasion}?
what do you want for {occasion}?
what time does the {shop} close?
where did you buy that {item}?
where did you get that {clothing}?
where can i buy a {brand_new} {item}?
where can i find a {item}?
when does the {shop} open?
which one do you like better, the {color} or the {color}?
would you like a bag for that?
would {person} like a {item}?
can i try on the {clothing}?
can i pay with card?
can i get a refund for the {item}?
can you get me a {brand_new} {item} from the {shop}?
can you return the {item} to the {shop}?
can i help you find something?
could you send me a picture of the {item}?
did the {item} arrive yet?
did you order the {item}?
did you keep the receipt for the {item}?
my {gadget} is {broken}, i need a new one
my {gadget} is {broken}, where can i get it fixed?
my {gadget} died {past}
my order hasn't arrived yet
my order says delivered, but it's not here
{person} would love a {brand_new} {item}
let's go to the {shop} {fut}
let's buy {name} a {item} together
we could give {name} a {item}
thanks for the {item}, it's {good}!
it was on sale for {money}
it's too expensive, let's look for a {brand_new} one
that's a {good} price
that's way too expensive for a {item}
wow, {money} for a {item}?
free shipping on orders over {amount} dollars
"""
RULES["clothing_pl"] = """shoes | jeans | boots | socks | clothes | glasses | sneakers | pants | pajamas | sandals |
        shorts | pillows"""
RULES["broken"] = """broken | damaged | scratched | too small | too big | defective | dead | the wrong color | the
        wrong size | torn | cracked | frozen | too slow | faulty | empty"""
