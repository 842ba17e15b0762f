"""A small grammar of everyday English: what people did, saw, like and plan.

It makes up for the packages, whose texts are mostly technical. It gives
descriptions of scenes, turns of a talk, notes, and questions about them.
"""

# First names; gather fills them in.
NAMES = []

PEOPLE = """man|woman|boy|girl|child|baby|young man|young woman|old man|old woman|
little boy|little girl|person|lady|teacher|student|chef|farmer|soldier|worker|
police officer|musician|singer|dancer|runner|cyclist|player|doctor|nurse|
tourist|fisherman|skier|surfer|climber|photographer|toddler|teenager|couple|
group of people|group of children|crowd|family|dog|cat|puppy|horse""".replace("\n", "").split("|")

# base, past, -ing, objects
DEEDS = [
    line.split("|")
    for line in """
play|played|playing|the guitar, the piano, the violin, the flute, the drums, the trumpet, soccer, basketball, tennis, chess, cards, baseball, football, volleyball, a video game, a board game, hockey, golf
cook|cooked|cooking|dinner, breakfast, pasta, rice, a stew, soup, vegetables, a steak, an omelette, a turkey, noodles, beans, fish
bake|baked|baking|a cake, bread, cookies, a pie, muffins, a pizza, cupcakes, brownies
eat|ate|eating|an apple, a sandwich, pizza, sushi, ice cream, a banana, lunch, a salad, pancakes, a burger, chocolate, corn, breakfast
cut|cut|cutting|an onion, a potato, a tomato, paper, the grass, bread, a rope, a pineapple, wood, meat, vegetables
slice|sliced|slicing|a carrot, a lemon, an onion, cheese, ham, a cucumber, garlic, a tomato, bread
peel|peeled|peeling|a potato, an orange, shrimp, an apple, a banana
drink|drank|drinking|coffee, tea, water, juice, beer, wine, milk, a smoothie
buy|bought|buying|a car, a house, a new phone, shoes, a bicycle, groceries, flowers, a laptop, a dress, a present, tickets, furniture, a camera, a ring, a guitar
sell|sold|selling|the house, an old car, paintings, handmade jewelry, vegetables, clothes online, the company, books
read|read|reading|a book, a novel, the newspaper, a magazine, a letter, a poem, a fantasy series, a mystery, a comic, a biography
write|wrote|writing|a letter, a book, a song, a screenplay, a blog post, poems, a report, a story, an essay, code
watch|watched|watching|a movie, television, a football game, the sunset, a play, birds, a documentary, fireworks, a concert, a comedy show
paint|painted|painting|a portrait, a landscape, the fence, the kitchen, a sunset, the bedroom walls, flowers, a mural
draw|drew|drawing|a picture, a map, a horse, a sketch, a cartoon, a face
build|built|building|a house, a treehouse, a shed, a robot, a sandcastle, a website, a computer, furniture, a model airplane, a snowman
fix|fixed|fixing|the car, a bike, the roof, the sink, a computer, the washing machine, a broken window, an old radio, an engine
clean|cleaned|cleaning|the kitchen, the house, the windows, the garage, the beach, the bathroom, the car
wash|washed|washing|the dishes, the car, clothes, the dog, hair
ride|rode|riding|a horse, a bike, a motorcycle, a skateboard, the train, a camel, a scooter, a bus, an elephant, a wave
drive|drove|driving|a car, a truck, a bus, a tractor, a van
fly|flew|flying|a kite, an airplane, a drone, a helicopter
climb|climbed|climbing|a mountain, a tree, a rope, a ladder, a rock wall, the stairs
visit|visited|visiting|the museum, grandparents, Paris, Japan, Italy, the zoo, a farm, New York, London, an art gallery, a national park, an old friend, the doctor, Spain, a castle, the aquarium
join|joined|joining|a gym, a choir, a book club, the army, a band, a support group, a yoga class, a running club, a dance class, a pottery class, the school team
start|started|starting|a new job, a business, a diet, a garden, a podcast, college, a charity, piano lessons, therapy, a blog, a family
finish|finished|finishing|school, a marathon, the project, a degree, a puzzle, a painting, the race, a novel
win|won|winning|a medal, a race, the lottery, a prize, the tournament, an award, the championship, a scholarship, an election
lose|lost|losing|a job, a wallet, the keys, a match, weight, a phone, a bet, an old friend
adopt|adopted|adopting|a puppy, a kitten, a child, a rescue dog, a rabbit, a vegan diet
feed|fed|feeding|the dog, the cat, the ducks, the baby, chickens, birds, the horses
walk|walked|walking|the dog, home, to school, along the beach, through the forest, across the street, down the road
run|ran|running|a marathon, a race, a charity race, a small shop, through a field, on the beach, on a treadmill, five miles
swim|swam|swimming|in the lake, in the ocean, in the pool, with dolphins, across the river
hike|hiked|hiking|in the mountains, through the woods, to a waterfall, up a hill, along the coast
dance|danced|dancing|on stage, at a wedding, in the rain, ballet, salsa, at a party
sing|sang|singing|a song, karaoke, in a choir, on stage, a lullaby
learn|learned|learning|Spanish, French, to swim, to cook, the piano, programming, to drive, photography, sign language, to knit, karate
teach|taught|teaching|a class, English, children to read, yoga, math, the dog a trick, a painting workshop
plan|planned|planning|a wedding, a trip, a party, a vacation, a road trip, a surprise, a camping trip, a fundraiser
celebrate|celebrated|celebrating|a birthday, an anniversary, a wedding, graduation, a promotion, Christmas, a new home
attend|attended|attending|a concert, a wedding, a conference, a funeral, a parade, a workshop, a meeting, a festival, church, a charity event
move|moved|moving|to a new city, to Canada, into an apartment, the sofa, back home, to the countryside
break|broke|breaking|a leg, a window, a record, an arm, the law, a plate, a promise
catch|caught|catching|a fish, a ball, a cold, a train, a thief, a frisbee
throw|threw|throwing|a ball, a party, a stone, a frisbee, a snowball
carry|carried|carrying|a bag, a baby, a surfboard, a box, an umbrella, a basket of fruit, groceries
hold|held|holding|a baby, a sign, a microphone, a snake, an umbrella, a camera, hands, a cat
wear|wore|wearing|a red shirt, a blue hat, a black jacket, sunglasses, a uniform, a white dress, a helmet, a costume, a green coat
grow|grew|growing|tomatoes, roses, vegetables, a beard, sunflowers, herbs
plant|planted|planting|trees, flowers, a garden, seeds, tomatoes
make|made|making|a cake, coffee, pottery, a video, new friends, a quilt, jewelry, a mistake, a paper airplane, a sculpture, candles, money
take|took|taking|a photo, a nap, a walk, an exam, a cooking class, the bus, medicine, a day off, a shower, a trip
give|gave|giving|a speech, a present, blood, a concert, a talk, advice, a necklace, money to charity
get|got|getting|a haircut, a tattoo, a promotion, married, divorced, a dog, sick, a raise, a new car, a degree, engaged
open|opened|opening|a shop, a restaurant, a door, a present, a bank account, a bakery, a dance studio, a bottle
raise|raised|raising|money, chickens, three children, awareness, a flag
volunteer|volunteered|volunteering|at a shelter, at a hospital, at the library, at a food bank, at school, for a charity
meet|met|meeting|an old friend, the president, a famous singer, new neighbors, the team, a friend for coffee
call|called|calling|the police, mother, a taxi, the doctor, a friend
study|studied|studying|medicine, law, biology, for an exam, history, engineering, art, psychology
practice|practiced|practicing|yoga, the guitar, meditation, karate, a speech, magic tricks
kick|kicked|kicking|a ball, a door, a bad habit
push|pushed|pushing|a cart, a stroller, a car, a button
jump|jumped|jumping|over a fence, into the pool, on a trampoline, off a rock, rope
sit|sat|sitting|on a bench, on the couch, in a chair, by the fire, under a tree, on the floor
stand|stood|standing|on a corner, near the window, in line, on a stage, in front of a building, on a ladder
sleep|slept|sleeping|on the couch, in a tent, on the floor, in a bed
lie|lay|lying|on the grass, on the bed, in the sun
look|looked|looking|at a map, out of the window, at the stars, for a job, at the camera, for an apartment
talk|talked|talking|on the phone, to a friend, about politics, to a crowd, to a therapist
shoot|shot|shooting|a gun, an arrow, a film, a basketball
pour|poured|pouring|water into a glass, milk into a bowl, oil into a pan, sauce on noodles
mix|mixed|mixing|eggs and flour, a salad, paint, ingredients in a bowl
knit|knitted|knitting|a scarf, a sweater, a hat, socks
pet|petted|petting|a dog, a cat, a horse
chase|chased|chasing|a ball, a cat, a rabbit, a butterfly
donate|donated|donating|clothes, money, blood, food, old books
order|ordered|ordering|a pizza, a book online, new furniture, a drink
repair|repaired|repairing|a fence, a bicycle, shoes, a boat, an old clock
""".strip().split("\n")
]
for deed in DEEDS:
    deed[3] = [thing.strip() for thing in deed[3].split(",")]

PLACES = """in the park|at home|at the beach|in the kitchen|in the garden|at school|
at work|downtown|in the street|in the snow|on the grass|by the river|near the lake|
in the mountains|in the living room|at the mall|in a small village|at the hospital|
in the office|in the city|outside|indoors|on a field|at a restaurant|in a cafe|
at the airport|at the station|in the backyard|at the library|on the porch""".replace("\n", "").split("|")

TIMES = """yesterday|last week|last month|last year|last night|this morning|
on Monday|on Friday|last weekend|two days ago|three weeks ago|a few years ago|
in January|in March|in May|in July|in October|in December|last summer|in 2019|
last Tuesday|over the holidays|the other day|when I was ten|on my birthday|
in the spring|the week before last|a month ago|in 2021|in August""".replace("\n", "").split("|")

COMPANY = """with my family|with my friends|with my sister|with my brother|with my mom|
with my dad|with my kids|with my wife|with my husband|with a colleague|with my dog|
with my grandmother|with the neighbors|with my cousin|by myself|with my team|
with my girlfriend|with my boyfriend|with my son|with my daughter""".replace("\n", "").split("|")

LATER = ["soon", "next week", "next month", "tomorrow", "these days", "right now"]

FEELINGS = """It was so much fun!|It felt great.|I was really tired afterwards.|
It was a disaster, honestly.|I loved every minute of it.|It was harder than I thought.|
I'm so proud of it.|It made me really happy.|I was pretty nervous at first.|
It was beautiful.|I want to do it again soon.|It helped me relax.|I learned a lot.|
It was a bit boring.|The weather was perfect.|I was so excited!|It cost a fortune.|
It means a lot to me.|It brought back memories.|It changed my life.|
It was worth the wait.|I couldn't believe it.|What a day!|It's been a great experience.""".replace("\n", "").split("|")

OPENINGS = """Hey!|Wow, that's great!|Oh no, sorry to hear that.|Thanks!|Guess what?|
Yeah,|By the way,|Sounds good!|I know, right?|That's awesome!|Good to hear from you!|
Congrats!|Actually,|Well,|Haha,|Not much.|Same here.|No way!|I totally agree.|
That sounds amazing!|You're right.|Cool!|Absolutely!|Great question!""".replace("\n", "").split("|")

CLOSINGS = """How about you?|What's new with you?|Have you ever tried it?|
What do you think?|Any plans for the weekend?|How was your day?|Do you want to come?|
What about you?|Can't wait to tell you more.|Here's a photo.|Talk soon!|
Take care!|Let me know!|Want to join next time?""".replace("\n", "").split("|")


def article(words):
    if words.split()[0] in ("group", "couple", "crowd", "family"):
        return "a " + words
    return ("an " if words[0] in "aeiou" else "a ") + words


def sentence(words):
    return words[0].upper() + words[1:]


class Event:
    def __init__(self, chance):
        self.name = chance.choice(NAMES)
        self.base, self.past, self.doing, things = chance.choice(DEEDS)
        self.thing = chance.choice(things)
        self.place = chance.choice(PLACES)
        self.time = chance.choice(TIMES)
        self.company = chance.choice(COMPANY)

    def turn(self, chance):
        """The event as its person tells it."""
        parts = [f"I {self.past} {self.thing}"]
        extras = [self.company, self.place, self.time]
        parts += [part for part in extras if chance.random() < 0.5]
        told = " ".join(parts) + chance.choice([".", ".", "!"])
        if chance.random() < 0.2:
            told = f"I'm {self.doing} {self.thing} {chance.choice(LATER)}."
        if chance.random() < 0.4:
            told = f"{chance.choice(OPENINGS)} {told}"
        if chance.random() < 0.6:
            told = f"{told} {chance.choice(FEELINGS)}"
        if chance.random() < 0.3:
            told = f"{told} {chance.choice(CLOSINGS)}"
        return f"{self.name}: {told}"

    def note(self, chance):
        time = self.time.replace(" I was", f" {self.name} was").replace(" my ", " a ")
        return chance.choice(
            [
                f"{self.name} {self.past} {self.thing} {time}.",
                f"{self.name} is {self.doing} {self.thing} {self.place}.",
                f"{self.name} wants to {self.base} {self.thing}.",
                f"{self.name} {self.past} {self.thing} {self.place}.",
                f"{self.name} likes {self.doing} {self.thing}.",
                f"{self.name} plans to {self.base} {self.thing} next month.",
            ]
        )

    def question(self, chance):
        asks = [
            f"When did {self.name} {self.base} {self.thing}?",
            f"Where did {self.name} {self.base} {self.thing}?",
            f"Who did {self.name} {self.base} {self.thing} with?",
            f"Why did {self.name} {self.base} {self.thing}?",
            f"How did {self.name} feel about {self.doing} {self.thing}?",
            f"What does {self.name} say about {self.doing} {self.thing}?",
            f"Did {self.name} {self.base} {self.thing}?",
            f"How often does {self.name} {self.base} {self.thing}?",
            f"What happened when {self.name} {self.past} {self.thing}?",
            f"Is {self.name} interested in {self.doing} {self.thing}?",
        ]
        if chance.random() >= 0.97:
            asks.append(f"Which things has {self.name} done {self.place}?")
        return chance.choice(asks)


COLOURS = "red blue black white brown yellow green orange grey pink".split()
NUMBERS = "two three four five several many".split()
THINGS = """car|bus|bicycle|truck|train|boat|airplane|dog|cat|horse|bird|cow|sheep|
duck|chair|table|sofa|bed|house|tree|flower|ball|hat|shirt|bottle|cup|plate|cake|
motorcycle|bench|umbrella|clock|laptop|kite|elephant|monkey|fish|fence|bridge|
tower|sign|kitten|goat|panda|lion|bear|squirrel|turtle|frog""".replace("\n", "").split("|")
WAYS = """running through the snow|standing in a field|sitting on a bench|parked on the street|
lying on the floor|next to a window|on a wooden table|in front of a building|
jumping over a log|swimming in the water|walking along a path|covered with snow|
under a tree|on the grass|near the ocean|in the middle of the road|on a shelf|
playing with a ball|in a kitchen|at a station|looking at the camera|eating grass|
flying over the water|chasing a ball|sleeping on a couch|on top of a hill""".replace("\n", "").split("|")

LANDS = """China India Russia Iran Syria Egypt Israel Pakistan Japan Germany France
Britain Turkey Iraq Afghanistan Ukraine Greece Spain Italy Brazil Mexico Canada Kenya
Nigeria Libya Lebanon Australia Indonesia Thailand Vietnam Poland Cuba Sudan
Washington London Moscow Beijing Cairo Delhi Texas California""".split()
OFFICES = """president|prime minister|foreign minister|government|army|police|court|
central bank|parliament|opposition|senate|mayor|company|union|health ministry""".replace("\n", "").split("|")
NEWS = """{n} killed in {a} {d}|{d} kills {n} in {a}|{n} people die in {d} in {a}|
at least {n} injured in {d} near {a}|{a} {o} says talks with {b} will go on|
{a} {o} rejects {b} peace plan|{a} and {b} sign trade deal|{a} and {b} agree to talks|
{a} warns {b} over sanctions|{a} {o} resigns|{a} {o} calls for elections|
protesters clash with police in {a}|thousands protest in {a} against the {o}|
{a} {o} wins vote|the {o} of {a} arrived in {b} on a visit|shares rise {n} percent in {a}|
shares fell {n} percent as {a} cut its forecast|oil prices rise after {a} {d}|
{a} cuts interest rates by {n} points|the company said profit rose {n} percent|
the company reported a loss of {n} million dollars|{a} tests a new missile|
{a} denies attack on {b}|{b} accuses {a} of spying|{a} {o} accused of corruption|
{o} in {a} arrests {n} suspects|former {a} {o} dies at {n}|
search for missing plane goes on in {a}|{a} beat {b} in the cup final|
{a} {o} meets {b} {o} for talks|US drone strike kills {n} in {a}|
{a} to send {n} troops to {b}|the {o} in {a} said that {n} people were missing|
the stock closed at {n} dollars, up {n} percent|{a} bans travel from {b}""".replace("\n", "").split("|")
DISASTERS = """earthquake|bombing|car bomb|plane crash|train crash|flood|fire|
explosion|storm|shooting|attack|bus crash|landslide|clashes|air strike""".replace("\n", "").split("|")


def view(chance):
    """A scene without a deed: a thing somewhere."""
    thing = chance.choice(THINGS)
    if chance.random() < 0.5:
        thing = f"{chance.choice(COLOURS)} {thing}"
    way = chance.choice(WAYS)
    form = chance.random()
    if form < 0.35:
        out = f"{article(thing)} {way}"
    elif form < 0.65:
        out = f"{article(thing)} is {way}"
    elif form < 0.85:
        out = f"{chance.choice(NUMBERS)} {thing}s {way}"
    else:
        out = f"{article(thing)} and {article(chance.choice(THINGS))} {way}"
    return sentence(out) + chance.choice([".", ".", ""])


def news(chance):
    out = chance.choice(NEWS)
    for key, values in (("{a}", LANDS), ("{b}", LANDS), ("{o}", OFFICES), ("{d}", DISASTERS)):
        while key in out:
            out = out.replace(key, chance.choice(values), 1)
    while "{n}" in out:
        out = out.replace("{n}", str(chance.choice((2, 3, 5, 8, 11, 17, 24, 30, 45, 60, 78, 95))), 1)
    return sentence(out) + chance.choice([".", ""])


def scene(chance):
    _, past, doing, things = chance.choice(DEEDS)
    who = article(chance.choice(PEOPLE))
    thing = chance.choice(things)
    place = chance.choice(PLACES) if chance.random() < 0.4 else ""
    form = chance.random()
    if form < 0.6:
        out = f"{who} is {doing} {thing} {place}"
    elif form < 0.75:
        out = f"{who} {doing} {thing} {place}"
    elif form < 0.85:
        out = f"{who} {past} {thing} {place}"
    elif form < 0.93:
        out = f"there is {who} {doing} {thing} {place}"
    else:
        out = f"{who} is not {doing} {thing} {place}"
    return sentence(out.strip()) + "."


def texts(chance, count):
    for _ in range(count):
        event = Event(chance)
        kind = chance.random()
        if kind < 0.35:
            yield scene(chance)
        elif kind < 0.5:
            yield view(chance)
        elif kind < 0.6:
            yield news(chance)
        elif kind < 0.8:
            # Names stay out: with one, the teacher ranks by it above all.
            yield event.turn(chance).split(": ", 1)[1]
        elif kind < 0.9:
            yield event.note(chance)
        else:
            yield event.question(chance)


def chat(chance, name, other):
    """A turn that tells nothing."""
    opening = chance.choice(OPENINGS).strip(",!.")
    parts = [f"{opening}, {other}!" if chance.random() < 0.5 else f"{opening}!"]
    if chance.random() < 0.5:
        parts.append(chance.choice(FEELINGS))
    if chance.random() < 0.7:
        parts.append(chance.choice(CLOSINGS))
    return f"{name}: {' '.join(parts)}"


ASKS = """What did {name} say about {part}?|When did {name} mention {part}?|
What does {name} think about {part}?|Who told {name} about {part}?|
Why did {name} talk about {part}?|How does {name} describe {part}?|
What is {name}'s view of {part}?|Where did {name} see {part}?|
What happened to {name} with {part}?|Did {name} talk about {part}?""".replace("\n", "").split("|")


def ask_about(chance, name, text):
    """A question about a few words of a text."""
    words = [word.strip(".,;:!?\"'()") for word in text.split()]
    words = [word for word in words if word]
    length = min(len(words), chance.randint(2, 5))
    start = chance.randrange(len(words) - length + 1)
    part = " ".join(words[start : start + length])
    return chance.choice(ASKS).format(name=name, part=part)


def group(chance, said=None, told=12, empty=4):
    """A talk of two: questions and the turns that answer them, then small talk.

    A name tells nothing apart here, as in a memory about few people. The turns
    say the given texts, or events where none are given.
    """
    two = [chance.choice(NAMES), chance.choice(NAMES)]
    said = [text for text in said or () if 5 <= text.count(" ") <= 30]
    for i in range(told):
        name = two[i % 2]
        if i < len(said):
            yield ask_about(chance, name, said[i]), f"{name}: {said[i]}"
            continue
        event = Event(chance)
        event.name = name
        yield event.question(chance), event.turn(chance)
    for i in range(empty):
        yield "", chat(chance, two[i % 2], two[1 - i % 2])
