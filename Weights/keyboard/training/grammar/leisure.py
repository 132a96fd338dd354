"""Free time: sport, music, films, books, games, phones and computers."""

RULES = {
    "sport": """soccer | tennis | basketball | football | golf | volleyball | baseball | hockey | ping pong |
        badminton | chess | cards | video games | rugby | cricket | bowling | darts | poker | pool | squash | handball
        | frisbee | dodgeball""",
    "activity": """swimming | running | hiking | dancing | climbing | skiing | fishing | surfing | skating | cycling |
        jogging | sailing | horse riding | camping | bowling | kayaking | snowboarding | rowing | diving | boxing |
        skateboarding | birdwatching""",
    "instrument": """guitar | piano | drums | violin | flute | trumpet | cello | saxophone | bass | clarinet | harp |
        accordion | ukulele""",
    "genre": """comedy | horror movie | documentary | thriller | romantic comedy | action movie | musical | cartoon |
        drama | western | science fiction movie | crime series | mystery | fantasy series | sitcom | soap opera |
        superhero movie | reality show""",
    "media": """movie | show | book | song | album | podcast | series | game | video | concert | episode | novel |
        play | magazine | playlist | band | app | season | trailer | exhibition | comic | audiobook | channel | blog |
        poem""",
    "craft": """knitting | painting | drawing | photography | cooking | pottery | sewing | gardening | writing |
        singing | baking | woodworking | origami | crochet | coding | juggling | calligraphy | magic tricks |
        collecting stamps""",
    "team": """our team | the team | the tigers | the home team | my team | the national team | the giants | the
        eagles | the bears | the lions | the kings | the rangers | the other team | the stars | the pirates""",
    "leisure_do": """*play {sport} | *watch a {genre} | *go {activity} | *play the {instrument} | *read a book |
        *watch the game | *listen to music | *watch tv | *play {sport} with {person} | *go dancing | *learn the
        {instrument} | *go to the gym | *finish the {media} | *listen to the {media} | *take a dance class | *watch
        the new {media} | *play video games | *practice the {instrument} | *paint a picture | *write a {media} | *join
        a {sport} team | *go to a concert | *take up {craft} | *download the {media} | *update the app | *post a
        picture | *share the {media} | *go bowling | *win the game | *lose the game | *watch the finals | *solve a
        crossword puzzle | *sing karaoke | *fly a kite | *reset {my} password | *back up {my} photos | *delete the app
        | *build a website | *record a song | *learn to draw | *scroll through {my} phone | *do a puzzle | *ride {my}
        bike | *train for the race | *score a goal | *run a marathon | *restart the computer | *edit the photos |
        *stream the {media} | *buy a lottery ticket | *tune the {instrument}""",
    "tech": """phone | computer | laptop | wifi | internet | app | tablet | printer | tv | camera | battery | screen |
        website | account | microphone | keyboard | bluetooth | server | software | browser | video call | link |
        password | update""",
    "tech_bad": """isn't working | is so slow | keeps crashing | died | froze | needs an update | won't connect |
        won't turn on | is broken | is down | won't load | got hacked | keeps freezing | isn't charging | crashed
        again | is full of viruses | doesn't recognize me | disappeared | stopped responding | needs to be restarted""",
}

TEMPLATES = """
do you want to play {sport} {fut}?
do you want to go {activity} {fut}?
do you want to watch a {genre} {fut}?
do you play {sport}?
do you play the {instrument}?
do you still play the {instrument}?
do you know this {media}?
do you like the new {media}?
do you have the link to the {media}?
does anyone want to go {activity} {fut}?
have you seen the new {genre}?
have you seen the last {media}?
have you heard the new {media}?
have you read this {media}?
have you tried {craft}?
have you finished the {media} yet?
did you watch the game {past}?
did you see the game {past}? {team} won
did {team} win {past}?
did you like the {media}?
did you get the video i sent you?
who won the game?
who won, {team} or {team}?
who's playing {fut}?
what's the score?
what's the name of that {media}?
what's your favorite {media}?
what's your favorite {genre}?
what are you reading {now}?
what are you watching?
what are you listening to?
what did you think of the {media}?
what kind of music do you like?
what do you do in your free time?
what's the wifi password?
what's your username?
what time is the game {fut}?
what channel is the game on?
when does the new {media} come out?
when is the next game?
where can i watch the {media}?
how was the {media}?
how was the game?
how was the concert {past}?
how was {activity} {past}?
how long have you been playing the {instrument}?
how do i download the {media}?
how do i turn off the {tech}?
how do i connect the {tech} to the {tech}?
i'm watching a {genre} {now}
i'm watching the game with {person}
i'm reading a {good} {media}
i'm reading a {media} about {topic}
i'm listening to a {media} about {topic}
i'm learning to play the {instrument}
i'm going {activity} {fut}, do you want to come?
i'm taking a {craft} class {fut}
i'm really into {craft} {now}
i'm so bad at {sport}
i'm a big fan of {team}
i started {craft} {past} and i love it
i started a new {media}, it's {very} {good}
i saw a {good} {genre} {past}
i saw a documentary about {topic} {past}
i just finished the {media}, it was {very} {good}
i just finished the last season, no spoilers please
i have {sport} practice {fut}
i have tickets for the {media} {fut}
i've been playing {sport} since i was a kid
i've been playing the {instrument} for {span}
i love {activity}
i love this {media}
i love {craft}, it's so relaxing
i love the ending of the {media}
i used to play {sport}
i got a new {instrument}
i can't stop listening to this {media}
i can't stop playing this game
i can't log in to my account
i forgot my password again
i need a new password
i need a new hobby, maybe {craft}
i dropped my {tech} in the water
i'll send you the link to the {media}
i'll show you the pictures {fut}
send me the {media} please
send me a picture!
send me the link to the {media}
check out this {media}, it's {good}
you have to watch this {genre}
you have to listen to this {media}
you should read this {media}, it's about {topic}
the {media} was {very} {good}
the {media} was {very} {bad}
the {media} is about {topic}
the {media} has {very} {good} reviews
the {genre} was {very} {good}
the {genre} was too long and {very} {bad}
the book is better than the movie
the new {media} is {very} {good}
the last {media} made me cry
the game is {fut} at {oclock}
the game was {very} {good}, {team} won
the game ended in a draw
the concert was {very} {good}
{team} won {past}!
{team} lost again
{team} lost {past}, {count} to {count}
{team} scored in the last minute
{team} will never win like this
{team} is playing {fut}
{team} has a new coach
my {tech} {tech_bad}
the {tech} {tech_bad}
the {tech} {tech_bad} again, can you help me?
my {tech} {tech_bad}, so call me on the other phone
sorry, my {tech} {tech_bad}
try turning it off and on again
my battery is at {amount} percent
my battery is almost dead, i'll call you {fut}
my phone was on silent, sorry
my favorite {media} is about {topic}
my favorite hobby is {craft}
let's play {sport} {fut}
let's watch a {genre} {fut}
game on!
"""
RULES["topic"] = """space | love | a dog | the ocean | a detective | two brothers | the war | a lost city | history |
        cooking | wolves | a murder | pirates | artificial intelligence | a young girl | elephants | a road trip |
        time travel | money | the brain | a bank robbery | friendship | music | sharks | a small town | a king and a
        queen | magic | vampires | mountain climbers | ghosts | dragons | a spy | aliens | penguins | a haunted house
        | a treasure | the jungle"""
