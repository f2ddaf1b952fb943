//! One process per store.

use crate::service::Place;

#[test]
fn a_second_service_fails_and_says_which_process_has_the_store() {
    let place = Place::new();
    let first = place.serve();
    let ended = place.start(place.serve_command()).err().unwrap();
    assert_eq!(ended.status, Some(1));
    ended.assert_clear();
    let pid = format!("(pid {})", first.child.id());
    assert!(ended.said.contains(&pid), "{ended:?}");
    assert_eq!(first.upload("one", &[(0, 1.0)]), Some(200));
    // The lock ends with its process, and the content of the file does not matter.
    first.kill();
    let next = place.serve();
    assert_eq!(next.download("one").unwrap().len(), 1);
}
