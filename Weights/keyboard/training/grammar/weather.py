"""Weather, seasons, nature, and the clothes and activities that go with them."""

RULES = {
    "sky": """raining | snowing | sunny | cloudy | windy | foggy | pouring | freezing | hot | cold | warm | humid |
        stormy | chilly | nice out | hailing | icy | dry | overcast | mild | boiling | drizzling | muggy | gloomy |
        clearing up | thundering | beautiful out | slippery out | breezy | too hot | below zero | getting dark |
        scorching""",
    "degrees": "20 | 30 | 10 | 25 | 15 | 35 | 5 | 40 | 90 | 75 | 60 | 100 | 0 | 28 | 18 | 32 | 70 | 85",
    "weather": """rain | snow | sun | storm | wind | heat | fog | thunder | lightning | cold | ice | hail | humidity |
        heat wave | thunderstorm | blizzard | flood | tornado | hurricane | sunshine | frost | drizzle | clouds |
        rainbow | breeze""",
    "season": "summer | winter | spring | fall | autumn | the holidays | the rainy season",
    "wear": """jacket | coat | hat | scarf | umbrella | sweater | raincoat | boots | gloves | sunglasses | shorts | t
        shirt | hoodie | sandals | warm socks | sunscreen | long pants | mittens | rubber boots | earmuffs | cardigan
        | vest | dress | jeans""",
    "nature": """flowers | birds | trees | leaves | stars | butterflies | tulips | mountains | cherry blossoms |
        sunset | sunrise | moon | squirrels | roses | deer | fields | lake | river | forest | waves | sky | snowman |
        daffodils | fireflies | sunflowers | clouds | bees | foxes | eagles | owls | dolphins | ducks | swans | frogs
        | northern lights | meteors""",
    "place_w": """here | in {city} | there | outside | in the mountains | at the beach | up north | back home | down
        south | this far""",
    "weather_do": """*go outside | *stay inside | *wear a {wear} | *take an umbrella | *bring a {wear} | *enjoy the
        {weather} | *build a snowman | *go swimming | *sit in the sun | *open the window | *turn on the heating | *go
        sledding | *get wet | *dance in the rain | *watch the {nature} | *wait for the rain to stop | *check the
        forecast | *shovel the driveway | *have a snowball fight | *lie in the grass | *put on a {wear} | *wear
        sunscreen | *scrape the windshield | *hang the laundry outside | *take pictures of the {nature} | *jump in
        puddles | *sit by the fire | *go for a swim | *plant {nature} | *cover the plants | *melt | *get a tan |
        *catch snowflakes""",
}

TEMPLATES = """
it's {sky} {place_w}
it's {very} {sky_adj} {place_w} {now}
it's {sky} again
it's still {sky} {place_w}
it's {sky}, take your {wear}
it's {sky}, don't forget your {wear}
it's {sky}, so {S} {'m} staying home
it's {sky} and i forgot my {wear}
it's {sky}, should we still {weather_do}?
it was {sky} all day
it was {sky} {past}
it was {very} {sky_adj} {past}, {S} had to {weather_do}
it will be {sky} {fut}
it's going to be {sky} {fut}
it's going to be {degrees} degrees {fut}
it's {degrees} degrees {place_w}
it's supposed to be {sky} {fut}
it's supposed to rain {fut}
it's supposed to snow {fut}
it might rain {fut}, bring your {wear}
it might snow {fut}
it looks like rain
it looks like it will be {sky}
it hasn't rained in {span}
it hasn't stopped raining for {span}
it rained all {time_span}
it snowed all {time_span}
it finally stopped {raining}
it just started {raining}
it stopped {raining}, let's {weather_do}
is it {sky} {place_w}?
is it still {raining}?
is it going to rain {fut}?
is it {sky} where you are?
is it warm enough to {weather_do}?
will it rain {fut}?
will it be {sky} {fut}?
how's the weather {place_w}?
how's the weather where you are?
how hot is it {place_w}?
what's the weather like {place_w}?
what's the weather going to be like {fut}?
what will the weather be like {fut}?
what a {good} day!
what a {good} {daypart}, let's {weather_do}
such {good} weather today, i want to {weather_do}
the weather is {very} {good} {place_w}
the weather is {very} {bad} {now}
the weather was {good} {past}
the weather should be better {fut}
the weather has been {very} {bad} {now}
the forecast says {weather} {fut}
the forecast looks {good} for {the_time}
the {weather} is {very} {bad} {place_w}
the {weather} kept me awake {past}
the {weather} knocked down a tree near {meet_place}
the {weather} is finally over
the {nature} are {good} this time of year
the {nature} look {good} {now}
the roads are {sky_road}, drive carefully
the roads are {sky_road} because of the {weather}
there's a {storm_kind} coming {fut}
there's a {storm_kind} warning for {fut_w}
there's so much {snow} outside
there's {snow} everywhere
there will be {weather} and {weather} {fut}
i love the {weather}
i love {season}
i love the smell of {smell}
i hate the {weather}
i hate {season}, it's always {sky}
i hate driving in the {weather}
i can't wait for {season}
i prefer {season} to {season}
i got caught in the {weather}
i got {soaked} on my way {to_place}
i'm {soaked}, it's {sky} outside
i'm freezing, can i borrow your {wear}?
i'm melting, it's {degrees} degrees
i left my {wear} at home and now it's {sky}
{season} is my favorite season
{season} is finally here!
{season} is almost over
{season} was {very} short this year
my favorite season is {season}
in {season} we always {weather_do}
wear a {wear}, it's {sky} outside
wear your {wear} {today}
take a {wear} with you, it's {sky}
put on your {wear}, it's {sky} out
bring a {wear} in case it gets cold
you'll need a {wear} {fut}
do i need a {wear} {fut}?
should i bring a {wear}?
close the windows, it's {raining}
the sun is out!
the sun is finally shining
the sun goes down {at_time}
look at the {nature}!
did you see the {nature} {past}?
did you hear the thunder {past}?
we saw the {nature} {past}, it was {good}
we watched the {nature} for {span}
school is closed because of the {weather}
the flight is delayed because of the {weather}
the game was cancelled because of the {weather}
if it's {sky} {fut}, we'll {weather_do}
if the weather is {good} {fut}, we can {weather_do}
perfect weather to {weather_do}
stay warm and {cozy}!
stay inside, it's {sky}
"""
RULES["sky_adj"] = """hot | cold | windy | cloudy | humid | warm | foggy | chilly | sunny | dry | gray | gloomy | icy
        | stormy | mild"""
RULES["raining"] = "raining | snowing | pouring | hailing | thundering"
RULES["time_span"] = "day | night | week | weekend | morning | month | afternoon"
RULES["sky_road"] = "icy | slippery | wet | flooded | snowy | closed | blocked | clear | dangerous"
RULES["storm_kind"] = "storm | thunderstorm | snowstorm | hurricane | heat wave | blizzard | tornado | flood"
RULES["fut_w"] = "tomorrow | tonight | the weekend | our area | the coast | the whole week"
RULES["snow"] = "snow | ice | mud | rain | dust | pollen | sand | smoke | fog"
RULES["smell"] = """rain | fresh grass | the sea | coffee | flowers | pine trees | autumn leaves | lavender | wood
        smoke"""
RULES["soaked"] = "soaked | wet | sunburned | drenched | muddy | frozen | blown away"
RULES["cozy"] = "cozy | safe | dry | hydrated | comfortable"
