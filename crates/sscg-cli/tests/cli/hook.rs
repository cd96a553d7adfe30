//! Suggestions to agents: their number, and silence about every problem. `fixtures/hooks` has events and answers.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::machine::Machine;
use crate::sandbox::Run;

/// Runs the hook of an agent with this text on standard input.
fn hook(machine: &Machine, arguments: &[&str], variables: &[(&str, &str)], text: &[u8]) -> Run {
    let mut command = machine.command();
    command.arg("hook").args(arguments).envs(variables.iter().copied());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    let mut input = child.stdin.take().expect("it is piped");
    input.write_all(text).expect("it reads all");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Run {
        stdout: text(output.stdout),
        stderr: text(output.stderr),
        code: output.status.code().expect("it is not killed"),
    }
}

fn search(machine: &Machine, session: &str) -> Vec<u8> {
    let event = json!({
        "session_id": session, "cwd": machine.path("project"), "hook_event_name": "PreToolUse",
        "tool_name": "Grep", "tool_input": { "pattern": "close" },
    });
    event.to_string().into_bytes()
}

/// Returns whether the hook suggests anything, in a session.
fn suggests(machine: &Machine, session: &str, variables: &[(&str, &str)]) -> bool {
    let run = hook(machine, &["claude-code"], variables, &search(machine, session));
    assert_eq!((run.code, &*run.stderr), (0, ""));
    if run.stdout.is_empty() {
        return false;
    }
    let answer: Value = serde_json::from_str(&run.stdout).expect("an answer is JSON");
    let answer = answer.as_object().expect("it is an object");
    assert_eq!(answer.keys().collect::<Vec<_>>(), ["hookSpecificOutput"]);
    assert!(answer["hookSpecificOutput"].get("permissionDecision").is_none(), "it decides nothing");
    true
}

#[test]
fn a_session_has_three_suggestions_or_as_many_as_the_setting_allows() {
    let machine = Machine::new();
    let times = |session, variables: &[(&str, &str)]| {
        (0..6).filter(|_| suggests(&machine, session, variables)).count()
    };
    assert_eq!(times("a", &[]), 3);
    assert_eq!(times("a", &[]), 0);
    assert_eq!(times("b", &[]), 3, "another session");
    assert_eq!(times("c", &[("SSCG_SUGGESTIONS", "0")]), 0);
    assert_eq!(times("c", &[("SSCG_SUGGESTIONS", "1")]), 1);
    machine.write("project/sscg.toml", "[agents]\nsuggestions = 0\n");
    assert_eq!(times("d", &[]), 0);
}

#[test]
fn every_problem_ends_in_silence_and_success() {
    let machine = Machine::new();
    let event = search(&machine, "a");
    let cases: [(&[&str], &[u8]); 7] = [
        (&["claude-code"], b""),
        (&["claude-code"], b"{"),
        (&["claude-code"], b"\xff\xfe"),
        (&["claude-code"], b"[1, 2]"),
        (&["claude-code"], br#"{"tool_name": 3, "tool_input": null}"#),
        (&["claude-code"], br#"{"tool_name": "Bash", "tool_input": {"command": "rg '"}}"#),
        (&[], b"{}"),
    ];
    for (arguments, text) in cases {
        let run = hook(&machine, arguments, &[], text);
        assert_eq!(run, Run { stdout: String::new(), stderr: String::new(), code: 0 }, "{arguments:?}");
    }
    // Arguments of another version, and settings that other commands refuse.
    let run = hook(&machine, &["claude-code", "--unknown"], &[("SSCG_LOG", "no=such=filter")], &event);
    assert_eq!((run.code, &*run.stderr), (0, ""));
    machine.write("project/sscg.toml", "[agents\n");
    let run = hook(&machine, &["claude-code"], &[], &search(&machine, "b"));
    assert_eq!(run, Run { stdout: String::new(), stderr: String::new(), code: 0 });
}

#[test]
fn a_large_event_is_read_to_its_end() {
    let machine = Machine::new();
    let mut event = br#"{"tool_response": ""#.to_vec();
    event.resize(20 << 20, b'x');
    let run = hook(&machine, &["gemini"], &[], &event);
    assert_eq!((run.code, &*run.stdout, &*run.stderr), (0, "", ""));
}
