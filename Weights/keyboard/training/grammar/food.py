"""Food: cooking, restaurants, groceries, tastes."""

RULES = {
    "dish": """pizza | pasta | soup | sushi | salad | tacos | burgers | curry | chicken | steak | lasagna | noodles |
        fried rice | pancakes | sandwiches | fish and chips | stew | roast beef | spaghetti | dumplings | ramen |
        chili | meatballs | omelette | burritos | hot dogs | paella | risotto | waffles | mashed potatoes | grilled
        cheese | lentil soup | kebab | falafel | ravioli | quiche | casserole | salmon | shrimp | lobster | ribs |
        gumbo | pad thai | enchiladas | scrambled eggs | french toast | turkey | meatloaf | chicken wings | nachos |
        spring rolls | stir fry | pierogi""",
    "ingredient": """eggs | milk | bread | butter | cheese | onions | tomatoes | garlic | rice | flour | sugar |
        potatoes | chicken | salt | pepper | olive oil | carrots | mushrooms | spinach | lemons | apples | bananas |
        yogurt | cream | beans | lettuce | cucumbers | ham | bacon | honey | ginger | basil | broccoli | corn | peas |
        cereal | oats | strawberries | grapes | oranges | avocados | peppers | parsley | cinnamon | vanilla |
        chocolate chips | nuts | tofu | vinegar | mustard | ketchup | mayonnaise | jam | peanut butter | cabbage |
        celery | zucchini | eggplant | cauliflower | yeast | blueberries | raspberries | peaches | pears | cherries |
        pineapple | watermelon | raisins | almonds | walnuts | coconut milk | soy sauce | thyme | rosemary | mint |
        leeks | radishes | asparagus | sausages | ground beef | tuna""",
    "drink": """coffee | tea | water | beer | wine | juice | orange juice | hot chocolate | red wine | lemonade | milk
        | cider | a smoothie | champagne | green tea | iced tea | whiskey | a milkshake | soda | espresso | a latte |
        a cappuccino | sparkling water | gin and tonic | a cocktail | rum | vodka | mineral water | apple juice |
        white wine""",
    "sweet": """cake | ice cream | cookies | chocolate | apple pie | brownies | cheesecake | muffins | donuts |
        pudding | candy | cupcakes | tiramisu | a croissant | fruit salad | carrot cake | gingerbread | marshmallows |
        popcorn | pie""",
    "cuisine": """italian | chinese | mexican | indian | thai | japanese | greek | french | korean | vietnamese |
        turkish | spanish | lebanese | ethiopian | moroccan | brazilian | polish | german""",
    "taste": """delicious | too salty | spicy | sweet | bitter | amazing | burnt | bland | too dry | sour | crispy |
        juicy | tender | undercooked | greasy | fresh | rich | creamy | overcooked | stale | raw | soggy | tasty |
        perfect | heavenly | moldy""",
    "meal": "dinner | lunch | breakfast | brunch | supper | dessert",
    "eatery": """{cuisine} restaurant | {cuisine} place | pizzeria | cafe | bakery | diner | food truck | steakhouse |
        bistro | sushi bar | burger joint | coffee shop | buffet | sandwich shop | ice cream parlor | noodle bar |
        pub""",
    "diet": """vegan | vegetarian | on a diet | allergic to {ingredient} | full | starving | hungry | thirsty |
        lactose intolerant | addicted to {sweet} | not hungry | trying to eat healthy | cutting down on sugar | gluten
        free""",
    "food_do": """*cook {meal} | *order {dish} | *make {dish} | *eat {dish} | *bake {sweet} | *have {meal} | *go out
        for {meal} | *drink {drink} | *try the new {eatery} | *buy {ingredient} | *eat out | *order takeout | *make
        {sweet} | *chop the {ingredient} | *have {dish} for {meal} | *taste the {dish} | *skip {meal} | *set the table
        | *peel the {ingredient} | *heat up the leftovers | *fry the {ingredient} | *grill the {ingredient} | *preheat
        the oven | *pack a lunch | *make coffee | *pour the {drink} | *boil the water | *slice the {ingredient} |
        *stir the soup | *eat less {sweet} | *cook for {person} | *share the {dish} | *roast the {ingredient} |
        *freeze the leftovers | *wash the {ingredient} | *mix the {ingredient} and the {ingredient} | *warm up the
        {dish} | *pick some {ingredient}""",
}

TEMPLATES = """
what's for {meal}?
what do you want for {meal}?
what should we have for {meal} {fut}?
what are we having for {meal}?
what are you cooking {fut}?
what did you have for {meal}?
where do you want to eat {fut}?
we're having {dish} for {meal}
we had {dish} for {meal} {past}
i'm making {dish} for {meal}, are you hungry?
i'm making {dish} {fut}, do you want some?
i'm cooking {dish}, can you buy {ingredient}?
i had {dish} and {drink} for {meal}
i feel like {dish} {fut}
i'm craving {dish} {now}
i'm craving {sweet}
i could really use {drink} {now}
i'm {diet}, let's eat
i'm {diet}, what's in the fridge?
i'm {diet}, so no {dish} for me
is anyone {diet}?
{name} is {diet}
are you {diet}?
are you hungry yet?
do you like {dish}?
do you like {cuisine} food?
do you eat {ingredient}?
do you want {drink} or {drink}?
do you want some {sweet}?
do you want {dish} or {dish} {fut}?
do we have any {ingredient} left?
do we have enough {ingredient} for the {dish}?
do we need {ingredient} or {ingredient}?
would you like some {drink}?
would you like {drink} with your {meal}?
can i get you {drink}?
can you bring me {drink} please?
can you pick up {ingredient} and {ingredient}?
can you get {ingredient}, {ingredient} and {ingredient}?
please buy {ingredient}, {ingredient} and some {ingredient}
we need {ingredient}, {ingredient} and {ingredient}
we're out of {ingredient}
we ran out of {ingredient} {past}
we have {dish} in the fridge
there's some {sweet} left if you want it
there are leftovers in the fridge
the {ingredient} went bad
the {ingredient} {am} in the fridge
the {dish} {was} {taste}
the {dish} {was} {taste} and the {dish} {was} {taste}
the {dish} {am} {very} {taste}
the {dish} {*need} more {ingredient}
the {dish} will be ready in {minutes} minutes
the {sweet} {*taste} {taste}
the {dish} {*smell} {good}
your {dish} {am} the best
i love your {dish}, can you send me the recipe?
how do you make {dish}?
how do you make {sweet} without {ingredient}?
how was the {eatery}?
how was the food {at_place}?
how long do we leave the {dish} in the oven?
how do you like your {food_prep}?
put the {dish} in the oven for {minutes} minutes
add the {ingredient} and cook for {minutes} minutes
add some {ingredient} and a little {ingredient}
mix the {ingredient} with the {ingredient}
first chop the {ingredient}, then fry the {ingredient}
you need {count} {measure} of {ingredient}
add {count} {measure} of {ingredient} to the {dish}
the recipe calls for {ingredient} and {ingredient}
let's order {dish} {fut}
let's try the new {eatery} {fut}
let's eat at the {eatery} {fut}
there's a new {eatery} near {meet_place}
have you tried the {eatery} near {meet_place}?
that {eatery} has the best {dish}
the {eatery} was {very} {good}
the {eatery} is closed on {weekday:pl}
the service at the {eatery} was {very} {bad}
i made a reservation at the {eatery} {at_time}
a table for {count} {at_time}, please
can we see the menu please?
can we have the check please?
i'll have the {dish} and {drink}
i'll have {drink} please
{meal} is ready!
{meal} is on the table
{meal} is on me
thanks for {meal}, it was {taste}
who wants {sweet}?
who ate all the {sweet}?
somebody ate my {sweet}
save me some {sweet}
i ate too much {dish}
i burned the {dish} again
i don't eat {ingredient} anymore
i don't like {ingredient} in my {dish}
i can't eat {ingredient}, i'm allergic
i prefer {drink} to {drink}
i need {drink} before i can talk to anyone
i haven't eaten anything since {meal}
cheers to {name}!
enjoy your {meal}!
"""
RULES["food_prep"] = "eggs | steak | coffee | burger | tea | toast"
RULES["measure"] = """cups | spoons | slices | pounds | tablespoons | teaspoons | ounces | bottles | cans | grams |
        bags | handfuls"""
