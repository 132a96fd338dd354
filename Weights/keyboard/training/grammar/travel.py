"""Travel: trips, transport, directions, hotels, far places."""

RULES = {
    "city": """paris | london | rome | new york | berlin | barcelona | tokyo | chicago | amsterdam | boston | madrid |
        vienna | lisbon | seattle | prague | dublin | toronto | miami | athens | istanbul | san francisco | los
        angeles | sydney | venice | florence | munich | oslo | stockholm | copenhagen | budapest | singapore | bangkok
        | dubai | cairo | montreal | vancouver | denver | austin | las vegas | edinburgh | brussels | zurich | milan |
        helsinki | warsaw | mumbai | seoul | beijing | mexico city | nairobi | cape town | lima | havana | delhi |
        geneva | naples | hamburg""",
    "country": """italy | france | spain | japan | greece | mexico | canada | portugal | germany | england | ireland |
        australia | thailand | india | brazil | iceland | norway | turkey | egypt | morocco | peru | china | vietnam |
        sweden | austria | switzerland | scotland | croatia | kenya | hawaii | california | florida | texas |
        argentina | poland | cuba | the netherlands | belgium | denmark | finland | new zealand | south africa |
        indonesia | chile""",
    "destination": """{city} | {country} | the beach | the mountains | the coast | the countryside | the island | the
        desert""",
    "vehicle": """train | bus | plane | taxi | car | ferry | subway | boat | tram | bike | shuttle | motorcycle | van
        | truck | scooter | cab | helicopter | camper""",
    "sight": """museum | cathedral | castle | old town | tower | harbor | market | palace | bridge | waterfall | ruins
        | temple | art gallery | aquarium | botanical garden | lighthouse | volcano | national park | statue |
        monastery | canyon | canal | square | opera house | zoo | fortress | cave | glacier | vineyard | jungle |
        rainforest | valley""",
    "lodging": """hotel | apartment | hostel | cabin | cottage | campsite | resort | motel | villa | guesthouse |
        houseboat | tent""",
    "luggage": """suitcase | backpack | passport | luggage | carry on | ticket | boarding pass | visa | camera |
        charger | sunscreen | swimsuit | guidebook | map | adapter | toothbrush | hiking boots | raincoat | first aid
        kit | sleeping bag | money belt | sandals | towel | binoculars | compass | travel pillow | goggles | flip
        flops""",
    "travel_do": """*travel to {destination} | *fly to {city} | *book the {lodging} | *pack {my} {luggage} | *visit
        the {sight} | *take the {vehicle} | *drive to {destination} | *go on vacation | *go camping | *catch the
        {vehicle} | *rent a {vehicle} | *book a flight to {city} | *see the {sight} | *explore {city} | *go hiking |
        *miss the {vehicle} | *go sightseeing | *take a trip to {destination} | *stay in a {lodging} | *move to {city}
        | *check in at the {lodging} | *go to {country} | *get a visa | *take pictures of the {sight} | *climb the
        {sight} | *ride the {vehicle} | *cross the border | *buy souvenirs | *swim in the ocean | *learn some
        {language} | *exchange money | *unpack {my} {luggage} | *get lost in {city} | *sail around the island |
        *backpack through {country} | *watch the sunset | *lie on the beach | *go skiing | *collect seashells | *tour
        the {sight} | *hitchhike to {city} | *send postcards | *go snorkeling""",
    "language": """italian | spanish | french | german | japanese | portuguese | english | russian | arabic | mandarin
        | greek | korean | hindi | dutch | swedish | turkish | polish | latin""",
    "direction": """turn left | turn right | go straight | take the {ordinal} exit | cross the street | follow the
        signs | take the stairs | walk past the {sight} | go over the bridge | turn around | take the highway | take
        the {vehicle} | keep left | make a right | drive through the tunnel | stay on this road | get off at the next
        stop""",
    "landmark": """traffic light | bank | gas station | church | roundabout | post office | corner | supermarket |
        school | park | pharmacy | library | bridge | stop sign | {sight} | intersection | town hall | hospital""",
}

TEMPLATES = """
we're going to {destination} {fut}
we're going to {destination} for {span}
we're flying to {city} {fut}
we just landed in {city}
we just got back from {destination}
we arrived in {city} {past}
we're on our way to {destination}
i'm on the {vehicle} {now}
i'm on the {vehicle} to {city}
i'm on a {vehicle}, the signal is {bad}
i'm at the airport, my flight leaves {at_time}
i'm waiting for the {vehicle}
i missed my {vehicle}, the next one leaves {at_time}
i'm going to be in {city} {fut}, are you around?
i've never been to {destination}
i've always wanted to see {destination}
i went to {destination} {past}, it was {good}
have you ever been to {destination}?
have you packed your {luggage}?
have you booked the {lodging} yet?
how was your trip to {destination}?
how was {city}?
how long are you staying in {city}?
how long is the flight to {city}?
how far is it to {destination}?
how far is the {sight} from the {lodging}?
how do i get to the {sight}?
how do i get to the {landmark} from here?
how much is a ticket to {city}?
how much does the {lodging} cost per night?
when is your flight to {city}?
when does the {vehicle} leave?
when does the next {vehicle} to {city} leave?
what time does your {vehicle} arrive?
what time do we have to be at the airport?
where are you staying in {city}?
where is the nearest {landmark}?
where can i rent a {vehicle}?
where do you want to go on vacation?
which {vehicle} goes to {destination}?
which platform does the {vehicle} leave from?
is the {sight} open on {weekday:pl}?
is there a {landmark} near the {lodging}?
is this the right {vehicle} to {city}?
is it safe to walk to the {sight} at night?
the flight to {city} takes {span}
the flight to {city} is delayed
the flight was cancelled because of the {storm}
the {vehicle} was {very} {crowded}
the {vehicle} is running {minutes} minutes late
the {vehicle} leaves {at_time} from platform {count}
the {vehicle} broke down in the middle of nowhere
the {lodging} is {very} {good}
the {lodging} was {very} {bad}, the bed was uncomfortable
the {lodging} is right next to the {sight}
the {lodging} has a pool and a view of the {sight}
the view from the {sight} is {good}
the {sight} was {good} but {very} {crowded}
the people in {country} are so friendly
the food in {country} is {good}
the weather in {city} is {good}
the roads are {very} icy, drive carefully
traffic is {very} {bad} near the {landmark}
there's a lot of traffic {now}
there's construction near the {landmark}, take another road
there are no flights to {city} {fut}
{direction} at the {landmark}
{direction} at the {landmark}, then {direction}
{direction} and then {direction} at the {landmark}
it's next to the {landmark}
it's across from the {landmark}
it's {minutes} minutes from the {landmark}
it's about {minutes} minutes by {vehicle}
it's a long drive to {city}
don't forget your {luggage}!
don't forget to pack your {luggage} and your {luggage}
did you pack the {luggage}?
i forgot my {luggage} at the {lodging}
i can't find my {luggage}
i lost my {luggage} in {city}
they lost my {luggage} at the airport
my {luggage} didn't arrive
can you watch the {pet} while we're in {destination}?
can you take me to the airport {fut}?
can you drop me off at the {landmark}?
can you send me the address of the {lodging}?
could you tell me where the {landmark} is?
do you speak {language}?
i don't speak {language} very well
i'm learning {language} for our trip to {country}
i'd like to book a room for {count} nights
i'd like a ticket to {city} please
we need a room for {count} people
we're staying at a {lodging} near the {sight}
we rented a {vehicle} and drove to {destination}
we took the {vehicle} from {city} to {city}
we saw the {sight} {past}, it was {good}
we should go to {destination} {fut}
we got lost on the way to the {sight}
we stopped at a gas station near {city}
are we there yet?
my passport expires in {month}
wish you were here in {city}!
safe travels, text me when you land
greetings from {city}!
i'll send you pictures from {city}
you should visit the {sight} when you're in {city}
window or aisle seat?
"""
RULES["crowded"] = """crowded | dirty | clean | expensive | cheap | empty | slow | fast | comfortable | noisy | full |
        modern | old"""
RULES["storm"] = "storm | fog | snow | strike | weather | hurricane | wind | ice"
