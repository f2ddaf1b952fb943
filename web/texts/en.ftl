# English. Each text is one line `name = text`; `{ $x }` is a value. The format: https://projectfluent.org/fluent/guide/
# A test compares the files of all languages: the same names, the same values.

### Numbers and dates

number-decimal = .
# Between thousands: a thin space at which lines do not break.
number-group = { "\u202F" }
date-day = { $day } { date-month } { $year }
date-day-of-year = { $day } { date-month }
date-month-of-year = { date-month } { $year }
date-week = week of { $date }
date-month-day = { date-month } { $day }, { $year }
date-month-day-of-year = { date-month } { $day }
date-month =
    { $month ->
        [1] Jan
        [2] Feb
        [3] Mar
        [4] Apr
        [5] May
        [6] Jun
        [7] Jul
        [8] Aug
        [9] Sep
        [10] Oct
        [11] Nov
       *[12] Dec
    }
date-weekday =
    { $weekday ->
        [1] Mon
        [2] Tue
        [3] Wed
        [4] Thu
        [5] Fri
        [6] Sat
       *[7] Sun
    }
# Date and time of day; the chart leaves out the comma.
date-and-clock = { $date }, { $clock }
date-locale = en-GB

### Chart

chart-none = No readings in this range
chart-title-power = Power of { $name }, { $start } to { $end }
chart-title-prices = Price in { $name } for a kilowatt-hour, { $start } to { $end }
chart-title-energy = Energy of { $name }, { $start } to { $end }
chart-power = Power
chart-mean = Mean
chart-peak = Peak
chart-lowest = Lowest
chart-lowest-whole = Lowest of the complete ones
chart-highest = Highest
chart-energy = Energy
chart-total = Total
chart-resets = Counter resets
chart-reset = { $time }: the counter was reset, from { $before } to { $after }
chart-gaps = Gaps
chart-gap = { $start } to { $end }: no readings
chart-estimated = Partly estimated
chart-some-of = { $some } of { $all }
chart-bar-estimated = { $percent } estimated
chart-bar-known = { $percent } of the time known
chart-grid = Grid
chart-house = House
chart-last-24-hours = Last 24 hours
chart-since = Since { $date }
chart-week-of = Week of { $date }
chart-by-quarter = By quarter-hour
chart-whole-quarters = whole quarter-hours
chart-whole-hours = whole hours
chart-whole-days = whole days
chart-whole-months = whole months
chart-whole-years = whole years
chart-newest = The newest reading is from { $time }, so its range is shown instead of the current one:
chart-by-hour = By hour
chart-by-day = By day
chart-by-month = By month
chart-by-year = By year
chart-cost = Cost
chart-heading-power = Power of { $name }
chart-heading-energy = Energy of { $name }
chart-quantity = Quantity
chart-source = Source
chart-sources = All sensors
chart-search = Search
chart-with = Show { $name } as well
chart-together = Show the checked ones together
chart-group-grid = Grid
chart-group-solar = Solar
chart-group-battery = Batteries
chart-group-devices = Devices
chart-bars = Time per bar
chart-alone = Open as a page
chart-csv = CSV for programs
chart-csv-spreadsheet = CSV for a spreadsheet
chart-csv-time = Time ({ $zone })
chart-csv-energy = Energy (kWh)
chart-csv-power = Power (W)
chart-help = Chart. The left and right arrow keys read single values. Page Up and Page Down move to an earlier or later range. Plus and minus zoom.
chart-between = to

### Settings

settings-done-password = Password changed. All other browsers were signed out.
settings-done-account-added = Account added.
settings-done-account-removed = Account and its API keys removed.
settings-done-key-added = API key created. Its api_key was shown only once: rotate it if you did not keep it.
settings-done-key-revoked = API key revoked.
settings-done-sensor-added = Sensor added.
settings-done-sensor-removed = Sensor and its readings removed.
settings-done-saved = Saved.
settings-done-imported = Readings imported: { $count }
settings-done-undone = Import undone.
settings-done-authorized = Sensor authorized: it can upload, and its readings can be downloaded.
settings-done-revoked = Sensor revoked: it cannot upload, and its readings cannot be downloaded. They are kept.

### Costs: statements

statement-tab = Costs
statement-title = Costs
costs-pages = Pages about costs
costs-cheapest = Cheapest
costs-statement = Statement
costs-house = Whole house
costs-contracts = Contracts
statement-no-account = There is no account yet. An account owns sensors and contracts.
statement-add-account = Add account
statement-so-far = so far, until { $time }
statement-what = Item
statement-quantity = Quantity
statement-price = Price in { $currency }
statement-amount = Amount in { $currency }
statement-varies = varies
statement-kind-energy = Energy
statement-kind-demand = Demand charge
statement-kind-fixed = Fixed charge
statement-kind-minimum = Minimum charge
statement-kind-maximum = Maximum charge
statement-kind-discount = Discount
statement-kind-export = Feed-in
statement-kind-tax = Tax
statement-one-day = day
statement-one-month = month
statement-one-quarter = quarter of a year
statement-one-year = year
statement-one-billing = billing period
statement-many-day = days
statement-many-month = months
statement-many-quarter = quarters of a year
statement-many-year = years
statement-many-billing = billing periods
statement-costs = Costs before tax
statement-costs-untaxed = Costs
statement-credits = Credits
statement-taxes = Taxes
statement-total = Total
statement-paid = Advances paid
statement-owed = Still to pay
statement-to-receive = To be refunded
statement-tier-up-to = up to { $kwh } kWh
statement-tier-up-to-a-day = up to { $kwh } kWh a day
statement-tier-over = over { $kwh } kWh
statement-tier-over-a-day = over { $kwh } kWh a day
statement-tier-all = all
statement-cap = price cap
statement-surplus = surplus
statement-at-most-energy = no more than the cost of energy
statement-imported = Imported from the grid
statement-exported = Exported to the grid
statement-measured = Time with measured energy
statement-estimated = Time with estimated energy
statement-missing = Time without any readings
statement-events = Events
statement-corrections = Corrections
amount-without-energy = without { $energy }
amount-without-time = without { $share } of the time
amount-without-both = without { $energy } and { $share } of the time
amount-without-share = without { $share } of the energy
# As bills call a tax, between commas.
bill-usual-taxes = VAT, GST, sales tax, value added tax
statement-unknown = There is no total: the energy of these days is unknown, or all of it is unpriced.
statement-incomplete = The total does not cover everything: some energy is unknown or unpriced.
statement-unpriced = Unpriced energy: { $imported } drawn and { $exported } fed in. No contract applied then, or its price series has a gap.
statement-converted = The prices of { $series } are in { $currency }. They are converted by the rates of { $rates }.
statement-other-currency = The prices of { $series } are in { $currency }, not in the currency of the contracts: energy by them has no price. Fill a series with prices in the contracts' currency.
statement-no-contract = Without a contract, all energy is unpriced.
statement-compared-unknown = Its cost is not known.
statement-csv = Download as a table (CSV)
statement-json = Download as JSON

### The costs of a device

sensor-costs-title = Costs of a device
sensor-costs-devices = Devices
sensor-costs-from = Energy from
sensor-costs-source-solar = Own solar, at once
sensor-costs-source-battery = Own solar, from the battery
sensor-costs-source-stored-grid = Grid, from the battery
sensor-costs-source-grid = Grid
sensor-costs-source-unknown = Unknown source
sensor-costs-left-out = { $energy } have no known source or no price.
sensor-costs-gaps = Times without readings
sensor-costs-more =
    { $count ->
        [one] 1 more is not listed.
       *[other] { $count } more are not listed.
    }
sensor-costs-assumes = In each quarter of an hour, the device has the sources of the house in proportion. Energy from the grid has its price, with taxes and without fixed charges. Own energy has the credit that it would have earned as feed-in; without such a credit, it costs nothing. Where a price varied, the line has its mean.
sensor-costs-no-validity = This page is computed from readings and contracts. It claims no legal validity.
tenancy-title = Tenants
tenancy-own = My energy
tenancy-nobody = No tenancy names you yet. Ask the person you rent from.
tenancy-now = Now
tenancy-outside = Your tenancy has no days in this period. Choose another one.
tenancy-gone = The sub-meter of this tenancy is gone, or measures something else now.
tenancy-assumes = The energy of all sources has the agreed price. A month that is not full has a part of the base fee, by days.
tenancy-correction = A correction that is also about days outside of the tenancy.
tenancy-base-fee = Base fee
tenancy-lead = A tenant pays for a sub-meter: at an agreed price, or the real cost. They can sign in and see it, and nothing else of the house.
tenancy-all = All tenancies
tenancy-none = Nobody rents a sub-meter yet.
tenancy-new = Add tenancy
tenancy-change = Change tenancy
tenancy-name = Name
tenancy-name-hint = Of the flat or of the tenant. For a new price, end the tenancy and add one that follows it.
tenancy-sensor = Sub-meter
tenancy-until-hint = Empty while the tenancy goes on.
tenancy-price = Price of a kilowatt-hour
tenancy-price-hint = Empty for the real cost: the grid at its price, own energy at its feed-in credit.
tenancy-fee = Base fee of a month
tenancy-person = Person who sees it
tenancy-person-hint = Their name at sign-in. The administrator adds them as a tenant.
tenancy-save = Save
tenancy-remove = Remove tenancy
tenancy-as-tenant = The page of the tenant
tenancy-agreed = { $price } a kilowatt-hour
tenancy-real-cost = real cost
tenancy-a-month = { $fee } a month
tenancy-no-access = { $name } is no tenant yet: add the right on the page People
tenancy-statements = All statements, to print
tenancy-real = Real cost ({ $currency })
tenancy-to-pay = To pay ({ $currency })
tenancy-rest = Left to the house
tenancy-rest-what = Left to the house: its own energy, and the rest of its statement once the tenants have paid. With fixed charges, and with the credits that own energy of tenants did not earn.
tenancy-nested = { $sensor } lies inside the sub-meter of another tenant, so its energy would count twice. Nothing is left over here.
tenancy-incomplete = Some energy of the house or of a tenant is unknown or has no price. The amounts leave it out.
tenancy-done-saved = Tenancy saved.
tenancy-done-removed = Tenancy removed. The readings stay.
tenancy-wrong-name = Enter a name of at most 64 characters; accented letters count twice.
tenancy-wrong-taken = There is a tenancy of this name. Choose another name.
tenancy-wrong-sensor = Choose a sub-meter.
tenancy-wrong-date = Enter a date, such as 2026-01-31.
tenancy-wrong-until = The last day is before the first one.
tenancy-wrong-person = Enter the name of a person, of at most 56 characters; accented letters count twice.
tenancy-wrong-amount = Enter an amount from 0 on, such as 0.28.
tenancy-wrong-collides = Another tenancy has this sub-meter on some of these days. End that one first, or choose other days.
tenancy-too-many = There are 100 tenancies, which is the maximum. Remove old ones first.

### Costs: forecast

forecast-title = Forecast
forecast-lead = The likely energy and costs of the running month and year.
forecast-no-grid = No sensor measures what the house draws from the grid. Give the sensor of the grid its role in the settings.
forecast-few-days =
    { $count ->
        [one] A forecast needs 14 measured days of the last 56. So far it is one.
       *[other] A forecast needs 14 measured days of the last 56. So far there are { $count }.
    }
forecast-until = readings until { $time }
forecast-billing = Billing period { $from } – { $to }
forecast-late = The readings begin within this period: it counts from { $date } on.
forecast-unpriced = { $energy } of it has no price, and is in none of the amounts.
forecast-no-contract = Without a contract there are no costs.
forecast-likely = Most likely
forecast-range = 8 times in 10
forecast-from-to = { $low } – { $high }
forecast-so-far = So far
forecast-used = Used by the house
forecast-costs = Costs
forecast-total = Costs less credits
forecast-advances = Advances
forecast-balance = Balance: advances less costs
forecast-basis = Assumptions
forecast-basis-method = The next 31 days are as this method says: { $method }.
forecast-reason-untested = It is the first choice: fewer than twelve months have tested it.
forecast-reason-first = It is the first choice: no other one was clearly nearer in the last twelve months.
forecast-reason-nearer = It was clearly nearer than the first choice in the last twelve months.
forecast-basis-year = Later days are like those of last year, with half of the change since then.
forecast-basis-recent = Later days are like the same days of the week in the last eight weeks, because less than a year is known: other seasons do not count.
forecast-basis-rest = Missing energy counts in the same way. Each day runs like the same day of one of the last eight weeks, at the prices of your contracts. A price that is not known yet is the mean of its hour in these weeks.
forecast-days-and-year = Last days and last year
forecast-days = Last days
forecast-month-so-far = Month so far
forecast-weeks = Last eight weeks
forecast-year = Last year
forecast-year-scaled = Last year, scaled
forecast-month-and-year = Month so far and last year
forecast-days-and-year-scaled = Last days and last year, scaled
forecast-method-of-export = Method of the exported energy
forecast-method-of-use = Method of the used energy
forecast-known-days = Measured days of the last 56
forecast-tested = The last months as a test
forecast-tested-lead =
    { $count ->
        [one] One past month was forecast at the beginning of its 10th, as a test: its import was off by { $error }.
       *[other] Of the last { $count } months, each forecast at the beginning of its 10th, the import of { $within } was within the range. The median error was { $error }, and 9 of 10 months were off by at most { $most }. Each month has the method that the months before it chose.
    }
forecast-tested-methods = The same months by each method: the smallest sum of both errors counts, if it is less than that of the first choice by more than a fifth.
forecast-method = Method
forecast-method-months = Months
forecast-method-median = Median error
forecast-method-most = 9 of 10 at most
forecast-method-chosen = chosen
forecast-tested-none = There is no past month to test it with: that takes a whole month without gaps, and two weeks before its 10th.
forecast-month = Month
forecast-actual = Measured
forecast-within = Within the range
forecast-held = yes
forecast-missed = no
### Costs: what if

what-if-title = What if?
what-if-lead = The cost of your days with another battery, other panels or another load. Nothing is stored.
what-if-ask = What would be different?
what-if-show = Compute
what-if-present = As it was
what-if-changed = What if
what-if-produced = Produced
what-if-charged = Into the battery
what-if-discharged = Out of the battery
what-if-sufficiency = Self-sufficiency
what-if-saved = Saved
what-if-saved-year = Saved in a year
what-if-statement = The statement as it was
what-if-lines = The statement as it would have been
what-if-sizes = Sizes of the battery
what-if-sizes-lead = Each compared with the same house without a battery. Where the bars stop rising, more capacity helps little.
what-if-picture = Saved in a year, by size of the battery
what-if-picture-known = Saved in the known days, by size of the battery
what-if-no-year-few-months = Less than twelve months are known, so there is no figure for a year.
what-if-no-year-incomplete = More than a twentieth of the last twelve months has no readings or no price, so there is no figure for a year.
what-if-at-rest = If the battery had rested in that time, the house would have saved { $saved }.
what-if-rule = Cheapest rule
what-if-rule-greedy = It serves the house alone
what-if-rule-prices = It buys cheap energy
what-if-rule-below-peaks = It buys cheap energy below the peak of the month
what-if-rule-trading = It buys cheap energy and feeds the grid
what-if-replayed = This battery replaces the house’s own one, and would have given { $share } compared with it. Enter the size of your own battery to see how close this computation comes to what happened.
what-if-known-in = { $days } days are known, in { $from }.
what-if-known = { $days } days are known, from { $from } to { $to }.
what-if-cycles = Cycles a year
what-if-payback = Paid back after
what-if-years = { $years } years
what-if-battery = Battery
what-if-kwh = Usable capacity in kWh
what-if-kwh-hint = Up to 1000. It takes the place of a battery that the house has.
what-if-price = Price per kWh of capacity
what-if-price-hint = With the installation, less subsidies.
what-if-charge = Takes at most, in kW
what-if-discharge = Gives at most, in kW
what-if-power-hint = Empty: 5.
what-if-efficiency = Efficiency in percent
what-if-efficiency-hint = Of taking and giving together. Empty: 90.
what-if-reserve = Reserve in percent
what-if-reserve-hint = The part of the capacity that it never gives. Empty: 0.
what-if-standby = Standby in watts
what-if-standby-hint = Its own consumption, day and night; 5 to 30 are usual. Empty: 0.
what-if-ageing = Loss of capacity in percent a year
what-if-ageing-hint = For the years until it is paid back; 1 to 3 are usual. Empty: 0.
what-if-dispatch = It takes energy
what-if-greedy = only when the house would feed in
what-if-prices = also from the grid, when prices are low
what-if-trading = the same, and it feeds the grid, if the contract allows that
what-if-panels = Panels
what-if-factor = Production times
what-if-factor-hint = 2 is twice as many panels as now, 0 is none.
what-if-kwp = New panels in kWp
what-if-kwp-hint = With the profile below.
what-if-file = A file with the profile of the new panels
what-if-profile = Profile of the new panels
what-if-profile-hint = A table with the power of each hour of a year, as PVGIS exports it (hourly data, PV power, CSV).
what-if-load = Load
what-if-load-how = A load
what-if-load-none = stays as it is
what-if-load-add = is added
what-if-load-cheapest = is added in the cheapest hours
what-if-load-remove = is removed
what-if-load-move = is moved to the cheapest hours of its day
what-if-sensor = Sub-meter
what-if-sensor-hint = Its energy is that of the load. Or leave it empty, and enter the energy.
what-if-daily = Energy a day in kWh
what-if-daily-hint = Such as 8 for a car.
what-if-between = Between
what-if-between-hint = Such as 22:00-06:00.
what-if-load-power = Power in kW
what-if-load-power-hint = For the cheapest hours. Empty: spread evenly.
what-if-assumes-same-use = The house uses the same energy at the same times, except for the load above: behaviour does not change with the price.
what-if-assumes-greedy = The battery takes only energy that the house would feed in, and gives it back as soon as the house draws. It never feeds the grid. Unless you enter values above, it has no standby and does not age. It begins these days empty, and energy left at the end is worth nothing.
what-if-assumes-buying = The battery also takes energy from the grid when that pays after losses. It knows the prices of that time, and expects the use of the last seven days. It never feeds the grid. Unless you enter values above, it has no standby and does not age. The cheapest rule is shown, also if that one buys nothing. It begins these days empty, and energy left at the end is worth nothing.
what-if-assumes-trading = The contract lets the battery feed the grid. The battery buys and sells energy when that pays after losses. It knows the prices and credits of that time, and expects the use of the last seven days. With a demand charge, it never raises the peak of a month. Unless you enter values above, it has no standby and does not age. The cheapest rule is shown, also if that one buys nothing. It begins these days empty, and energy left at the end is worth nothing.
what-if-assumes-replaced = The house’s own battery is left out of the computation first.
what-if-assumes-kept = The house’s own battery works as it did.
what-if-assumes-profile = The new panels produce in each hour as much as the profile says for that hour of the year.
what-if-assumes-cheapest = The load runs in the cheapest quarters of an hour, by the prices of all components.
what-if-wrong-nothing = Enter a battery, panels or a load: otherwise nothing changes.
what-if-wrong-number = Enter a number from { $from } to { $to }, such as { $example }.
what-if-wrong-efficiency = Enter 1 to 100 percent with up to four decimals, such as 90.
what-if-wrong-choice = Choose one of the list.
what-if-wrong-sizes = Enter up to 41 sizes from 0 to 1000 kWh with commas between them, or usual.
what-if-wrong-alone = This needs a battery or a load. Enter one, or leave this empty.
what-if-wrong-missing = Enter this, too.
what-if-wrong-header = The table has no line that names the columns “time” and “P”. Export hourly data with PV power as CSV.
what-if-wrong-line = Line { $line } is not an hour and its power, such as 20200101:0010,512.4.
what-if-wrong-nominal = Line { $line } names no nominal power of the panels in kWp, such as 1.0.
what-if-wrong-long = The table has too many lines. Some years of hours suffice.
what-if-wrong-hour = The table has no value for the hour { $time } UTC. It needs all 8,760 hours of a year.
what-if-wrong-between = Enter two times in quarters of an hour, such as 22:00-06:00.
what-if-wrong-power = The energy does not fit into these hours. Enter a higher power.
what-if-wrong-both = Enter the energy or choose a sub-meter, not both.
what-if-wrong-sensor = Choose a sub-meter of this account.
what-if-wrong-panels = No sensor measures panels, so there is nothing to multiply. Enter new panels with a profile.
what-if-wrong-many = This takes too long. Choose fewer days.

### Costs: offers, and what they would have cost

compare-title = What would I have paid?
compare-contract = Contract
compare-present = Contracts in force
compare-difference = Difference
compare-mean = Mean price per kWh
compare-incomplete = incomplete
compare-lines = Line by line
compare-months = By month
compare-energy = Energy
compare-demand = Demand charges
compare-standing = Standing charges
compare-credits = Credits
compare-taxes = Taxes
compare-assumes = This assumes the same energy at the same times: behaviour does not change with the price. Each offer is in force from the first of these days on.
compare-measured = All of the time is measured.
compare-coverage = { $estimated } of the time is estimated, { $missing } has no readings.
compare-none = There is no offer to compare with yet. Enter the prices of another supplier as an offer.
compare-no-contract = There is no contract to compare offers with. Add yours first.
compare-before-contract = No contract was in force on these days: the first one begins on { $from }. Choose later days.
compare-too-many = This takes too many prices. Choose fewer days, or remove offers.
compare-left-out = Not compared, because they are in another currency: { $names }.
offer-all = Offers
offer-lead = An offer is a contract that is not in force, such as one of another supplier. It changes no costs: it shows what you would have paid.
offer-none = There are no offers yet.
offer-new = New offer
offer-change = Change offer
offer-save = Save offer
offer-remove = Remove offer
offer-not-in-force = An offer changes no costs. It is compared with the contracts in force.
offer-begins-hint = A comparison of earlier days counts it from the first of them on.
offer-template-lead = Choose a tariff that is built like the offer. It becomes an offer with sample prices: replace them, and save.
offer-done-saved = Offer saved.
offer-done-removed = Offer removed.
offer-wrong-taken = Another offer has this name.
offer-too-many = There are 50 offers, which is the maximum. Remove one first.
statement-offer = These are the prices of the offer { $name }, which is not in force.

### Costs: what the panels and the battery saved, and purchases

savings-title = What did the panels and the battery save?
savings-short = Savings
savings-house = House
savings-present = As it was
savings-without-panels = Without panels
savings-without-battery = Without the battery
savings-without-both = Without both
savings-saved = Saved
savings-months = Saved by month
savings-assumes = This assumes the same use at the same times, by the same contracts.
savings-assumes-both = Without panels, the battery charges and discharges as measured. So the savings of both together are not the sum of the two.
savings-missing = Where readings are missing or estimated, nothing counts as saved.
savings-coarse = { $share } of the energy at the grid was read less often than each quarter of an hour. Within that time it is spread evenly.
savings-left-out = Where a quarter of an hour is estimated or has no readings, the house counts as it was: { $imported } drawn, { $exported } fed in, { $own } of panels and battery.
savings-no-export = No sensor measures the energy that is fed in. So all that the panels produce counts as used, and they seem to save too much.
savings-no-contract = There is no contract to price the energy by. Add yours first.
savings-no-part = This house has neither panels nor a battery that is measured. It takes a sensor with such a role, and readings.
savings-too-many = This takes too many prices. Choose fewer days.
statement-without-panels = The same use, as if the house had no panels.
statement-without-battery = The same use, as if the house had no battery.
statement-without-both = The same use, as if the house had no panels and no battery.
purchase-title = Purchases
purchase-lead = Your purchases to produce or store energy, and how far they have paid for themselves.
purchase-by-panels = Panels
purchase-by-battery = Battery
purchase-by-both = All purchases
purchase-paid-back = { $share } paid back.
purchase-expected = The rest is expected to be paid back by { $date }.
purchase-reason-paid-back = All of it is paid back.
purchase-reason-no-sensor = No sensor measures it, so its savings are unknown.
purchase-reason-few-months = No date is expected yet: readings and prices of less than twelve months are known.
purchase-reason-incomplete = No date is expected: of the last twelve months, more than a twentieth has no readings or no price.
purchase-reason-no-savings = No date is expected: it saves less than it costs.
purchase-price = Price less subsidies
purchase-saved = Saved since { $date }
purchase-assumed = Probably saved before
purchase-costs-so-far = Costs so far
purchase-per-year = A year saves, less its costs
purchase-assumes = This assumes that each year to come, and the time before the first readings, saves as much as the last twelve months.
purchase-entered = Entered purchases
purchase-none = There are no purchases yet.
purchase-new = New purchase
purchase-change = Change purchase
purchase-name = Name
purchase-kind = Kind
purchase-kind-panels = Panels
purchase-kind-battery = Battery
purchase-kind-other = Something else
purchase-date = It saves since
purchase-amount = Amount paid
purchase-subsidy = Subsidy, if there was one
purchase-costs = Costs per year, such as an insurance
purchase-save = Save purchase
purchase-remove = Remove this purchase
purchase-done-saved = Purchase saved.
purchase-done-removed = Purchase removed.
purchase-wrong-name = Enter a name of at most 64 characters
purchase-wrong-taken = Another purchase has this name.
purchase-wrong-date = Enter a day from 1970 on that is at most a year ahead, such as 2022-05-01
purchase-wrong-amount = Enter an amount from 0 on, with up to nine digits before and six after the point, such as 14500
purchase-wrong-subsidy = Enter an amount from 0 up to the amount paid, such as 1500
purchase-wrong-costs = Enter an amount from 0 on, such as 120
purchase-too-many = There are 50 purchases, which is the maximum. Remove one first.

### Costs: templates of contracts

template-title = Tariffs
template-from = Start from the tariff of a country
template-lead = Choose a tariff that is built like yours. It becomes a new contract with sample prices: replace them with your own, and save.
template-country = Country
template-all-countries = all
template-kind = Kind
template-all-kinds = all
template-kind-flat = One price
template-kind-time-of-use = By hours and days
template-kind-tiers = By amount used
template-kind-series = Prices of a market
template-kind-demand = By highest power
template-kind-net-metering = Net metering
template-kind-export = Feed-in
template-kind-other = Others
template-show = Show
template-use = Use
template-needs = It needs:
template-source = Source:
template-none = There is no such tariff yet. Create a contract and enter its prices.
template-search = Search

### Costs: a tariff of a country

tariff-lead = Enter the values of your contract: they are on the bill or on the price list of the supplier. Nothing is saved before you have seen the result.
tariff-offer-name-hint = The comparison shows the offer under this name.
tariff-example = For example { $example }.
tariff-list-hint = The name under which the prices or days are uploaded here.
tariff-check = Continue
tariff-about = About this tariff
tariff-json = As JSON
tariff-questions = Please look at this again:
tariff-save = Save
tariff-change = Change
tariff-missing = Enter a value here, such as { $example }.
tariff-wrong-price = Enter a price such as { $example }, with few decimals.
tariff-wrong-number = Enter a number that is not negative, such as { $example }.
tariff-wrong-hours = Enter hours such as { $example }; several with a comma between them.
tariff-wrong-choice = Choose one of the list, or enter a name of at most 64 characters.
tariff-key-hint = The key that the source asks for. It is kept for this source alone, and is in no backup.
tariff-needs-key = This source asks for a key.
tariff-mapping = Another address of the source
tariff-result = So it would have been
tariff-source-answers = { $source } answers with { $count } prices or days from { $from } to { $to }.
tariff-preview = { $month } would have cost { $total } ({ $energy }, { $mean } on average).
tariff-preview-demo = There is no full month of readings yet. The household of the demo would have paid { $total } in { $month } ({ $energy }, { $mean } on average).
tariff-preview-unpriced = The cost of { $month } is unknown: not all of the { $energy } has a price.
tariff-preview-present = By the contract in force: { $total } ({ $energy }, { $mean } on average).
doubt-hundredths = { $name }: { $price } { $currency } for a kilowatt-hour is a lot. If it is in cents, enter { $hundredth }.
doubt-megawatthours = { $name }: { $price } { $currency } for a kilowatt-hour is a lot. If it is for a megawatt-hour, enter { $thousandth }.
doubt-negative = { $name }: the price { $price } { $currency } is negative. Drawing energy would earn money.
doubt-small-percent = { $name }: is { $percent } right? If it is a share of one, enter { $hundredfold }.
doubt-large-percent = { $name }: { $percent } is a lot. Is it right?
doubt-fee = { $name }: { $price } { $currency } { $per } is a lot. Is it right?
doubt-unusual = { $name }: is { $typed } { $unit } right? Usual is { $least } to { $most }.
doubt-series = There are no prices { $name } yet: energy by them has no price.
doubt-series-near = There are no prices { $name } yet. Is { $near } meant?
doubt-days = There is no list of days { $name } yet: energy of its days has no price.
doubt-days-near = There is no list of days { $name } yet. Is { $near } meant?
doubt-future = The contract begins in the future, on { $from }. Until then nothing changes.
country-AT = Austria
country-AU = Australia
country-BE = Belgium
country-BG = Bulgaria
country-BR = Brazil
country-CA = Canada
country-CH = Switzerland
country-CY = Cyprus
country-CZ = Czechia
country-DE = Germany
country-DK = Denmark
country-EE = Estonia
country-ES = Spain
country-FI = Finland
country-FR = France
country-GB = United Kingdom
country-GR = Greece
country-HR = Croatia
country-HU = Hungary
country-IE = Ireland
country-IN = India
country-IS = Iceland
country-IT = Italy
country-JP = Japan
country-KR = South Korea
country-LT = Lithuania
country-LU = Luxembourg
country-LV = Latvia
country-MT = Malta
country-MX = Mexico
country-NL = Netherlands
country-NO = Norway
country-NZ = New Zealand
country-PK = Pakistan
country-PL = Poland
country-PT = Portugal
country-RO = Romania
country-RS = Serbia
country-SE = Sweden
country-SI = Slovenia
country-SK = Slovakia
country-TR = Türkiye
country-TW = Taiwan
country-UA = Ukraine
country-US = United States
country-ZA = South Africa
wizard-tariff = Choose a tariff
wizard-tariff-title = What does your electricity cost?
wizard-tariff-lead = Choose a tariff that is built like yours. Costs follow from it, also those of the past.
wizard-tariff-others = Other tariffs
wizard-tariff-later = Later

### Costs: contracts

contract-all = Contracts
contract-lead = A contract says what you pay, and are paid, from its first day on. It applies until the next one begins.
contract-none = There are no contracts yet.
contract-new = New contract
contract-change = Change contract
contract-done-saved = Saved. Costs are computed by this contract from now on, including those of past days.
contract-done-removed = Contract removed. The costs of its days are computed without it.
contract-always = At all times
contract-from = From { $from }
contract-until = Until { $to }
contract-from-to = { $from } – { $to }
contract-past = Costs are computed, not stored: a change takes effect at once, for past days, too.
contract-basics = Contract
contract-name = Name
contract-begins = First day
contract-continues = This contract
contract-continues-yes = has new prices of the contract before
contract-continues-no = is one of a new supplier
contract-continues-hint = With new prices, amounts of a month or year go on: tiers, netting, price caps and minimum charges. A new supplier begins them again.
contract-currency = Currency
contract-energy-title = Energy from the grid
contract-whole-units = All prices are in the currency above, not in its cents: 32.15 cents are 0.3215.
contract-energy = Energy
contract-how = How is the price determined?
contract-rate-flat = One price at all times
contract-rate-hours = Prices by hours of the week, such as day and night
contract-rate-tiers = Prices by the amount used
contract-rate-series = Hourly market prices
contract-price = Price per kWh
contract-price-hint = For example 0.3215, which is 32.15 cents.
contract-history-before = There are readings since { $first }. The contract begins on { $from }: the energy before has no price.
contract-usual = Usual price, at all other times
contract-painted = Price at certain hours
contract-zone-name = Name
contract-another = Another price at certain hours
contract-grid = Tick the hours with this price. Each box is the hour that begins then.
contract-hour = Hour
contract-months = In these months
contract-tiers = Tiers
contract-tiers-hint = The last tier has no end: leave its end empty.
contract-period = Energy used is counted
contract-tier-end = Tier { $nth }: up to, in kWh
contract-tier-price = Tier { $nth }: price per kWh
contract-series = Price series
contract-series-hint = The name that you give it when you upload its prices.
contract-factor = Multiplied by
contract-surcharge = Surcharge per kWh
contract-beside = Charges, feed-in and tax
contract-fixed = Fixed charges
contract-fixed-hint = Charges that do not depend on your use, such as a standing charge of 12.50 a month. Leave fields that you do not need empty.
contract-fixed-name = Charge { $nth }: name
contract-fixed-price = Amount
contract-fixed-of = of charge { $nth }
contract-fixed-per = Period
contract-feed-in = Feed-in
contract-feed-in-price = Paid to you per kWh fed in
contract-feed-in-hint = For example 0.08. Leave it empty if you are paid nothing.
contract-tax = Tax
contract-tax-hint = Leave it empty if prices include the tax.
contract-percent = Percent
contract-tax-name = Name of the tax
contract-tax-base = Percent of
contract-tax-of-net = costs less credits
contract-tax-of-costs = costs alone
contract-per-day = per day
contract-per-month = per month
contract-per-quarter = per quarter of a year
contract-per-year = per year
contract-per-billing = per billing period
contract-a-day = a day
contract-a-month = a month
contract-a-quarter = a quarter of a year
contract-a-year = a year
contract-a-billing = a billing period
contract-up-to = Up to { $kwh } kWh { $per }
contract-above = Above
contract-by-series = price of { $series } × { $factor } + { $surcharge }
contract-hours-a-week =
    { $hours ->
        [one] one hour a week
       *[other] { $hours } hours a week
    }
contract-consists-of = Consists of
contract-electricity = Electricity
contract-day = day
contract-night = night
contract-vat = VAT
contract-weekday-mon = Mon
contract-weekday-tue = Tue
contract-weekday-wed = Wed
contract-weekday-thu = Thu
contract-weekday-fri = Fri
contract-weekday-sat = Sat
contract-weekday-sun = Sun
contract-save = Save contract
contract-as-json = Edit as text (JSON)
contract-json-title = Contract as text
contract-json = JSON
contract-json-hint = This contract has more than the form can show, or you asked for its text. docs/MONEY.md describes all fields.
contract-remove-title = Remove
contract-remove-hint = The contract before it then applies until the next one begins. Past costs change at once.
contract-remove = Remove contract
contract-wrong-name = Enter a name of at most 64 characters; accented letters count twice.
contract-wrong-price = Enter a number with up to six decimals, such as 0.3215.
contract-wrong-currency = Enter a currency of 1 to 8 characters, such as EUR.
contract-wrong-from = Enter a date, such as 2026-01-01.
contract-wrong-tax = Enter a percentage that is not negative, such as 19.
contract-wrong-twice = Give each price a name of its own.
contract-wrong-hours = Tick at least one hour and one month for this price.
contract-wrong-unused = This price never applies: other prices take all of its hours.
contract-wrong-tiers = Enter up to 16 tiers, each with a higher end than the one before; the last one without an end.
contract-wrong-taken = Another contract begins on this day.
contract-wrong-other-currency = All contracts need the same currency. The others are in { $currency }.
contract-wrong-json = This is not a contract: { $problem }.
contract-wrong-other = This contract cannot be saved: { $problem }.

### Costs: price series

prices-title = Price series
prices-lead = Prices that change by the hour or quarter of an hour, such as those of a day-ahead market. A contract uses them by the name of the series.
prices-by-itself = Let wattkeeper fetch them by itself
prices-series = All series
prices-none = There are no prices yet.
prices-count = { $count } prices
prices-add-title = Add prices
prices-add = Add prices
prices-name = Name of the series
prices-name-hint = A new one, or one of those above. Prices for the same times replace the existing ones.
prices-length = Each price applies
prices-length-spacing = for their usual spacing
prices-length-hour = for an hour
prices-length-quarter = for a quarter of an hour
prices-length-until-next = until the next one begins
prices-currency-hint = That of the contracts. Prices in another currency are not converted. Empty: not known.
prices-file = File
prices-table = Prices as text
prices-table-hint = A table with times and prices, as a market or another program writes it, or lines such as 2026-01-05T10:00:00Z,0.0873. At most 1,000,000 lines at once.
prices-sending = Sending. This takes a moment.
prices-failed = The file could not be sent. Try again.
prices-done-added = Prices added.
prices-done-gaps =
    { $gaps ->
        [one] Prices added. Between them is a gap without a price, of { $hours } hours.
       *[other] Prices added. Between them are { $gaps } gaps without a price, { $hours } hours in all.
    }
prices-done-remedy = If each price holds until the next one begins, add them again with the choice “{ $choice }”.
prices-done-removed = Prices removed.
prices-known = Stored prices
prices-number = Prices
prices-first = First price begins
prices-end = Last price ends
prices-gaps = Gaps
prices-newest-gaps = Newest gaps
prices-gaps-hint = Energy drawn in a gap is unpriced: statements list it separately.
prices-remove-title = Remove prices
prices-remove-days = Remove these days
prices-remove-all = Remove the whole series
prices-wrong-name = Enter a name of at most 64 characters, such as day-ahead; accented letters count twice.
prices-form = If the table is unclear
prices-unit = Unit of the prices
prices-unit-hint = Such as EUR/kWh, ct/kWh or EUR/MWh. Empty: that in the table, or per kilowatt-hour.
prices-column = Column of the prices
prices-column-hint = Its name, or its number from 1. Empty: the only one.
prices-dates = Dates such as 03/04/2026
prices-dates-dmy = begin with the day
prices-dates-mdy = begin with the month
prices-decimals = Decimals
prices-decimals-comma = follow a comma
prices-decimals-point = follow a point
prices-wrong-unit = Enter a unit such as EUR/kWh, ct/kWh or EUR/MWh, or leave it empty.
prices-wrong-size = So high prices of a kilowatt-hour are probably those of a megawatt-hour. Enter the unit, such as EUR/MWh, or EUR/kWh if they are right.
prices-wrong-twice = There are two prices for { $time }. Enter one for each time.
prices-wrong-other = These are not prices: { $problem }.
prices-wrong-close = The price for { $time } begins less than a minute after the one before it. Enter prices that are at least a minute apart.
prices-wrong-currency = Enter a currency of at most 8 characters, such as EUR.
prices-wrong-other-currency = The contracts, or the earlier prices of this series, are in another currency. Enter prices in that one.
prices-wrong-empty = Enter at least one time and price.
prices-wrong-many-series = This account has as many series as it can have. Remove one first.
prices-wrong-many-prices = This account would have more prices than it can have, all series together. Remove some first.
prices-wrong-end = Enter a day that is not before the first one.

### Costs: day lists

days-title = Day lists
days-lead = Dates with a type, such as the red, white and blue days of a tariff that are announced the day before. A contract uses them by the name of the list and the type.
days-lists = All lists
days-none = There are no day lists yet.
days-next = Today and the next days
days-next-none = No day from today on is known.
days-range = { $count } days known, from { $first } to { $last }.
days-add = Add days
days-name = Name of the list
days-name-hint = A new one, or one of those above. A type for the same date replaces the existing one.
days-table = Days as text
days-table-hint = One line for each date and its type, such as 2026-01-05,red.
days-of = List
days-done-added = Days added.
days-done-removed = Days removed.
days-remove-title = Remove days
days-remove-days = Remove these days
days-remove-all = Remove the whole list
days-wrong-name = Enter a name of at most 64 characters without a colon, such as tempo; accented letters count twice.
days-wrong-line = Line { $line }: enter a date that exists and its type, such as 2026-01-05,red.
days-wrong-twice = There are two types for { $date }. Enter one for each date.
days-wrong-other = These are not days: { $problem }.
days-wrong-empty = Enter at least one date and its type.
days-wrong-many-lists = This account has as many day lists as it can have. Remove one first.
days-wrong-many-days = This account would have more than 10,000 days, all lists together. Remove some first.
days-wrong-many-types = This list would have more than 16 types of days in a year. Use fewer.

### Events

events-title = Events
events-lead = Anything unusual in the readings, and your decisions about it. The readings themselves are never changed.
events-here = Unusual readings
events-open = Needs a decision
events-none-here = Nothing is unusual about the readings of this range.
events-none-open = Nothing needs a decision.
events-more = There are more. Decide these first, or choose a shorter range on the chart.
events-filter-sensor = Sensor
events-filter-all-sensors = All sensors
events-filter-state = Events
events-filter-all = All events
events-filter-show = Show
events-page = Look for unusual readings
events-is-open = open
events-see-chart = See it on the chart
events-kind-dip = Dip
events-kind-spike = Spike
events-kind-reset = Reset
events-kind-rollover = Rollover
events-kind-jump = Jump
events-kind-gap = Gap
events-kind-implausible-power = Implausible power
events-dip = On { $time } the register fell from { $before } to { $after }. By { $until } it was back.
events-small-dip = On { $time } the register fell a little, from { $before } to { $after }.
events-spike = On { $time } the register leapt from { $before } to { $after }. By { $until } it was back.
events-interval-spike = The value of { $time } is more than can have flowed since { $since }.
events-reset = Between { $since } and { $time } the register fell from { $before } to { $after }, and stayed there.
events-rollover = Between { $since } and { $time } the register passed its end, from { $before } to { $after }.
events-jump = Between { $since } and { $time } the register leapt from { $before } to { $after }, and stayed there.
events-gap = No readings arrived between { $since } and { $time }. The register went from { $before } to { $after }.
events-power-gap = No readings arrived between { $since } and { $time }.
events-implausible-power = From { $time } to { $until }, the readings show more power than is plausible, or a number that devices send where they have no value.
events-counts-open = Nothing counts until you decide.
events-counts-nothing = None of it counts.
events-counts = { $energy } is counted.
events-decided-nothing = Decided: none of it counts.
events-decided = Decided: { $energy } is counted.
events-decide = Decide
events-what-is-right = What is right?
events-count = Count it: the register was right
events-count-energy = Count it: { $energy }
events-ignore = Do not count it
events-spread = Count { $energy }, spread over the time from { $since } to { $until }
events-energy = A different amount of energy flowed in this time: enter it below
events-wrong = These readings are wrong: leave them out
events-energy-field = Energy in kWh
events-energy-hint = Only for a different amount, such as 1.5. Negative if it was fed in.
events-like-weekday = Spread it as on the same weekdays before and after, not evenly
events-note = Note
events-save = Save
events-meter-changed = The meter was changed
events-type-in = Type in a meter reading
events-range = Correct a time yourself
events-from = From
events-to = To
events-range-wrong = The readings of this time are wrong: leave them out
events-range-energy = A different amount of energy flowed in this time: enter it below
events-choose = Choose one of these
events-end-expected = Enter a time after the start
events-gone = This event no longer exists: its readings changed, or it was decided. Nothing was saved
events-done-decided = Decided.
events-done-corrected = Corrected.
events-done-revoked = Revoked.
events-done-changed = The meter change is saved.
events-made = Corrections
events-made-number = Number { $number }
events-made-change = The meter was changed on { $time }: the old one ended at { $old }, the new one began at { $new }.
events-made-counts = The event of { $time } counts.
events-made-ignored = The event of { $time } does not count.
events-made-energy = From { $from } to { $to }: { $energy }, spread evenly.
events-made-energy-weekday = From { $from } to { $to }: { $energy }, spread as on the same weekdays.
events-made-wrong = The readings from { $from } to { $to } are left out.
events-made-factor-until = From { $from } to { $to }, the energy is multiplied by { $factor }.
events-made-factor = From { $from } on, the energy is multiplied by { $factor }.
events-made-utility = The utility's meter showed { $shown } on { $time }.
events-made-by = { $time }, by { $author }
events-by-administrator = the administrator
events-by-command = a command
events-by-credential = the API key { $id }
events-revoke = Revoke
events-revoked = revoked

### Meter

meter-title = Type in a meter reading
meter-sensors = Sensors
meter-no-sensor = There is no sensor yet. One without hardware will do: its energy comes from the readings that you type in.
meter-add-sensor = Add a sensor
meter-choose = Which meter do you read?
meter-shown = The meter shows, in kWh
meter-first = All digits, such as 12345.6
meter-last = Last: { $shown }, { $time }
meter-at = Time of the reading
meter-at-hint = Empty: now. Otherwise by the clock of { $zone }.
meter-shown-expected = Enter the meter reading in kWh, such as 12345.6
meter-kwh-expected = Enter a number of kWh, such as 1234.5
meter-time-expected = Enter a date and a time, such as 2026-01-05T10:30
meter-future = Enter a time that is not in the future
meter-old-expected = A counter does not run backwards: enter at least its earlier reading
meter-doubt-below = The meter showed { $shown } on { $time }, so its reading should be at least that. Less is right only after a meter change
meter-doubt-above = The meter showed { $shown } on { $time }, which is later, so its reading should be at most that
meter-doubt-usual = That is { $rise } more than { $shown } on { $time }. The usual rise since then is { $usual }: expected about { $expected }
meter-doubt-power = That is { $rise } more than { $shown } on { $time }, as if { $power } had been drawn ever since. Is there a digit too many?
meter-done-typed = Saved.
meter-done-calibrated = The factor is applied from now on.
meter-calibrate = Accept the factor
meter-done-untyped = Removed.
meter-readings = Readings
meter-remove = Remove
meter-beside = Compared with the sensor
meter-beside-lead = Energy between two readings, by the meter and by the sensor.
meter-drift-all = The sensor is off by
meter-period = From – to
meter-of-utility = Meter
meter-of-ledger = Sensor
meter-drift = Difference
meter-more = The command wattkeeper utility lists older ones.
meter-calibration =
    { $periods ->
        [one] In { $periods } period
       *[other] In { $periods } periods
    } since { $from } the sensor is off by the same share. Multiplied by { $factor }, it would agree with the meter.
meter-change = Meter change
meter-change-lead = Joins the old meter and the new one, so that nothing is lost or counted twice.
meter-change-at = Changed on
meter-old = The old meter's last reading, in kWh
meter-old-hint = Last before that: { $register }
meter-new = The new meter's first reading, in kWh
meter-new-hint = Newest: { $register }
meter-register = { $shown }, { $time }

### Bills

bills-title = Bills
bills-lead = Your utility's bills, each compared with the costs from your readings and contracts for the same days.
bills-entered = Entered bills
bills-line = Line
bills-billed = Bill
bills-computed = Computed
bills-difference = Difference
bills-total = Total
bills-energy = Consumption on the bill
bills-energy-drift = The sensors are off by
bills-remove = Remove this bill
bills-add = Enter a bill
bills-total-field = Total
bills-same = There is such a bill already: { $range }, { $total }.
bills-kwh = Consumption in kWh, if the bill shows it
bills-lines = Lines
bills-lines-hint = As many as you like, named as in your contract: night, standing charge, VAT. Credits are negative.
bills-name = Name { $number }
bills-amount = Amount { $number }
bills-more-lines = More lines
bills-save = Save bill
bills-date-expected = Enter a day, such as 2026-01-31
bills-last-expected = Enter the first day or a later one
bills-amount-expected = Enter an amount, such as 73.50
bills-line-expected = Line { $number } needs a name and an amount, such as 73.50
bills-done-added = Bill saved.
bills-done-removed = Bill removed.

### Frame

tab-dashboard = Dashboard
tab-energy = Energy
tab-meters = Meters
tab-settings = Settings
tab-status = Status
notices-open =
    { $count ->
        [one] 1 notice
       *[other] { $count } notices
    }
notices-others = and { $count } more
change-more = more
change-less = less
change-none = no change

### Energy

energy-title = Energy
energy-help = Chart. The left and right arrow keys read single bars, and Enter opens one. Page Up and Page Down move to an earlier or later range.
energy-cut = The first and the last bar cover only part of a month.
energy-running = This range is not over yet.
energy-compared = Compared with { $from } – { $to }.
energy-compared-day = Compared with { $date }.
energy-compared-until = Compared with { $date } until { $clock }.
against-year = Compare with last year
against-before = Compare with the time before
energy-future = This range lies in the future.
energy-nothing = No readings in this range.
energy-no-grid = The consumption is unknown: no sensor measures the grid.
energy-is-partial = Readings are missing in { $share } of the time: the sums contain only what was measured.
energy-is-estimated = { $share } of the time is estimated: only its sum was measured.
energy-is-unpriced = { $share } of the energy is unpriced, and not part of the cost.
energy-house = House
energy-all-sums = All sums
energy-paths = Where the energy came from, and where it went
hours-title = Hours by days
hours-power = Power
hours-cost = Cost
hours-price = Price per kWh
hours-picture = { $what } of each hour, { $range }
hours-empty = Empty: unknown
hours-table = Each hour of the day
energy-energy = Energy
energy-imported = Imported
energy-exported = Exported
energy-produced = Produced
energy-charged = Charged
energy-discharged = Discharged
energy-used = Used
energy-self_consumed = Own solar used
energy-self_consumption = Self-consumption
energy-self_sufficiency = Self-sufficiency
energy-other = Other
energy-cost = Cost
energy-credit = Credit
energy-total = Total
energy-estimated = Estimated
energy-partial = Missing
energy-unpriced = Unpriced
energy-from_solar = Own solar, at once
energy-from_battery = Own solar, from the battery
energy-from_grid = From the grid
energy-from_unknown = Unknown source
energy-own_share = Own energy
energy-real_cost = Real cost
energy-real_unpriced = Without source or price
energy-before = before: { $value }
energy-from-solar = Own solar
energy-from-battery = From the battery
energy-from-grid = From the grid
energy-used-before = Used, { $range }
energy-most-used = Most used
energy-least-used = Least used
energy-so-far = so far
energy-incomplete = incomplete
energy-partly-estimated = partly estimated
energy-partly-unpriced = partly unpriced
energy-numbers = The same as a table
energy-time = Time
energy-sum = Sum
energy-csv = Download CSV

### Where does it go?

uses-title = Where does it go?
uses-none = No device has a sensor of its own. A smart plug, added as a sub-meter, shows its share here.
uses-other = Other
uses-night = Base load at night: the lowest average over four consecutive hours, median of the seven nights to { $date }. Devices that switch on and off draw more or less at a given moment.
uses-always-on = base load at night { $power }
uses-cost = { $cost } at the grid price
uses-own = { $share } own energy
uses-real-cost = real cost { $cost }, { $full } at the grid price
uses-inside = Includes { $names }
uses-today = Today, compared with yesterday by this time
uses-today-last-year = Today, compared with the same weekday a year ago by this time
uses-folded =
    { $count ->
        [one] 1 more device
       *[other] { $count } more devices
    }

### Who used the sun?

sources-who = Who used the sun?
sources-device = Device
sources-show = Who used the sun? Showing it for so long a time takes a few seconds
sources-many = Who used the sun? It is shown for up to { $most } devices at once. Here are more: look at them one by one.
sources-assumes = In each quarter of an hour, devices share the house's own solar power, its battery and the grid in proportion to their consumption. In the real cost, energy from the grid has its price, and own energy the credit that it would have earned as feed-in. Each device leads to its statement.

### Dashboard

dashboard-title = Dashboard
dashboard-refresh = Refresh
dashboard-grid = Grid
dashboard-solar = Solar
dashboard-house = House
dashboard-battery = Battery
dashboard-used = used
dashboard-net = Grid, net
dashboard-today = Today
dashboard-yesterday = Yesterday
dashboard-week = This week
dashboard-month = This month
dashboard-year = This year
dashboard-periods = Days, week, month, year
today-cheapest-hours = Cheapest { $hours } hours:
today-cheapest = today { $time } for { $price }
today-cheapest-tomorrow = tomorrow { $time } for { $price }
today-no-prices-tomorrow = tomorrow: no prices yet
month-cause = Mostly { $name }: { $change }
month-ahead = Likely by the end of the month: { $likely }, in 8 of 10 cases { $low } to { $high }.
dashboard-against-today = yesterday by this time
dashboard-against-yesterday = the day before
dashboard-against-week = last week by this time
dashboard-against-month = last month by this time
dashboard-against-year = last year by this time
dashboard-last-year-today = a year ago by this time
dashboard-last-year-yesterday = a year ago
dashboard-last-year-week = a year ago by this time
dashboard-last-year-month = last year by this time
dashboard-net-import = from the grid, net
dashboard-net-export = into the grid, net
dashboard-to-energy = Week, month, year
dashboard-meters = Meters
dashboard-last-reading = last reading { $date }
dashboard-none-authorized = No sensor is authorized
dashboard-all-revoked = This account has sensors, but all of them are revoked.
dashboard-authorize = Authorize a sensor
dashboard-first = Add your first sensor
dashboard-first-what = A sensor is anything that uploads readings: a reading head on a meter, a smart plug, a script. Its first reading is three steps away.
dashboard-first-do = Add a sensor
prices-day = Price of a kilowatt-hour
prices-now = Now
prices-least = Lowest from now on
prices-most = Highest from now on
prices-cheapest = Cheapest { $hours } hours from now on
prices-help = Chart. Use the left and right arrow keys to read single prices.
prices-all = All prices
prices-price = Price
cheapest-title = When is it cheapest?
cheapest-hours = Hours
cheapest-hours-hint = From 0.25 to 24.
cheapest-before = Over by
cheapest-before-hint = By the clock. Empty: by the end of tomorrow.
cheapest-split = Also in several pieces: the cheapest quarters of an hour
cheapest-pieces = The pieces
cheapest-price = Mean price
cheapest-window = Mean price, { $time }
cheapest-equal = All prices of this time are equal.
cheapest-until = Prices are missing. The last known one ends at { $time }.
cheapest-none = No price is known from { $from } to { $to }.
cheapest-few = Prices are not known for so long. The last known one ends at { $time }.
cheapest-assumption = The price of one more kilowatt-hour from the grid. It contains all charges per kilowatt-hour and the taxes of the contract at that time. Only known prices count, and tiers count with their first price. Solar power is left out.
cheapest-wrong-hours = Enter hours from 0.25 to 24, such as 3 or 1.5.
cheapest-wrong-quarters = Enter whole quarters of an hour, such as 1.25, or leave out the pieces.
cheapest-wrong-before = Enter a time of day, such as 07:00.
cheapest-wrong-past = Enter a time after { $start }.
cheapest-wrong-soon = The hours do not fit between { $start } and this time. Enter a later one, or fewer hours.
cheapest-wrong-late = Enter a time at most 7 days after { $start }.
dashboard-role-grid = grid
dashboard-role-grid-import = grid import
dashboard-role-grid-export = grid export
dashboard-role-solar = solar panels
dashboard-role-battery = battery
dashboard-role-battery-charge = battery, charging
dashboard-role-battery-discharge = battery, discharging
dashboard-role-sub-meter = sub-meter
now-table = Power now, as a table
now-part = Part
now-way = Direction
now-state = Uploads
power-unknown = unknown
power-from-grid = from the grid
power-into-grid = fed into the grid
power-of-inverter = drawn by the inverter
power-produced = generated
power-charging = charging
power-discharging = discharging
power-fed-back = fed back
power-used = used
power-since = since { $time }
power-never = no upload yet
silence-uploading = uploading
silence-late = late
silence-silent = silent

### Peaks, where a contract prices the demand

peak-running = Until { $time }: { $energy } so far, likely { $likely } on average
peak-left = { $left } left below { $level }
peak-not-now = Until { $time } no peak counts
peak-unknown = Too little is known of the running quarter of an hour
peak-so-far = peak so far { $peak }
peak-kilowatt = one kilowatt more costs { $cost }

### Notices

notice-dismiss = Dismiss
notice-dismissed = Notice dismissed.
notice-over = This is over: { $happened }
notice-since = Since { $time }.
notice-of-account = Account: { $name }.
notice-more =
    { $count ->
        [one] 1 more notice
       *[other] { $count } more notices
    }
notice-sensor-silent = The sensor { $name } no longer uploads anything.
notice-event-open = Something about the register of { $name } needs a decision.
notice-implausible-power = The sensor { $name } uploaded more power than is plausible.
notice-power-drift = Power and register of { $name } differ by more than 5 %.
notice-inverted-sign = The sensor { $name } seems to count the other way round.
notice-unusual-day-more = On { $date } the house used { $used }, more than the { $least } to { $most } that are usual on that weekday.
notice-unusual-day-less = On { $date } the house used { $used }, less than the { $least } to { $most } that are usual on that weekday.
notice-see-day = See that day
notice-base-load-rose = The house uses more at night than in the four weeks before.
notice-base-load-rose-most = The house uses more at night than in the four weeks before, most of it { $name }.
notice-prices-missing = Prices are missing in the series { $name }.
notice-price-source-late = The source of { $name } is late: values that should be there by now are missing.
notice-price-conflict = The source of { $name } differs from the stored values. The stored values apply.
notice-peak-ahead = Until { $time }, the house is likely to draw { $likely } on average: more than the { $level } that the period reaches anyway. That costs { $cost } more.
notice-backup-overdue = The newest backup is old, or there is none.
notice-disk-nearly-full = The disk of the store is nearly full.
notice-wrong-clock = The clock was set back, or ran ahead before: the newest reading is in the future.
notice-store-damaged = The store is damaged: some of its data is lost.
notice-sensor-clock-ahead =
    The clock of { $name } is { $count } { $unit ->
        [min] min
        [h] h
       *[days] days
    } ahead.
notice-sensor-clock-behind =
    The clock of { $name } is { $count } { $unit ->
        [min] min
        [h] h
       *[days] days
    } behind.
notice-unknown-field = Uploads of { $name } have a field “{ $sent }”, which is left out: its name should be { $meant }.
notice-register-in-kwh = The register of { $name } seems to be in kWh, not in Wh: it counts a thousandth of the energy.
notice-power-in-kw = The power of { $name } seems to be in kW, not in W.
notice-same-meter = These sensors count the same energy, hour by hour: { $name }. They seem to be one meter, which counts twice.
notice-grid-swapped = The house feeds more energy into the grid than it can have: import and export seem to be swapped.
notice-parts-exceed-house = The sub-meters measured more energy than the whole house used.
notice-advice-sensor-silent = Check its power supply, its network and the program that uploads for it.
notice-advice-event-open = Decide whether it counts, or enter a meter change.
notice-advice-implausible-power = Check the sensor; if such power is real, let its event count, or raise its plausible power.
notice-advice-power-drift = Check that power (W) and register (Wh) come from the same meter. Energy is taken from the register.
notice-advice-inverted-sign = Turn its clamp or set its sign to inverted; if it is right, check which part of the house it measures.
notice-advice-unusual-day = Find out when it happened and which device caused it.
notice-advice-base-load-rose = Check for a device that has been on since then, such as a pump, a heater or a freezer.
notice-advice-prices-missing = Import them, and check your daily import or the price source: until then this energy is unpriced.
notice-advice-price-source-late = The settings, under Price sources, have its last answer and the remedy. Until it answers, you can import the prices.
notice-advice-price-conflict = Find out which are right. Remove stored values that are wrong, and they are fetched again. If they are right, dismiss this notice.
notice-advice-peak-ahead = Switch something large off, or start it a few minutes later.
notice-advice-backup-overdue = Check the log for the cause, and whether the backup folder exists and has free space.
notice-advice-disk-nearly-full = Free some space: a full disk accepts no readings.
notice-advice-wrong-clock = Check the clock of this machine, and that a time server sets it.
notice-advice-store-damaged = Look at the loss in the settings, under Store; restore a backup there if you need the data, then confirm. Consider a new disk or SD card.
notice-advice-sensor-clock = Set the clock and time zone of the device, or of the program that uploads for it: a time without an offset is UTC.
notice-advice-unknown-field = Correct the name in the uploading program: until then the value is lost.
notice-advice-register-in-kwh = Send watt-hours: multiply the value by 1,000 in the uploading program, or set the unit of its topic. Then delete the readings so far.
notice-advice-power-in-kw = Send watts: multiply the value by 1,000 in the uploading program, or set the unit of its topic. Then delete the readings so far.
notice-advice-same-meter = Remove one of them, or make it a part of the other in its settings.
notice-advice-grid-swapped = Swap the roles of the sensors at the grid, in their settings. If a battery or another plant feeds in, add a sensor for it.
notice-advice-parts-exceed-house = Check that the sensor at the grid measures the whole house, not one plug. If panels or a battery have no sensor, add one.

### Status

status-disk-fine = The disk is fine: the store takes { $size } and grows by about { $growth } a day, so there is room for more than ten years.
status-disk-days =
    { $days ->
        [one] The store takes { $size } and grows by about { $growth } a day: the disk is full in a day.
       *[other] The store takes { $size } and grows by about { $growth } a day: there is room for { $days } days.
    }
status-disk-unknown = The store takes { $size }. No readings arrived in the last day, so its growth is not known.

### People

people-title = People
people-me = My account
people-settings = Settings
people-and-tablets = People and wall tablets
people-lead = People sign in by name and password, and see only the accounts that you choose. You, the administrator, see everything and sign in without a name.
people-all = Everybody
people-nobody = Nobody yet but you.
people-add = Add person
people-name = Name
people-name-of-administrator = The administrator leaves it empty.
people-wrong = Wrong name or password
people-name-hint = They sign in with this name.
people-password = Password
people-password-hint = At least { $count } characters. All browsers of this person are signed out.
people-change-password = Change password
people-set-password = Set password
people-account = Account
people-accounts = Accounts
people-none = no account
people-tenant = tenant
people-viewer = viewer
people-member = member
people-choice-none = Nothing: the account does not exist for them
people-choice-tenant = Tenant: sees only the sub-meters of the tenancies that name them
people-choice-viewer = Viewer: sees it, and changes nothing
people-choice-member = Member: also corrects readings, changes contracts and bills, dismisses notices, sees the API keys
people-no-account = You see no account yet. Ask the administrator for one.
people-save = Save
people-remove = Remove person
people-remove-what = Signs out all of their browsers. Readings and corrections stay.
people-done-added = Person added.
people-done-removed = Person removed.
people-done-password = Password set. All browsers of this person were signed out.
people-done-own-password = Password changed. All your other browsers were signed out.
people-done-saved = Saved.
people-done-unlinked = Removed. This user of Home Assistant signs in with a password from now on.
people-linked = Sign-in by Home Assistant
people-linked-what = These users of Home Assistant open wattkeeper without a password. A new password of the person ends that.
people-linked-own = These users of Home Assistant open wattkeeper as you, without a password. A new password ends that.
people-linked-to = As { $name }
people-linked-to-administrator = As administrator
people-unlink = Remove

### Wall tablets

wall-title = Wall tablets
wall-lead = A wall tablet shows one account to everyone in the room. Open its link there once: it needs no password, and cannot change anything.
wall-links = Links
wall-none = No links yet.
wall-new = New link
wall-name = Name
wall-name-hint = Where the tablet hangs, such as Hall.
wall-make = Make link
wall-revoke = Revoke
wall-last-used = last used { $time }
wall-never-used = never used
wall-once = The link is shown only once: only a hash is stored. Open it in the tablet's browser now. Anyone who has the link can see the account.
wall-link = Link
wall-done = Done
wall-done-revoked = Link revoked. The tablet no longer shows anything.
wall-go-on = Show the dashboard
wall-as-of = as of { $clock }
wall-now = Now
wall-nothing = No readings yet.
wall-energy = Energy
wall-period = Period
wall-today = Today
wall-yesterday = Yesterday
wall-this-month = This month
wall-solar = Solar
wall-house = House
wall-cost = Cost
wall-incomplete = incomplete

### Adding a sensor

wizard-title = Add a sensor
wizard-title-of = Connect { $name }
wizard-back = Settings
wizard-which-device = Which device measures it?
wizard-back-question = Previous question
wizard-home = Do you have Home Assistant?
wizard-home-yes = Yes
wizard-home-yes-about = wattkeeper reads its sensors with their history, and proposes the house as its Energy dashboard has it
wizard-home-no = No, or this device is not in it
wizard-home-no-about = connect a meter or a device itself
wizard-what = What is in your home?
wizard-how = How do its readings come here?
thing-grid = Grid meter
thing-panels = Panels
thing-battery = Battery
thing-wallbox = Wallbox
thing-heat-pump = Heat pump
thing-flat = Flat
thing-other = Something else
thing-about-grid = energy drawn and fed in
thing-about-panels = on the roof or the balcony
thing-about-battery = energy charged and discharged
thing-about-wallbox = charging of a car
thing-about-heat-pump = heating and hot water
thing-about-flat = a flat or a tenant, with a statement of its own
thing-about-other = such as a device with a smart plug
way-mqtt = By MQTT
way-address = It has an address in the network
way-script = A script or program sends them
way-file = From a file
way-person = I read the meter myself
way-name = I know the name of the device
way-about-mqtt = it sends to a broker, such as Mosquitto
way-about-address = wattkeeper asks it every few seconds; no broker is needed
way-about-script = one line with curl is enough
way-about-file = an export of the supplier or of another program
way-about-person = a page for the phone checks each reading
way-about-name = such as Shelly, Tasmota or Fronius
wizard-another = Another device
wizard-another-mqtt = the page shows what the broker hears
wizard-another-address = any device that answers with JSON, or by Modbus with SunSpec
wizard-other-device = Another device
wizard-what-it-measures = Which flow does it measure?
wizard-name = Name
wizard-name-hint = For example House, Panels or Washing machine.
wizard-role = Measures
wizard-role-missing = Choose what it measures.
at-grid-title = At the grid
at-grid-question = The house has a sensor at the grid already: { $others }. What is { $sensor } beside it?
at-grid-phase = Another phase of the same meter: in each minute, import and export of all phases are netted, as the meter does
at-grid-sub-meter = It measures a part of the other one, such as a heat pump behind it. It becomes a sub-meter and is not added to the import
at-grid-connection = Another connection, or another register of the same meter, such as that of a night tariff: both are added up
wizard-part-of = Part of
wizard-part-of-hint = Only for a part of the house that another sub-meter measures, too.
wizard-part-of-none = The house
wizard-account = Account
wizard-account-hint = One for each house is enough.
wizard-id-summary = Choose the sensor id yourself
wizard-id = Sensor id
wizard-id-hint = The device sends it with each reading. Without one, it comes from the name. You cannot change it later.
wizard-id-taken = There is a sensor { $id } already. Choose another id.
wizard-name-taken = There is a sensor with this name already, which measures something else. Choose another name.
wizard-add = Continue
wizard-key = Key
wizard-key-once = The key is shown only once: only a hash is stored. It can upload readings, nothing else.
wizard-key-needed = The lines below still need a key instead of API_ID and API_KEY. Earlier keys stay valid until you revoke them.
wizard-key-make = Make a key
wizard-copy-lines = the lines
wizard-device = On the device
wizard-read = Read the meter
wizard-local = wattkeeper listens on this machine only. For devices in the network, first set `http.listen` to 0.0.0.0:{ $port } in its configuration file, and restart it. Then open this page by the machine’s address in the network. A key that you make before stays valid.
wizard-shelly-device = In the settings of the Shelly, turn on MQTT and enter your broker. On a Plus, Pro, Gen3 or later, tick “RPC status notifications”, too: only then does it send readings.
wizard-tasmota-menu = In the device’s own pages, under Configuration, Configure Other, tick “MQTT enable”. Then, under Configuration, Configure MQTT, enter the host and port of your broker, and a topic that no other device has, such as { $topic }. Leave Full Topic as it is. Readings then come under tele/{ $topic }/SENSOR.
wizard-tasmota-period = It sends every five minutes. For a reading each minute, paste this line into its console.
wizard-zigbee2mqtt-device = Zigbee2MQTT sends readings by itself. Add these lines to its configuration file, so that each reading carries its time.
wizard-p1-device = A program such as DSMR-reader reads the P1 port. Turn on its MQTT messages, with a topic for each value or as JSON, under the topics it proposes.
wizard-homewizard-device = In the HomeWizard app turn on the local API, in the settings of the device.
wizard-fronius-device = In the inverter’s own pages turn on the Solar API, under Communication.
wizard-sunspec-device = In the device’s own pages turn on Modbus TCP with SunSpec.
wizard-two-ways = Choose one of two ways.
wizard-by-address = By its address
wizard-polled = wattkeeper can poll it at its address in your network. That needs no broker.
wizard-heard = { $count ->
        [one] Such a device was found on the broker. Add it with one click.
       *[other] { $count } such devices were found on the broker. Add each with one click.
    }
wizard-not-heard = No such device has sent anything to the broker yet. After its next message it is among the devices on the broker; add it there.
wizard-topic = Or its topic
wizard-topic-hint = For a device with one meter: wattkeeper then listens to it at once, and shows its first message.
wizard-topic-wrong = Expected a topic without spaces and without +, # or /.
wizard-topic-listen = Listen to this topic
wizard-tasmota-console = Paste these lines into the console of the device. TelePeriod is the time between uploads in seconds.
wizard-esphome-file = Add these lines to the configuration of the node. Replace power with the id of its power sensor.
wizard-iotawatt-setup = Under Setup, Uploaders, add an influxDB uploader with these settings.
wizard-emonpi-file = Add these lines to emonhub.conf: the first ones to the interfacers, the last ones with the number of your node instead of 10.
wizard-home-assistant-packages = Once for all sensors: add these lines to configuration.yaml of Home Assistant, and make the folder packages beside it. If there is a line homeassistant: already, add only the one below it.
wizard-home-assistant-file = For this sensor: save these lines in that folder as { $file }, with your entity instead of sensor.house_power, and restart Home Assistant.
wizard-script-shell = Try it from a shell. watts is the power, watthours the meter reading; you can leave out either.
wizard-script-python = The same in Python.
wizard-file-command = Run this on the machine that wattkeeper runs on.
wizard-file-formats = It reads CSV with a column of times, and exports of Emoncms, Home Assistant and InfluxDB as they are. Nothing is stored unless the whole file is good.
wizard-person-page = Type in the meter reading whenever you pass the meter. A page for the phone checks it against the last one.
wizard-person-open = Type in a reading
wizard-check = Check that it arrives
wizard-check-open = Look at the first reading
wizard-connect = Connect a device
wizard-check-title = First readings of { $name }
wizard-dashboard = Open dashboard
wizard-settings = Sensor settings
wizard-newest = Newest reading
wizard-power = Power
wizard-register = Register
wizard-guess = This does not match the settings
wizard-guess-accept = Change the settings
wizard-fine = These readings match the settings of the sensor.
wizard-nothing = Nothing has arrived yet. Look again when the device has uploaded.
wizard-again = Look again
device-shelly = Shelly
device-tasmota-mqtt = Tasmota
device-tasmota = Tasmota without a broker
device-zigbee2mqtt = Zigbee2MQTT
device-esphome = ESPHome
device-p1 = P1 port (DSMR)
device-homewizard = HomeWizard
device-fronius = Fronius
device-sunspec = Inverter or meter with SunSpec
device-iotawatt = IoTaWatt
device-emonpi = emonPi, emonTx, emonHub
device-home-assistant = Home Assistant
device-script = A script or program
device-file = A file with history
device-person = A meter read by hand
device-about-shelly = all generations; at its address, or by MQTT
device-about-tasmota-mqtt = smart plugs and reading heads, by its own MQTT
device-about-tasmota = a rule of the device sends
device-about-zigbee2mqtt = Zigbee plugs and meters, by MQTT
device-about-esphome = your own ESP devices
device-about-p1 = smart meters in the Netherlands, Belgium and Luxembourg, by MQTT
device-about-homewizard = P1 meter, kWh meter, socket; at its address
device-about-fronius = inverter, or the meter beside it; at its address
device-about-sunspec = SMA, Kostal, SolarEdge and others, by Modbus; at its address
device-about-iotawatt = clamps, by its uploader
device-about-emonpi = by emonHub
device-about-home-assistant = any entity that measures power
device-about-script = HTTP with JSON
device-about-file = CSV and exports
device-about-person = with the phone
whole-house-evcc = evcc
whole-house-about-evcc = grid, panels, battery and chargers at once, by MQTT
whole-house-set-up-evcc = In evcc, under Configuration, Integrations, MQTT, enter your broker, and leave the topic at evcc. Its grid meter, panels, battery and chargers then appear here. Leave out what another sensor measures already.
guess-sign-as-is = Its power already counts the right way round, but the sensor is set to inverted.
guess-sign-inverted = Its power is negative, which does not match its role: it counts the other way round.
guess-power-sign-as-is = Its power already counts the right way round, but it is set to inverted.
guess-power-sign-inverted = Its power is negative, which does not match its role: the power counts the other way round.
guess-register-sign-as-is = Its register already counts the right way round, but it is set to inverted.
guess-register-sign-inverted = Its register falls, which does not match its role: the register counts the other way round.
guess-between-line = Its power comes at regular times: the mean of two values is closest to the power between them.
guess-between-hold = Its power comes at irregular times, when it changes: each value counts until the next one.
guess-register-net = Its register rises and falls, like one that runs backwards while energy is fed into the grid.
guess-register-counter = Its register only rises, like a counter.
guess-register-interval = Its register starts again with each value, like energy per interval.
settings-sensors = Sensors
settings-add-sensor = Add sensor
settings-no-sensors = No sensors yet. A sensor is anything that uploads readings: a meter, a smart plug, a script.
settings-last-upload = Last upload { $time }
settings-no-upload = No upload yet
settings-readings =
    { $count ->
        [one] { $shown } reading
       *[other] { $shown } readings
    }
settings-of-account = account
settings-keys = API keys
settings-create-key = Create API key
settings-no-keys = No API keys yet. Sensors and programs sign in with an API key.
settings-last-used = Last used { $time }
settings-never-used = Never used
settings-accounts = Accounts
settings-add-account = Add account
settings-no-accounts = No accounts yet. An account owns sensors and API keys. One per house is enough.
settings-sensor-count =
    { $count ->
        [one] 1 sensor
       *[other] { $count } sensors
    }
settings-password = Password
settings-password-hint = At least { $count } characters. Changing it signs out all other browsers.
settings-change-password = Change password
settings-account = Account
settings-name = Name
settings-save = Save
settings-remove = Remove

### Frame of each page

frame-skip = Skip to content
frame-pages = Pages
frame-sign-out = Sign out
frame-api = API
frame-region = Region
frame-region-none = As the language
frame-region-choose = Choose region
frame-language = Language
frame-problem = There is a problem
frame-open-dashboard = Open dashboard
frame-accounts = Accounts
language-name = English

### Ranges of time

span-range = Range
span-from-to = { $from } – { $to }
span-unit-24h = 24 hours
span-unit-hour = Hour
span-unit-day = Day
span-unit-week = Week
span-unit-month = Month
span-unit-year = Year
span-unit-contract = Contract year
span-unit-all = All
span-earlier = Earlier
span-later = Later
span-first-day = First day
span-last-day = Last day
span-show = Show
span-now = Today
span-other = Other days
span-problem = Enter two dates, the first one not after the second, and at most { $years } years apart.

### Live values

live-on = live
live-off = signed out
live-lost = disconnected, reconnecting

### Errors

offline-title = The server can't be reached
offline-remedy = It is off, or this device is in another network. Nothing is lost: sensors that keep their readings send them later.
offline-again = Try again
error-api = Something went wrong
error-refused = { $detail }
error-form = Nothing was changed
error-expired = This form has expired
error-expired-remedy = Nothing was changed. Go back, reload the page, and submit the form again.
form-kept = You signed in meanwhile. Nothing is saved yet: check your entries and save them.
form-changed = This was changed meanwhile. Nothing is saved yet: save again to replace it.
form-changed-value = { $label }: stored “{ $stored }”, here “{ $typed }”.
form-changed-none = nothing
kept-title = Signed in
kept-lead = Your entries were kept, without passwords. Nothing is saved yet.
kept-continue = Back to your entries
sign-in-kept = Your session has ended. Your entries come back after you sign in.
error-setup = This setup address is not valid
error-wall = This link does not work any more
error-wall-remedy = The administrator can make a new one.
error-setup-remedy = It works only once, and only until wattkeeper stops. If an administrator password is set, sign in, or run `wattkeeper password` on the server to set a new one. Otherwise restart `wattkeeper serve`: it prints a new setup address.
error-not-found = Page not found
error-not-found-remedy = Check the address for typos.
error-method = Method not allowed
error-method-remedy = Nothing was changed.
error-too-large = That is too much at once
error-too-large-remedy = Nothing was stored. Send it in several parts: { $detail }.
error-too-many = Too many requests
error-too-many-remedy = Wait a moment, then try again.
error-busy = The server is busy
error-busy-remedy = Try again in a moment.

### Mistakes in forms: the message of the check. Other languages say what the field expects.

problem-name = { $detail }
problem-id = { $detail }
problem-zone = { $detail }
problem-price = { $detail }
problem-currency = { $detail }
problem-date = { $detail }
problem-password = { $detail }
problem-other = { $detail }

### Sign in

sign-in-title = Sign in
sign-in-forgot = Forgot it? Ask the administrator. As administrator, run `wattkeeper password` on the server.
sign-in-not-set = No administrator password is set yet. Open the setup address that `wattkeeper serve` printed at startup, or run `wattkeeper password` on the server.
sign-in-wrong = Wrong password.
sign-in-too-many-here = Too many attempts from this address. Try again in { $seconds } s.
sign-in-differ = The passwords do not match.
sign-in-link = Sign me in by Home Assistant from now on
sign-in-link-hint = Anyone who uses Home Assistant as { $user } then opens wattkeeper without this password.
sign-in-link-too-many = Eight users of Home Assistant are linked to you, the maximum. Remove one, or clear the box.
sign-in-unlinked = This user of Home Assistant needs a password again.
sign-in-continue = Continue as { $name }
sign-in-continue-administrator = Continue as administrator
sign-in-as-another = Or sign in with a password:

### Setup

setup-title = Setup
setup-welcome = Welcome to wattkeeper
setup-lead = Choose the administrator password. You need it to see the dashboard, the settings, and the status page.
password-current = Current password
password-new = New password
password-again = Repeat password
setup-hint = At least { $count } characters. A few random words work well.
setup-set = Set password

### Accounts

account-plan = Plan
account-plan-paid = paid
account-plan-free = free
account-paid = Paid: all features
account-free = Free: programs cannot ask for net consumption
account-phases = Several sensors at the grid
account-phases-hint = The utility's meter nets its phases: only their sum is import or export.
account-phases-separate = Separate: import and export of each sensor count by themselves
account-phases-balanced = Balanced: the sensors measure the phases of one meter; import and export of the same minute are netted
account-has-sensors = You cannot remove an account that has sensors.
account-sensors-first = Remove them first.
account-remove-hint = Also revokes its API keys. This cannot be undone.
account-remove = Remove account
account-zone = Time zone
account-zone-hint = Days, weeks, and months start at midnight in this time zone.
account-choose-zone = Choose a time zone

### API keys

key-title = API key
key-scope = Scope
key-created = Created
key-last-used = Last used
key-never = never
key-rotate-title = Rotate
key-rotate-hint = Replaces the api_key and keeps the api_id. The old api_key stops working immediately; the new one is shown only once.
key-rotate = Rotate api_key
key-revoke-title = Revoke
key-revoke-hint = Everything that uses this key loses access immediately. This cannot be undone.
key-revoke = Revoke API key
key-does-full = upload and download
key-does-read = download only
key-does-write = upload only
key-lead = A sensor or a program signs in with an API key: an api_id and an api_key. Give each its own, so that you can revoke one without affecting the others.
key-label = Label
key-label-hint = The device or program that uses the key. Optional.
key-full = Upload and download
key-write = Upload only: for sensors
key-read = Download only: for programs that show readings
key-new = New API key
key-new-secret = New api_key
key-once = The api_key is shown only once: only a hash is stored. Copy it now.
key-done = Done

### Copy buttons

copy-word = Copy
copy-what = Copy { $what }
copy-id = the api_id
copy-key = the api_key
copy-copied = Copied
copy-by-keys = Press Ctrl+C

### Sensors

sensor-revoked = revoked
sensor-active = uploading
sensor-silent = silent
sensor-title = Sensor
sensor-chart = Chart
sensor-id = Sensor id
sensor-last-upload = Last upload
sensor-none-yet = none yet
sensor-stored = Stored readings
sensor-measures = Settings
sensor-register = Register
sensor-register-net = Net: runs backwards while energy is fed into the grid
sensor-register-counter = Counter: only counts up; a lower value means that it was reset
sensor-register-interval = Interval: each value is the energy since the value before it
sensor-power-sign = Sign of the power
sensor-register-sign = Sign of the register
sensor-as-is = As it comes
sensor-inverted = Inverted: it counts the other way round
sensor-between = Power between two readings
sensor-between-line = In a line from one to the other: for devices that upload at regular times
sensor-between-hold = Stays until the next one: for devices that upload when the power changes
sensor-revoke-title = Revoke
sensor-authorize-title = Authorize
sensor-revoke-hint = A revoked sensor cannot upload, and its readings cannot be downloaded. They are kept, and you can authorize the sensor again.
sensor-authorize-hint = This sensor is revoked: it cannot upload, and its readings cannot be downloaded. They are kept.
sensor-revoke = Revoke sensor
sensor-authorize = Authorize sensor
sensor-remove-title = Remove
sensor-remove-hint = Deletes the sensor and all its readings. This cannot be undone.
sensor-type = Type the sensor id
sensor-type-end = to confirm
sensor-remove = Remove sensor and readings
sensor-not-its-id = This is not the sensor id. Nothing was removed.

### Roles of sensors

role-title = Measures
role-grid = Grid: energy taken from the grid minus energy fed into it
role-grid-import = Grid import: energy taken from the grid
role-grid-export = Grid export: energy fed into the grid
role-solar = Solar: energy that the panels generate
role-battery = Battery: energy that charges it minus energy that it delivers
role-battery-charge = Battery charge: energy that charges it
role-battery-discharge = Battery discharge: energy that it delivers
role-sub-meter = Sub-meter: a part of the house's consumption, such as a heat pump or a smart plug

### The first reading

steps-waiting = Waiting for the first reading…
steps-first = First reading stored.
steps-stored = readings stored.

### Status

status-well = All is well: every acknowledged reading is stored.
status-refusing = Not storing readings: uploads are refused.
status-attention = Storing readings. Needs attention:
status-service = Service
status-backups = Backups
status-last-error = Last error
status-no-errors = No errors since startup.
status-version = Version
status-uptime = Uptime
status-zones = Time zones
status-zones-built-in = { $version }, part of the program
status-zones-of-system = { $version }, from { $folder }
status-readings = Readings
status-sensors = Sensors
status-size = Store size
status-free = Free disk space
status-written = Written to disk
status-written-later = available after ten minutes
status-written-a-day = { $size } per day
status-read-only = The store is read-only
status-read-only-remedy = { $why }. Fix the cause, then restart wattkeeper. Every acknowledged reading is safe.
status-backups-off = No backups are taken
status-backups-off-remedy = Choose a folder in the settings, preferably on another disk: an SD card can fail completely.
status-backup-folder = The backup folder cannot be read
status-backup-folder-remedy = Check that its disk is mounted and that wattkeeper has read and write permission.
status-backup-off = Scheduled backups are off.
status-backup-none = No backup yet.
status-backup-newest = Newest backup: { $size }, taken and verified { $ago }.
status-backup-unreadable = The backup folder cannot be read: { $why }.
status-ago = { $span } ago ({ $date } { $zone })
status-seconds =
    { $count ->
        [one] 1 second
       *[other] { $count } seconds
    }
status-minutes =
    { $count ->
        [one] 1 minute
       *[other] { $count } minutes
    }
status-hours =
    { $count ->
        [one] 1 hour
       *[other] { $count } hours
    }
status-days =
    { $count ->
        [one] 1 day
       *[other] { $count } days
    }

### API page

api-operations = Operations
api-base = Base address
api-first = A first look
api-group-readings = Readings
api-group-energy = Energy and events
api-group-money = Money
api-group-service = Service
api-group-influx = InfluxDB writers
api-group-emoncms = Emoncms uploaders
api-version = Version { $version }. Machine-readable:
api-sign-in = Authentication
api-parameters = Parameters
api-required = required
api-body = Request body
api-answers = Responses

### Sure?

sure = It is right: save it
sure-number = “{ $typed }” is read as { $read }.
ask-yes = Yes, I am sure

sensor-more = More settings
sensor-silence = Silent after, in minutes
sensor-silence-hint = A notice appears after this long without an upload. Empty: learnt from how often it uploads.
sensor-home-assistant = Home Assistant
sensor-home-assistant-choice = Show it there, if discovery is on. Not if Home Assistant has it from the broker already.
sensor-silence-problem = Enter whole minutes, such as 30, or nothing.
sensor-plausible = Plausible power, in watts
sensor-plausible-hint = More than this is an error, and is not counted. Empty: 100000.
sensor-plausible-problem = Enter whole watts above 0, such as 5000.
sensor-rollover = Rollover, in kWh
sensor-rollover-hint = Where the register starts again from 0. Empty: nowhere.
sensor-rollover-problem = Enter kilowatt-hours above 0, such as 100000, or nothing.

status-no-password = The password of the broker is missing.
status-no-password-remedy = It is in no backup, so the restore left it out. Until you type it in the settings, nothing comes from the broker.
status-no-webhook = The address or the token for messages about notices is missing.
status-no-webhook-remedy = They are in no backup, so the restore left them out. Until you type them in the settings, no messages are sent.
status-no-poll-passwords = Passwords of polled devices are missing
status-no-poll-passwords-remedy = The store was restored from a backup, and backups have no passwords. Add these devices again, with their passwords, on the page Polled devices.
status-no-price-keys = Keys of price sources are missing
status-no-price-keys-remedy = The store was restored from a backup, and backups have no keys. Add these sources again, with their keys, on the page Price sources.

## Settings of the service

service-title = Service
service-held = Set by { $by }. Change it there.
service-wrong = Enter fewer characters, and none that cannot be seen.
service-secret-held = One is set, and never shown.
service-secret-set = One is set, and never shown. Leave this empty to keep it, or type a new one to replace it.
service-secret-missing = It is missing since the restore, because no backup has it. Type it again.
service-secret-again = Secrets are never sent back: type it again.

broker-title = MQTT broker
broker-lead = Readings of many devices come by way of an MQTT broker. Home Assistant shows sensors by way of the same one.
broker-address = Address
broker-address-hint = Name or IP address of the broker, with a port if it is not the usual one, such as broker.lan or 192.168.1.5:1884. Leave it empty for no broker.
broker-tls = Use TLS, so that nobody on the way can read along
broker-user = User
broker-user-hint = Leave it empty if the broker asks for none.
broker-password = Password
broker-password-hint = It is in no backup.
broker-password-remove = Remove the password
broker-password-goes = If the address or TLS changes, the password is removed, because it is meant for this broker alone. Type it again then.
broker-ca-file = File with trusted certificates
broker-ca-file-hint = Only for TLS with certificates of your own: the path of a PEM file on the machine of wattkeeper.
broker-discovery = Show all sensors in Home Assistant
broker-discovery-hint = Home Assistant needs its MQTT integration at this broker.
broker-wrong-address = Enter a name or an IP address, and a port if it is not the usual one, such as broker.lan:1883. User and password have fields of their own.
broker-test-title = Test the connection
broker-test-hint = With the settings as they are saved. It takes up to ten seconds.
broker-test-result = Test of the connection
broker-test-fine = The broker accepts the connection.
broker-test-none = There is no broker to test: save an address first, and the password if it is missing.
trial-busy = Another test is running. Try again in ten seconds.
broker-test-name = This name is unknown. Check its spelling, or type the IP address.
broker-test-nothing = The machine is there, but nothing listens at this port. Check the port, and whether the broker is running.
broker-test-silent = No answer within ten seconds. Check the address, and whether a firewall is in between.
broker-test-certificate-name = The certificate of the broker is for another name. Type the name that the certificate has.
broker-test-untrusted = No trusted authority has signed the certificate of the broker. Name the file with the certificate of yours.
broker-test-tls = No connection by TLS: { $why }. Check the port (usually 8883), and whether the broker has TLS.
broker-test-login = The broker refuses the user or the password. Check both.
broker-test-not-mqtt = The server there does not speak MQTT, or expects TLS. Check the port, and TLS.
broker-test-other = No connection: { $why }.
broker-connecting = Connecting to the broker.
broker-elsewhere = Another front-end of this service talks to the broker.
broker-connected = Connected to the broker since { $time }.
broker-not-connected = Not connected to the broker. { $why } Next attempt in { $seconds } s.
broker-lost = The broker has ended the connection. If that happens again and again, another program uses the same client id (mqtt.client_id).
broker-not-ready = Readings cannot be stored now, so their messages stay at the broker. The page Status says why.
broker-subscriptions = Devices that it reads
broker-subscriptions-none = None yet.
broker-subscription-described = Described messages
broker-subscription-file = in the configuration file
broker-subscription-stays = The subscription could not be removed. The log says why.
broker-unsubscribe = Remove
broker-unsubscribed = Removed. The sensor and its readings stay; nothing more comes from this device.

polled-title = Polled devices
polled-lead = Meters and inverters that answer requests in your network. wattkeeper asks each of them again and again, without a broker.
polled-devices = Devices that are polled
polled-add-title = Poll a device
polled-add = Test and add
polled-sensor = Sensor
polled-sensor-hint = The sensor of its first value. Sensors for further values, such as exported energy, are added when the first reading of each arrives.
polled-preset = Device
polled-address = Address
polled-address-hint = Its name or IP address, with a port if it is not the usual one, such as 192.168.1.20. Give the device a fixed address in your router.
polled-anyway = Add it although it does not answer now
polled-more = Password and unit
polled-password-hint = Only for Shellys with a password. Leave it empty to keep the stored one. It is in no backup.
polled-unit = Unit
polled-unit-hint = Only for devices with several units, such as inverters by Modbus: a number from 0 to 255. Leave it empty for the usual one.
polled-no-sensors = Readings belong to a sensor. Add one first.
polled-done = Added. Its first answer is on its way.
polled-first-answer = It answers: { $values }. wattkeeper polls it from now on.
polled-answered = { $time }: { $values }.
polled-failed = { $time }: { $why }
polled-not-yet = Not polled yet.
polled-elsewhere = Another front-end of this service polls it.
polled-no-sensor = Choose the sensor of its readings.
polled-no-preset = Choose the device.
polled-wrong-unit = Enter a whole number from 0 to 255.
polled-no-unit = There is only one device at such an address: leave the unit empty.
polled-long-sensor = The id of this sensor is longer than 54 characters, and leaves no room for those of further values. Choose another sensor.
polled-wrong-address = Enter a name or an IP address, and a port if it is not the usual one, such as 192.168.1.20 or meter.lan:8080, without http://.
polled-not-free = A device in the configuration file feeds this sensor, or there are 32 devices already. Choose another sensor, or remove a device.
polled-stays = The device could not be removed. The log says why.
poll-unreachable = Nothing answers at this address. Check the address, and whether the device is on and in the same network.
poll-no-answer = No answer within { $seconds } seconds. Check the address, and whether the device is on.
poll-password = The device asks for a password, or refuses this one. Type its password.
poll-unknown-login = The device asks for a password in a way that wattkeeper does not know. Turn its password off.
poll-password-place = Its password cannot be read. The log says why.
poll-too-often = The device is polled too often, perhaps by other programs, too.
poll-status = The device answers with status { $status }. Check which device it is, and turn on its local API.
poll-other-device = The answer is not that of such a device. Check the device and the address.
poll-solar-api = The Solar API of the inverter answers with code { $code }. Check the unit.
poll-no-sunspec = It answers, but not as such a device. Turn on Modbus TCP with SunSpec, and check the unit.
poll-exception = The device answers with the Modbus exception { $code }. Check the unit.
poll-own-fault = Polling it failed. The log says why.

### Price sources

sources-title = Price sources
sources-lead = Prices and colours of days that wattkeeper fetches by itself: today's, tomorrow's once they are published, and those of the past. It asks the sources on this page, and no others. Without one, it asks nobody.
sources-all = Sources that are asked
sources-add-title = Add a source
sources-source = Source
sources-source-hint = Where the prices come from. It learns the address of this house in the Internet, and nothing else.
sources-own = Another one, described below
sources-zone = Zone or region
sources-zone-hint = As the source names it: DE-LU or AT for Energy-Charts and ENTSO-E, a letter from A to P for Octopus. Leave it empty for the others.
sources-account = Account
sources-series = Price series or day list
sources-series-hint = The name that a contract uses, such as day-ahead. For colours of days, the name of the day list, such as tempo.
sources-since = From
sources-since-hint = The first day to fetch, 1 January 2000 at the earliest. Empty: today.
sources-key = Key
sources-key-hint = Only for ENTSO-E, Tempo and other sources that ask for one. Leave it empty to keep the stored one. It is in no backup.
sources-more = A source of your own
sources-mapping = Its description
sources-mapping-hint = Lines as in the configuration file: url, items, time, price, unit and others. They also replace those of the chosen source.
sources-anyway = Add it although it does not answer now
sources-only = Test only
sources-no-accounts = Prices belong to an account. Add one first.
sources-done = Added. Its first answer is on its way.
sources-removed = Removed. Its prices stay; no new ones come.
sources-trial = It answers with { $count } prices or days from { $from } to { $to }. { $stored } of them are not stored yet.
sources-trial-prices = The first ones, per kilowatt-hour:
sources-trial-days = The first ones:
sources-kept = wattkeeper asks it from now on.
sources-not-kept = Nothing was stored, and the source is not added yet.
sources-answered = { $time }: { $count } prices or days from { $from } to { $to }, { $stored } of them new.
sources-others = Other rates in the answer, which are not taken: { $rates }
sources-conflict = { $count } differ from stored ones, the first at { $time }. The stored ones stay. Remove those that are wrong, and they are fetched again.
sources-not-yet = Not asked yet.
sources-elsewhere = Another front-end of this service asks it.
sources-no-source = Choose the source.
sources-no-account = Choose the account.
sources-no-key = This source has no key: leave it empty.
sources-wrong-zone = Enter a zone or region as the source names it, such as DE-LU; or nothing if the source has none.
sources-wrong-series = Enter the name of a price series, such as day-ahead, or of a day list without a colon, such as tempo.
sources-wrong-since = Enter a date from 2000-01-01 on, such as 2024-01-01, or nothing.
sources-wrong-mapping = Enter lines such as price = "/price", with texts in quotes, and at most 4096 bytes.
sources-wrong-line = The line { $field } is wrong, missing or unknown. docs/PRICE-SOURCES.md says what it expects.
sources-not-free = A source in the configuration file fills this series, or there are 16 sources already. Choose another name, or remove a source.
sources-stay = The source could not be removed. The log says why.
ha-title = Home Assistant
ha-lead = wattkeeper can read a Home Assistant. It connects to the address on this page alone, with a token of yours.
ha-all = Home Assistants that are read
ha-form-title = Add one, or change it
ha-address-hint = As in your browser, such as http://homeassistant.local:8123.
ha-token-label = Long-lived token
ha-token-hint = Made in Home Assistant: your name, Security, Long-lived access tokens. Empty keeps the one that is stored. It is never shown, and in no backup.
ha-anyway = Save it although it does not answer now
ha-save = Test and save
ha-done = Saved.
ha-removed = Removed, with its token. Sensors and readings stay.
ha-too-many = The service has 50 Home Assistants, which is the maximum. Remove one first.
ha-wrong-address = Enter an address such as http://homeassistant.local:8123, or https://... for TLS, without a user.
ha-wrong-token-text = Enter a long-lived token, of up to 1,024 characters without spaces. There is none stored for this address.
ha-identity = { $location } answers, with Home Assistant { $version }. The token belongs to { $person }.
ha-administrator = That person is an administrator there, so history can be sent, too.
ha-reader = That person is not an administrator there: that is enough to read. Sending history needs the token of an administrator.
ha-token-file = Its token is in a file.
ha-token-store = Its token is stored.
ha-token-missing = Its token is missing: type it again.
ha-token-supervisor = It is the Home Assistant that runs wattkeeper: no token is needed.
ha-own = wattkeeper runs in this Home Assistant. It needs neither an address nor a token: choose the sensors, and press the button below them.
ha-own-other = Propose its sensors for the account { $account }
ha-another = Another Home Assistant
ha-house = The house
ha-house-empty = It has no statistics of energy or power. Set up its Energy dashboard, and look again.
ha-of-dashboard = Its Energy dashboard has these. Each becomes a sensor with its whole history; leave out what is measured elsewhere.
ha-guessed = It has no Energy dashboard, so roles are guessed from names. Choose them, and leave out the others.
ha-sensor-name = Name
ha-sensor-id = Id
ha-sensor-role = Role
ha-leave-out = leave out
ha-take = Read these
ha-look = Look at the house
ha-sensors = These are read from now on, history first.
ha-since = since { $month }
ha-left-out-title = Not read:
ha-left-out-unknown = Home Assistant has no statistics of it
ha-left-out-other-unit = its unit is none of energy or power
ha-left-out-no-entity = another program sends this statistic
ha-left-out-too-many = there are too many
ha-wrong-sensor = A sensor has no valid id or role. Enter an id of at most 64 characters.
ha-none-chosen = No sensor has a role. Choose one for at least one of them.
ha-no-sensors = It feeds no sensor yet: look at the house, and choose some.
ha-elsewhere = Another front-end of this service reads it, or it is about to be read.
ha-connecting = Connecting.
ha-reads-history = Reading history: { $read } of { $months } months of sensors, { $readings } readings so far.
ha-reads-live = { $sensors } sensors get each new state. Readings since the start: { $readings }.
ha-price-title = Its price
ha-price-flat = A kilowatt-hour costs { $price } { $currency } there, one that is fed back { $credit }. Check it, and save it as a contract.
ha-price-confirm = Look at the contract
ha-price-series = Its prices by the hour
ha-price-lead = The states of these entities can feed price series of the same names, with their history. A contract with such a series then has their prices.
ha-price-contract = A contract by this series
ha-price-take = Feed price series from these
ha-prices = Prices are read from now on, history first.
ha-send = Send the repaired history to it
ha-send-lead = Home Assistant gets the energy and the costs of each hour, as statistics of their own, and again where they change. The statistics of its entities stay as they are.
ha-send-no-more = No longer send history to it
ha-sends = History is sent to it from now on. The first time takes minutes.
ha-sends-not = Nothing is sent to it any more. The hours that it has stay there.
ha-sent-here = Its history is sent:
ha-same-address = The history of another account is sent to this address already.
ha-counted-title = What Home Assistant counted
ha-counted-lead = The energy that Home Assistant counted, beside the measured one. Each difference has its reason, and leads to the events at that time.
ha-counted-from = A day of the first month
ha-counted-to = A day after the last month
ha-counted-show = Compare
ha-counted-measured = Measured
ha-counted-difference = Difference
ha-counted-none = Neither side has energy in these months.
ha-counted-no-sensor = Home Assistant feeds no register of such a sensor: look at the house, and choose some.
ha-counted-wrong-range = Enter a first day before the last one and before today, and at most 780 months of sensors together: choose one sensor, or a shorter time.
ha-counted-reason = { $reason }: { $energy }, { $time }
ha-compare-busy = Another comparison with a Home Assistant is under way. Try again in a minute.
ha-reason-reset = a register was counted again
ha-reason-spike = a value that was far too high
ha-reason-gap = nothing was recorded, and all counts after it
ha-reason-late = a value came late
ha-reason-renamed = no statistic: the entity was renamed, or added again
ha-reason-unit = another unit
ha-reason-edited = its sum was changed by hand
ha-reason-corrected = a person corrected the readings here
ha-reason-unread = there are no readings here
ha-reason-unknown = unknown
ha-history-title = History in Home Assistant
ha-history-lead = Home Assistant counts energy as it comes, so it misses late readings and corrections. wattkeeper can send it the energy and the costs of each hour, and send them again where they changed.
ha-history-off = It is off. The page Home Assistant of the settings turns it on, or the lines url and token_file in the section home_assistant of the configuration file; docs/HOME-ASSISTANT.md has the steps.
ha-history-not-yet = Nothing was sent yet.
ha-history-under-way = The history is being compared now.
ha-history-complete = Complete: { $time }.
ha-history-sent = Hours sent since the start: { $hours }.
ha-history-elsewhere = Another front-end of this service sends it.
ha-unknown-host = The host of the address is unknown. Check it, or use its IP address, such as http://192.168.1.20:8123.
ha-certificate = Its certificate is not trusted: { $why }. Name a file with one that is in home_assistant.ca_file of the configuration file.
ha-no-tls = The server there does not speak TLS. Check whether the address begins with http:// or https://.
ha-unreachable = Home Assistant cannot be reached: { $why }. Check its address, and whether it is running.
ha-no-answer = Home Assistant did not answer within { $seconds } s. Check its address, and whether a firewall is in between.
ha-closed = Home Assistant ended the connection. It may be restarting.
ha-no-websocket = The server there answers with status { $status } instead of a WebSocket. Check the address, and whether a proxy lets WebSockets through.
ha-other-protocol = The server there does not speak the WebSocket API of Home Assistant. Check the address.
ha-wrong-token = Home Assistant refuses the token. Make a long-lived one there (Profile, Security), and enter it, or write it into its file.
ha-not-administrator = The token belongs to somebody who is not an administrator of Home Assistant. Make one as an administrator.
ha-no-token = There is no token. Enter a long-lived one of Home Assistant, or write it into a file that wattkeeper can read.
ha-trust = The certificates in home_assistant.ca_file cannot be used. The log says why.
ha-refused = Home Assistant refuses { $command }, with the code { $code }.
ha-history-not-taken = Home Assistant accepted hours, but does not show them. Its recorder may be busy, or off.
ha-history-unknown-hours = Home Assistant has hours of { $name } that wattkeeper does not know. They may be a last copy, so they stay. If they are wrong, delete this statistic there: it is sent again.
ha-history-disputed = Another program changes the statistics of wattkeeper in Home Assistant. Let one service alone send to it.
ha-history-no-account = Set home_assistant.account to the account whose history is sent.
ha-own-fault = It failed on this side. The log says why.
source-unreachable = Nothing answers at its address. Check the address, and whether this machine has Internet.
source-private = Its address is in a private network, where no source on the Internet is. If it is your own, add the line allow_private = true to its description.
source-no-answer = No whole answer within { $seconds } seconds. It is tried again by itself.
source-redirect = It leads to another server, which is not followed. Check the address.
source-busy = It is busy, or asked too often. It is tried again by itself.
source-status = It answers with status { $status }. Check the zone and the address.
source-key = It wants a key, or refuses this one. Type the key.
source-other-answer = The answer is something else, such as a web page. Check the address and the description. Nothing was changed.
source-too-long = The answer is too long. Add the line most_days with a smaller number.
source-missing = The answer has no { $place }. Check the description: items, time, end and price.
source-entry = Entry { $number } of the answer cannot be read: { $what }. Check the description. Nothing was changed.
source-entry-time = its time
source-entry-end = its end
source-entry-price = its price
source-entry-type = its type of day
source-twice = The answer has two prices for { $time }. Nothing was changed.
source-refused = It refuses the request, with the reason { $reason }. Check the zone.
source-currency = Its prices are in { $found }, and the contracts in { $expected }. Choose a source in { $expected }: prices are not converted.
source-no-account = There is no such account. Add the source again, for another account.
source-not-stored = The prices cannot be stored. The log says why.
source-own-fault = Asking it failed. The log says why.

found-title = Devices on the broker
found-lead = Devices that were heard on the broker in the last hours and do not feed a sensor yet. Nothing is added by itself.
found-lead-of = Choose the device that sends the readings of { $name }.
found-none = No device of a known kind that is not added yet. A device appears with its next message: most send within a few minutes.
found-no-broker = These devices send by way of an MQTT broker, and no MQTT broker is set yet.
found-heard = last heard { $time }
found-retained = kept by the broker, unknown since when
found-add = Add
found-added = Added. Its next message is its first reading.
found-use = Use for { $name }
found-leave-out = Leave out
found-unit-power = Unit of the power (it sends { $number })
found-unit-energy = Unit of the register (it sends { $number })
found-unit-choose = Choose
found-unit-hint = The device does not say the unit of its numbers. Compare them with its own display.
found-no-unit = Choose the unit of its numbers.
found-unusable = Known devices that cannot be used
found-why-names = People choose the names of its numbers, and these are none of the usual ones. Describe them in a subscription in the configuration file.
found-why-mean-power = Its energy is a mean power over some seconds, so it has no register.
found-why-unit = It counts in a unit that only the meter says. Describe it in a subscription in the configuration file, with a factor.
found-why-other = Its message cannot be read: { $why }.
found-gone = This device has not sent anything for hours, or wattkeeper was restarted. It comes back with its next message.
found-no-account = Choose the account that it belongs to.
found-none-chosen = Choose a role for at least one of its numbers.
found-wrong = Choose its role and the kind of its register from the lists.
found-no-id = The name { $device } cannot be the id of a sensor. Describe the device in a subscription in the configuration file.
found-too-many = There are too many subscriptions. Remove some that are not used, or write one for several devices into the configuration file.

export-title = Everything as files
export-lead = Readings, energy, costs, bills, contracts and all other entries, as files of CSV and JSON in an archive. Other programs read them, and README.md in it describes them. Passwords and keys are not among them. To move to another wattkeeper, restore a backup there instead.
export-everything = Download everything
export-account = Download { $account }

backups-title = Backups
backups-lead = wattkeeper copies everything into a folder by schedule, and verifies each copy. The folder is best on another disk.
backups-dir = Folder
backups-dir-hint = Its whole path on the machine of wattkeeper, such as /mnt/backups. It is made if it does not exist. Leave it empty for no backups.
backups-every = Time between two
backups-every-hint = Such as 24h or 90m.
backups-keep = How many are kept
backups-keep-hint = The oldest goes once a newer one is verified.
backups-secrets = Passwords and tokens of the broker and of messages are in no backup.
backups-not-absolute = Enter the whole path of a folder, such as /mnt/backups.
backups-in-store = This folder is in the data folder of wattkeeper. Choose another one, best on another disk.
backups-not-made = The folder cannot be made: { $why }. Make it yourself, and let the user of wattkeeper write in it.
backups-not-writable = wattkeeper cannot write in this folder: { $why }. Let its user write there; a systemd service also needs ReadWritePaths=.
backups-wrong-every = Enter a time from 1m to 8760h, such as 24h.
backups-wrong-keep = Enter a whole number from 1 to 1000.

messages-title = Messages about notices
messages-lead = wattkeeper sends a message when a notice opens, and when it ends: by e-mail, to Home Assistant, to ntfy, to Gotify, or to a webhook of your own.
messages-go-to = Messages go to { $host }.
messages-address = Address
messages-address-hint = Such as https://ntfy.sh/my-topic, http://homeassistant.local:8123, or smtps://mail.example.org for e-mail. It may be a secret, so only its host is shown later.
messages-address-remove = Remove the address: no messages
messages-format = Format
messages-format-hint = The format that the receiver understands.
messages-token = Token or password
messages-token-hint = The receiver recognises wattkeeper by it, if it asks for one: a long-lived access token of Home Assistant, or the password of the mail server.
messages-token-remove = Remove the token
messages-token-goes = If the address changes, the token is removed, because it is meant for this receiver alone. Type it again then.
messages-language = Messages that people read come in the language of this page.
messages-test-text = This is a test. Messages about notices arrive here.
messages-test-title = Send a test message
messages-test-hint = With the settings as they are saved. It takes up to ten seconds.
messages-test-result = Test message
messages-test-fine = The receiver took the message.
messages-test-none = There is nobody to send it to: save an address first.
messages-test-name = The host of the address is unknown. Check its spelling.
messages-test-silent = No answer within ten seconds. Check the address, and whether a firewall is in between.
messages-test-refused = The receiver answered with status { $status }. Check the address, the format and the token.
messages-test-other = The message could not be sent: { $why }.
messages-wrong-address = Enter an address that begins with https:// or http://, without a user; or smtps:// or smtp:// and a mail server, without a password.
messages-wrong-token = Enter at most 1000 visible characters.
messages-email = E-mail
messages-mail-to = Recipient of e-mail
messages-mail-to-hint = Such as me@example.org. Only for e-mail.
messages-mail-from = Sender of e-mail
messages-mail-from-hint = The address that signs in to the mail server. Empty: that of the recipient.
messages-wrong-mail = Enter an e-mail address such as me@example.org.
messages-weekly = Weekly message
messages-weekly-hint = Energy and costs of the week, and why they changed. It goes where messages about notices go.
messages-weekly-off = None
messages-weekly-sunday = On Sunday evening
messages-weekly-monday = On Monday morning
messages-statement = Monthly statement
messages-statement-hint = On the first of the next month, as a page that can be printed. Without e-mail it is one sentence.
messages-statement-off = None
messages-statement-house = Of the house
messages-wrong-report = Choose one of these.
report-week-title = Your week: { $energy }
report-week-title-cost = Your week: { $energy }, { $cost }
report-week-so-far = This week the house used { $energy }
report-week-so-far-cost = This week the house used { $energy } for { $cost }
report-week-over = Last week the house used { $energy }
report-week-over-cost = Last week the house used { $energy } for { $cost }
report-week-alone = { $week }.
report-week-and-change = { $week }: { $change }.
report-change-none = as much energy as in the week before
report-change-more = { $percent } more energy than in the week before
report-change-less = { $percent } less energy than in the week before
report-change-more-by = { $percent } more energy than in the week before, mostly because of { $device } ({ $energy } more)
report-change-less-by = { $percent } less energy than in the week before, mostly because of { $device } ({ $energy } less)
report-cheapest-tomorrow = Tomorrow, { $date }, electricity is cheapest from { $from } to { $to }, at { $price }.
report-cheapest-today = Today, { $date }, electricity is cheapest from { $from } to { $to }, at { $price }.
report-missing = Readings are missing for { $share } of the time.
report-bars = Energy used each day
report-stop = You get this because a person chose it in wattkeeper. It can be stopped in Settings, Messages about notices.
report-of-house = House
report-statement-title = Statement { $month }: { $of }
report-statement = { $title }. The total is { $total }.

history-title = Import readings
history-lead = A table that another system has exported becomes readings of this sensor. First you see its rows, then a summary. Nothing is stored until you confirm.
history-table = Table as text
history-table-hint = Lines with a time and with power, the meter's register, or both. At most 4 MiB; for longer ones use the command wattkeeper import.
history-sheet = Sheet of a workbook
history-sheet-hint = Only if several sheets have times: the name of one.
history-other-sheets = Other sheets with times, which are not read: { $names }
history-look = Preview
history-rows = The first rows
history-columns = Columns
history-time = Time
history-power = Power
history-register = Meter's register
history-energy = Energy of each interval
history-none = – none –
history-from-registers = The file has readings of a meter: store the energy between two of them
history-zone = Time zone for times without one
history-dates = Order in dates such as 03/04/2026
history-dmy = The day first
history-mdy = The month first
history-contents = Contents
history-rows-read = Rows read: { $count }; without a value: { $empty }; of other series: { $other }
history-found = Readings: { $count }, from { $from } to { $to }
history-no-readings = There is no reading in it.
history-power-range = Power: { $low } to { $high }
history-energy-range = Register: { $low } to { $high }
history-interval-range = Energy of an interval: { $low } to { $high }
history-duplicates = Repeated equal values: { $count }
history-format = It was recognised as a file of { $name }.
history-times = Times of energies
history-times-hint = Whether a time is the start or the end of its interval.
history-by-file = as the file says
history-starts = start of the interval
history-ends = end of the interval
history-more = plus { $name }
history-add-up = Add up several columns
history-add-up-hint = Such as those of tariffs or phases. They have the same unit.
history-decimals = Decimals in numbers such as 1,250
history-comma = after a comma
history-point = after a point
history-where = Only rows with
history-where-hint = One COLUMN=VALUE on each line. Several values of a column are alternatives.
history-choose-where = Write each line as COLUMN=VALUE.
history-months = Energy by month
history-total = Total
history-busy = It is being imported
history-undo = Undo this import
history-undo-lead = Deletes the readings of this file where they are stored as they are in it. Readings that they replaced do not come back.
history-remember = Remember how such files are read
history-remember-hint = Other files with the same columns are then read in the same way.
history-format-name = Supplier or program
history-choose-name = Give it a name of at most 64 characters; accented letters count twice.
history-many-formats = This account has 50 remembered formats, the maximum. Remove one first.
history-format-long = The columns have too many or too long names to be remembered.
history-formats = Remembered formats
history-formats-lead = Files that are recognised in the account { $account }, besides those of known suppliers.
history-forget = Remove
history-format-removed = The format was removed.
history-remembered = The choices were remembered.
plan-times = Times: { $columns }, { $are } ({ $by })
plan-are-start = the start of each interval
plan-are-end = the end of each interval
plan-are-both = both ends of each interval
plan-are-moment = the moment of each value
plan-are-open = the start or the end of each interval
plan-zone = Times without an offset: in { $zone } ({ $by })
plan-power = Power: { $columns }, in { $unit } ({ $by })
plan-energy = Energy of each interval: { $columns }, in { $unit } ({ $by })
plan-register = Meter's register: { $columns }, in { $unit } ({ $by })
plan-rows = Only rows with { $value } in { $column } ({ $by })
plan-by-user = as you chose
plan-by-format = as the format of the file says
plan-by-unit = by the unit
plan-by-name = by the name
plan-by-values = by the values
plan-by-account = as in the account
plan-by-default = as nothing says otherwise
history-bad = Rows that cannot be read: { $count }. The first ones:
history-bad-remedy = Correct these rows, or choose to leave them out.
history-bad-many = More than a tenth of the rows cannot be read, so the choices are probably wrong. Correct them, or these rows.
history-skip-bad = Leave these rows out
history-store = Import
history-too-long = The table is longer than 4 MiB. Import it in parts, or with the command wattkeeper import.
history-empty = Choose a file, or paste a table.
history-choose = Choose the column of power, that of the register, or both.
history-choose-time = Choose the column with the times.
history-choose-order = Choose whether the day or the month comes first.
history-ask-sheet = Name the sheet to read. The command puts it so: { $detail }.
history-ask-times = Choose whether a time is the start or the end of its interval. The command puts it so: { $detail }.
history-ask-decimals = Choose whether decimals follow a comma or a point. The command puts it so: { $detail }.
history-ask-where = The table has several series. Name one under “Only rows with”. The command puts it so: { $detail }.
history-ask-direction = { $detail } is of the other direction than this sensor. Choose another column, or choose it again if it is right.
history-ask-unit = Choose the unit of these values. The command puts it so: { $detail }.
history-wrong = The table cannot be read: { $detail }. Words that begin with -- are options of the command wattkeeper import.

## The store, and its repair

store-title = Store
store-lead = The files that hold all data of wattkeeper.
store-noted = Damage was found
store-noted-remedy = These data were lost. Restore a backup below if you need them, and consider a new disk or SD card.
store-confirm-hint = Look first at the keys, people and wall tablets: after damage, a revoked one may have come back. Confirming allows all of them again.
store-confirm = I have read this
store-check-title = Check
store-check-lead = This reads the whole store, and lists its faults. It takes minutes for a large store; readings are taken meanwhile.
store-check = Check now
store-busy = A test or a check is under way. Try again when it has ended.
store-found = { $problems ->
    [0] The store is in order: { $readings } readings were read.
    [one] One fault was found; { $readings } readings were read.
   *[other] { $problems } faults were found; { $readings } readings were read.
}
store-repair-title = Repair
store-repair-lead = This closes the store, so that you can salvage it or put a backup in its place. Until you open it again, there are no other pages, and sensors get an error; most of them send their readings later.
store-close = Close the store
store-close-unconfirmed = Confirm that the store is to be closed.
store-closing = The store is being closed
store-closing-lead = The page for repairs follows in a few seconds. Only this browser has its address.
store-replaced = Replaced stores
store-replaced-lead = Each repair keeps the store as it was before. Remove one when you are sure that you do not need it.
store-remove = Remove
repair-title = Repair of the store
repair-why = The store cannot be opened:
repair-closed = The store is closed.
repair-open-title = Open the store
repair-open-lead = wattkeeper tries to open the store as it is.
repair-open = Open
repair-opening = The store is being opened.
repair-salvage-title = Salvage the store
repair-salvage-lead = This copies all readable data into a new store, and lists the losses. The damaged store is kept beside it, so there must be space for both.
repair-salvage = Salvage
repair-restore-title = Restore a backup
repair-restore-lead = The backup is verified first; then it takes the place of the store. The present store is kept beside it.
repair-file = Backup
repair-file-hint = Its whole path on the machine of wattkeeper.
repair-no-file = Enter the whole path of a backup, such as /mnt/backups/wattkeeper-20260105T100000Z.backup.
repair-restore = Restore
repair-upload = Or send a backup from this device
repair-uploaded = sent by a browser, { $size }
repair-salvaging = The store is being salvaged: { $count } readings so far.
repair-restoring = The backup is being restored: { $size } read so far.
repair-salvaged = The store was salvaged: { $count } readings. Open it now.
repair-restored = The backup was restored: { $count } readings. Open the store now.
repair-failed = That failed, and the store is as it was: { $why }
repair-losses = These data are lost:
repair-needs-address = The store of wattkeeper is closed for a repair. wattkeeper printed the address of this page when it started.
