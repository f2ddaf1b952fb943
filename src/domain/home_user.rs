//! Users of Home Assistant, as its ingress names them.

use super::name::name;

name! {
    /// The id that Home Assistant gave a user: 1 to 64 bytes of UTF-8 without control characters.
    HomeUserId, 64
}

name! {
    /// The name of a user of Home Assistant, for people: 1 to 64 bytes of UTF-8 without control
    /// characters.
    HomeUserName, 64
}

/// A user of Home Assistant, as its Supervisor names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HomeUser {
    /// Their id, which nobody gets again.
    pub id: HomeUserId,
    /// Their name, which they can change.
    pub name: HomeUserName,
}

impl HomeUser {
    /// The user with this id, under the first of these names that can be one, or under the id.
    #[must_use]
    pub fn new<'a>(id: HomeUserId, names: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let fitting = |name: &str| HomeUserName::new(name.trim()).ok();
        let mut names = names.into_iter();
        let name = names.find_map(fitting).or_else(|| fitting(id.as_str()))?;
        Some(Self { id, name })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_has_the_first_name_that_fits() {
        let id = HomeUserId::new("0f3c").unwrap();
        let name = |names: &[&str]| {
            let user = HomeUser::new(id.clone(), names.iter().copied()).unwrap();
            user.name.to_string()
        };
        assert_eq!(name(&["Ännchen ", "anna"]), "Ännchen");
        assert_eq!(name(&["", "anna"]), "anna");
        assert_eq!(name(&["a\nb", &"x".repeat(65)]), "0f3c");
        assert_eq!(name(&[]), "0f3c");
        let blank = HomeUserId::new(" ").unwrap();
        assert_eq!(HomeUser::new(blank, []), None);
    }
}
