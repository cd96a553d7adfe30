//! Searches in a command line of a shell.

use super::event::Action;

/// Options of `rg`, `ag` and `grep` whose value is the next word.
const WITH_VALUE: &[&str] = &[
    "-A",
    "-B",
    "-C",
    "-m",
    "-t",
    "-T",
    "-j",
    "-d",
    "-M",
    "--type",
    "--type-not",
    "--max-count",
    "--context",
    "--after-context",
    "--before-context",
    "--max-depth",
    "--threads",
    "--color",
    "--colors",
    "--sort",
];

/// Options with a pattern of the names of files.
const FILES: &[&str] = &["-g", "--glob", "--include", "--iglob"];

/// Returns the first action of a command line, which may have several commands. A command that reads the output of another
/// searches no files, and one whose output another reads is no complete read.
pub(super) fn action(line: &str) -> Option<Action> {
    commands(line)?.iter().find_map(|pipeline| {
        let [first, rest @ ..] = pipeline.as_slice() else { return None };
        let is_assignment = |word: &&String| word.contains('=') && !word.starts_with(['-', '/', '.']);
        let start = first.iter().take_while(is_assignment).count();
        let (program, words) = first[start..].split_first()?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match (program.rsplit('/').next()?, words.as_slice()) {
            ("rg" | "ag" | "ack", words) => search(words, true),
            ("grep" | "egrep" | "fgrep", words) => search(words, false),
            ("git", ["grep", words @ ..]) => search(words, true),
            ("find" | "fd" | "fdfind", words) => find(words, program.ends_with("find")),
            ("cat" | "bat", [path]) if rest.is_empty() && !path.starts_with('-') => {
                Some(Action::Read { path: (*path).to_owned() })
            }
            _ => None,
        }
    })
}

/// Returns the search of a program like `grep`.
fn search(words: &[&str], is_recursive: bool) -> Option<Action> {
    let (mut pattern, mut files, mut paths) = (None, None, Vec::new());
    let (mut is_recursive, mut is_listing, mut is_ended) = (is_recursive, false, false);
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        match name {
            // The output of a program, not an argument.
            _ if word.starts_with(['>', '<']) || word.starts_with("2>") => {}
            "--" if !is_ended => is_ended = true,
            "-e" | "--regexp" if !is_ended => pattern = value.or_else(|| words.next()),
            _ if FILES.contains(&name) && !is_ended => files = value.or_else(|| words.next()),
            "--files" if !is_ended => is_listing = true,
            "--recursive" if !is_ended => is_recursive = true,
            _ if name.starts_with('-') && name.len() > 1 && !is_ended => {
                is_recursive |= !name.starts_with("--") && name.contains(['r', 'R']);
                if WITH_VALUE.contains(&name) && value.is_none() {
                    words.next();
                }
            }
            _ if pattern.is_none() && !is_listing => pattern = Some(word),
            _ => paths.push(word.to_owned()),
        }
    }
    let files = files.map(str::to_owned);
    match pattern {
        _ if is_listing => Some(Action::Files { pattern: files }),
        Some(pattern) if is_recursive => Some(Action::Text { pattern: pattern.to_owned(), paths, files }),
        _ => None,
    }
}

/// Returns the search of `find` or `fd`.
fn find(words: &[&str], has_expressions: bool) -> Option<Action> {
    // It does something with the files, or looks for something else than a name.
    let others = ["-exec", "-execdir", "-delete", "-newer", "-mtime", "-mmin", "-size", "-x", "-X"];
    if words.iter().any(|word| others.contains(word)) {
        return None;
    }
    let named = |word: &&str| matches!(*word, "-name" | "-iname" | "-path" | "-ipath" | "-wholename");
    let pattern = if has_expressions {
        words.iter().position(named).and_then(|at| words.get(at + 1))
    } else {
        words.iter().find(|word| !word.starts_with('-'))
    };
    Some(Action::Files { pattern: pattern.map(|pattern| (*pattern).to_owned()) })
}

/// Splits a command line into pipelines, these into commands, and these into words; `None` if a quotation does not end.
fn commands(line: &str) -> Option<Vec<Vec<Vec<String>>>> {
    let mut pipelines = vec![vec![Vec::new()]];
    let mut word: Option<String> = None;
    let mut chars = line.chars().peekable();
    let end_word = |word: &mut Option<String>, pipelines: &mut Vec<Vec<Vec<String>>>| {
        let command = pipelines.last_mut().and_then(|pipeline| pipeline.last_mut());
        if let (Some(word), Some(command)) = (word.take(), command) {
            command.push(word);
        }
    };
    while let Some(char) = chars.next() {
        match char {
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        char => word.push(char),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '"' => break,
                        '\\' if chars.peek().is_some_and(|next| "\"\\$`".contains(*next)) => {
                            word.push(chars.next()?);
                        }
                        char => word.push(char),
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(chars.next()),
            // `2>&1` and `&>` redirect.
            '&' if word.as_deref().is_some_and(|word| word.ends_with('>')) || chars.peek() == Some(&'>') => {
                word.get_or_insert_default().push('&');
            }
            '|' | '&' | ';' | '\n' => {
                end_word(&mut word, &mut pipelines);
                let is_pipe = char == '|' && chars.peek() != Some(&'|');
                if chars.peek() == Some(&char) {
                    chars.next();
                }
                match pipelines.last_mut() {
                    Some(pipeline) if is_pipe => pipeline.push(Vec::new()),
                    _ => pipelines.push(vec![Vec::new()]),
                }
            }
            char if char.is_whitespace() => end_word(&mut word, &mut pipelines),
            char => word.get_or_insert_default().push(char),
        }
    }
    end_word(&mut word, &mut pipelines);
    Some(pipelines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_a_shell_does() {
        let split = |line: &str| {
            commands(line).map(|pipelines| {
                let texts = pipelines.iter().map(|pipeline| {
                    pipeline.iter().map(|words| words.join("·")).collect::<Vec<_>>().join(" | ")
                });
                texts.collect::<Vec<_>>().join(" ; ")
            })
        };
        let cases = [
            ("cd src && rg 'a b' | head -5", Some("cd·src ; rg·a b | head·-5")),
            (r#"grep -rn "say \"hi\"" . 2>&1; ls"#, Some(r#"grep·-rn·say "hi"·.·2>&1 ; ls"#)),
            (r"rg a\ b || true", Some("rg·a b ; true")),
            ("rg '' x", Some("rg··x")),
            ("rg 'a", None),
            ("", Some("")),
        ];
        for (line, expected) in cases {
            assert_eq!(split(line).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn any_line_is_read_without_a_panic() {
        for line in
            ["|", "&&&", "\\", "\"", "git", "git grep", "rg", "grep -r", "find", "X=1", "cat", "'", "rg -e"]
        {
            let _ = action(line);
        }
    }
}
