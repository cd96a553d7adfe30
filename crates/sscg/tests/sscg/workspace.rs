//! Several projects in one process.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::Duration;

use sscg::{
    Busy, Corpus, EngineOptions, ErrorKind, GraphQuery, GraphRequest, IndexOptions, Progress,
    ProjectResponse, Reach, SearchRequest, Storage, WaitPolicy, Workspace,
};
use sscg_index::{EmbeddedStore, Store, index_directory};
use tempfile::TempDir;

/// Directory with projects of one file, each with a function of the project's name.
struct Projects(TempDir);

impl Projects {
    fn new(names: &[&str]) -> Self {
        let projects = Self(tempfile::tempdir().expect("temporary directory"));
        for name in names {
            fs::create_dir(projects.path(name)).expect("ours");
            projects.write(name, &format!("def {name}():\n    \"\"\"Work of its own.\"\"\"\n"));
        }
        projects
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().expect("it exists").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name).join("app.py"), text).expect("ours");
    }

    fn options(&self) -> EngineOptions {
        EngineOptions::stored_in(Storage::Directory(self.path("index")))
    }

    fn workspace(&self, names: &[&str], memory: usize) -> Workspace {
        let workspace = Workspace::new(memory);
        names.iter().for_each(|name| workspace.add(self.path(name), self.options()));
        workspace
    }
}

fn ask(workspace: &Workspace, projects: &[&str]) -> Vec<ProjectResponse> {
    workspace.search(projects, &SearchRequest::new("work of its own")).expect("a valid request")
}

/// Returns the declarations found, or the error, of each project.
fn found(responses: &[ProjectResponse]) -> Vec<String> {
    let name = |response: &ProjectResponse| match &response.outcome {
        Ok(response) => response.answer.results.iter().map(|result| result.name.clone()).collect(),
        Err(error) => error.to_string(),
    };
    responses.iter().map(name).collect()
}

fn open(workspace: &Workspace) -> Vec<String> {
    let name = |(path, _): (PathBuf, usize)| path.file_name().expect("a name").to_string_lossy().into_owned();
    workspace.open_projects().into_iter().map(name).collect()
}

#[test]
fn projects_are_opened_when_they_are_asked_about() {
    let projects = Projects::new(&["ada", "bob", "cyd"]);
    let workspace = projects.workspace(&["ada", "bob", "cyd", "ada"], usize::MAX);
    assert_eq!(workspace.projects(), ["ada", "bob", "cyd"].map(|name| projects.path(name)));
    assert_eq!(open(&workspace), Vec::<String>::new());
    assert_eq!(found(&ask(&workspace, &["bob"])), ["bob"]);
    assert_eq!(open(&workspace), ["bob"]);
    let path = projects.path("cyd").to_string_lossy().into_owned();
    assert_eq!(found(&ask(&workspace, &[&path, "ada"])), ["cyd", "ada"]);
    assert_eq!(found(&ask(&workspace, &[])), ["ada", "bob", "cyd"]);
}

#[test]
fn a_project_that_may_take_no_memory_is_refused_and_others_go_on() {
    let projects = Projects::new(&["ada", "bob"]);
    let workspace = projects.workspace(&["ada"], usize::MAX);
    let mut options = projects.options();
    options.index.max_memory = Some(1);
    workspace.add(projects.path("bob"), options);
    assert_eq!(found(&ask(&workspace, &["ada"])), ["ada"]);
    let refused = ask(&workspace, &["bob"]);
    assert_eq!(refused[0].outcome.as_ref().expect_err("there is none left").kind(), ErrorKind::Memory);
    // Closing it would not help.
    assert_eq!(open(&workspace), ["ada"]);
}

#[test]
fn a_state_that_needs_too_much_memory_is_answered_from_the_one_before() {
    let projects = Projects::new(&["ada"]);
    let answered = |max_memory| {
        let mut options = projects.options();
        options.index.max_memory = max_memory;
        let workspace = Workspace::new(usize::MAX);
        workspace.add(projects.path("ada"), options);
        workspace
    };
    assert_eq!(found(&ask(&answered(None), &["ada"])), ["ada"]);
    // A stored index needs no work.
    let limited = answered(Some(1));
    assert_eq!(found(&ask(&limited, &["ada"])), ["ada"]);
    fs::write(projects.path("ada").join("new.py"), "def eve():\n    \"\"\"Work of its own.\"\"\"\n")
        .expect("ours");
    let before = ask(&limited, &["ada"]);
    assert_eq!(found(&before), ["ada"]);
    let warnings = &before[0].outcome.as_ref().expect("there is an answer").answer.warnings;
    assert!(warnings[0].starts_with("the index is not up to date: indexing needs "), "{warnings:?}");
    let error = limited.refresh("ada").expect_err("it needs memory");
    assert_eq!(error.kind(), ErrorKind::Memory);
    assert!(found(&ask(&answered(None), &["ada"]))[0].contains("eve"));
}

#[test]
fn the_ones_asked_about_least_recently_are_closed_first() {
    let projects = Projects::new(&["ada", "bob", "cyd"]);
    let probe = projects.workspace(&["ada"], usize::MAX);
    ask(&probe, &[]);
    let (_, bytes) = probe.open_projects()[0];
    assert!(bytes > 0);
    let workspace = projects.workspace(&["ada", "bob", "cyd"], 2 * bytes);
    ask(&workspace, &["ada"]);
    ask(&workspace, &["bob"]);
    ask(&workspace, &["ada"]);
    ask(&workspace, &["cyd"]);
    assert_eq!(open(&workspace), ["ada", "cyd"]);
    // A closed project is opened again, from its index.
    let again = ask(&workspace, &["bob"]);
    assert_eq!(found(&again), ["bob"]);
    assert_eq!(again[0].outcome.as_ref().expect("found").refresh.parsed, 0);
    assert_eq!(open(&workspace), ["bob", "cyd"]);
    // A project that is too large for the memory limit is still open, alone.
    let small = projects.workspace(&["ada", "bob"], 1);
    assert_eq!(found(&ask(&small, &[])), ["ada", "bob"]);
    assert_eq!(open(&small), ["bob"]);
}

#[test]
fn what_is_wrong_with_one_project_stands_in_its_place() {
    let projects = Projects::new(&["ada", "bob", "cyd"]);
    let workspace = projects.workspace(&["ada", "missing", "bob", "cyd"], usize::MAX);
    fs::remove_file(projects.path("bob").join("app.py")).expect("ours");
    let responses = ask(&workspace, &[]);
    let kinds: Vec<Option<ErrorKind>> =
        responses.iter().map(|response| response.outcome.as_ref().err().map(|error| error.kind())).collect();
    assert_eq!(kinds, [None, Some(ErrorKind::Project), Some(ErrorKind::Project), None]);
    assert_eq!(responses[1].project, projects.path("missing"));
    // A project that disappears, or appears, while the workspace is open.
    fs::remove_dir_all(projects.path("cyd")).expect("ours");
    assert!(found(&ask(&workspace, &["cyd"]))[0].starts_with("cannot open "));
    fs::create_dir(projects.path("missing")).expect("ours");
    projects.write("missing", "def found():\n    \"\"\"Work of its own.\"\"\"\n");
    assert_eq!(found(&ask(&workspace, &["missing", "ada"])), ["found", "ada"]);
    assert_eq!(open(&workspace), ["ada", "missing", "bob"]);
}

#[test]
fn a_name_that_is_not_one_project_is_an_error_that_names_those_there_are() {
    let projects = Projects::new(&["ada"]);
    fs::create_dir_all(projects.path("other/ada")).expect("ours");
    let workspace = projects.workspace(&["ada", "other/ada"], usize::MAX);
    let responses = ask(&workspace, &["nobody", "ada", "other/ada"]);
    let error = |at: usize| responses[at].outcome.as_ref().expect_err("an error");
    assert_eq!((error(0).kind(), &*error(0).to_string()), (ErrorKind::Request, "no project is named nobody"));
    assert_eq!(error(1).to_string(), "more than one project is named ada");
    assert!(error(1).hint().contains("other/ada"), "{}", error(1).hint());
    assert_eq!(error(2).kind(), ErrorKind::Project, "it is empty");
    assert!(workspace.search(&["ada"], &SearchRequest::new("")).is_err(), "no project can answer that");
}

#[test]
fn questions_are_answered_side_by_side_while_projects_change() {
    let projects = Projects::new(&["ada", "bob", "cyd", "dan"]);
    let workspace = projects.workspace(&["ada", "bob", "cyd", "dan"], 1);
    thread::scope(|scope| {
        for name in ["ada", "bob", "cyd", "dan"] {
            let (workspace, projects) = (&workspace, &projects);
            scope.spawn(move || {
                for round in 0..10 {
                    let text = format!("def {name}_{round}():\n    \"\"\"Work of its own.\"\"\"\n");
                    projects.write(name, &text);
                    assert_eq!(found(&ask(workspace, &[name])), [format!("{name}_{round}")]);
                }
            });
            scope.spawn(move || {
                for _ in 0..10 {
                    let all = ask(workspace, &[]);
                    assert!(all.iter().all(|response| response.outcome.is_ok()), "{:?}", found(&all));
                }
            });
        }
    });
}

#[test]
fn while_another_process_indexes_the_old_snapshot_answers() {
    let projects = Projects::new(&["ada"]);
    let storage = Storage::Directory(projects.path("index"));
    let index = IndexOptions::default().with_storage(storage).with_busy(Busy::UseReady);
    let workspace = Workspace::new(usize::MAX);
    workspace.add(projects.path("ada"), EngineOptions::default().with_index(index));
    assert_eq!(found(&ask(&workspace, &[])), ["ada"]);
    let root = projects.path("ada");
    let place = index_directory(&root, Some(Path::new(&projects.path("index")))).expect("a base is given");
    let lock = EmbeddedStore::new(place).lock(&root.to_string_lossy()).expect("ours").expect("free");
    for number in 0..100 {
        fs::write(root.join(format!("more_{number}.py")), format!("def more_{number}(): pass\n"))
            .expect("ours");
    }
    let responses = ask(&workspace, &[]);
    assert_eq!(found(&responses), ["ada"]);
    assert_eq!(responses[0].outcome.as_ref().expect("found").refresh.pending, 100);
    drop(lock);
    let (snapshot, report) = workspace.refresh(&root).expect("it opens");
    assert_eq!((snapshot.project.files().len(), report.pending), (101, 0));
}

#[test]
fn documents_are_searched_in_every_project_and_count_as_memory() {
    let projects = Projects::new(&["one", "two"]);
    fs::write(projects.path("two").join("guide.md"), "# Guide\n\nWork of its own.\n").expect("ours");
    let workspace = projects.workspace(&["one", "two"], usize::MAX);
    ask(&workspace, &[]);
    let code = workspace.open_projects();
    let request = SearchRequest::new("work of its own").with_corpus(Corpus::Documents);
    let answers = workspace.search(&[] as &[&str], &request).expect("a valid request");
    assert_eq!(answers[0].outcome.as_ref().expect_err("it has none").kind(), ErrorKind::Project);
    let found = &answers[1].outcome.as_ref().expect("it has one").answer.results;
    assert_eq!((found.len(), &*found[0].file), (1, "guide.md"));
    let open = workspace.open_projects();
    assert_eq!(open[0].1, code[0].1);
    assert!(open[1].1 > code[1].1);
}

/// Locks the index of a project, as another process would, with more files than are parsed without a lock.
fn locked(projects: &Projects, name: &str) -> Box<dyn sscg_index::IndexLock> {
    let root = projects.path(name);
    for number in 0..100 {
        let text = format!("def more_{number}():\n    \"\"\"Work of its own.\"\"\"\n");
        fs::write(root.join(format!("more_{number}.py")), text).expect("ours");
    }
    let place = index_directory(&root, Some(Path::new(&projects.path("index")))).expect("a base is given");
    EmbeddedStore::new(place).lock(&root.to_string_lossy()).expect("ours").expect("free")
}

#[test]
fn who_cannot_wait_is_answered_from_the_state_before_and_told_so() {
    let projects = Projects::new(&["ada"]);
    let workspace = projects.workspace(&["ada"], usize::MAX);
    assert_eq!(found(&ask(&workspace, &[])), ["ada"]);
    let lock = locked(&projects, "ada");
    lock.report(8, 100);
    let told = Mutex::new(Vec::new());
    let observer = |progress| {
        told.lock().expect("no panic").push(progress);
        ControlFlow::Continue(())
    };
    let policy = WaitPolicy::default().with_limit(Duration::from_secs(1)).with_observer(&observer);
    let request = SearchRequest::new("symbol = ada");
    let responses = workspace.search_within(&["ada"], &request, &policy).expect("a valid request");
    let response = responses[0].outcome.as_ref().expect("the state before");
    assert_eq!(found(&responses), ["ada"]);
    let warning = "the index is being brought up to date, 8 of 100 done; this answer is of the state before";
    assert_eq!(response.answer.warnings, [warning]);
    assert!(response.text.contains(warning) && response.answer.token_count <= 8_000, "{}", response.text);
    let waiting = Progress::Waiting { done: 8, total: 100 };
    assert!(told.lock().expect("no panic").contains(&waiting));
    assert_eq!(workspace.state("ada").expect("it is there").indexing, Some(waiting));
    // A caller that cancels waits no longer; the others do.
    let cancel = WaitPolicy::default().with_observer(&|_| ControlFlow::Break(()));
    let canceled = workspace.refresh_within("ada", Corpus::Code, &cancel).expect_err("it is canceled");
    assert_eq!(canceled.kind(), ErrorKind::Canceled);
    // The graph of the previous state is complete.
    let query = GraphQuery::Expand { seeds: vec!["ada".to_owned()], reach: Reach::default() };
    let near = workspace.explore_within("ada", &GraphRequest::new(query.clone()), &policy);
    let near = near.expect("the state before");
    assert_eq!(near.answer.warnings, [warning]);
    assert!(near.text.contains(&format!("\nWarning: {warning}\n")), "{}", near.text);
    // A partial index is not a state that can be requested.
    let late = workspace.refresh_within("ada", Corpus::Code, &policy).expect_err("it takes longer");
    assert_eq!(late.kind(), ErrorKind::NotReady);
    assert!(late.to_string().ends_with("is being indexed: 8 of 100 done"), "{late}");
    drop(lock);
    let (snapshot, _) = workspace.refresh("ada").expect("it waits");
    assert_eq!(snapshot.project.files().len(), 101);
    assert!(workspace.state("ada").expect("it is there").indexing.is_none());
    assert!(
        workspace.explore("ada", &GraphRequest::new(query)).expect("it waits").answer.warnings.is_empty()
    );
}

#[test]
fn half_a_graph_is_not_asked() {
    let projects = Projects::new(&["ada"]);
    assert_eq!(found(&ask(&projects.workspace(&["ada"], usize::MAX), &[])), ["ada"]);
    let lock = locked(&projects, "ada");
    // The store has one file of a hundred, which is enough to search.
    let workspace = projects.workspace(&["ada"], usize::MAX);
    let policy = WaitPolicy::default().with_limit(Duration::from_secs(5));
    let half = workspace.search_within(&["ada"], &SearchRequest::new("symbol = ada"), &policy);
    assert_eq!(found(&half.expect("a valid request")), ["ada"]);
    let query = GraphQuery::Expand { seeds: vec!["ada".to_owned()], reach: Reach::default() };
    let policy = policy.with_limit(Duration::from_millis(100));
    let error = workspace.explore_within("ada", &GraphRequest::new(query), &policy);
    assert_eq!(error.expect_err("no graph is whole").kind(), ErrorKind::NotReady);
    drop(lock);
}

#[test]
fn an_index_that_is_kept_nowhere_has_nothing_ready_until_it_is_made() {
    let projects = Projects::new(&["ada"]);
    let workspace = Workspace::new(usize::MAX);
    workspace.add(projects.path("ada"), EngineOptions::stored_in(Storage::Ephemeral));
    let request = SearchRequest::new("symbol = ada");
    let (begin, begun) = mpsc::channel();
    let (end, ended) = mpsc::channel::<()>();
    // The index is built by a thread that stops on the way.
    let ended = Mutex::new(ended);
    let observer = |_| {
        _ = begin.send(());
        // Blocks until the sender is gone.
        _ = ended.lock().expect("no panic").recv();
        ControlFlow::Continue(())
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            let slow = WaitPolicy::default().with_observer(&observer);
            workspace.refresh_within("ada", Corpus::Code, &slow).expect("it is made")
        });
        begun.recv().expect("it begins");
        assert!(workspace.state("ada").expect("it is there").snapshot.is_none());
        let policy = WaitPolicy::default().with_limit(Duration::from_millis(50));
        let hasty = workspace.search_within(&["ada"], &request, &policy).expect("a valid request");
        assert_eq!(hasty[0].outcome.as_ref().expect_err("nothing is ready").kind(), ErrorKind::NotReady);
        drop(end);
    });
    assert!(workspace.state("ada").expect("it is there").snapshot.is_some());
    assert_eq!(found(&workspace.search(&["ada"], &request).expect("a valid request")), ["ada"]);
}

#[test]
fn an_unlimited_wait_is_no_mistake() {
    let projects = Projects::new(&["ada"]);
    let workspace = projects.workspace(&["ada"], usize::MAX);
    let policy = WaitPolicy::default().with_limit(Duration::MAX);
    let request = SearchRequest::new("symbol = ada");
    assert_eq!(found(&workspace.search_within(&["ada"], &request, &policy).expect("valid")), ["ada"]);
}

#[test]
fn several_projects_answer_one_question_most_relevant_first_and_a_broken_one_stops_none() {
    let projects = Projects::new(&["ada", "bob", "cyd"]);
    projects.write(
        "bob",
        "def close_session(session):\n    \"\"\"Close an idle session.\"\"\"\n    session.close()\n",
    );
    let workspace = projects.workspace(&["ada", "bob", "cyd"], usize::MAX);
    fs::remove_dir_all(projects.path("cyd")).expect("ours");
    let ask = |format: &str| {
        let request = SearchRequest::new("where is an idle session closed").with_format(format);
        workspace.search_merged(&[] as &[&Path], &request, &WaitPolicy::default()).expect("two are there")
    };
    let merged = ask("text");
    let order: Vec<PathBuf> = merged.projects.iter().map(|it| it.project.clone()).collect();
    assert_eq!(order, ["bob", "ada", "cyd"].map(|name| projects.path(name)));
    assert!(merged.has_results() && merged.token_count <= 8_000);
    let place = |text: &str| merged.text.find(text).unwrap_or_else(|| panic!("no {text} in {}", merged.text));
    let (bob, ada) = (projects.path("bob"), projects.path("ada"));
    assert_eq!(place(&format!("Project {}\n", bob.display())), 0);
    assert!(place("def close_session(session):") < place(&format!("Project {}: ", ada.display())));
    assert!(place(&format!("Project {}: error: ", projects.path("cyd").display())) > 0);
    let evidence = ask("evidence").text;
    let first: serde_json::Value =
        serde_json::from_str(evidence.lines().next().expect("a line")).expect("JSON");
    assert_eq!(
        (&first["project"], &first["symbol_id"]),
        (&bob.to_str().into(), &"app.py::close_session".into())
    );
    for line in [ask("compact").text, ask("verbose").text].iter().flat_map(|text| text.lines()) {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert!(line["project"].is_string());
    }
}

#[test]
fn projects_share_the_budget_of_one_answer() {
    let projects = Projects::new(&["ada", "bob"]);
    for name in ["ada", "bob"] {
        let body: String = (0..300).map(|at| format!("    session.close_idle({at})\n")).collect();
        projects.write(name, &format!("def close_idle_session(session):\n{body}"));
    }
    let workspace = projects.workspace(&["ada", "bob"], usize::MAX);
    let request = SearchRequest::new("close idle session").with_budget(3_000);
    let merged = workspace.search_merged(&["ada", "bob"], &request, &WaitPolicy::default()).expect("both");
    assert!(merged.token_count <= 3_000, "{}", merged.token_count);
    assert_eq!(merged.text.matches("def close_idle_session").count(), 2, "{}", merged.text);
}
