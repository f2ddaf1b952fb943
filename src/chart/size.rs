//! How large pictures are.

/// Width and height, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureSize {
    width: u16,
    height: u16,
}

impl PictureSize {
    /// The allowed widths, in pixels.
    pub const WIDTHS: std::ops::RangeInclusive<u16> = 200..=2_400;
    /// The allowed heights, in pixels.
    pub const HEIGHTS: std::ops::RangeInclusive<u16> = 100..=1_600;

    /// For the chart of a page in a wide window.
    pub const WIDE: Self = Self {
        width: 1_040,
        height: 340,
    };
    /// For the chart of a page, from wide to narrow. A picture is scaled to the width that it has, and its text with it: the
    /// page's style sheet chooses the one that makes the text about as large as that around it. The last one is for large text.
    pub const OF_PAGE: [Self; 4] = [
        Self::WIDE,
        Self {
            width: 620,
            height: 300,
        },
        Self {
            width: 340,
            height: 260,
        },
        Self {
            width: 170,
            height: 210,
        },
    ];

    /// For a picture beside others, of half their height.
    pub const BESIDE: [Self; 4] = {
        let [wide, middle, narrow, large] = Self::OF_PAGE;
        [
            Self {
                height: 170,
                ..wide
            },
            Self {
                height: 160,
                ..middle
            },
            Self {
                height: 150,
                ..narrow
            },
            Self {
                height: 150,
                ..large
            },
        ]
    };

    /// For the hours of today on the dashboard: for wide, narrow and very narrow places.
    pub const OF_TODAY: [Self; 3] = [
        Self {
            width: 620,
            height: 230,
        },
        Self {
            width: 340,
            height: 160,
        },
        Self {
            width: 170,
            height: 160,
        },
    ];

    /// The same for the dashboard, which has more to show on a phone than the chart.
    pub const OF_DASHBOARD: [Self; 4] = {
        let [wide, middle, narrow, large] = Self::OF_PAGE;
        let narrow = Self {
            height: 180,
            ..narrow
        };
        let large = Self {
            height: 180,
            ..large
        };
        [wide, middle, narrow, large]
    };

    /// A size; `None` if it is too small for axes or larger than a screen: see [`Self::WIDTHS`] and [`Self::HEIGHTS`].
    #[must_use]
    pub fn new(width: u16, height: u16) -> Option<Self> {
        let fits = Self::WIDTHS.contains(&width) && Self::HEIGHTS.contains(&height);
        fits.then_some(Self { width, height })
    }

    /// Its height, in pixels.
    #[must_use]
    pub const fn height(self) -> u16 {
        self.height
    }

    /// Its width, in pixels.
    #[must_use]
    pub const fn width(self) -> u16 {
        self.width
    }
}

impl Default for PictureSize {
    fn default() -> Self {
        Self {
            width: 720,
            height: 280,
        }
    }
}
