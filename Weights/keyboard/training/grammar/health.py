"""Health and appointments: illness, doctors, sport injuries, sleep, habits."""

RULES = {
    "illness": """a cold | the flu | a fever | a headache | a sore throat | a cough | a stomach ache | a runny nose |
        allergies | a toothache | a migraine | an infection | food poisoning | asthma | a rash | back pain | a high
        temperature | the chickenpox | pneumonia | hay fever | a bad cough | insomnia | diabetes | high blood pressure
        | an ear infection | a concussion | a cramp | bronchitis | a sinus infection | heartburn | a hangover |
        sunburn | a blister | covid""",
    "body": """back | head | knee | stomach | throat | leg | arm | foot | shoulder | neck | ankle | tooth | hand |
        wrist | finger | eye | ear | elbow | hip | toe | chest | thumb | jaw | heel | nose | rib | muscle | skin |
        thigh | big toe""",
    "doctor": """doctor | dentist | nurse | therapist | surgeon | pediatrician | eye doctor | dermatologist |
        specialist | vet | physical therapist | pharmacist | orthodontist | cardiologist | midwife | psychiatrist |
        allergist""",
    "medicine": """medicine | aspirin | antibiotics | painkillers | cough syrup | vitamins | the pills | eye drops |
        ibuprofen | ointment | an ice pack | a bandage | insulin | throat lozenges | nasal spray | the inhaler |
        sleeping pills | ginger tea""",
    "checkup": """appointment | checkup | blood test | surgery | x ray | vaccination | operation | cleaning | therapy
        session | scan | eye exam | flu shot | follow up | ultrasound | physical | filling | root canal | treatment |
        biopsy""",
    "cure": """drink a lot of water | get some rest | stay in bed | take {medicine} | see a doctor | put some ice on
        it | stay home | get some sleep | drink some tea with honey | eat some soup | take it easy | wear a mask |
        keep warm | take a hot bath | call the {doctor} | elevate it | avoid dairy | gargle with salt water | stretch
        | breathe slowly""",
    "hurt": """broke | hurt | sprained | twisted | burned | cut | bruised | scratched | injured | pulled | banged |
        dislocated""",
    "health_do": """*go to the doctor | *go to the dentist | *see the {doctor} | *take {my} medicine | *get some sleep
        | *rest | *make an appointment | *stay in bed | *lose weight | *work out | *exercise | *quit smoking | *go for
        a run | *drink more water | *eat healthy | *get a flu shot | *have a {checkup} | *go to bed early | *lift
        weights | *do yoga | *take a nap | *go to the gym | *get {my} eyes checked | *stretch {my} {body} | *call the
        {doctor} | *pick up the prescription | *take {my} temperature | *stop drinking | *walk {amount} steps | *see a
        specialist | *ice {my} {body} | *cancel the {checkup} | *go to physical therapy | *take vitamins | *cough all
        night | *sneeze | *donate blood | *cut down on sugar | *get enough sleep | *train for the marathon | *do push
        ups""",
    "symptom": """sick | better | worse | dizzy | weak | tired | awful | terrible | fine | nauseous | feverish | itchy
        | sore | stiff | healthy | faint | swollen | sleepy | strong | a little better | much better | well""",
}

TEMPLATES = """
i have {illness}
i have {illness} and i can't come {fut}
i think i have {illness}
i think i'm getting {illness}
i woke up with {illness}
i've had {illness} for {span}
i still have {illness}, so i'm staying home
i feel {symptom} today
i'm feeling {symptom}, thanks
i don't feel {symptom}
i'm not feeling well {today}
i'm sick, i can't come to work {today}
i'm calling in sick {today}
my {body} hurts
my {body} hurts so much
my {body} has been hurting for {span}
my {body} still hurts, should i see a {doctor}?
my {body} is swollen
my {body} feels {symptom} today
my {body} is killing me
i {hurt} my {body} {past}
{boy} {hurt} his {body} {past}
{girl} {hurt} her {body} {at_place}
i think i {hurt} my {body}
i fell and {hurt} my {body}
does your {body} still hurt?
does it hurt when you move your {body}?
how is your {body}?
how's your {body} feeling today?
how are you feeling? still {symptom}?
how did the {checkup} go?
how did you {hurt_base} your {body}?
how long have you had {illness}?
how often should i take {medicine}?
are you feeling {symptom}?
are you feeling any better?
are you still sick?
are you allergic to anything?
did you take {medicine}?
did you see the {doctor}?
did you go to the {doctor} {past}?
what did the {doctor} say?
what did the {doctor} say about your {body}?
what time is your {checkup}?
when is your {checkup}?
when is {name}'s {checkup}?
the {doctor} said {S} should {cure}
the {doctor} said it's just {illness}
the {doctor} said it's nothing serious
the {doctor} gave me {medicine} for my {body}
the {doctor} can see you {at_time}
the {doctor} is running late
the {checkup} is {fut}
the {checkup} went {well}
the {checkup} only takes {minutes} minutes
the test results came back {results}
the results were {results}
i have a {checkup} {fut}
i have a {doctor_s} appointment {at_time}
i have an appointment with the {doctor} {fut}
i'd like to make an appointment with the {doctor}
i'd like to make an appointment for {weekday}
i need to cancel my appointment {fut}
i need to reschedule my {checkup}
i need to see a {doctor} about my {body}
i need {medicine} for my {body}
could i come in {fut} for a {checkup}?
do you have an appointment free {fut}?
you should {cure}
you should {cure} and {cure}
you need to {cure}
maybe you should {cure}
try to {cure}
{cure} and call me {fut}
just {cure} and you'll feel better
if it gets worse, {cure}
take {medicine} {medtime}
can you get me {medicine} from the pharmacy?
can you pick up {medicine} on your way home?
we're out of {medicine}
where is {medicine}?
get well soon, {dear}!
i hope you feel better soon
i hope your {body} gets better
i hope it's nothing serious
i'm in the waiting room
i'm at the {doctor_s}, i'll call you {fut}
i'm at the hospital with {person}
{someone} is in the hospital
{someone} has {illness}
{someone} is {symptom} again
{someone} had a {checkup} {past}
the kids have {illness}
the baby has {illness}, we're at the {doctor_s}
the {pet} has to go to the vet {fut}
{name} is home with {illness}
everyone at work has {illness}
there's something going around {now}
i slept {sleep} last night
i slept for {count} hours
i didn't sleep well last night
i couldn't sleep because of my {body}
i only slept {count} hours
i've lost {amount} pounds since {month}
i ran {count} miles {past}
i went for a run {past} and {hurt} my {body}
i'm sore from the gym
i'm on a new diet and i feel {symptom}
stay healthy and {cure}
wash your hands and {cure}
"""
RULES["today"] = "today | tonight | this morning | right now"
RULES["hurt_base"] = "break | hurt | sprain | twist | burn | cut | injure"
RULES["results"] = "negative | positive | fine | normal | clear | good | better than expected | in"
RULES["doctor_s"] = "doctor's | dentist's | vet's | eye doctor's"
RULES["medtime"] = """twice a day | before meals | after dinner | every four hours | three times a day | with food |
        before bed"""
RULES["sleep"] = "well | badly | great | like a baby | terribly | so well | on the couch | through the alarm"
