"""School and university: lessons, tests, homework, friends in class."""

RULES = {
    "subject": """math | english | history | biology | chemistry | physics | geography | spanish | french | art |
        music | science | literature | economics | german | latin | philosophy | computer science | psychology |
        statistics | algebra | geometry | gym class | drama | sociology | law | medicine | engineering | religion |
        calculus | astronomy""",
    "test": """test | exam | quiz | final | midterm | paper | essay | presentation | project | assignment | lab report
        | thesis | oral exam | book report | dissertation | worksheet | spelling test | pop quiz""",
    "grade": """an a | a b | a c | full marks | a good grade | a bad grade | the highest score | a b plus | an a minus
        | a d | an f""",
    "school_item": """notebook | textbook | calculator | pencil | ruler | eraser | lunch | locker key | homework |
        permission slip | gym clothes | library card | student id | laptop | pencil case | marker | dictionary | glue
        stick | folder | backpack | stapler | scissors | highlighter | report card | uniform""",
    "pupil": """student | classmate | teacher | professor | principal | tutor | lecturer | roommate | substitute |
        librarian | dean | counselor | freshman | senior | lab partner | coach | bully""",
    "chapter": """chapter {count} | the last chapter | page {amount} | the first question | question {count} | the
        introduction | the second part | the conclusion | the bibliography | exercise {count} | the experiment | the
        poem | the diagram""",
    "school_do": """*study for the {test} | *do {my} homework | *write the {test} | *pass the {test} | *fail the
        {test} | *go to class | *skip class | *finish the {test} | *read {chapter} | *learn for the {subject} {test} |
        *take notes | *hand in the {test} | *study {subject} | *go to the library | *solve {chapter} | *join the study
        group | *ask the {pupil} about {chapter} | *retake the {test} | *apply to college | *graduate | *practice
        {subject} | *memorize the poem | *look up the words | *copy the notes | *cheat on the {test} | *get good
        grades | *get {grade} in {subject} | *choose a major | *learn the vocabulary | *drop {subject} | *tutor {name}
        in {subject} | *raise {my} hand | *pay attention in {subject} | *revise {chapter} | *borrow a {school_item} |
        *enroll in a course""",
}

TEMPLATES = """
how was school today?
how was the {subject} {test}?
how did the {test} go?
how did you do on the {subject} {test}?
how many pages does the {test} have to be?
how do you solve {chapter}?
what's the homework for {subject}?
what did we have to do for {subject}?
what did you get on the {test}?
what did you get for {chapter}?
what time does {subject} start?
what room is {subject} in?
what are you studying at university?
what's your favorite subject? mine is {subject}
when is the {subject} {test}?
when is the {test} due?
when do we get the {test} back?
when does school start again?
who is your {subject} teacher?
who wants to work together on the {subject} {test}?
i got {grade} on the {test}!
i got {grade} in {subject}
i got {grade} on my {subject} {test}, i'm so happy
i passed the {subject} {test}!
i failed the {subject} {test}
i think i failed the {test}
i have a {subject} {test} {fut}
i have a {test} in {subject} {fut} and i haven't studied
i have {count} {test:pl} {fut}
i have {subject} {fut}
i have to study for my {test} {fut}
i'm studying for the {subject} {test}
i'm studying {subject} at university
i'm {at_place}, studying {subject}
i'm in {subject} right now
i'm so bad at {subject}
i'm pretty good at {subject}
i'm stuck on {chapter}, can you help me?
i don't understand {chapter}
i don't understand anything in {subject}
i don't get {chapter} at all
i need help with {subject}
i need help with my {subject} homework
i forgot my {school_item} at home
i forgot my {school_item}, can you bring it to school?
i left my {school_item} in {subject}
i left my {school_item} in my locker
can i borrow your {school_item}?
can i borrow your {subject} notes?
can i copy your {subject} homework?
can you send me the {subject} notes?
can you send me a picture of {chapter}?
can you explain {chapter} to me?
can you help me with {subject} {fut}?
could you help {name} with {subject}?
did you do the {subject} homework?
did you study for the {subject} {test}?
did you finish the {test}?
did you understand {chapter}?
did you read {chapter}?
did you bring your {school_item}?
do we have {subject} {fut}?
do we have to read {chapter} for {fut_class}?
do you have the {school_item}?
do you know the answer to {chapter}?
do you want to study together {fut}?
is there a {test} in {subject} {fut}?
is {subject} cancelled {fut}?
the {subject} {test} was {very} {bad}
the {subject} {test} was {very} {easy}
the {subject} {test} is {fut}, good luck!
the {test} is about {chapter}
the {test} has been moved to {weekday}
the {test} counts for {amount} percent of the grade
the {pupil} said the {test} will be {easy}
the {pupil} gave us too much homework
the {pupil} is sick, so {subject} is cancelled
the {pupil} is {very} {mood_adj}
the {pupil} wants to talk to your parents
the new {pupil} is {very} {mood_adj}
my {subject} teacher is {very} {mood_adj}
my favorite class is {subject}
{subject} is my favorite class
{subject} is {very} {easy} this year
{subject} was {very} {bad} today
{subject} starts {at_time} and ends {at_time}
we have a substitute in {subject} today
we have no school {fut}
we learned about {lesson} in {subject}
we're learning about {lesson} in {subject}
today we talked about {lesson}
my essay is about {lesson}
i have to write {amount} words about {lesson}
i have to give a presentation about {lesson} {fut}
{name} got {grade} in {subject}
{name} is the best student in {subject}
{name} sits next to me in {subject}
{name} got in trouble at school
{name} was sent to the principal
school is out!
school starts {at_time}
school was {very} {bad} today
no school tomorrow!
only {count} more weeks until the holidays
graduation is in {month}
i got into college!
i can't wait for summer vacation
don't forget your {school_item}
you left your {school_item} at school
your {test} was {very} {good}, well done!
parents' evening is {fut}
the school trip is {fut}, please sign the form
"""
RULES["easy"] = """easy | hard | difficult | long | short | interesting | confusing | tricky | fair | simple |
        impossible | complicated"""
RULES["fut_class"] = "tomorrow | monday | next week | friday | thursday | today"
RULES["lesson"] = """the french revolution | the solar system | climate change | ancient egypt | the human body |
        world war two | shakespeare | dinosaurs | electricity | the roman empire | photosynthesis | the water cycle |
        fractions | democracy | the middle ages | gravity | volcanoes | poetry | evolution | recycling | the ocean |
        planets | whales | atoms | magnets | inventions | earthquakes | human rights | pollution | the industrial
        revolution | bees | robots"""
