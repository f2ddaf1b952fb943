//! Tenants: their page, their payments, and the rest of the house.

use serde_json::{Value, json};
use wattkeeper::{AccountName, Membership, Plan, Role, Scope, Sensor, SensorId};

use crate::http::house_energy::{add, contract};
use crate::pages::browser::{Browser, location, plain};
use crate::pages::people::{add_person, browser_of};
use crate::support::{Response, Service, at, basic, house_basic, key_of, request};

/// Ten days of hours.
const HOURS: usize = 240;
const DAYS: &str = "from=2026-01-05&to=2026-01-14";
const TIMES: &str = "start_time=2026-01-05&end_time=2026-01-15";

/// A house with panels, two flats and a sauna, ten days after its first reading.
fn house() -> Service {
    let service = Service::start_with(|config| config.http.failed_sign_ins_per_minute = 0);
    service.clock.set(at("2026-01-15T00:00:00"));
    for (id, role, watthours) in [
        ("import", Role::GridImport, 400.0),
        ("export", Role::GridExport, 100.0),
        ("roof", Role::Solar, 300.0),
        ("flat-1", Role::SubMeter, 200.0),
        ("flat-2", Role::SubMeter, 100.0),
        ("sauna", Role::SubMeter, 50.0),
    ] {
        add(&service, id, role, None, &[watthours; HOURS]);
    }
    let supplier = json!({"from": "2026-01-01", "name": "Stadtwerke", "currency": "€", "components": [
        {"energy": {"price": 0.3}}, {"export": {"price": 0.08}}, {"fixed": {"name": "meter", "price": 12, "per": "month"}}]});
    contract(&service, &supplier);
    service
}

fn api(service: &Service, method: &str, path: &str, body: &Value) -> Response {
    let who = house_basic();
    let target = format!("/api/v0.2/{path}");
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    let head = [("Authorization", who.as_str())];
    service.send(&request(method, &target, &head, body.as_bytes()))
}

fn put(service: &Service, tenancy: &Value) {
    let answer = api(service, "PUT", "tenancies", tenancy);
    assert_eq!(answer.status(), 200, "{}", answer.text());
}

/// The house with tenants: of the first flat at an agreed price, of the second one a former and a
/// new one at the real cost.
fn rented() -> Service {
    let service = house();
    for tenancy in [
        json!({"name": "Ground floor", "sensor": "flat-1", "from": "2026-01-05", "person": "Anna",
            "price": 0.25, "base_fee": 31}),
        json!({"name": "Attic before", "sensor": "flat-2", "from": "2026-01-01",
            "until": "2026-01-09", "person": "Bert"}),
        json!({"name": "Attic", "sensor": "flat-2", "from": "2026-01-10", "person": "Carla"}),
    ] {
        put(&service, &tenancy);
    }
    for name in ["Anna", "Bert", "Carla"] {
        add_person(&service, name, &[("home", Membership::Tenant)]);
    }
    service
}

fn statements(service: &Service) -> Value {
    let answer = api(
        service,
        "GET",
        &format!("tenancies/statements?{TIMES}"),
        &Value::Null,
    );
    assert_eq!(answer.status(), 200, "{}", answer.text());
    answer.json()
}

#[test]
fn a_tenant_sees_one_sub_meter_and_its_statement() {
    let service = rented();
    let anna = browser_of(&service, "Anna");
    assert!(location(&anna.get("/")).ends_with("tenancy"));
    let page = anna.page(&format!("/tenancy?{DAYS}"));
    // 48 kWh of the sun and the grid at the agreed price, and ten of the 31 days of January.
    for shown in [
        "Ground floor",
        "<data value=\"8\">",
        "<data value=\"4\">",
        "<data value=\"10\">",
        "<data value=\"22\">",
        "<svg",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let csv = anna.get(&format!("/tenancy.csv?{DAYS}"));
    assert!(csv.text().contains("total,,,,,,,,22\r\n"), "{}", csv.text());
    // The pages of a tenant, and no others.
    for offered in ["href=\"/tenancy\"", "href=\"/me\""] {
        assert!(page.contains(offered), "{offered}: {page}");
    }
    for other in [
        "href=\"/energy",
        "href=\"/costs",
        "href=\"/events",
        "href=\"/settings",
    ] {
        assert!(!page.contains(other), "{other}: {page}");
    }
}

#[test]
fn a_tenant_sees_no_day_of_another_tenant() {
    let service = rented();
    // In the week of the former tenant, twelve kilowatt-hours each.
    for (who, name) in [("Bert", "Attic before"), ("Carla", "Attic")] {
        let browser = browser_of(&service, who);
        let page = browser
            .page(&format!("/tenancy?{DAYS}"))
            .replace('\u{202F}', " ");
        assert!(page.contains(name) && page.contains("12.00 kWh"), "{page}");
        assert!(page.contains("<data value=\"2.72\">"), "{page}");
        assert!(!page.contains("24.00 kWh"), "{page}");
    }
    let bert = browser_of(&service, "Bert");
    let page = bert.page("/tenancy?from=2026-01-10&to=2026-01-14");
    assert!(page.contains("has no days in this period"), "{page}");
    assert!(!page.contains("<svg viewBox=\"0 0 620"), "{page}");
    let csv = bert.get("/tenancy.csv?from=2026-01-10&to=2026-01-14");
    assert_eq!(csv.status(), 404);
    // Nor their power now.
    let now = bert.page("/tenancy");
    assert!(!now.contains("<p class=\"no-print\">Now"), "{now}");
}

#[test]
fn nothing_of_the_house_reaches_a_tenant() {
    let service = rented();
    let administrator = Browser::set_up(&service);
    // A correction with a note of the landlord, within the tenant's time.
    let correction = json!({"sensor_id": "flat-1", "kind": "calibrate", "from": "2026-01-12",
        "factor": "1.5", "note": "the landlady's own words"});
    let answer = api(&service, "POST", "corrections", &correction);
    assert_eq!(answer.status(), 200, "{}", answer.text());
    drop(administrator);
    let anna = browser_of(&service, "Anna");
    let seen = crawl(&anna);
    assert!(
        seen.iter().filter(|it| it.starts_with("/tenancy")).count() > 8,
        "{seen:?}"
    );
    // The correction itself is shown: it changes the bill of the tenant.
    let page = anna.page(&format!("/tenancy?{DAYS}"));
    assert!(page.contains("Corrections"), "{page}");
    // A session is no credential of the API.
    for path in [
        "tenancies",
        "tenancies/statements",
        "sensors",
        "energy",
        "notices",
    ] {
        let answer = anna.get(&format!("/api/v0.2/{path}"));
        let (status, text) = (answer.status(), answer.text());
        assert!((400..405).contains(&status), "{path}: {status}");
        assert!(!text.contains("sauna"), "{path}: {text}");
    }
    // A right that is taken away is gone at once.
    let name = wattkeeper::PersonName::new("Anna").unwrap();
    let set = service
        .store()
        .edit(move |edit| edit.set_memberships(&name, [].into()));
    set.unwrap();
    assert_eq!(anna.get("/tenancy?account=home").status(), 404);
    assert!(anna.page("/tenancy").contains("No tenancy names you yet"));
}

/// Follows all links of a tenant, and some that are none, and looks for things of the house and of
/// other tenants. Returns the addresses.
fn crawl(anna: &Browser<'_>) -> Vec<String> {
    let secrets = [
        "flat-2",
        "Attic",
        "sauna",
        "roof",
        "Stadtwerke",
        "Bert",
        "Carla",
        "landlady",
        "import",
        "export",
    ];
    let mut open: Vec<String> = ["/", "/tenancy", "/me", "/openapi", "/offline"]
        .map(str::to_owned)
        .into();
    open.push(format!("/tenancy?{DAYS}&sensor=sauna"));
    open.push(format!("/tenancy.csv?{DAYS}&sensor=sauna"));
    open.push("/tenancy?account=home&tenancy=Attic".to_owned());
    // Nor does an answer tell which sensors there are.
    for id in ["sauna", "unknown"] {
        let answer = anna.get(&format!("/tenancy?sensor={id}"));
        assert_eq!(answer.status(), 200, "{id}");
    }
    let mut seen = Vec::new();
    while let Some(address) = open.pop() {
        if seen.contains(&address) || seen.len() > 60 {
            continue;
        }
        let answer = anna.get(&address);
        seen.push(address.clone());
        // Its own address is no secret.
        let text = answer.text().replace("sensor=sauna", "");
        // The reference names fields of all requests.
        if !address.starts_with("/openapi") {
            for secret in secrets {
                assert!(!text.contains(secret), "{address}: {secret}: {text}");
            }
        }
        let links = text.split(" href=\"").skip(1);
        let links = links.filter_map(|rest| rest.split('"').next());
        // Links are relative to the root.
        let links = links.map(|link| plain(&format!("/{}", link.trim_start_matches(['.', '/']))));
        let is_page = |link: &String| !["/static/", "#", ":"].iter().any(|it| link.contains(it));
        open.extend(links.filter(is_page));
    }
    seen
}

#[test]
fn a_name_in_a_tenancy_alone_gives_no_right() {
    let service = rented();
    add_person(&service, "Dora", &[]);
    put(
        &service,
        &json!({"name": "Attic", "sensor": "flat-2", "from": "2026-01-10", "person": "Dora"}),
    );
    let dora = browser_of(&service, "Dora");
    let page = dora.page("/tenancy");
    assert!(page.contains("No tenancy names you yet"), "{page}");
    assert_eq!(dora.get("/tenancy?account=home").status(), 404);
    // And a right alone shows nothing.
    let carla = browser_of(&service, "Carla");
    let page = carla.page("/tenancy");
    assert!(page.contains("No tenancy names you yet"), "{page}");
    assert!(!page.contains("Attic"), "{page}");
}

#[test]
fn the_sums_of_all_tenants_agree_with_the_house() {
    let service = rented();
    let found = statements(&service);
    let each = found["statements"].as_array().unwrap();
    let of = |member: &str| each.iter().map(|it| it[member].clone()).collect::<Vec<_>>();
    assert_eq!(of("tenancy"), ["Attic", "Attic before", "Ground floor"]);
    assert_eq!(of("real_cost"), ["2.72", "2.72", "10.88"]);
    assert_eq!(of("total"), ["2.72", "2.72", "22"]);
    assert_eq!(of("energy"), [12_000.0, 12_000.0, 48_000.0]);
    let house = json!({"energy": 144_000.0, "real_cost": "30.750968", "charged": "30.750968"});
    assert_eq!(found["house"], house);
    let rest = json!({"energy": 72_000.0, "real_cost": "14.430968", "charged": "3.310968"});
    assert_eq!(found["rest"], rest);
    // The house's own statement says the same.
    let statement = api(&service, "GET", &format!("statement?{TIMES}"), &Value::Null);
    assert_eq!(statement.json()["total"], "30.750968");
    let csv = api(
        &service,
        "GET",
        &format!("tenancies/statements?{TIMES}&format=csv"),
        &Value::Null,
    );
    let text = csv.text();
    for row in [
        "tenancy,kind,contract,",
        "Ground floor,fixed,Ground floor,2026-01-05,base fee,,0.322581,month,31,10",
        "Ground floor,total,,,,,,,,22",
        ",house,,,,,144,kWh,,30.750968",
        ",rest,,,,,72,kWh,,3.310968",
    ] {
        assert!(text.contains(row), "{row}: {text}");
    }
    // The landlord's page, to print, and its file.
    let landlord = Browser::set_up(&service);
    let page = landlord.page(&format!("/costs/tenancies?account=home&{DAYS}"));
    for amount in ["10.88", "22", "2.72", "30.750968", "14.430968", "3.310968"] {
        assert!(
            page.contains(&format!("<data value=\"{amount}\">")),
            "{amount}: {page}"
        );
    }
    let print = landlord.page(&format!("/costs/tenancies/statements?account=home&{DAYS}"));
    assert_eq!(
        print.matches("class=\"card bill sheet\"").count(),
        3,
        "{print}"
    );
    assert!(print.contains("<data value=\"3.310968\">"), "{print}");
    let file = landlord.get(&format!("/costs/tenancies.csv?account=home&{DAYS}"));
    assert!(
        file.text().contains("Ground floor,total,,,,,,,,22\r\n"),
        "{}",
        file.text()
    );
}

/// A correction that began with the former tenant.
#[test]
fn a_correction_of_two_tenants_tells_neither_about_the_other() {
    let service = rented();
    let correction = json!({"sensor_id": "flat-2", "kind": "energy", "from": "2026-01-08",
        "to": "2026-01-12", "energy": 98_765.0, "note": "the landlady's own words"});
    let answer = api(&service, "POST", "corrections", &correction);
    assert_eq!(answer.status(), 200, "{}", answer.text());
    let carla = browser_of(&service, "Carla");
    let page = carla.page(&format!("/tenancy?{DAYS}"));
    let across = "A correction that is also about days outside of the tenancy.";
    assert!(page.contains(across), "{page}");
    for secret in ["98.765", "8 Jan", "landlady"] {
        assert!(!page.contains(secret), "{secret}: {page}");
    }
    // Her own days, not those of the page.
    assert!(page.contains("10 Jan 2026 – 14 Jan 2026"), "{page}");
    let csv = carla.get(&format!("/tenancy.csv?{DAYS}"));
    assert!(!csv.text().contains("2026-01-08"), "{}", csv.text());
    // Nor do the sheets that the landlord hands out.
    let landlord = Browser::set_up(&service);
    let print = landlord.page(&format!("/costs/tenancies/statements?account=home&{DAYS}"));
    assert!(
        print.contains(across) && !print.contains("landlady"),
        "{print}"
    );
}

#[test]
fn a_viewer_of_one_house_is_a_tenant_of_another() {
    let service = rented();
    service.add_account("shop", Plan::Paid);
    service.add_key("shop", "shop-id", Scope::Full);
    let shop = AccountName::new("shop").unwrap();
    let room = Sensor {
        role: Role::SubMeter,
        ..Sensor::new(SensorId::new("room").unwrap(), shop, service.clock.now())
    };
    service.store().put_sensor_durably(room).unwrap();
    let rights = [("home", Membership::Viewer), ("shop", Membership::Tenant)];
    add_person(&service, "Dora", &rights);
    let own = json!({"name": "Room", "sensor": "room", "from": "2026-01-10", "person": "Dora"});
    let who = basic("shop-id", &key_of("shop-id"));
    let head = [("Authorization", who.as_str())];
    let body = own.to_string();
    let answer = service.send(&request(
        "PUT",
        "/api/v0.2/tenancies",
        &head,
        body.as_bytes(),
    ));
    assert_eq!(answer.status(), 200, "{}", answer.text());
    // Theirs comes first, and the others are those of a house that they see.
    let dora = browser_of(&service, "Dora");
    let page = dora.page("/tenancy");
    assert!(
        page.contains("<h1><bdi>Room</bdi></h1>") && !page.contains("Attic"),
        "{page}"
    );
    let other = dora.page("/tenancy?account=home&tenancy=Attic");
    assert!(other.contains("Ground floor"), "{other}");
    assert_eq!(dora.get("/?account=shop").status(), 404);
}

#[test]
fn a_house_without_all_prices_says_so_beside_its_tenants() {
    let service = house();
    put(
        &service,
        &json!({"name": "Attic", "sensor": "flat-2", "from": "2026-01-10"}),
    );
    assert_eq!(statements(&service)["complete"], true);
    let late = json!({"from": "2026-01-10", "name": "Late", "currency": "€", "components": [
        {"energy": {"price": 0.3}}]});
    let all = Value::Array(vec![late]);
    let answer = api(&service, "POST", "contracts", &all);
    assert_eq!(answer.status(), 200, "{}", answer.text());
    assert_eq!(statements(&service)["complete"], false);
    let landlord = Browser::set_up(&service);
    let page = landlord.page(&format!("/costs/tenancies?account=home&{DAYS}"));
    assert!(
        page.contains("Some energy of the house or of a tenant"),
        "{page}"
    );
}

#[test]
fn a_landlord_lets_a_flat_by_a_form() {
    let service = house();
    let landlord = Browser::set_up(&service);
    let page = landlord.page("/costs/tenancies?account=home");
    assert!(page.contains("Nobody rents a sub-meter yet"), "{page}");
    let fields = [
        ("name", "Ground floor"),
        ("meter", "flat-1"),
        ("from", "2026-01-05"),
        ("until", "2026-01-31"),
        ("price", "0.25"),
        ("fee", "31"),
        ("person", "Anna"),
    ];
    let answer = landlord.submit_own("/costs/tenancies", &fields);
    let page = landlord.page(location(&answer));
    for shown in [
        "Tenancy saved",
        "Anna is no tenant yet",
        "0.25 a kilowatt-hour",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    // The same flat twice.
    let mut second = fields;
    second[0].1 = "Second";
    let answer = landlord.submit_own("/costs/tenancies", &second);
    assert_eq!(answer.status(), 422);
    assert!(
        answer.text().contains("Another tenancy has this sub-meter"),
        "{}",
        answer.text()
    );
    for (field, value, expected) in [
        ("name", "", "Enter a name"),
        ("from", "yesterday", "Enter a date"),
        ("until", "2026-01-04", "before the first"),
        ("price", "-1", "an amount from 0"),
        ("fee", "x", "an amount from 0"),
        ("meter", "", "Choose a sub-meter"),
    ] {
        let mut wrong = fields;
        wrong.iter_mut().find(|(name, _)| *name == field).unwrap().1 = value;
        let answer = landlord.submit(
            "/costs/tenancies?account=home&old=Ground%20floor",
            "/costs/tenancies",
            &wrong,
        );
        assert_eq!(answer.status(), 422, "{field}: {}", answer.text());
        assert!(
            answer.text().contains(expected),
            "{field}: {}",
            answer.text()
        );
    }
    let gone = [("old", "Ground floor")];
    let answer = landlord.submit(
        "/costs/tenancies?account=home&old=Ground%20floor",
        "/costs/tenancies/remove",
        &gone,
    );
    assert!(landlord.page(location(&answer)).contains("Tenancy removed"));
}

#[test]
fn a_sub_meter_inside_another_one_is_not_counted_twice() {
    let service = house();
    add(
        &service,
        "room",
        Role::SubMeter,
        Some("flat-1"),
        &[20.0; HOURS],
    );
    for (name, sensor) in [("Flat", "flat-1"), ("Room", "room")] {
        put(
            &service,
            &json!({"name": name, "sensor": sensor, "from": "2026-01-05"}),
        );
    }
    let found = statements(&service);
    assert_eq!(found["statements"].as_array().unwrap().len(), 2);
    assert_eq!(
        found["rest"],
        json!({"energy": null, "real_cost": null, "charged": null})
    );
    let landlord = Browser::set_up(&service);
    let page = landlord.page(&format!("/costs/tenancies?account=home&{DAYS}"));
    assert!(
        page.contains("room lies inside the sub-meter of another tenant"),
        "{page}"
    );
}

#[test]
fn a_tenant_who_came_before_the_meter_learns_it() {
    let service = house();
    put(
        &service,
        &json!({"name": "Flat", "sensor": "flat-1", "from": "2026-01-01", "price": 0.25}),
    );
    let times = "start_time=2026-01-01&end_time=2026-01-11";
    let found = api(
        &service,
        "GET",
        &format!("tenancies/statements?{times}"),
        &Value::Null,
    )
    .json();
    let statement = &found["statements"][0];
    assert_eq!(
        (&statement["complete"], &statement["missing"]),
        (&json!(false), &json!(0.4))
    );
    assert_eq!(
        statement["listed_gaps"][0]["from"],
        "2026-01-01T00:00:00.000Z"
    );
    assert_eq!(
        statement["listed_gaps"][0]["to"],
        "2026-01-05T00:00:00.000Z"
    );
}
