"""Stand-in models: deterministic policies that choose the next call from the task's text and the answers so far.

A policy is a generator of calls (tool, arguments); it is sent the text of each answer. It never looks at the needed
spans: the loop stops it when all have been seen, as a perfect reader would stop.
"""

import json
import math
import re

from .words import code_for, code_words, parts, plain_words

EXTENSIONS = {
    "Python": ["*.py"],
    "Rust": ["*.rs"],
    "JavaScript": ["*.js"],
    "TypeScript": ["*.ts"],
    "Java": ["*.java"],
}
# Tests and type declarations are searched last by nobody who looks for behavior.
EXCLUDED = ["!**/test*/**", "!**/*test*", "!**/*.d.ts", "!**/bench*/**", "!**/example*/**"]
CALL = re.compile(r"\b([A-Za-z_]\w{3,})\s*\(")
COMMENT = re.compile(r"^\s*(?://|/?\*|#(?!\[))")
KEYWORDS = {"function", "return", "switch", "catch", "super", "while", "match", "Some", "assert", "print", "self"}
HITS = 60
WINDOW = 80
# Result in the list of an answer of SSCG, with the lines of its code that are shown.
SHOWN = re.compile(r"^\[\d+\] (\S+)(?: \((\d+)-(\d+)\))? — (\S+):(\d+)-(\d+)$")
# Budgets of the calls of `search_code` for one question: each answer goes on after the one before.
SSCG_BUDGETS = (800, 1600, 3000)
# Longest declaration whose rest is opened, in lines: the rest of a class of a thousand lines answers nothing.
LONGEST_REST = 150


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


class Reader:
    """What a policy knows: the weights of the task's words, hits, and the lines that it has read."""

    def __init__(self, task):
        self.task = task
        self.guesses = list(task.guesses)
        self.code = list(dict.fromkeys(code_words(task.text) + self.guesses))
        plain = [word for word in plain_words(task.text) if word not in self.code]
        self.related = code_for(plain)
        self.words = self.code + plain + self.related
        self.counts = {}
        self.hits = {}
        self.read = {}
        self.opened = set()
        self.called = {}
        globs = EXTENSIONS[task.project.language] + EXCLUDED
        self.globs = " ".join(f"-g {quoted(glob)}" for glob in globs)

    def weight(self, word):
        """Returns the weight of a word: rare ones count more, and code counts double."""
        rarity = 1 / math.log2(2 + self.counts.get(word, 20))
        return rarity * (2 if word in self.code else 0.5 if word in self.related else 1)

    def affinity(self, name):
        """Returns how much the words of a name belong to the task."""
        own = set(parts(name))
        return sum(self.weight(word) for word in self.words if any(_same(word.lower(), part) for part in own))

    # Reading

    def unread(self, path, first, last):
        """Returns the first run of lines in a range that has not been read, at most a window."""
        known = self.read.get(path, set())
        lines = [line for line in range(max(1, first), last + 1) if line not in known]
        if len(lines) < 5:
            return None
        start = lines[0]
        end = next((line - 1 for line in range(start, last + 1) if line in known), last)
        return start, min(end, start + WINDOW - 1)

    def read_lines(self, path, first, last):
        """Reads lines with sed, and notes the names that they call."""
        answer = yield "shell", {"command": f"sed -n '{first},{last}p' {quoted(path)}"}
        self.read.setdefault(path, set()).update(range(first, last + 1))
        self.note_calls(answer)
        return answer

    def note_calls(self, text):
        for name in CALL.findall(text):
            if name not in KEYWORDS and name not in self.called:
                self.called[name] = self.affinity(name)

    def next_names(self, limit):
        """Returns called names that fit the task best and have not been opened."""
        names = [name for name, value in self.called.items() if value > 0 and name not in self.opened]
        names.sort(key=lambda name: -self.called[name])
        return names[:limit]

    def note_numbered(self, answer):
        """Notes numbered lines of an answer that names their file before them as read."""
        path = None
        for line in answer.split("\n"):
            number = re.match(r"^\s*(\d+)(?:\t|[:|] ?)", line)
            if number and path:
                self.read.setdefault(path, set()).add(int(number[1]))
                continue
            named = re.search(r"[\w./@-]+\.(?:py|rs|[cm]?[jt]s|java)\b", line)
            if named:
                path = named[0]
        self.note_calls(answer)

    # Grep

    def count(self):
        """Counts the hits of each word with one command."""
        listed = " ".join(quoted(word) for word in self.words[:24])
        command = (
            f"for w in {listed}; do "
            f'echo "$w: $(rg -i -F -c --no-filename {self.globs} -e "$w" | awk "{{s+=\\$1}} END {{print s+0}}")"; done'
        )
        answer = yield "shell", {"command": command}
        for line in answer.split("\n"):
            word, _, number = line.rpartition(":")
            if word:
                self.counts[word] = int(number) if number.strip().isdigit() else 0

    def search(self, words, files=()):
        """Searches words and notes the hits by file."""
        patterns = " ".join(f"-e {quoted(word)}" for word in words)
        where = " ".join(map(quoted, files))
        command = f"rg --sort path -n -i -F {self.globs} {patterns} {where or '.'} --with-filename | cut -c1-160 | head -{HITS}"
        answer = yield "shell", {"command": command}
        for line in answer.split("\n"):
            found = re.match(r"^(?:\./)?([^:]+):(\d+):(.*)$", line)
            if found:
                self.hits.setdefault(found[1], {})[int(found[2])] = found[3]

    def value(self, lines):
        """Returns how much the words in some lines are worth, each once; those only in comments count little."""
        lines = [line.lower() for line in lines]
        code = "\n".join(line for line in lines if not COMMENT.match(line))
        text = "\n".join(lines)
        value = 0
        for word in self.words:
            word_value = self.weight(word)
            if word.lower() in code:
                value += word_value
            elif word.lower() in text:
                value += 0.3 * word_value
        return value

    def windows(self):
        """Returns unread windows around hits, best first: distinct rare words count, and so does their file."""
        found = []
        for path, hits in self.hits.items():
            bonus = 0.3 * self.value(hits.values()) + 0.5 * self.affinity(path)
            group = []
            for line in sorted(hits) + [None]:
                if group and (line is None or line - group[-1] > 20 or line - group[0] > 50):
                    place = self.unread(path, group[0] - 10, group[-1] + 50)
                    if place:
                        found.append((self.value(hits[line] for line in group) + bonus, path, *place))
                    group = []
                group.append(line)
        return sorted(found, key=lambda window: (-window[0], window[1:]))

    def definition(self, name):
        """Looks for the declaration of a name and reads it."""
        self.opened.add(name)
        pattern = rf"(def|fn|function|class|struct|const) {name}\b|^\s+(\w+ )*{name} ?(=|\(.*\{{)"
        command = f"rg --sort path -n {self.globs} {quoted(pattern)} . | cut -c1-160 | head -10"
        answer = yield "shell", {"command": command}
        for line in answer.split("\n"):
            found = re.match(r"^(?:\./)?([^:]+):(\d+):", line)
            place = found and self.unread(found[1], int(found[2]) - 2, int(found[2]) + 45)
            if place:
                yield from self.read_lines(found[1], *place)
                return

    def grep(self):
        """Searches rare words first, reads the best windows and what they call, then more words and whole files."""
        if not self.counts:
            yield from self.count()
        words = [word for word in self.words if self.counts.get(word)]
        words.sort(key=lambda word: (word not in self.code, self.counts[word]))
        if words and words[0] not in self.code:
            yield from self.best_files(words)
        while words:
            batch, total = [], 0
            while words and (not batch or total + self.counts[words[0]] <= HITS) and len(batch) < 6:
                total += self.counts[words[0]]
                batch.append(words.pop(0))
            if total > 3 * HITS and self.hits:
                # Frequent words only help within files that are known to matter.
                files = sorted(self.hits, key=lambda path: -self.value(self.hits[path].values()))[:4]
                yield from self.search(batch, files)
            else:
                yield from self.search(batch)
            yield from self.read_best(4)
        yield from self.read_best(8)
        files = sorted(self.hits, key=lambda path: -self.value(self.hits[path].values()))[:5]
        for path in files[:3]:
            yield from self.outline(path)
        yield from self.read_best(20)
        for path in files:
            answer = yield "shell", {"command": f"wc -l {quoted(path)}"}
            count = re.match(r"\s*(\d+)", answer)
            place = count and self.unread(path, 1, int(count[1]))
            while place:
                yield from self.read_lines(path, *place)
                place = self.unread(path, 1, int(count[1]))

    def outline(self, path):
        """Lists the declarations of a file, and reads those whose names fit the task."""
        pattern = r"^\s*(export |public |private |protected |static |async |pub(\(\w+\))? )*(def|class|fn|function|[\w<>\[\], ]+ \w+\(.*\{$|\w+ ?\(.*\{$)"
        command = f"rg -n {quoted(pattern)} {quoted(path)} | cut -c1-110 | head -100"
        answer = yield "shell", {"command": command}
        found = []
        for line in answer.split("\n"):
            number, _, text = line.partition(":")
            if number.isdigit() and self.affinity(text) > 0:
                found.append((self.affinity(text), int(number)))
        for _, number in sorted(found, reverse=True)[:6]:
            place = self.unread(path, number - 2, number + 40)
            if place:
                yield from self.read_lines(path, *place)

    def best_files(self, words):
        """Ranks files by how many of the rarer words they have, and searches these words in the best of them."""
        rare = [word for word in words if self.counts[word] <= 4 * HITS][:10]
        if len(rare) < 2:
            return
        listed = " ".join(map(quoted, rare))
        command = (
            f"for w in {listed}; do rg -l -i -F {self.globs} -e \"$w\"; done "
            "| sort | uniq -c | sort -rn | head -15"
        )
        answer = yield "shell", {"command": command}
        ranked = re.findall(r"^\s*(\d+) (?:\./)?(\S+)$", answer, re.M)
        files = sorted(ranked, key=lambda entry: -int(entry[0]) - self.affinity(entry[1]))
        yield from self.search(rare, [path for _, path in files[:3]])
        yield from self.read_best(5)

    def read_best(self, limit):
        """Reads the best windows; after every second one, the best function that was called."""
        for turn in range(limit):
            windows = self.windows()
            if not windows:
                return
            yield from self.read_lines(*windows[0][1:])
            names = [name for name in self.next_names(1) if self.called[name] >= 0.25]
            if turn % 2 and names:
                yield from self.definition(names[0])


def _same(word, part):
    """Returns whether a stem from the task and a part of a name are forms of one word."""
    return len(part) >= 3 and (part.startswith(word) or (len(part) >= 4 and word.startswith(part)))


# Search tools: what is asked first, and how an answer is followed.


def ask_sscg(reader):
    """Asks with growing budgets, each for what the answer before lacks; opens rests of results and what the answer names;
    then what the code calls."""
    question = {"query": reader.task.text}
    terms = reader.guesses + reader.related
    if terms:
        question["terms"] = terms
    for before, budget in zip((None, *SSCG_BUDGETS), SSCG_BUDGETS):
        after = {"after": before} if before else {}
        answer = yield "search_code", {**question, "budget": budget, **after}
        _note_results(reader, answer)
        yield from _open_sscg(reader, answer)
    sentences = [part for part in re.split(r"(?<=[.?:])\s+", reader.task.text) if len(part.split()) >= 6]
    if len(sentences) > 1 and not reader.guesses:
        # The answer's own advice: more narrowly.
        for sentence in sentences[:3]:
            answer = yield "search_code", {"query": sentence, "budget": 1500}
            _note_results(reader, answer)
    for _ in range(3):
        names = reader.next_names(4)
        if not names:
            return
        reader.opened.update(names)
        answer = yield "look_up", {"mode": "show", "names": names, "budget": 2000}
        reader.note_numbered(answer)


def _note_results(reader, answer):
    """Notes the lines of results as read; short answers have no numbers before lines, but their list of results has them."""
    for line in answer.split("\n"):
        shown = SHOWN.match(line)
        if shown:
            reader.read.setdefault(shown[4], set()).update(range(int(shown[5]), int(shown[6]) + 1))
    reader.note_numbered(answer)


def _left_out(answer):
    """Returns what an answer of SSCG names with its lines but does not show, with its name: rests of results, matches."""
    rests, matches, path = [], [], None
    for line in answer.split("\n# ")[0].split("\n"):
        shown = SHOWN.match(line)
        if shown and shown[2]:
            first, last, shown_first, shown_last = (int(shown[number]) for number in (2, 3, 5, 6))
            if last - first < LONGEST_REST:
                rests += [(shown[1], shown[4], first, shown_first - 1), (shown[1], shown[4], shown_last + 1, last)]
        for entry in re.finditer(r"([\w.$<>:#]+) \((\S+?):(\d+)-(\d+)\)", line):
            matches.append((entry[1], entry[2], int(entry[3]), int(entry[4])))
        listed = re.match(r"^(\S+\.\w+): (.+)$", line)
        if listed and not line.startswith("["):
            path = listed[1]
            for entry in re.finditer(r"([\w.$<>:# ]+?) (\d+)-(\d+)", listed[2]):
                matches.append((entry[1].strip(), path, int(entry[2]), int(entry[3])))
    return rests, matches


def _open_sscg(reader, answer):
    """Opens four places at once: rests of the best results, then matches whose names fit the task best."""
    rests, matches = _left_out(answer)
    matches.sort(key=lambda place: -reader.affinity(place[0]))
    places = [(path, reader.unread(path, first, last)) for _, path, first, last in rests[:4] + matches]
    chosen = list(dict.fromkeys(f"{path}:{lines[0]}-{lines[1]}" for path, lines in places if lines))[:4]
    if chosen:
        answer = yield "look_up", {"mode": "show", "names": chosen, "budget": 2500}
        reader.note_numbered(answer)


def ask_codegraph(reader):
    """Asks once in full words, then once for the names that fit best."""
    answer = yield "codegraph_explore", {"query": " ".join([reader.task.text, *reader.guesses])}
    reader.note_numbered(answer)
    places = re.findall(r"(\w+) \(([\w./-]+\.\w+):(\d+)\)", answer)
    names = sorted({name for name, _, _ in places}, key=lambda name: (-reader.affinity(name), name))
    names = [name for name in names if reader.affinity(name) > 0][:4] or reader.next_names(4)
    if names:
        reader.opened.update(names)
        answer = yield "codegraph_explore", {"query": " ".join(names)}
        reader.note_numbered(answer)


def ask_jcodemunch(reader):
    """Asks for a ranked list of declarations, as the server's instructions say, then for the code of the best."""
    answer = yield "resolve_repo", {"path": "."}
    repository = re.search(r'"repo":"([^"]+)"', answer)
    if not repository:
        return
    repo = repository[1]
    query = " ".join([reader.task.text, *reader.guesses])
    arguments = {"repo": repo, "query": query, "token_budget": 3000}
    answer = yield "order", {"action": "get_ranked_context", "args": arguments}
    files = dict(re.findall(r"^(@\d+)=(.+)$", answer, re.M))
    ids = []
    for found in re.finditer(r"^i,\"?(@\d+)?([^,\"]*#\w+)", answer, re.M):
        ids.append(files.get(found[1], "") + found[2])
    for batch in (ids[:5], ids[5:10]):
        if batch:
            action = {"action": "get_symbol_source", "args": {"repo": repo, "symbol_ids": batch}}
            answer = yield "order", action
            _note_symbols(reader, answer)


def _note_symbols(reader, answer):
    """Notes the declarations in an answer of jcodemunch as read."""
    try:
        content = json.loads(answer)
    except ValueError:
        reader.note_calls(answer)
        return
    for symbol in content.get("symbols", [content]):
        if symbol.get("source"):
            lines = range(symbol["line"], symbol.get("end_line", symbol["line"]) + 1)
            reader.read.setdefault(symbol["file"], set()).update(lines)
            reader.note_calls(symbol["source"])


def ask_semble(reader):
    answer = yield "semble_search", {"query": " ".join([reader.task.text, *reader.guesses])}
    reader.note_numbered(answer)


ASK = {
    "sscg": ask_sscg,
    "codegraph": ask_codegraph,
    "jcodemunch": ask_jcodemunch,
    "semble": ask_semble,
}


def grep_first(task, tool):
    """Looks with grep and reads windows, whatever other tools there are."""
    yield from Reader(task).grep()


def search_first(task, tool):
    """Asks the search tool with the task's text, follows its answer, then falls back to grep."""
    reader = Reader(task)
    if tool:
        yield from ASK[tool](reader)
    yield from reader.grep()


def mixed(task, tool):
    """Looks up names that the task quotes, where the tool can; else greps once and reads the best window; then asks."""
    reader = Reader(task)
    names = [word for word in reader.code if re.fullmatch(r"\w+", word)][:4]
    if names and tool == "sscg":
        reader.opened.update(names)
        answer = yield "look_up", {"mode": "show", "names": names, "budget": 2000}
        reader.note_numbered(answer)
    else:
        words = reader.code[:3] or sorted(reader.words, key=lambda word: (-len(word), word))[:3]
        if words:
            yield from reader.search(words)
            yield from reader.read_best(1)
    if tool:
        yield from ASK[tool](reader)
    yield from reader.grep()


POLICIES = {"grep-first": grep_first, "search-first": search_first, "mixed": mixed}
