//! Several processes that share tables.

use std::env;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use sscg_index::{Snapshot, Store};
use sscg_lance::{ChunkFilter, LanceOptions, LanceStore};

use crate::project::{directory, index, state_in, tree, write_state};
use crate::s3::Server;

/// Set for a process that writes or reads.
const ROLE: &str = "SSCG_TEST_ROLE";
const ADDRESS: &str = "SSCG_TEST_ADDRESS";
const ENDPOINT: &str = "SSCG_TEST_STORAGE";

/// Last state that a writer publishes.
const LAST: usize = 8;

/// Entry point of the processes that other tests start; not a test by itself.
#[test]
#[ignore = "started by other tests as processes of their own"]
fn process() {
    let role = env::var(ROLE).expect("the process was given a role");
    let (what, project) = role.split_once(' ').expect("a role and a project");
    let store = Arc::new(open(&env::var(ADDRESS).expect("and an address"), project));
    match what {
        "write" => {
            let root = tree(&[]);
            for number in 1..=LAST {
                write_state(root.path(), number);
                let snapshot = index(root.path(), &store, "main");
                store.publish("main", &snapshot).expect("it can be published");
            }
        }
        _ => while seen(&store) < LAST {},
    }
}

fn open(address: &str, project: &str) -> LanceStore {
    let storage = env::var(ENDPOINT).unwrap_or_default();
    let storage = storage.split(' ').filter_map(|option| option.split_once('='));
    let storage = storage.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    LanceStore::open(address, project, LanceOptions::default().with_storage(storage)).expect("it opens")
}

/// Returns the state that a reader sees, and checks that it is consistent; 0 if nothing was published yet.
fn seen(store: &Arc<LanceStore>) -> usize {
    let Some(snapshot) = Arc::clone(&store).detached("main").expect("readable") else { return 0 };
    let state = one_state(&snapshot);
    let hits = store.matching("main", "state", &ChunkFilter::default(), 100).expect("it can be searched");
    let mut states: Vec<usize> = hits.iter().map(|hit| state_in(&hit.chunk.full_source)).collect();
    assert_eq!(states.len(), 4, "each file has one such chunk");
    states.dedup();
    assert!(matches!(*states, [later] if later >= state), "{states:?} after {state}");
    state
}

fn one_state(snapshot: &Snapshot) -> usize {
    let files = snapshot.project.files();
    let mut states: Vec<usize> =
        files.ids().map(|file| state_in(&snapshot.source(file).expect("stored"))).collect();
    assert_eq!(states.len(), 4);
    states.dedup();
    assert_eq!(states.len(), 1, "half an update: {states:?}");
    states[0]
}

fn start(role: &str, address: &str, storage: &[(String, String)]) -> Child {
    let storage: Vec<String> = storage.iter().map(|(name, value)| format!("{name}={value}")).collect();
    Command::new(env::current_exe().expect("this is a program"))
        .args(["processes::process", "--exact", "--ignored", "--quiet"])
        .env(ROLE, role)
        .env(ADDRESS, address)
        .env(ENDPOINT, storage.join(" "))
        .stdout(Stdio::null())
        .spawn()
        .expect("it starts once more")
}

/// Runs two writers, one per project, and three readers of these projects.
fn write_and_read(address: &str, storage: &[(String, String)]) {
    let roles = ["write shop", "write mail", "read shop", "read mail", "read shop"];
    let processes: Vec<(&str, Child)> =
        roles.into_iter().map(|role| (role, start(role, address, storage))).collect();
    for (role, mut process) in processes {
        assert!(process.wait().expect("it ran").success(), "{role} failed");
    }
}

#[test]
fn two_writers_and_three_readers_share_a_directory() {
    let directory = directory();
    write_and_read(&format!("lance:{}", directory.path().display()), &[]);
}

#[test]
fn two_writers_and_three_readers_share_a_bucket() {
    let Some(server) = Server::start() else { return };
    write_and_read("s3://bucket/shared", &server.options().storage);
}

#[test]
fn a_writer_that_is_killed_leaves_what_was_published_before() {
    let directory = directory();
    let address = format!("lance:{}", directory.path().display());
    for pause in [60, 120, 200, 300, 450, 650, 900] {
        let mut writer = start("write shop", &address, &[]);
        std::thread::sleep(Duration::from_millis(pause));
        writer.kill().expect("it is this test's own");
        writer.wait().expect("it ran");
        let store = Arc::new(open(&address, "shop"));
        if let Some(snapshot) = Arc::clone(&store).detached("main").expect("readable") {
            one_state(&snapshot);
        }
    }
    assert!(start("write shop", &address, &[]).wait().expect("it ran").success());
    assert_eq!(seen(&Arc::new(open(&address, "shop"))), LAST);
}
