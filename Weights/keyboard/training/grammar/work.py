"""Work: meetings, mails, deadlines, colleagues, jobs."""

RULES = {
    "document": """report | presentation | contract | proposal | budget | spreadsheet | agenda | invoice | document |
        draft | slides | schedule | email | summary | application | estimate | file | newsletter | manual | resume |
        brochure | memo | press release | survey | quote | minutes | checklist | cover letter | review | plan |
        forecast | article""",
    "meeting": """meeting | call | interview | conference | training | presentation | workshop | briefing | standup |
        video call | review | seminar | webinar | team lunch | kickoff | board meeting | demo | phone call | audit |
        orientation""",
    "worker": """client | boss | manager | customer | intern | new guy | assistant | team | director | accountant |
        supervisor | lawyer | supplier | receptionist | recruiter | designer | engineer | developer | consultant |
        investor | head of marketing | whole department | ceo | contractor | editor | sales team | finance team |
        translator""",
    "profession": """teacher | nurse | doctor | engineer | chef | lawyer | accountant | waiter | waitress |
        electrician | programmer | designer | journalist | pilot | firefighter | police officer | driver | hairdresser
        | plumber | photographer | musician | writer | scientist | farmer | architect | dentist | therapist |
        librarian | barber | bartender | cashier | carpenter | secretary | actor | actress | veterinarian |
        psychologist | translator | mechanic | pharmacist | salesman | tailor | soldier | sailor | baker | butcher |
        judge | professor | coach""",
    "work_topic": """numbers | deadline | project | website | campaign | new product | launch | strategy | invoice |
        figures | schedule | order | merger | office move | new software | complaint | results | bug | design |
        contract | shipment | logo | prices | hiring | vacation days | overtime | salary | targets | warehouse |
        inventory""",
    "office_thing": """printer | projector | coffee machine | server | copier | scanner | elevator | air conditioning
        | network | database | keyboard | monitor | whiteboard | stapler | badge reader | phone system | paper
        shredder""",
    "work_do": """*finish the {document} | *send the {document} | *go to the {meeting} | *work from home | *work late
        | *call the {worker} | *email the {worker} | *review the {document} | *prepare the {meeting} | *talk to the
        {worker} | *write the {document} | *join the {meeting} | *take a day off | *update the {document} | *ask for a
        raise | *discuss the {work_topic} | *present the {work_topic} | *cancel the {meeting} | *meet the {worker} |
        *reply to the {worker} | *sign the {document} | *quit {my} job | *apply for a job | *fix the {office_thing} |
        *train the {worker} | *attend the {meeting} | *schedule a {meeting} | *negotiate with the {worker} |
        *proofread the {document} | *submit the {document} | *forward the {document} | *print the {document} |
        *organize the {meeting} | *take notes | *work overtime | *hire a {profession} | *postpone the {meeting} |
        *book the conference room | *back up the files | *answer emails | *share the {document} | *check the
        {work_topic} | *approve the {document} | *finalize the {work_topic} | *commute by train | *lead the {meeting}
        | *test the app | *deliver the {document} | *translate the {document} | *analyze the data | *edit the
        {document} | *take a break""",
    "deadline": """by {weekday} | by noon | by the end of the day | by tomorrow | {before_that} | by {oclock} | as
        soon as possible | by monday morning | within {span} | before the deadline""",
}

TEMPLATES = """
did you send the {document} to the {worker}?
can you send me the {document} {deadline}?
please send me the {document} {deadline}
i need the {document} {deadline}
i'll send you the {document} {deadline}
i just sent you the {document}
i sent the {document} to the {worker} {past}
attached is the {document} for the {meeting}
please find attached the {document}
could you take a look at the {document}?
have you had a chance to look at the {document}?
the {document} looks {good}, just fix the {work_topic} section
the {document} is almost done
the {document} is due {fut}
the {document} still needs some work
the {document} has too many mistakes
the {worker} loved the {document}
the {worker} wasn't happy with the {document}
the {worker} wants to see the {document} {deadline}
the {worker} called about the {work_topic}
the {worker} is out of the office until {weekday}
the {worker} asked about the {work_topic} again
the {worker} needs an answer {deadline}
the {worker} is in a {meeting} until {oclock}
the {meeting} is {fut} in room {count}
the {meeting} starts {at_time}
the {meeting} was moved to {oclock}
the {meeting} has been cancelled
the {meeting} went {well}
the {meeting} lasted {span} and it was {very} {bad}
the {meeting} about the {work_topic} is {fut}
are you in the {meeting} already?
are you joining the {meeting} {fut}?
can we have a quick {meeting} about the {work_topic}?
can we push the {meeting} back to {oclock}?
i'm in a {meeting}, i'll call you back {fut}
i'm in a {meeting} until {oclock}, what's up?
i can't talk now, i'm in a {meeting}
i'm stuck in a {meeting} with the {worker}
i'm still at work, {reason}
i'm leaving work now
i just left the office
i get off work {at_time}
what time do you get off work?
what time do you finish {fut}?
when do you start your new job?
i start my new job {fut}
i got the job!
i didn't get the job
i have a job interview {fut}
how did the interview go?
how was work today?
how's the new job going?
work was {very} {bad} today
work was {good} today
work has been {very} {bad} lately
i'm swamped with work {now}
i have so much work {now}
i have a lot of work to do {deadline}
i have {count} {meeting:pl} {fut}
i'm working from home {fut}
i'm working on the {document} {now}
i'm working on it, it should be ready {deadline}
i have to work this weekend
my boss is {very} {mood_adj} today
my boss wants me to {work_do}
my boss gave me the day off
my {worker_role} quit {past}
we hired a new {profession}
we're looking for a {profession}
{someone} works as a {profession}
{someone} got promoted {past}
{someone} is retiring {fut}
{someone} wants to become a {profession}
{someone} used to be a {profession}
what do you do for a living? i'm a {profession}
i've always wanted to be a {profession}
the {office_thing} {fault}
the {office_thing} is broken again, can you call it?
please let me know if you have any questions
please let me know if you need anything else
let me know if you need help with the {work_topic}
thank you for your quick response
thanks for sending the {document}
looking forward to hearing from you
i'll get back to you {deadline}
i'll let you know about the {work_topic} {deadline}
as discussed, here is the {document}
just following up on the {work_topic}
just a reminder that the {document} is due {fut}
just checking if you got the {document}
we need to talk about the {work_topic}
we need a decision on the {work_topic} {deadline}
we should discuss the {work_topic} with the {worker}
what's the status of the {work_topic}?
any news about the {work_topic}?
any update on the {document}?
who is responsible for the {work_topic}?
sales are up {amount} percent this {period}
sales were down {amount} percent last {period}
we lost the {work_topic} file, do you have a copy?
the deadline for the {document} is {fut}
the deadline was extended to {weekday}
great job on the {document}!
keep up the good work
dear {name}, thank you for your email
best regards, {name}
"""
RULES["mood_adj"] = """happy | stressed | angry | nice | grumpy | strict | friendly | rude | impatient | generous |
        demanding | calm"""
RULES["worker_role"] = "boss | assistant | coworker | supervisor | colleague | manager | intern | secretary | partner"
RULES["period"] = "month | year | quarter | week"
