//! `/openapi`: the API reference.

use crate::pages::browser::Browser;
use crate::support::Service;

#[test]
fn anyone_can_read_the_api_reference() {
    let service = Service::start_with(|config| config.http.base_path = "/energy".to_owned());
    let browser = Browser::new(&service);
    let page = browser.page("/openapi");
    let first = page.find("curl -u API_ID:API_KEY http://localhost/energy/sensors");
    assert!(first.unwrap() < page.find("POST /energy/elec").unwrap());
    for text in [
        ">Money<",
        "POST /energy/elec",
        "GET /energy/sensors",
        "GET /metrics",
        "POST /api/v2/write",
        "GET /input/get/{node}",
        "p and u",
        "power,sensor=house watts=234.5",
        "The credentials, if not in a header.",
        "<code>sensor_id</code>, required",
        "mean, min, max",
        "200 to 2400",
        "bad_credentials",
        "application/x-ndjson",
        "&#34;watthours&#34;: 1010.2",
    ] {
        assert!(page.contains(text), "{text} in {page}");
    }
}
