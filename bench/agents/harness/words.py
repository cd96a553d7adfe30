"""Search words from the text of a task, by a fixed rule: code first, then words, rare ones first."""

import re

STOP = set(
    """
    about above after again against almost alone along already also although always among another answer answers any
    anybody anything anyone are aren around asked asks away back because become becomes been before begin being below
    beside besides between both bring business but came can cannot case cases come comes concerns could decide decides
    deal deals depending depends did difference different does doesn doing done down during each either else end
    ended ends ever every everybody everything example expect far few first fits fitting following for from front
    further gave get gets give given gives goes going gone good got had happen happens hard has have having hence
    here hers him his hold how however huge into its itself just keep keeps kept kind kinds knew know known last later
    lead leads least leave leaves left less let like little longer look looked looking looks lost made make makes
    making many matter may mean means meant might mine more moment most move much must myself name named names near
    need needed needs neither never new next nobody none nor not nothing notice noticed now nowhere off often old
    once one ones only onto other others our out over own part parts people perhaps piece place places plain please
    put puts quite rather really reason receive regain said same says second see seem seems seen serves several shall
    should show since small some somebody someone something sometimes somewhere still stop stops such sure take taken
    takes tell tells than that the their them themselves then there these they thing things think this those though
    three through thus time times together told too took toward try trying turn two under until upon use used useful
    uses using usual very want wanted wants was way ways were what whatever when where whereas whether which while
    who whole whom whose why will with within without wrong year yes yet you your yours keeps ends well behaved
    dont afterwards the and not but are was has had its for any all can did got get let may nor off out own put say see
    she too two use via who why yet you come comes into than them user users
    """.split()
)
# Endings of English words, longest first.
SUFFIXES = ("ations", "ation", "ings", "ing", "edly", "ies", "ied", "ers", "er", "ed", "es", "ly", "s")
# What code often says for a word: abbreviations and near synonyms, for any project.
CODE_FOR = {
    "acknowledg": ["ack"], "address": ["addr"], "argument": ["arg"], "authentic": ["auth"], "buffer": ["buf"], "button": ["btn"],
    "calculat": ["comput"], "cancel": ["abort"], "character": ["char"], "clock": ["time"], "command": ["cmd"],
    "configur": ["config"], "connect": ["conn"], "context": ["ctx"], "database": ["db"], "delet": ["remove"],
    "destination": ["dest"], "directory": ["dir"], "disappear": ["remove"], "environment": ["env"],
    "error": ["err"], "exception": ["exc"], "execut": ["run"], "expression": ["expr"], "function": ["func"],
    "identif": ["id"], "initial": ["init"], "interval": ["period"], "length": ["len"],
    "limit": ["max"], "link": ["url"], "maximum": ["max"], "message": ["msg"], "minimum": ["min"],
    "number": ["num"], "option": ["opt"], "parameter": ["param"], "password": ["passw"], "position": ["pos"],
    "previous": ["prev"], "process": ["proc"], "property": ["prop"], "reference": ["ref"], "refus": ["reject"],
    "register": ["add"], "request": ["req"], "respon": ["resp"], "schedul": ["sched"], "separat": ["sep"],
    "size": ["len"], "source": ["src"], "statement": ["stmt"], "string": ["str"], "temporary": ["tmp", "temp"],
    "thread": ["worker"], "user": ["client"], "value": ["val"], "wait": ["pending"],
}


def stem(word):
    """Returns the part of a word that its other forms share."""
    for suffix in SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 4 and not word.endswith("ss"):
            return word[: -len(suffix)]
    return word


def code_for(stems):
    """Returns what code may say for some stems."""
    found = [short for word in stems for key, shorts in CODE_FOR.items() if word.startswith(key) for short in shorts]
    return [short for short in dict.fromkeys(found) if short not in stems]


DOMAINS = {"com", "example", "net", "org"}
QUOTED = re.compile(r"`([^`]+)`|'([^'\n]{3,60})'|\"([^\"\n]{3,60})\"")
CODE = re.compile(r"[A-Za-z]\w*_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Z]{2,}\w*")


def code_words(text):
    """Returns what the text quotes or spells like code: the last name of a path, whole phrases otherwise."""
    found = []
    for match in QUOTED.finditer(text):
        quoted = next(group for group in match.groups() if group)
        quoted = quoted.strip().removesuffix("()")
        if re.fullmatch(r"[\w.:$]+", quoted):
            names = [name for name in re.split(r"[.:$]+", quoted) if len(name) > 2 and name not in DOMAINS]
            found += reversed(names[-2:])
        elif re.search(r"\w{3}", quoted) and not re.search(r"\.(?:com|net|org)\b", quoted):
            found.append(quoted)
    plain = QUOTED.sub(" ", text)
    found += CODE.findall(plain)
    return list(dict.fromkeys(found))


def plain_words(text):
    """Returns the stems of the words that a search may use, in order."""
    words = re.findall(r"[a-z]+", QUOTED.sub(" ", text).lower())
    return list(dict.fromkeys(stem(word) for word in words if len(word) >= 3 and word not in STOP))


def parts(name):
    """Splits the name of a declaration into lower-case words."""
    return [part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]
