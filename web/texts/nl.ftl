# Nederlands. Opbouw zoals en.ftl.

### Numbers and dates

number-decimal = ,
number-group = .
date-day = { $day } { date-month } { $year }
date-day-of-year = { $day } { date-month }
date-month-of-year = { date-month } { $year }
date-week = week van { $date }
date-month-day = { date-month } { $day }, { $year }
date-month-day-of-year = { date-month } { $day }
date-month =
    { $month ->
        [1] jan.
        [2] feb.
        [3] mrt.
        [4] apr.
        [5] mei
        [6] juni
        [7] juli
        [8] aug.
        [9] sep.
        [10] okt.
        [11] nov.
       *[12] dec.
    }
date-weekday =
    { $weekday ->
        [1] ma
        [2] di
        [3] wo
        [4] do
        [5] vr
        [6] za
       *[7] zo
    }
# Date and time of day; the chart leaves out the comma.
date-and-clock = { $date }, { $clock }
date-locale = nl-NL

### Chart

chart-none = Geen metingen
chart-title-power = Vermogen van { $name }, { $start } tot { $end }
chart-title-prices = Prijs in { $name } per kilowattuur, { $start } tot { $end }
chart-title-energy = Energie van { $name }, { $start } tot { $end }
chart-power = Vermogen
chart-mean = Gemiddelde
chart-peak = Piek
chart-lowest = Laagste
chart-lowest-whole = Laagste volledige
chart-highest = Hoogste
chart-energy = Energie
chart-total = Totaal
chart-resets = Teller teruggezet
chart-reset = { $time }: de teller is teruggezet, van { $before } naar { $after }
chart-gaps = Gaten
chart-gap = { $start } tot { $end }: geen metingen
chart-estimated = Deels geschat
chart-some-of = { $some } van { $all }
chart-bar-estimated = { $percent } geschat
chart-bar-known = { $percent } van de tijd bekend
chart-grid = Net
chart-house = Huis
chart-last-24-hours = Laatste 24 uur
chart-since = Sinds { $date }
chart-week-of = Week van { $date }
chart-by-quarter = Per kwartier
chart-whole-quarters = hele kwartieren
chart-whole-hours = hele uren
chart-whole-days = hele dagen
chart-whole-months = hele maanden
chart-whole-years = hele jaren
chart-newest = De nieuwste meting is van { $time }. Daarom zie je die periode in plaats van de huidige:
chart-by-hour = Per uur
chart-by-day = Per dag
chart-by-month = Per maand
chart-by-year = Per jaar
chart-cost = Kosten
chart-heading-power = Vermogen van { $name }
chart-heading-energy = Energie van { $name }
chart-quantity = Grootheid
chart-source = Bron
chart-sources = Alle sensoren
chart-search = Zoeken
chart-with = Ook { $name } tonen
chart-together = Aangevinkte samen tonen
chart-group-grid = Net
chart-group-solar = Zon
chart-group-battery = Batterijen
chart-group-devices = Apparaten
chart-bars = Tijd per staaf
chart-alone = Openen als pagina
chart-csv = CSV voor programma’s
chart-csv-spreadsheet = CSV voor spreadsheets
chart-csv-time = Tijd ({ $zone })
chart-csv-energy = Energie (kWh)
chart-csv-power = Vermogen (W)
chart-help = Grafiek. Met de pijltoetsen links en rechts lees je losse waarden, met Page Up en Page Down ga je naar een eerdere of latere periode, met plus en min zoom je in en uit.
chart-between = tot

### Settings

settings-done-password = Wachtwoord gewijzigd. Alle andere browsers zijn uitgelogd.
settings-done-account-added = Account toegevoegd.
settings-done-account-removed = Account verwijderd, met de API-sleutels.
settings-done-key-added = API-sleutel aangemaakt. De api_key was maar één keer te zien: vernieuw hem als je hem niet hebt bewaard.
settings-done-key-revoked = API-sleutel ingetrokken.
settings-done-sensor-added = Sensor toegevoegd.
settings-done-sensor-removed = Sensor verwijderd, met alle metingen.
settings-done-saved = Opgeslagen.
settings-done-imported = Geïmporteerde metingen: { $count }
settings-done-undone = Import ongedaan gemaakt.
settings-done-authorized = Sensor toegelaten: hij kan metingen sturen, en zijn metingen kunnen worden opgehaald.
settings-done-revoked = Sensor geblokkeerd: hij kan geen metingen sturen, en zijn metingen kunnen niet worden opgehaald. Ze blijven bewaard.

### Costs: statements

statement-tab = Kosten
statement-title = Kosten
costs-pages = Pagina’s over kosten
costs-cheapest = Goedkoop
costs-statement = Overzicht
costs-house = Hele huis
costs-contracts = Contracten
statement-no-account = Er is nog geen account. Bij een account horen sensoren en contracten.
statement-add-account = Account toevoegen
statement-so-far = tot nu toe, tot { $time }
statement-what = Post
statement-quantity = Aantal
statement-price = Prijs in { $currency }
statement-amount = Bedrag in { $currency }
statement-varies = wisselt
statement-kind-energy = Afname
statement-kind-demand = Piekvermogen
statement-kind-fixed = Vaste kosten
statement-kind-minimum = Minimumbedrag
statement-kind-maximum = Maximumbedrag
statement-kind-discount = Korting
statement-kind-export = Teruglevering
statement-kind-tax = Belasting
statement-one-day = dag
statement-one-month = maand
statement-one-quarter = kwartaal
statement-one-year = jaar
statement-one-billing = factuurperiode
statement-many-day = dagen
statement-many-month = maanden
statement-many-quarter = kwartalen
statement-many-year = jaar
statement-many-billing = factuurperiodes
statement-costs = Kosten vóór belasting
statement-costs-untaxed = Kosten
statement-credits = Vergoedingen
statement-taxes = Belastingen
statement-total = Totaal
statement-paid = Betaalde voorschotten
statement-owed = Nog te betalen
statement-to-receive = Krijg je terug
statement-tier-up-to = tot { $kwh } kWh
statement-tier-up-to-a-day = tot { $kwh } kWh per dag
statement-tier-over = boven { $kwh } kWh
statement-tier-over-a-day = boven { $kwh } kWh per dag
statement-tier-all = alles
statement-cap = prijsplafond
statement-surplus = overschot
statement-at-most-energy = hoogstens de energiekosten
statement-imported = Afname van het net
statement-exported = Teruglevering aan het net
statement-measured = Tijd met gemeten energie
statement-estimated = Tijd met geschatte energie
statement-missing = Tijd zonder metingen
statement-events = Gebeurtenissen
statement-corrections = Correcties
amount-without-energy = zonder { $energy }
amount-without-time = zonder { $share } van de tijd
amount-without-both = zonder { $energy } en { $share } van de tijd
amount-without-share = zonder { $share } van de energie
# As bills call a tax, between commas.
bill-usual-taxes = btw, BTW, b.t.w., omzetbelasting
statement-unknown = Er is geen totaal: de energie van deze dagen is onbekend, of er is helemaal geen prijs voor.
statement-incomplete = Het totaal omvat niet alles: een deel van de energie is onbekend of heeft geen prijs.
statement-unpriced = Energie zonder prijs: { $imported } afname en { $exported } teruglevering. Er gold toen geen contract, of de prijsreeks heeft een gat.
statement-converted = De prijzen van { $series } zijn in { $currency }. Ze zijn omgerekend met de koersen van { $rates }.
statement-other-currency = De prijzen van { $series } zijn in { $currency }, niet in de valuta van de contracten. De energie daarvan heeft dus geen prijs. Vul een reeks met prijzen in de valuta van de contracten.
statement-no-contract = Zonder contract heeft geen enkele energie een prijs.
statement-compared-unknown = De kosten ervan zijn niet bekend.
statement-csv = Als tabel downloaden (CSV)
statement-json = Als JSON downloaden

### The costs of a device

sensor-costs-title = Kosten van een apparaat
sensor-costs-devices = Apparaten
sensor-costs-from = Energie uit
sensor-costs-source-solar = Zonnestroom, direct
sensor-costs-source-battery = Zonnestroom, uit batterij
sensor-costs-source-stored-grid = Netstroom, uit batterij
sensor-costs-source-grid = Net
sensor-costs-source-unknown = Onbekende bron
sensor-costs-left-out = { $energy } heeft geen bekende bron of geen prijs.
sensor-costs-gaps = Tijden zonder metingen
sensor-costs-more =
    { $count ->
        [one] 1 andere staat er niet bij.
       *[other] { $count } andere staan er niet bij.
    }
sensor-costs-assumes = In elk kwartier krijgt het apparaat naar verhouding zijn deel van de bronnen van het huis. Energie van het net telt voor de prijs van dat moment, met belasting en zonder vaste kosten. Eigen energie telt voor de vergoeding die teruglevering had opgebracht; zonder zo’n vergoeding kost ze niets. Wisselde een prijs, dan staat in de regel het gemiddelde.
sensor-costs-no-validity = Deze pagina is berekend uit metingen en contracten. Je kunt er geen rechten aan ontlenen.
tenancy-title = Huurders
tenancy-own = Mijn energie
tenancy-nobody = Je staat nog bij geen huurafspraak. Vraag de persoon van wie je huurt.
tenancy-now = Nu
tenancy-outside = Je huurafspraak heeft geen dagen in deze periode. Kies een andere.
tenancy-gone = De tussenmeter van deze huurafspraak is er niet meer, of meet nu iets anders.
tenancy-assumes = De energie uit alle bronnen heeft de afgesproken prijs. Een maand die niet vol is, heeft een deel van het vastrecht, naar dagen.
tenancy-correction = Een correctie die ook dagen buiten de huurafspraak betreft.
tenancy-base-fee = Vastrecht
tenancy-lead = Een huurder betaalt voor een tussenmeter: een afgesproken prijs, of de werkelijke kosten. Hij kan inloggen en ziet alleen die meter, en verder niets van het huis.
tenancy-all = Alle huurafspraken
tenancy-none = Nog niemand huurt een tussenmeter.
tenancy-new = Huurafspraak toevoegen
tenancy-change = Huurafspraak wijzigen
tenancy-name = Naam
tenancy-name-hint = Van de woning of van de huurder. Voor een nieuwe prijs beëindig je de huurafspraak en voeg je er een toe die erop volgt.
tenancy-sensor = Tussenmeter
tenancy-until-hint = Leeg zolang de huurafspraak doorloopt.
tenancy-price = Prijs per kilowattuur
tenancy-price-hint = Leeg voor de werkelijke kosten: het net tegen zijn prijs, eigen energie tegen haar vergoeding.
tenancy-fee = Vastrecht per maand
tenancy-person = Wie het ziet
tenancy-person-hint = De naam bij het inloggen. De beheerder voegt de persoon toe als huurder.
tenancy-save = Opslaan
tenancy-remove = Huurafspraak verwijderen
tenancy-as-tenant = De pagina van de huurder
tenancy-agreed = { $price } per kilowattuur
tenancy-real-cost = werkelijke kosten
tenancy-a-month = { $fee } per maand
tenancy-no-access = { $name } is nog geen huurder: geef het recht op de pagina Personen
tenancy-statements = Alle kostenoverzichten, om af te drukken
tenancy-real = Werkelijke kosten ({ $currency })
tenancy-to-pay = Te betalen ({ $currency })
tenancy-rest = Blijft voor het huis
tenancy-rest-what = Blijft voor het huis: zijn eigen verbruik, en de rest van zijn kostenoverzicht als de huurders hebben betaald. Met vaste bedragen, en met de vergoeding die eigen energie van huurders niet opleverde.
tenancy-nested = { $sensor } ligt achter de tussenmeter van een andere huurder en zou dubbel tellen. Daarom staat hier geen rest.
tenancy-incomplete = Een deel van de energie van het huis of van een huurder is onbekend of heeft geen prijs. In de bedragen ontbreekt het.
tenancy-done-saved = Huurafspraak opgeslagen.
tenancy-done-removed = Huurafspraak verwijderd. De metingen blijven.
tenancy-wrong-name = Vul een naam in van hoogstens 64 tekens; letters met accenten tellen dubbel.
tenancy-wrong-taken = Er is al een huurafspraak met deze naam. Kies een andere.
tenancy-wrong-sensor = Kies een tussenmeter.
tenancy-wrong-date = Vul een datum in, bijvoorbeeld 31-01-2026.
tenancy-wrong-until = De laatste dag ligt voor de eerste.
tenancy-wrong-person = Vul de naam van een persoon in, van hoogstens 56 tekens; letters met accenten tellen dubbel.
tenancy-wrong-amount = Vul een bedrag vanaf 0 in, bijvoorbeeld 0,28.
tenancy-wrong-collides = Een andere huurafspraak heeft deze tussenmeter op sommige van deze dagen. Beëindig die eerst, of kies andere dagen.
tenancy-too-many = Er zijn 100 huurafspraken, meer kan niet. Verwijder eerst oude.

### Costs: forecast

forecast-title = Prognose
forecast-lead = De verwachte energie en kosten van de lopende maand en het lopende jaar.
forecast-no-grid = Geen sensor meet wat het huis van het net afneemt. Geef de sensor van de netaansluiting zijn rol in de instellingen.
forecast-few-days =
    { $count ->
        [one] Een prognose heeft 14 gemeten dagen van de laatste 56 nodig. Tot nu toe is het er één.
       *[other] Een prognose heeft 14 gemeten dagen van de laatste 56 nodig. Tot nu toe zijn het er { $count }.
    }
forecast-until = metingen tot { $time }
forecast-billing = Factuurperiode { $from } – { $to }
forecast-late = De metingen beginnen in deze periode: ze telt vanaf { $date }.
forecast-unpriced = { $energy } daarvan heeft geen prijs en zit in geen enkel bedrag.
forecast-no-contract = Zonder contract zijn er geen kosten.
forecast-likely = Meest waarschijnlijk
forecast-range = In 8 van de 10 gevallen
forecast-from-to = { $low } – { $high }
forecast-so-far = Tot nu toe
forecast-used = Verbruik van het huis
forecast-costs = Kosten
forecast-total = Kosten min vergoedingen
forecast-advances = Voorschotten
forecast-balance = Saldo: voorschotten min kosten
forecast-basis = Aannames
forecast-basis-method = De volgende 31 dagen volgen deze methode: { $method }.
forecast-reason-untested = Dat is de eerste keus: die is nog geen twaalf maanden getest.
forecast-reason-first = Dat is de eerste keus: in de laatste twaalf maanden zat geen andere er duidelijk dichterbij.
forecast-reason-nearer = Die zat er in de laatste twaalf maanden duidelijk dichterbij dan de eerste keus.
forecast-basis-year = Latere dagen zijn zoals die van vorig jaar, met de helft van de verandering sindsdien.
forecast-basis-recent = Latere dagen zijn zoals dezelfde weekdagen van de laatste acht weken, want er is minder dan een jaar bekend. Andere seizoenen tellen dus niet mee.
forecast-basis-rest = Ontbrekende energie telt op dezelfde manier. Elke dag verloopt zoals dezelfde weekdag in een van de laatste acht weken, tegen de prijzen van je contracten. Een prijs die nog niet bekend is, is het gemiddelde van dat uur in deze weken.
forecast-days-and-year = Laatste dagen en vorig jaar
forecast-days = Laatste dagen
forecast-month-so-far = Maand tot nu toe
forecast-weeks = Laatste acht weken
forecast-year = Vorig jaar
forecast-year-scaled = Vorig jaar, aangepast
forecast-month-and-year = Maand tot nu toe en vorig jaar
forecast-days-and-year-scaled = Laatste dagen en vorig jaar, aangepast
forecast-method-of-export = Methode voor de teruglevering
forecast-method-of-use = Methode voor het verbruik
forecast-known-days = Gemeten dagen van de laatste 56
forecast-tested = De laatste maanden als test
forecast-tested-lead =
    { $count ->
        [one] Eén voorbije maand is als test voorspeld aan het begin van de 10e: de afname week { $error } af.
       *[other] Van de laatste { $count } maanden, elk voorspeld aan het begin van de 10e, lag de afname van { $within } binnen de marge. De mediane afwijking was { $error }, en in 9 van de 10 maanden was ze hoogstens { $most }. Elke maand heeft de methode die de maanden ervoor kozen.
    }
forecast-tested-methods = Dezelfde maanden met elke methode: de kleinste som van beide afwijkingen wint, als ze meer dan een vijfde onder die van de eerste keus ligt.
forecast-method = Methode
forecast-method-months = Maanden
forecast-method-median = Mediane afwijking
forecast-method-most = 9 van de 10 hoogstens
forecast-method-chosen = gekozen
forecast-tested-none = Er is nog geen maand om mee te testen. Daarvoor is een hele maand zonder gaten nodig, en twee weken vóór de 10e.
forecast-month = Maand
forecast-actual = Gemeten
forecast-within = Binnen de marge
forecast-held = ja
forecast-missed = nee
### Costs: what if

what-if-title = Wat als?
what-if-lead = Wat jouw dagen hadden gekost met een andere batterij, andere zonnepanelen of een ander apparaat. Er wordt niets opgeslagen.
what-if-ask = Wat zou er anders zijn?
what-if-show = Berekenen
what-if-present = Zoals het was
what-if-changed = Wat als
what-if-produced = Opwek
what-if-charged = In de batterij
what-if-discharged = Uit de batterij
what-if-sufficiency = Zelfvoorziening
what-if-saved = Besparing
what-if-saved-year = Besparing per jaar
what-if-statement = Het kostenoverzicht zoals het was
what-if-lines = Het kostenoverzicht zoals het was geweest
what-if-sizes = Grootte van de batterij
what-if-sizes-lead = Elke grootte vergeleken met hetzelfde huis zonder batterij. Waar de staven niet meer hoger worden, helpt meer capaciteit weinig.
what-if-picture = Wat elke grootte per jaar bespaart
what-if-picture-known = Wat elke grootte bespaart in de bekende dagen
what-if-no-year-few-months = Er zijn minder dan twaalf maanden bekend. Daarom staat hier niets over een jaar.
what-if-no-year-incomplete = Van de laatste twaalf maanden heeft meer dan een twintigste geen metingen of geen prijs. Daarom staat hier niets over een jaar.
what-if-at-rest = Als de batterij in die tijd stil had gestaan, had het huis { $saved } bespaard.
what-if-rule = Goedkoopste regel
what-if-rule-greedy = Levert alleen aan het huis
what-if-rule-prices = Koopt goedkope energie
what-if-rule-below-peaks = Koopt goedkope energie onder de maandpiek
what-if-rule-trading = Koopt goedkope energie en levert terug
what-if-replayed = De batterij van het huis is vervangen. Deze had { $share } geleverd vergeleken met de echte. Vul je de grootte van je eigen batterij in, dan zie je hoe ver de berekening van de werkelijkheid afligt.
what-if-known-in = Er zijn { $days } dagen bekend, in { $from }.
what-if-known = Er zijn { $days } dagen bekend, van { $from } tot { $to }.
what-if-cycles = Cycli per jaar
what-if-payback = Terugverdiend na
what-if-years = { $years } jaar
what-if-battery = Batterij
what-if-kwh = Bruikbare capaciteit in kWh
what-if-kwh-hint = Tot 1000. Komt in de plaats van een batterij die het huis al heeft.
what-if-price = Prijs per kWh capaciteit
what-if-price-hint = Met installatie, min subsidies.
what-if-charge = Laadt hoogstens met, in kW
what-if-discharge = Levert hoogstens, in kW
what-if-power-hint = Leeg: 5.
what-if-efficiency = Rendement in procent
what-if-efficiency-hint = Van laden en ontladen samen. Leeg: 90.
what-if-reserve = Reserve in procent
what-if-reserve-hint = Het deel van de capaciteit dat nooit wordt geleverd. Leeg: 0.
what-if-standby = Stand-by in watt
what-if-standby-hint = Wat de batterij zelf voortdurend verbruikt; 5 tot 30 is gebruikelijk. Leeg: 0.
what-if-ageing = Verlies aan capaciteit in procent per jaar
what-if-ageing-hint = Voor de jaren tot de batterij is terugverdiend; 1 tot 3 is gebruikelijk. Leeg: 0.
what-if-dispatch = De batterij laadt
what-if-greedy = alleen wat het huis zou terugleveren
what-if-prices = ook van het net, als de prijs laag is
what-if-trading = net zo, en ze levert terug als het contract dat toestaat
what-if-panels = Zonnepanelen
what-if-factor = Opwek maal
what-if-factor-hint = 2 is twee keer zoveel panelen als nu, 0 is geen.
what-if-kwp = Nieuwe panelen in kWp
what-if-kwp-hint = Met het profiel hieronder.
what-if-file = Een bestand met het profiel van de nieuwe panelen
what-if-profile = Profiel van de nieuwe panelen
what-if-profile-hint = Een tabel met het vermogen van elk uur van een jaar, zoals PVGIS die exporteert (uurgegevens, PV-vermogen, CSV).
what-if-load = Apparaat
what-if-load-how = Een apparaat
what-if-load-none = blijft zoals het is
what-if-load-add = komt erbij
what-if-load-cheapest = komt erbij, in de goedkoopste uren
what-if-load-remove = valt weg
what-if-load-move = verschuift naar de goedkoopste uren van de dag
what-if-sensor = Tussenmeter
what-if-sensor-hint = De energie daarvan is die van het apparaat. Of laat dit leeg en vul de energie in.
what-if-daily = Energie per dag in kWh
what-if-daily-hint = Bijvoorbeeld 8 voor een auto.
what-if-between = Tussen
what-if-between-hint = Bijvoorbeeld 22:00-06:00.
what-if-load-power = Vermogen in kW
what-if-load-power-hint = Voor de goedkoopste uren. Leeg: gelijkmatig verdeeld.
what-if-assumes-same-use = Het huis verbruikt dezelfde energie op dezelfde tijden, op het apparaat hierboven na: het gedrag verandert niet met de prijs.
what-if-assumes-greedy = De batterij laadt alleen wat het huis zou terugleveren, en levert dat zodra het huis afneemt. Ze levert nooit terug aan het net. Zonder waarden hierboven verbruikt ze zelf niets en veroudert ze niet. Ze begint deze dagen leeg, en wat er aan het eind in zit, is niets waard.
what-if-assumes-buying = De batterij laadt ook van het net als dat na verliezen loont, volgens de prijzen die dan bekend zijn en het verbruik van de laatste zeven dagen. Ze levert nooit terug aan het net. Zonder waarden hierboven verbruikt ze zelf niets en veroudert ze niet. Van de regels met en zonder kopen zie je de goedkoopste. Ze begint deze dagen leeg, en wat er aan het eind in zit, is niets waard.
what-if-assumes-trading = Het contract staat toe dat de batterij teruglevert aan het net. Ze laadt ook van het net en levert terug als dat na verliezen loont, volgens de prijzen en vergoedingen die dan bekend zijn en het verbruik van de laatste zeven dagen. Bij kosten voor piekvermogen verhoogt ze de maandpiek daarmee nooit. Zonder waarden hierboven verbruikt ze zelf niets en veroudert ze niet. Van de regels met en zonder kopen zie je de goedkoopste. Ze begint deze dagen leeg, en wat er aan het eind in zit, is niets waard.
what-if-assumes-replaced = De batterij die het huis heeft, wordt er eerst uit gehaald.
what-if-assumes-kept = De batterij die het huis heeft, werkt door zoals ze deed.
what-if-assumes-profile = De nieuwe panelen leveren in elk uur wat het profiel voor dat uur van het jaar aangeeft.
what-if-assumes-cheapest = Het apparaat draait in de goedkoopste kwartieren, volgens de prijzen van alle onderdelen.
what-if-wrong-nothing = Zo verandert er niets. Vul een batterij, panelen of een apparaat in.
what-if-wrong-number = Vul een getal in van { $from } tot { $to }, bijvoorbeeld { $example }.
what-if-wrong-efficiency = Vul 1 tot 100 procent in, met hoogstens vier decimalen, bijvoorbeeld 90.
what-if-wrong-choice = Kies iets uit de lijst.
what-if-wrong-sizes = Vul hoogstens 41 groottes van 0 tot 1000 kWh in, met komma’s ertussen, of usual.
what-if-wrong-alone = Dit zegt op zichzelf niets. Vul de batterij of het apparaat erbij in, of laat dit leeg.
what-if-wrong-missing = Vul dit ook in.
what-if-wrong-header = De tabel heeft geen regel met de kolommen ‘time’ en ‘P’. Exporteer uurgegevens met PV-vermogen als CSV.
what-if-wrong-line = Regel { $line } is geen uur met vermogen, zoals 20200101:0010,512.4.
what-if-wrong-nominal = Regel { $line } noemt geen nominaal vermogen van de panelen in kWp, zoals 1.0.
what-if-wrong-long = De tabel heeft te veel regels. Enkele jaren met uren zijn genoeg.
what-if-wrong-hour = Over het uur { $time } UTC is niets bekend. De tabel heeft alle 8.760 uren van een jaar nodig.
what-if-wrong-between = Vul twee tijden op hele kwartieren in, bijvoorbeeld 22:00-06:00.
what-if-wrong-power = De energie past niet in deze uren. Vul een hoger vermogen in.
what-if-wrong-both = Vul de energie in of kies een tussenmeter, niet allebei.
what-if-wrong-sensor = Kies een tussenmeter van dit account.
what-if-wrong-panels = Geen sensor meet panelen, dus valt er niets te vermenigvuldigen. Vul nieuwe panelen in, met een profiel.
what-if-wrong-many = Dit duurt te lang. Kies minder dagen.

### Costs: offers, and what they would have cost

compare-title = Wat had ik betaald?
compare-contract = Contract
compare-present = Lopende contracten
compare-difference = Verschil
compare-mean = Gemiddelde prijs per kWh
compare-incomplete = onvolledig
compare-lines = Regel voor regel
compare-months = Per maand
compare-energy = Afname
compare-demand = Piekvermogen
compare-standing = Vaste kosten
compare-credits = Vergoedingen
compare-taxes = Belastingen
compare-assumes = Uitgangspunt is dezelfde energie op dezelfde tijden: het gedrag verandert niet met de prijs. Elk aanbod geldt vanaf de eerste van deze dagen.
compare-measured = De hele tijd is gemeten.
compare-coverage = { $estimated } van de tijd is geschat, { $missing } heeft geen metingen.
compare-none = Er is nog geen aanbod om mee te vergelijken. Voer de prijzen van een andere leverancier in als aanbod.
compare-no-contract = Er is geen contract om aanbiedingen mee te vergelijken. Voeg eerst het jouwe toe.
compare-before-contract = Op deze dagen gold geen contract: het eerste begint op { $from }. Kies latere dagen.
compare-too-many = Hiervoor zijn te veel prijzen nodig. Kies minder dagen, of verwijder aanbiedingen.
compare-left-out = Niet vergeleken, want in een andere valuta: { $names }.
offer-all = Aanbiedingen
offer-lead = Een aanbod is een contract dat niet loopt, bijvoorbeeld van een andere leverancier. Het verandert geen kosten: het laat zien wat je had betaald.
offer-none = Er zijn nog geen aanbiedingen.
offer-new = Nieuw aanbod
offer-change = Aanbod wijzigen
offer-save = Aanbod opslaan
offer-remove = Aanbod verwijderen
offer-not-in-force = Een aanbod verandert geen kosten. Het wordt vergeleken met de lopende contracten.
offer-begins-hint = Een vergelijking van eerdere dagen telt het mee vanaf de eerste daarvan.
offer-template-lead = Kies een tarief dat net zo is opgebouwd als het aanbod. Het wordt een aanbod met voorbeeldprijzen: vervang ze en sla op.
offer-done-saved = Aanbod opgeslagen.
offer-done-removed = Aanbod verwijderd.
offer-wrong-taken = Een ander aanbod heeft deze naam al.
offer-too-many = Er zijn 50 aanbiedingen, meer kan niet. Verwijder er eerst een.
statement-offer = Dit zijn de prijzen van het aanbod { $name }, dat niet loopt.

### Costs: what the panels and the battery saved, and purchases

savings-title = Wat hebben panelen en batterij bespaard?
savings-short = Besparing
savings-house = Huis
savings-present = Zoals het was
savings-without-panels = Zonder panelen
savings-without-battery = Zonder batterij
savings-without-both = Zonder beide
savings-saved = Bespaard
savings-months = Bespaard per maand
savings-assumes = Uitgangspunt is hetzelfde verbruik op dezelfde tijden, met dezelfde contracten.
savings-assumes-both = Zonder panelen laadt en ontlaadt de batterij zoals gemeten. De besparing van beide samen is daarom niet de som van de twee.
savings-missing = Waar metingen ontbreken of geschat zijn, telt niets als bespaard.
savings-coarse = { $share } van de energie op het net is minder vaak dan elk kwartier afgelezen. Binnen die tijd is ze gelijkmatig verdeeld.
savings-left-out = Waar een kwartier geschat is of geen metingen heeft, telt het huis zoals het was: { $imported } afname, { $exported } teruglevering, { $own } van panelen en batterij.
savings-no-export = Geen sensor meet de teruglevering. Alles wat de panelen opwekken, telt dus als verbruikt, en ze lijken te veel te besparen.
savings-no-contract = Er is geen contract dat de energie een prijs geeft. Voeg eerst het jouwe toe.
savings-no-part = Dit huis heeft geen panelen en geen batterij die gemeten worden. Daarvoor is een sensor met zo’n rol nodig, en metingen.
savings-too-many = Hiervoor zijn te veel prijzen nodig. Kies minder dagen.
statement-without-panels = Dit had het huis betaald zonder panelen.
statement-without-battery = Dit had het huis betaald zonder batterij.
statement-without-both = Dit had het huis betaald zonder panelen en zonder batterij.
purchase-title = Aankopen
purchase-lead = Wat je hebt gekocht om energie op te wekken of op te slaan, en hoever het is terugverdiend.
purchase-by-panels = Zonnepanelen
purchase-by-battery = Batterij
purchase-by-both = Alle aankopen
purchase-paid-back = { $share } terugverdiend.
purchase-expected = De rest is naar verwachting terugverdiend op { $date }.
purchase-reason-paid-back = Alles is terugverdiend.
purchase-reason-no-sensor = Geen sensor meet dit, dus is de besparing onbekend.
purchase-reason-few-months = Er is nog geen datum te noemen: van minder dan twaalf maanden zijn metingen en prijzen bekend.
purchase-reason-incomplete = Er is geen datum te noemen: van de laatste twaalf maanden heeft meer dan een twintigste geen metingen of geen prijs.
purchase-reason-no-savings = Er is geen datum te noemen: het bespaart minder dan het kost.
purchase-price = Prijs min subsidies
purchase-saved = Bespaard sinds { $date }
purchase-assumed = Daarvoor vermoedelijk bespaard
purchase-costs-so-far = Kosten tot nu toe
purchase-per-year = Besparing per jaar min kosten
purchase-assumes = Uitgangspunt is dat elk komend jaar, en de tijd vóór de eerste metingen, net zoveel bespaart als de laatste twaalf maanden.
purchase-entered = Ingevoerde aankopen
purchase-none = Er zijn nog geen aankopen.
purchase-new = Nieuwe aankoop
purchase-change = Aankoop wijzigen
purchase-name = Naam
purchase-kind = Wat het is
purchase-kind-panels = Zonnepanelen
purchase-kind-battery = Batterij
purchase-kind-other = Iets anders
purchase-date = Bespaart sinds
purchase-amount = Betaald bedrag
purchase-subsidy = Subsidie, als die er was
purchase-costs = Kosten per jaar, bijvoorbeeld voor een verzekering
purchase-save = Aankoop opslaan
purchase-remove = Deze aankoop verwijderen
purchase-done-saved = Aankoop opgeslagen.
purchase-done-removed = Aankoop verwijderd.
purchase-wrong-name = Vul een naam in van hoogstens 64 tekens
purchase-wrong-taken = Een andere aankoop heeft deze naam al.
purchase-wrong-date = Vul een dag vanaf 1970 in, hoogstens een jaar vooruit, bijvoorbeeld 01-05-2022
purchase-wrong-amount = Vul een bedrag vanaf 0 in, met hoogstens negen cijfers voor en zes achter de komma, bijvoorbeeld 14500
purchase-wrong-subsidy = Vul een bedrag in van 0 tot het betaalde bedrag, bijvoorbeeld 1500
purchase-wrong-costs = Vul een bedrag vanaf 0 in, bijvoorbeeld 120
purchase-too-many = Er zijn 50 aankopen, meer kan niet. Verwijder er eerst een.

### Costs: templates of contracts

template-title = Tarieven
template-from = Beginnen met het tarief van een land
template-lead = Kies een tarief dat net zo is opgebouwd als het jouwe. Het wordt een nieuw contract met voorbeeldprijzen: vervang ze door je eigen prijzen en sla op.
template-country = Land
template-all-countries = alle
template-kind = Soort
template-all-kinds = alle
template-kind-flat = Eén prijs
template-kind-time-of-use = Per uur en dag
template-kind-tiers = Per verbruiksschijf
template-kind-series = Marktprijzen
template-kind-demand = Naar hoogste vermogen
template-kind-net-metering = Salderen
template-kind-export = Teruglevering
template-kind-other = Overige
template-show = Tonen
template-use = Gebruiken
template-needs = Nodig:
template-source = Bron:
template-none = Zo’n tarief is er nog niet. Maak een contract en voer de prijzen in.
template-search = Zoeken

### Costs: a tariff of a country

tariff-lead = Vul de waarden van je contract in: ze staan op de factuur of op het tariefblad van de leverancier. Er wordt niets opgeslagen voordat je het resultaat hebt gezien.
tariff-offer-name-hint = Deze naam staat in de vergelijking.
tariff-example = Bijvoorbeeld { $example }.
tariff-list-hint = De naam waaronder de prijzen of dagen hier worden geüpload.
tariff-check = Verder
tariff-about = Over dit tarief
tariff-json = Als JSON
tariff-questions = Kijk hier nog eens naar:
tariff-save = Opslaan
tariff-change = Wijzigen
tariff-missing = Vul hier een waarde in, bijvoorbeeld { $example }.
tariff-wrong-price = Vul een prijs in, bijvoorbeeld { $example }, met weinig decimalen.
tariff-wrong-number = Vul een getal in dat niet negatief is, bijvoorbeeld { $example }.
tariff-wrong-hours = Vul uren in, bijvoorbeeld { $example }; meerdere met een komma ertussen.
tariff-wrong-choice = Kies iets uit de lijst, of vul een naam in van hoogstens 64 tekens.
tariff-key-hint = De sleutel waar de bron om vraagt. Hij wordt alleen voor deze bron bewaard en staat in geen enkele back-up.
tariff-needs-key = Deze bron vraagt om een sleutel.
tariff-mapping = Ander adres van de bron
tariff-result = Zo was het geweest
tariff-source-answers = { $source } antwoordt met { $count } prijzen of dagen van { $from } tot { $to }.
tariff-preview = { $month } had { $total } gekost ({ $energy }, gemiddeld { $mean }).
tariff-preview-demo = Er is nog geen volle maand met metingen. Het huishouden van de demo had in { $month } { $total } betaald ({ $energy }, gemiddeld { $mean }).
tariff-preview-unpriced = Wat { $month } had gekost, is onbekend: niet alle { $energy } heeft een prijs.
tariff-preview-present = Met het lopende contract: { $total } ({ $energy }, gemiddeld { $mean }).
doubt-hundredths = { $name }: { $price } { $currency } voor een kilowattuur is veel. Zijn het centen, vul dan { $hundredth } in.
doubt-megawatthours = { $name }: { $price } { $currency } voor een kilowattuur is veel. Is het per megawattuur, vul dan { $thousandth } in.
doubt-negative = { $name }: de prijs { $price } { $currency } is negatief. Met afname zou je geld verdienen.
doubt-small-percent = { $name }: klopt { $percent }? Is het een deel van één, vul dan { $hundredfold } in.
doubt-large-percent = { $name }: { $percent } is veel. Klopt dat?
doubt-fee = { $name }: { $price } { $currency } { $per } is veel. Klopt dat?
doubt-unusual = { $name }: klopt { $typed } { $unit }? Gebruikelijk is { $least } tot { $most }.
doubt-series = Er zijn nog geen prijzen { $name }: de energie daarvan heeft geen prijs.
doubt-series-near = Er zijn nog geen prijzen { $name }. Bedoel je { $near }?
doubt-days = Er is nog geen daglijst { $name }: de energie van die dagen heeft geen prijs.
doubt-days-near = Er is nog geen daglijst { $name }. Bedoel je { $near }?
doubt-future = Het contract begint in de toekomst, op { $from }. Tot dan verandert er niets.
country-AT = Oostenrijk
country-AU = Australië
country-BE = België
country-BG = Bulgarije
country-BR = Brazilië
country-CA = Canada
country-CH = Zwitserland
country-CY = Cyprus
country-CZ = Tsjechië
country-DE = Duitsland
country-DK = Denemarken
country-EE = Estland
country-ES = Spanje
country-FI = Finland
country-FR = Frankrijk
country-GB = Verenigd Koninkrijk
country-GR = Griekenland
country-HR = Kroatië
country-HU = Hongarije
country-IE = Ierland
country-IN = India
country-IS = IJsland
country-IT = Italië
country-JP = Japan
country-KR = Zuid-Korea
country-LT = Litouwen
country-LU = Luxemburg
country-LV = Letland
country-MT = Malta
country-MX = Mexico
country-NL = Nederland
country-NO = Noorwegen
country-NZ = Nieuw-Zeeland
country-PK = Pakistan
country-PL = Polen
country-PT = Portugal
country-RO = Roemenië
country-RS = Servië
country-SE = Zweden
country-SI = Slovenië
country-SK = Slowakije
country-TR = Turkije
country-TW = Taiwan
country-UA = Oekraïne
country-US = Verenigde Staten
country-ZA = Zuid-Afrika
wizard-tariff = Tarief kiezen
wizard-tariff-title = Wat kost je stroom?
wizard-tariff-lead = Kies een tarief dat net zo is opgebouwd als het jouwe. Daaruit volgen de kosten, ook die uit het verleden.
wizard-tariff-others = Andere tarieven
wizard-tariff-later = Later

### Costs: contracts

contract-all = Contracten
contract-lead = Een contract bepaalt wat je vanaf de eerste dag betaalt en krijgt. Het geldt tot het volgende begint.
contract-none = Er zijn nog geen contracten.
contract-new = Nieuw contract
contract-change = Contract wijzigen
contract-done-saved = Opgeslagen. Vanaf nu worden kosten met dit contract berekend, ook die van voorbije dagen.
contract-done-removed = Contract verwijderd. De kosten van die dagen worden zonder dit contract berekend.
contract-always = Altijd
contract-from = Vanaf { $from }
contract-until = Tot { $to }
contract-from-to = { $from } – { $to }
contract-past = Kosten worden berekend, niet opgeslagen: een wijziging werkt meteen, ook voor voorbije dagen.
contract-basics = Contract
contract-name = Naam
contract-begins = Eerste dag
contract-continues = Dit contract
contract-continues-yes = heeft nieuwe prijzen van het vorige contract
contract-continues-no = is van een nieuwe leverancier
contract-continues-hint = Met nieuwe prijzen lopen bedragen van een maand of jaar door: schijven, salderen, prijsplafonds en minimumbedragen. Bij een nieuwe leverancier beginnen ze opnieuw.
contract-currency = Valuta
contract-energy-title = Afname van het net
contract-whole-units = Alle prijzen zijn in de valuta hierboven, niet in centen: 32,15 cent is 0,3215.
contract-energy = Afname
contract-how = Hoe wordt de prijs bepaald?
contract-rate-flat = Altijd dezelfde prijs
contract-rate-hours = Prijzen per uur van de week, bijvoorbeeld dag en nacht
contract-rate-tiers = Prijzen naar hoeveel je verbruikt
contract-rate-series = Marktprijs per uur
contract-price = Prijs per kWh
contract-price-hint = Bijvoorbeeld 0,3215; dat is 32,15 cent.
contract-history-before = Er zijn metingen sinds { $first }. Het contract begint op { $from }: de energie daarvóór heeft geen prijs.
contract-usual = Gewone prijs, op alle andere tijden
contract-painted = Prijs op bepaalde uren
contract-zone-name = Naam
contract-another = Nog een prijs op bepaalde uren
contract-grid = Vink de uren met deze prijs aan. Elk vakje is het uur dat dan begint.
contract-hour = Uur
contract-months = In deze maanden
contract-tiers = Schijven
contract-tiers-hint = De laatste schijf heeft geen einde: laat dat veld leeg.
contract-period = Verbruik wordt geteld
contract-tier-end = Schijf { $nth }: tot, in kWh
contract-tier-price = Schijf { $nth }: prijs per kWh
contract-series = Prijsreeks
contract-series-hint = De naam die je opgeeft als je de prijzen uploadt.
contract-factor = Vermenigvuldigd met
contract-surcharge = Opslag per kWh
contract-beside = Vaste kosten, teruglevering en belasting
contract-fixed = Vaste kosten
contract-fixed-hint = Kosten die niet van je verbruik afhangen, zoals vaste leveringskosten van 12,50 per maand. Velden die je niet nodig hebt, laat je leeg.
contract-fixed-name = Post { $nth }: naam
contract-fixed-price = Bedrag
contract-fixed-of = van post { $nth }
contract-fixed-per = Periode
contract-feed-in = Teruglevering
contract-feed-in-price = Vergoeding per teruggeleverde kWh
contract-feed-in-hint = Bijvoorbeeld 0,08. Laat dit leeg als je niets krijgt.
contract-tax = Belasting
contract-tax-hint = Laat dit leeg als de belasting in de prijzen zit.
contract-percent = Procent
contract-tax-name = Naam van de belasting
contract-tax-base = Procent van
contract-tax-of-net = kosten min vergoedingen
contract-tax-of-costs = alleen de kosten
contract-per-day = per dag
contract-per-month = per maand
contract-per-quarter = per kwartaal
contract-per-year = per jaar
contract-per-billing = per factuurperiode
contract-a-day = per dag
contract-a-month = per maand
contract-a-quarter = per kwartaal
contract-a-year = per jaar
contract-a-billing = per factuurperiode
contract-up-to = Tot { $kwh } kWh { $per }
contract-above = Daarboven
contract-by-series = prijs van { $series } × { $factor } + { $surcharge }
contract-hours-a-week =
    { $hours ->
        [one] één uur per week
       *[other] { $hours } uur per week
    }
contract-consists-of = Bestaat uit
contract-electricity = Stroom
contract-day = dag
contract-night = nacht
contract-vat = btw
contract-weekday-mon = ma
contract-weekday-tue = di
contract-weekday-wed = wo
contract-weekday-thu = do
contract-weekday-fri = vr
contract-weekday-sat = za
contract-weekday-sun = zo
contract-save = Contract opslaan
contract-as-json = Bewerken als tekst (JSON)
contract-json-title = Contract als tekst
contract-json = JSON
contract-json-hint = Dit contract bevat meer dan het formulier kan tonen, of je hebt om de tekst gevraagd. docs/MONEY.md beschrijft alle velden.
contract-remove-title = Verwijderen
contract-remove-hint = Het vorige contract geldt dan tot het volgende begint. Kosten uit het verleden veranderen meteen.
contract-remove = Contract verwijderen
contract-wrong-name = Vul een naam in van hoogstens 64 tekens; letters met accenten tellen dubbel.
contract-wrong-price = Vul een getal in met hoogstens zes decimalen, bijvoorbeeld 0,3215.
contract-wrong-currency = Vul een valuta in van 1 tot 8 tekens, bijvoorbeeld EUR.
contract-wrong-from = Vul een datum in, bijvoorbeeld 01-01-2026.
contract-wrong-tax = Vul een percentage in dat niet negatief is, bijvoorbeeld 21.
contract-wrong-twice = Geef elke prijs een eigen naam.
contract-wrong-hours = Vink voor deze prijs minstens één uur en één maand aan.
contract-wrong-unused = Deze prijs geldt nooit: andere prijzen bezetten al deze uren.
contract-wrong-tiers = Vul hoogstens 16 schijven in, elk met een hoger einde dan de vorige; de laatste zonder einde.
contract-wrong-taken = Op deze dag begint al een ander contract.
contract-wrong-other-currency = Alle contracten moeten dezelfde valuta hebben. De andere zijn in { $currency }.
contract-wrong-json = Dit is geen contract: { $problem }.
contract-wrong-other = Dit contract kan niet worden opgeslagen: { $problem }.

### Costs: price series

prices-title = Prijsreeksen
prices-lead = Prijzen die per uur of kwartier veranderen, zoals die van de day-aheadmarkt. Een contract gebruikt ze via de naam van de reeks.
prices-by-itself = wattkeeper ze zelf laten ophalen
prices-series = Alle reeksen
prices-none = Er zijn nog geen prijzen.
prices-count = { $count } prijzen
prices-add-title = Prijzen toevoegen
prices-add = Prijzen toevoegen
prices-name = Naam van de reeks
prices-name-hint = Een nieuwe, of een van hierboven. Prijzen voor dezelfde tijden vervangen de bestaande.
prices-length = Elke prijs geldt
prices-length-spacing = voor de gewone tussentijd
prices-length-hour = een uur
prices-length-quarter = een kwartier
prices-length-until-next = tot de volgende begint
prices-currency-hint = Die van de contracten. Prijzen in een andere valuta worden niet omgerekend. Leeg: niet bekend.
prices-file = Bestand
prices-table = Prijzen als tekst
prices-table-hint = Een tabel met tijden en prijzen, zoals een markt of een ander programma die schrijft, of regels zoals 2026-01-05T10:00:00Z,0.0873. Hoogstens 1.000.000 regels tegelijk.
prices-sending = Bezig met versturen. Dit duurt even.
prices-failed = Het bestand kon niet worden verstuurd. Probeer het opnieuw.
prices-done-added = Prijzen toegevoegd.
prices-done-gaps =
    { $gaps ->
        [one] Prijzen toegevoegd. Daartussen zit een gat zonder prijs, van { $hours } uur.
       *[other] Prijzen toegevoegd. Daartussen zitten { $gaps } gaten zonder prijs, samen { $hours } uur.
    }
prices-done-remedy = Geldt elke prijs tot de volgende begint, voeg ze dan nog eens toe met de keuze ‘{ $choice }’.
prices-done-removed = Prijzen verwijderd.
prices-known = Opgeslagen prijzen
prices-number = Prijzen
prices-first = Eerste prijs begint
prices-end = Laatste prijs eindigt
prices-gaps = Gaten
prices-newest-gaps = Nieuwste gaten
prices-gaps-hint = Afname in een gat heeft geen prijs: kostenoverzichten vermelden die apart.
prices-remove-title = Prijzen verwijderen
prices-remove-days = Deze dagen verwijderen
prices-remove-all = De hele reeks verwijderen
prices-wrong-name = Vul een naam in van hoogstens 64 tekens, bijvoorbeeld day-ahead; letters met accenten tellen dubbel.
prices-form = Als de tabel onduidelijk is
prices-unit = Eenheid van de prijzen
prices-unit-hint = Bijvoorbeeld EUR/kWh, ct/kWh of EUR/MWh. Leeg: die in de tabel, of per kilowattuur.
prices-column = Kolom van de prijzen
prices-column-hint = De naam, of het nummer vanaf 1. Leeg: de enige.
prices-dates = Datums zoals 03/04/2026
prices-dates-dmy = beginnen met de dag
prices-dates-mdy = beginnen met de maand
prices-decimals = Decimalen
prices-decimals-comma = staan achter een komma
prices-decimals-point = staan achter een punt
prices-wrong-unit = Vul een eenheid in zoals EUR/kWh, ct/kWh of EUR/MWh, of laat dit leeg.
prices-wrong-size = Zulke hoge prijzen per kilowattuur zijn waarschijnlijk per megawattuur. Vul de eenheid in, zoals EUR/MWh, of EUR/kWh als ze kloppen.
prices-wrong-twice = Er zijn twee prijzen voor { $time }. Vul er voor elke tijd één in.
prices-wrong-other = Dit zijn geen prijzen: { $problem }.
prices-wrong-close = De prijs voor { $time } begint minder dan een minuut na de vorige. Vul prijzen in die minstens een minuut uit elkaar liggen.
prices-wrong-currency = Vul een valuta in van hoogstens 8 tekens, bijvoorbeeld EUR.
prices-wrong-other-currency = De contracten, of de eerdere prijzen van deze reeks, zijn in een andere valuta. Vul prijzen in die valuta in.
prices-wrong-empty = Vul minstens één tijd met een prijs in.
prices-wrong-many-series = Dit account heeft al zoveel reeksen als mogelijk is. Verwijder er eerst een.
prices-wrong-many-prices = Dit account zou meer prijzen krijgen dan mogelijk is, alle reeksen samen. Verwijder er eerst een paar.
prices-wrong-end = Vul een dag in die niet vóór de eerste ligt.

### Costs: day lists

days-title = Daglijsten
days-lead = Datums met een type, zoals de rode, witte en blauwe dagen van een tarief die de dag ervoor bekend worden. Een contract gebruikt ze via de naam van de lijst en het type.
days-lists = Alle lijsten
days-none = Er zijn nog geen daglijsten.
days-next = Vandaag en de komende dagen
days-next-none = Vanaf vandaag is er geen dag bekend.
days-range = { $count } dagen bekend, van { $first } tot { $last }.
days-add = Dagen toevoegen
days-name = Naam van de lijst
days-name-hint = Een nieuwe, of een van hierboven. Een type voor dezelfde datum vervangt het bestaande.
days-table = Dagen als tekst
days-table-hint = Eén regel per datum met type, bijvoorbeeld 2026-01-05,red.
days-of = Lijst
days-done-added = Dagen toegevoegd.
days-done-removed = Dagen verwijderd.
days-remove-title = Dagen verwijderen
days-remove-days = Deze dagen verwijderen
days-remove-all = De hele lijst verwijderen
days-wrong-name = Vul een naam in van hoogstens 64 tekens zonder dubbele punt, bijvoorbeeld tempo; letters met accenten tellen dubbel.
days-wrong-line = Regel { $line }: vul een bestaande datum en het type in, bijvoorbeeld 2026-01-05,red.
days-wrong-twice = Er zijn twee types voor { $date }. Vul er voor elke datum één in.
days-wrong-other = Dit zijn geen dagen: { $problem }.
days-wrong-empty = Vul minstens één datum met type in.
days-wrong-many-lists = Dit account heeft al zoveel daglijsten als mogelijk is. Verwijder er eerst een.
days-wrong-many-days = Dit account zou meer dan 10.000 dagen krijgen, alle lijsten samen. Verwijder er eerst een paar.
days-wrong-many-types = Deze lijst zou meer dan 16 types dagen in een jaar krijgen. Gebruik er minder.

### Events

events-title = Gebeurtenissen
events-lead = Alles wat opvalt in de metingen, en jouw beslissingen daarover. De metingen zelf worden nooit gewijzigd.
events-here = Opvallende metingen
events-open = Nog te beslissen
events-none-here = In deze periode valt niets op aan de metingen.
events-none-open = Er is niets te beslissen.
events-more = Er zijn er meer. Beslis eerst over deze, of kies in de grafiek een kortere periode.
events-filter-sensor = Sensor
events-filter-all-sensors = Alle sensoren
events-filter-state = Gebeurtenissen
events-filter-all = Alle gebeurtenissen
events-filter-show = Tonen
events-page = Opvallende metingen zoeken
events-is-open = open
events-see-chart = Bekijken in de grafiek
events-kind-dip = Dip
events-kind-spike = Uitschieter
events-kind-reset = Teller teruggezet
events-kind-rollover = Teller rond
events-kind-jump = Sprong
events-kind-gap = Gat
events-kind-implausible-power = Ongeloofwaardig vermogen
events-dip = Op { $time } daalde de meterstand van { $before } naar { $after }. Op { $until } was hij weer terug.
events-small-dip = Op { $time } daalde de meterstand een beetje, van { $before } naar { $after }.
events-spike = Op { $time } sprong de meterstand van { $before } naar { $after }. Op { $until } was hij weer terug.
events-interval-spike = De waarde van { $time } is meer dan er sinds { $since } kan zijn gestroomd.
events-reset = Tussen { $since } en { $time } daalde de meterstand van { $before } naar { $after }, en hij bleef daar.
events-rollover = Tussen { $since } en { $time } ging de teller rond, van { $before } naar { $after }.
events-jump = Tussen { $since } en { $time } sprong de meterstand van { $before } naar { $after }, en hij bleef daar.
events-gap = Tussen { $since } en { $time } kwamen geen metingen binnen. De meterstand ging van { $before } naar { $after }.
events-power-gap = Tussen { $since } en { $time } kwamen geen metingen binnen.
events-implausible-power = Van { $time } tot { $until } tonen de metingen meer vermogen dan geloofwaardig is, of een getal dat apparaten sturen als ze geen waarde hebben.
events-counts-open = Er telt niets tot je beslist.
events-counts-nothing = Niets ervan telt.
events-counts = { $energy } wordt geteld.
events-decided-nothing = Beslist: niets ervan telt.
events-decided = Beslist: { $energy } telt.
events-decide = Beslissen
events-what-is-right = Wat klopt?
events-count = Tellen: de meterstand klopte
events-count-energy = Tellen: { $energy }
events-ignore = Niet tellen
events-spread = { $energy } tellen, verdeeld over de tijd van { $since } tot { $until }
events-energy = Er stroomde in deze tijd een andere hoeveelheid energie: vul die hieronder in
events-wrong = Deze metingen zijn fout: laat ze weg
events-energy-field = Energie in kWh
events-energy-hint = Alleen voor een andere hoeveelheid, bijvoorbeeld 1,5. Negatief bij teruglevering.
events-like-weekday = Verdelen zoals op dezelfde weekdagen ervoor en erna, niet gelijkmatig
events-note = Notitie
events-save = Opslaan
events-meter-changed = De meter is vervangen
events-type-in = Meterstand invoeren
events-range = Zelf een tijd corrigeren
events-from = Van
events-to = Tot
events-range-wrong = De metingen van deze tijd zijn fout: laat ze weg
events-range-energy = Er stroomde in deze tijd een andere hoeveelheid energie: vul die hieronder in
events-choose = Kies een van deze
events-end-expected = Vul een tijd na het begin in
events-gone = Deze gebeurtenis bestaat niet meer: de metingen zijn veranderd, of er is al over beslist. Er is niets opgeslagen
events-done-decided = Beslist.
events-done-corrected = Gecorrigeerd.
events-done-revoked = Ingetrokken.
events-done-changed = De meterwissel is opgeslagen.
events-made = Correcties
events-made-number = Nummer { $number }
events-made-change = De meter is vervangen op { $time }: de oude eindigde op { $old }, de nieuwe begon op { $new }.
events-made-counts = De gebeurtenis van { $time } telt.
events-made-ignored = De gebeurtenis van { $time } telt niet.
events-made-energy = Van { $from } tot { $to }: { $energy }, gelijkmatig verdeeld.
events-made-energy-weekday = Van { $from } tot { $to }: { $energy }, verdeeld zoals op dezelfde weekdagen.
events-made-wrong = De metingen van { $from } tot { $to } worden weggelaten.
events-made-factor-until = Van { $from } tot { $to } wordt de energie vermenigvuldigd met { $factor }.
events-made-factor = Vanaf { $from } wordt de energie vermenigvuldigd met { $factor }.
events-made-utility = De meter van de netbeheerder stond op { $shown } op { $time }.
events-made-by = { $time }, door { $author }
events-by-administrator = de beheerder
events-by-command = een opdracht
events-by-credential = de API-sleutel { $id }
events-revoke = Intrekken
events-revoked = ingetrokken

### Meter

meter-title = Meterstand invoeren
meter-sensors = Sensoren
meter-no-sensor = Er is nog geen sensor. Een sensor zonder hardware is genoeg: de energie volgt uit de meterstanden die je invoert.
meter-add-sensor = Sensor toevoegen
meter-choose = Welke meter lees je af?
meter-shown = Stand op de meter, in kWh
meter-first = Alle cijfers, bijvoorbeeld 12345,6
meter-last = Laatste: { $shown }, { $time }
meter-at = Afgelezen op
meter-at-hint = Leeg: nu. Anders volgens de klok van { $zone }.
meter-shown-expected = Vul de meterstand in kWh in, bijvoorbeeld 12345,6
meter-kwh-expected = Vul een aantal kWh in, bijvoorbeeld 1234,5
meter-time-expected = Vul een datum en een tijd in, bijvoorbeeld 05-01-2026 10:30
meter-future = Vul een tijd in die niet in de toekomst ligt
meter-old-expected = Een teller loopt niet terug: vul minstens de eerdere stand in
meter-doubt-below = De meter stond op { $time } op { $shown }, dus de stand hoort minstens zo hoog te zijn. Minder klopt alleen na een meterwissel
meter-doubt-above = De meter stond op { $time }, dus later, op { $shown }. De stand hoort hoogstens zo hoog te zijn
meter-doubt-usual = Dat is { $rise } meer dan { $shown } op { $time }. Gewoonlijk is dat sindsdien { $usual }: verwacht is ongeveer { $expected }
meter-doubt-power = Dat is { $rise } meer dan { $shown } op { $time }, alsof er sindsdien voortdurend { $power } is afgenomen. Staat er een cijfer te veel?
meter-done-typed = Opgeslagen.
meter-done-calibrated = De factor geldt vanaf nu.
meter-calibrate = Factor overnemen
meter-done-untyped = Verwijderd.
meter-readings = Meterstanden
meter-remove = Verwijderen
meter-beside = Vergeleken met de sensor
meter-beside-lead = Energie tussen twee meterstanden, volgens de meter en volgens de sensor.
meter-drift-all = De sensor wijkt af met
meter-period = Van – tot
meter-of-utility = Meter
meter-of-ledger = Sensor
meter-drift = Verschil
meter-more = De opdracht wattkeeper utility toont oudere.
meter-calibration =
    { $periods ->
        [one] In { $periods } periode
       *[other] In { $periods } periodes
    } sinds { $from } wijkt de sensor met hetzelfde percentage af. Vermenigvuldigd met { $factor } zou hij gelijklopen met de meter.
meter-change = Meterwissel
meter-change-lead = Verbindt de oude meter met de nieuwe, zodat niets verloren gaat of dubbel telt.
meter-change-at = Vervangen op
meter-old = Laatste stand van de oude meter, in kWh
meter-old-hint = Laatste daarvoor: { $register }
meter-new = Eerste stand van de nieuwe meter, in kWh
meter-new-hint = Nieuwste: { $register }
meter-register = { $shown }, { $time }

### Bills

bills-title = Facturen
bills-lead = De facturen van je leverancier, elk vergeleken met de kosten uit je metingen en contracten voor dezelfde dagen.
bills-entered = Ingevoerde facturen
bills-line = Regel
bills-billed = Factuur
bills-computed = Berekend
bills-difference = Verschil
bills-total = Totaal
bills-energy = Afname op de factuur
bills-energy-drift = De sensoren wijken af met
bills-remove = Deze factuur verwijderen
bills-add = Factuur invoeren
bills-total-field = Totaal
bills-same = Zo’n factuur is er al: { $range }, { $total }.
bills-kwh = Afname in kWh, als de factuur die vermeldt
bills-lines = Regels
bills-lines-hint = Zoveel als je wilt, met de namen uit je contract: nacht, vaste leveringskosten, btw. Vergoedingen zijn negatief.
bills-name = Naam { $number }
bills-amount = Bedrag { $number }
bills-more-lines = Meer regels
bills-save = Factuur opslaan
bills-date-expected = Vul een dag in, bijvoorbeeld 31-01-2026
bills-last-expected = Vul de eerste dag in, of een latere
bills-amount-expected = Vul een bedrag in, bijvoorbeeld 73,50
bills-line-expected = Regel { $number } heeft een naam en een bedrag nodig, bijvoorbeeld 73,50
bills-done-added = Factuur opgeslagen.
bills-done-removed = Factuur verwijderd.

### Frame

tab-dashboard = Dashboard
tab-energy = Energie
tab-meters = Meters
tab-settings = Instellingen
tab-status = Status
notices-open =
    { $count ->
        [one] 1 melding
       *[other] { $count } meldingen
    }
notices-others = en nog { $count }
change-more = meer
change-less = minder
change-none = gelijk

### Energy

energy-title = Energie
energy-help = Grafiek. Met de pijltoetsen links en rechts lees je losse staven, met Enter open je er een, en met Page Up en Page Down ga je naar een eerdere of latere periode.
energy-cut = De eerste en de laatste staaf omvatten maar een deel van een maand.
energy-running = Deze periode loopt nog.
energy-compared = Vergeleken met { $from } – { $to }.
energy-compared-day = Vergeleken met { $date }.
energy-compared-until = Vergeleken met { $date } tot { $clock }.
against-year = Vergelijken met vorig jaar
against-before = Vergelijken met de tijd ervoor
energy-future = Deze periode ligt in de toekomst.
energy-nothing = Geen metingen in deze periode.
energy-no-grid = Het verbruik is onbekend: geen sensor meet de netaansluiting.
energy-is-partial = In { $share } van de tijd ontbreken metingen: de totalen bevatten alleen wat gemeten is.
energy-is-estimated = { $share } van de tijd is geschat: alleen het totaal ervan is gemeten.
energy-is-unpriced = { $share } van de energie heeft geen prijs en zit niet in de kosten.
energy-house = Huis
energy-all-sums = Alle totalen
energy-paths = Waar de energie vandaan kwam en waar ze heen ging
hours-title = Uren per dag
hours-power = Vermogen
hours-cost = Kosten
hours-price = Prijs per kWh
hours-picture = { $what } van elk uur, { $range }
hours-empty = Leeg: onbekend
hours-table = Elk uur van de dag
energy-energy = Energie
energy-imported = Afname
energy-exported = Teruglevering
energy-produced = Opwek
energy-charged = Geladen
energy-discharged = Ontladen
energy-used = Verbruik
energy-self_consumed = Zelf verbruikt
energy-self_consumption = Aandeel eigen verbruik
energy-self_sufficiency = Zelfvoorziening
energy-other = Overig
energy-cost = Kosten
energy-credit = Vergoeding
energy-total = Totaal
energy-estimated = Geschat
energy-partial = Ontbreekt
energy-unpriced = Zonder prijs
energy-from_solar = Zonnestroom, direct
energy-from_battery = Zonnestroom, uit batterij
energy-from_grid = Van het net
energy-from_unknown = Onbekende bron
energy-own_share = Eigen energie
energy-real_cost = Werkelijke kosten
energy-real_unpriced = Zonder bron of prijs
energy-before = eerder: { $value }
energy-from-solar = Eigen zonnestroom
energy-from-battery = Uit de batterij
energy-from-grid = Van het net
energy-used-before = Verbruik, { $range }
energy-most-used = Meeste verbruik
energy-least-used = Minste verbruik
energy-so-far = tot nu toe
energy-incomplete = onvolledig
energy-partly-estimated = deels geschat
energy-partly-unpriced = deels zonder prijs
energy-numbers = Hetzelfde als tabel
energy-time = Tijd
energy-sum = Totaal
energy-csv = CSV downloaden

### Where does it go?

uses-title = Waar gaat de stroom heen?
uses-none = Geen apparaat heeft een eigen sensor. Een slimme stekker die je als tussenmeter toevoegt, laat hier zijn aandeel zien.
uses-other = Overig
uses-night = Basisverbruik ’s nachts: het laagste gemiddelde over vier uur achter elkaar, als mediaan van de zeven nachten tot { $date }. Apparaten die aan- en uitschakelen, verbruiken op een bepaald moment meer of minder.
uses-always-on = basisverbruik ’s nachts { $power }
uses-cost = { $cost } tegen de netprijs
uses-own = { $share } eigen energie
uses-real-cost = werkelijke kosten { $cost }, { $full } tegen de netprijs
uses-inside = Inclusief { $names }
uses-today = Vandaag, vergeleken met gisteren tot dezelfde tijd
uses-today-last-year = Vandaag, vergeleken met dezelfde weekdag een jaar geleden tot dezelfde tijd
uses-folded =
    { $count ->
        [one] nog 1 apparaat
       *[other] nog { $count } apparaten
    }

### Who used the sun?

sources-who = Wie gebruikte de zon?
sources-device = Apparaat
sources-show = Wie gebruikte de zon? Voor zo’n lange periode duurt dat enkele seconden
sources-many = Wie gebruikte de zon? Dat zie je voor hoogstens { $most } apparaten tegelijk. Hier zijn het er meer: bekijk ze een voor een.
sources-assumes = In elk kwartier delen de apparaten de eigen zonnestroom, de batterij en het net van het huis naar verhouding van hun verbruik. In de werkelijke kosten telt energie van het net voor de prijs van dat moment, en eigen energie voor de vergoeding die teruglevering had opgebracht. Elk apparaat leidt naar zijn kostenoverzicht.

### Dashboard

dashboard-title = Dashboard
dashboard-refresh = Vernieuwen
dashboard-grid = Net
dashboard-solar = Zon
dashboard-house = Huis
dashboard-battery = Batterij
dashboard-used = verbruikt
dashboard-net = Net, per saldo
dashboard-today = Vandaag
dashboard-yesterday = Gisteren
dashboard-week = Deze week
dashboard-month = Deze maand
dashboard-year = Dit jaar
dashboard-periods = Dagen, week, maand, jaar
today-cheapest-hours = Goedkoopste { $hours } uur:
today-cheapest = vandaag { $time } voor { $price }
today-cheapest-tomorrow = morgen { $time } voor { $price }
today-no-prices-tomorrow = morgen: nog geen prijzen
month-cause = Vooral { $name }: { $change }
month-ahead = Eind van de maand waarschijnlijk { $likely }, in 8 van de 10 gevallen { $low } tot { $high }.
dashboard-against-today = gisteren tot deze tijd
dashboard-against-yesterday = de dag ervoor
dashboard-against-week = vorige week tot dit moment
dashboard-against-month = vorige maand tot dit moment
dashboard-against-year = vorig jaar tot dit moment
dashboard-last-year-today = een jaar geleden tot deze tijd
dashboard-last-year-yesterday = een jaar geleden
dashboard-last-year-week = een jaar geleden tot dit moment
dashboard-last-year-month = vorig jaar tot dit moment
dashboard-net-import = van het net, per saldo
dashboard-net-export = naar het net, per saldo
dashboard-to-energy = Week, maand, jaar
dashboard-meters = Meters
dashboard-last-reading = laatste meting { $date }
dashboard-none-authorized = Geen sensor is toegelaten
dashboard-all-revoked = Dit account heeft sensoren, maar ze zijn allemaal geblokkeerd.
dashboard-authorize = Sensor toelaten
dashboard-first = Je eerste sensor toevoegen
dashboard-first-what = Een sensor is alles wat metingen stuurt: een leeskop op een meter, een slimme stekker, een script. De eerste meting is drie stappen ver weg.
dashboard-first-do = Sensor toevoegen
prices-day = Prijs per kilowattuur
prices-now = Nu
prices-least = Laagste vanaf nu
prices-most = Hoogste vanaf nu
prices-cheapest = Goedkoopste { $hours } uur vanaf nu
prices-help = Grafiek. Met de pijltoetsen links en rechts lees je losse prijzen.
prices-all = Alle prijzen
prices-price = Prijs
cheapest-title = Wanneer is stroom het goedkoopst?
cheapest-hours = Uren
cheapest-hours-hint = Van 0,25 tot 24.
cheapest-before = Klaar om
cheapest-before-hint = Kloktijd. Leeg: eind van morgen.
cheapest-split = Ook in delen: de goedkoopste kwartieren
cheapest-pieces = De delen
cheapest-price = Gemiddelde prijs
cheapest-window = Gemiddelde prijs, { $time }
cheapest-equal = Alle prijzen van deze tijd zijn gelijk.
cheapest-until = Er ontbreken prijzen. De laatste bekende eindigt op { $time }.
cheapest-none = Van { $from } tot { $to } is geen prijs bekend.
cheapest-few = Voor zo’n lange tijd zijn geen prijzen bekend. De laatste bekende eindigt op { $time }.
cheapest-assumption = De prijs van één extra kilowattuur van het net bij gelijkmatig verbruik, met alle kosten per kilowattuur en de belastingen van het contract van dat moment. Alleen prijzen die nu bekend zijn, tellen mee; bij schijven telt de eerste prijs. Zonnestroom blijft buiten beschouwing.
cheapest-wrong-hours = Vul 0,25 tot 24 uur in, bijvoorbeeld 3 of 1,5.
cheapest-wrong-quarters = Vul hele kwartieren in, bijvoorbeeld 1,25, of vink de delen uit.
cheapest-wrong-before = Vul een tijdstip in, bijvoorbeeld 07:00.
cheapest-wrong-past = Vul een tijd in na { $start }.
cheapest-wrong-soon = De uren passen niet tussen { $start } en deze tijd. Vul een latere tijd in, of minder uren.
cheapest-wrong-late = Vul een tijd in die hoogstens 7 dagen na { $start } ligt.
dashboard-role-grid = net
dashboard-role-grid-import = afname
dashboard-role-grid-export = teruglevering
dashboard-role-solar = zonnepanelen
dashboard-role-battery = batterij
dashboard-role-battery-charge = batterij, laden
dashboard-role-battery-discharge = batterij, ontladen
dashboard-role-sub-meter = tussenmeter
now-table = Vermogen nu, als tabel
now-part = Deel
now-way = Richting
now-state = Stuurt
power-unknown = onbekend
power-from-grid = van het net
power-into-grid = naar het net
power-of-inverter = verbruikt door de omvormer
power-produced = opgewekt
power-charging = laadt
power-discharging = ontlaadt
power-fed-back = teruggeleverd
power-used = verbruikt
power-since = sinds { $time }
power-never = nog niets gestuurd
silence-uploading = stuurt
silence-late = te laat
silence-silent = stil

### Peaks, where a contract prices the demand

peak-running = Tot { $time }: nu { $energy }, gemiddeld waarschijnlijk { $likely }
peak-left = nog { $left } onder { $level }
peak-not-now = Tot { $time } telt geen piek
peak-unknown = Over het lopende kwartier is te weinig bekend
peak-so-far = piek tot nu toe { $peak }
peak-kilowatt = één kilowatt meer kost { $cost }

### Notices

notice-dismiss = Verbergen
notice-dismissed = Melding verborgen.
notice-over = Dit is voorbij: { $happened }
notice-since = Sinds { $time }.
notice-of-account = Account: { $name }.
notice-more =
    { $count ->
        [one] nog 1 melding
       *[other] nog { $count } meldingen
    }
notice-sensor-silent = De sensor { $name } stuurt niets meer.
notice-event-open = Bij de meterstand van { $name } is iets te beslissen.
notice-implausible-power = De sensor { $name } stuurde meer vermogen dan geloofwaardig is.
notice-power-drift = Vermogen en meterstand van { $name } verschillen meer dan 5 %.
notice-inverted-sign = De sensor { $name } lijkt andersom te tellen.
notice-unusual-day-more = Op { $date } verbruikte het huis { $used }, meer dan de { $least } tot { $most } die op die weekdag gebruikelijk zijn.
notice-unusual-day-less = Op { $date } verbruikte het huis { $used }, minder dan de { $least } tot { $most } die op die weekdag gebruikelijk zijn.
notice-see-day = Die dag bekijken
notice-base-load-rose = Het huis verbruikt ’s nachts meer dan in de vier weken ervoor.
notice-base-load-rose-most = Het huis verbruikt ’s nachts meer dan in de vier weken ervoor, vooral door { $name }.
notice-prices-missing = In de prijsreeks { $name } ontbreken prijzen.
notice-price-source-late = De bron van { $name } is laat: er ontbreken waarden die er al hadden moeten zijn.
notice-price-conflict = De bron van { $name } wijkt af van de opgeslagen waarden. De opgeslagen waarden gelden.
notice-peak-ahead = Tot { $time } neemt het huis waarschijnlijk gemiddeld { $likely } af: meer dan de { $level } die de periode toch al bereikt. Dat kost { $cost } extra.
notice-backup-overdue = De nieuwste back-up is oud, of er is er geen.
notice-disk-nearly-full = De schijf van de database is bijna vol.
notice-wrong-clock = De klok is teruggezet, of liep eerder voor: de nieuwste meting ligt in de toekomst.
notice-store-damaged = De database is beschadigd: een deel van de gegevens is verloren.
notice-sensor-clock-ahead =
    De klok van { $name } loopt { $count } { $unit ->
        [min] min
        [h] uur
       *[days] dagen
    } voor.
notice-sensor-clock-behind =
    De klok van { $name } loopt { $count } { $unit ->
        [min] min
        [h] uur
       *[days] dagen
    } achter.
notice-unknown-field = { $name } stuurt een veld ‘{ $sent }’ dat niet wordt opgeslagen: het hoort { $meant } te heten.
notice-register-in-kwh = De meterstand van { $name } lijkt in kWh te zijn, niet in Wh: zo telt hij een duizendste van de energie.
notice-power-in-kw = Het vermogen van { $name } lijkt in kW te zijn, niet in W.
notice-same-meter = Deze sensoren tellen uur na uur dezelfde energie: { $name }. Het lijkt één meter te zijn, die dubbel telt.
notice-grid-swapped = Het huis levert meer energie terug dan het kan hebben: afname en teruglevering lijken verwisseld.
notice-parts-exceed-house = De tussenmeters maten meer energie dan het hele huis verbruikte.
notice-advice-sensor-silent = Controleer de voeding, het netwerk en het programma dat de metingen stuurt.
notice-advice-event-open = Beslis of het telt, of voer een meterwissel in.
notice-advice-implausible-power = Controleer de sensor. Klopt zo’n vermogen, laat de gebeurtenis dan tellen of verhoog het geloofwaardige vermogen.
notice-advice-power-drift = Controleer of vermogen (W) en meterstand (Wh) van dezelfde meter komen. De energie volgt uit de meterstand.
notice-advice-inverted-sign = Draai de stroomklem om of stel het teken in op omgekeerd. Klopt het wel, controleer dan welk deel van het huis hij meet.
notice-advice-unusual-day = Ga na wanneer het gebeurde en welk apparaat het veroorzaakte.
notice-advice-base-load-rose = Zoek een apparaat dat sindsdien aanstaat, zoals een pomp, een verwarming of een vriezer.
notice-advice-prices-missing = Importeer ze, en controleer je dagelijkse import of de prijsbron: tot dan heeft deze energie geen prijs.
notice-advice-price-source-late = In de instellingen, onder Prijsbronnen, staan het laatste antwoord en de oplossing. Tot de bron antwoordt, kun je de prijzen importeren.
notice-advice-price-conflict = Ga na welke kloppen. Verwijder opgeslagen waarden die fout zijn: ze worden opnieuw opgehaald. Kloppen ze, verberg dan deze melding.
notice-advice-peak-ahead = Zet iets groots uit, of start het een paar minuten later.
notice-advice-backup-overdue = Zoek de oorzaak in het logboek, en controleer of de back-upmap bestaat en vrije ruimte heeft.
notice-advice-disk-nearly-full = Maak ruimte vrij: een volle schijf neemt geen metingen aan.
notice-advice-wrong-clock = Controleer de klok van deze computer, en of een tijdserver hem gelijkzet.
notice-advice-store-damaged = Bekijk het verlies in de instellingen, onder Database. Zet daar een back-up terug als je de gegevens nodig hebt, en bevestig. Overweeg een nieuwe schijf of SD-kaart.
notice-advice-sensor-clock = Zet de klok en de tijdzone goed van het apparaat, of van het programma dat de metingen stuurt: een tijd zonder tijdzone is UTC.
notice-advice-unknown-field = Verbeter de naam in het programma dat de metingen stuurt: tot dan gaat de waarde verloren.
notice-advice-register-in-kwh = Stuur wattuur: vermenigvuldig de waarde met 1000 in het programma dat stuurt, of stel de eenheid van het topic in. Verwijder dan de metingen tot nu toe.
notice-advice-power-in-kw = Stuur watt: vermenigvuldig de waarde met 1000 in het programma dat stuurt, of stel de eenheid van het topic in. Verwijder dan de metingen tot nu toe.
notice-advice-same-meter = Verwijder er een, of maak hem in zijn instellingen een deel van de andere.
notice-advice-grid-swapped = Wissel in hun instellingen om wat de sensoren van de netaansluiting meten. Levert een batterij of een andere installatie terug, voeg daar dan een sensor voor toe.
notice-advice-parts-exceed-house = Controleer of de sensor van de netaansluiting het hele huis meet, en niet één stekker. Hebben panelen of een batterij geen sensor, voeg die dan toe.

### Status

status-disk-fine = De schijf is in orde: de database neemt { $size } in en groeit met ongeveer { $growth } per dag. Er is ruimte voor meer dan tien jaar.
status-disk-days =
    { $days ->
        [one] De database neemt { $size } in en groeit met ongeveer { $growth } per dag: de schijf is over een dag vol.
       *[other] De database neemt { $size } in en groeit met ongeveer { $growth } per dag: er is ruimte voor { $days } dagen.
    }
status-disk-unknown = De database neemt { $size } in. De laatste dag kwamen geen metingen binnen, dus is niet bekend hoe snel die groeit.

### People

people-title = Personen
people-me = Mijn toegang
people-settings = Instellingen
people-and-tablets = Personen en wandtablets
people-lead = Personen loggen in met naam en wachtwoord, en zien alleen de accounts die jij kiest. Jij, de beheerder, ziet alles en logt in zonder naam.
people-all = Iedereen
people-nobody = Nog niemand behalve jij.
people-add = Persoon toevoegen
people-name = Naam
people-name-of-administrator = De beheerder laat dit leeg.
people-wrong = Naam of wachtwoord klopt niet
people-name-hint = Met deze naam logt de persoon in.
people-password = Wachtwoord
people-password-hint = Minstens { $count } tekens. Alle browsers van deze persoon worden uitgelogd.
people-change-password = Wachtwoord wijzigen
people-set-password = Wachtwoord instellen
people-account = Account
people-accounts = Accounts
people-none = geen account
people-tenant = huurder
people-viewer = kijker
people-member = lid
people-choice-none = Niets: het account bestaat niet voor deze persoon
people-choice-tenant = Huurder: ziet alleen de tussenmeters van de eigen huurafspraken
people-choice-viewer = Kijker: ziet het alleen
people-choice-member = Lid: corrigeert ook metingen, wijzigt contracten en facturen, verbergt meldingen, ziet de API-sleutels
people-no-account = Je ziet nog geen account. Vraag er een aan de beheerder.
people-save = Opslaan
people-remove = Persoon verwijderen
people-remove-what = Logt alle browsers van deze persoon uit. Metingen en correcties blijven.
people-done-added = Persoon toegevoegd.
people-done-removed = Persoon verwijderd.
people-done-password = Wachtwoord ingesteld. Alle browsers van deze persoon zijn uitgelogd.
people-done-own-password = Wachtwoord gewijzigd. Al je andere browsers zijn uitgelogd.
people-done-saved = Opgeslagen.
people-done-unlinked = Verwijderd. Deze gebruiker van Home Assistant logt vanaf nu in met een wachtwoord.
people-linked = Inloggen via Home Assistant
people-linked-what = Deze gebruikers van Home Assistant openen wattkeeper zonder wachtwoord. Een nieuw wachtwoord van de persoon maakt daar een eind aan.
people-linked-own = Deze gebruikers van Home Assistant openen wattkeeper als jou, zonder wachtwoord. Een nieuw wachtwoord maakt daar een eind aan.
people-linked-to = Als { $name }
people-linked-to-administrator = Als beheerder
people-unlink = Verwijderen

### Wall tablets

wall-title = Wandtablets
wall-lead = Een wandtablet toont één account aan iedereen in de kamer. Open de link daar één keer: hij heeft geen wachtwoord nodig en kan niets wijzigen.
wall-links = Links
wall-none = Nog geen links.
wall-new = Nieuwe link
wall-name = Naam
wall-name-hint = Waar de tablet hangt, bijvoorbeeld Hal.
wall-make = Link maken
wall-revoke = Intrekken
wall-last-used = laatst gebruikt { $time }
wall-never-used = nooit gebruikt
wall-once = De link is maar één keer te zien: alleen een hash wordt opgeslagen. Open hem nu in de browser van de tablet. Wie de link heeft, kan het account zien.
wall-link = Link
wall-done = Klaar
wall-done-revoked = Link ingetrokken. De tablet toont niets meer.
wall-go-on = Dashboard tonen
wall-as-of = stand van { $clock }
wall-now = Nu
wall-nothing = Nog geen metingen.
wall-energy = Energie
wall-period = Periode
wall-today = Vandaag
wall-yesterday = Gisteren
wall-this-month = Deze maand
wall-solar = Zon
wall-house = Huis
wall-cost = Kosten
wall-incomplete = onvolledig

### Adding a sensor

wizard-title = Sensor toevoegen
wizard-title-of = { $name } verbinden
wizard-back = Instellingen
wizard-which-device = Welk apparaat meet het?
wizard-back-question = Vorige vraag
wizard-home = Heb je Home Assistant?
wizard-home-yes = Ja
wizard-home-yes-about = wattkeeper leest de sensoren met hun geschiedenis, en stelt het huis voor zoals het in het energiedashboard staat
wizard-home-no = Nee, of dit apparaat zit er niet in
wizard-home-no-about = zelf een meter of een apparaat verbinden
wizard-what = Wat heb je in huis?
wizard-how = Hoe komen de metingen hier?
thing-grid = Stroommeter
thing-panels = Zonnepanelen
thing-battery = Batterij
thing-wallbox = Laadpaal
thing-heat-pump = Warmtepomp
thing-flat = Woning
thing-other = Iets anders
thing-about-grid = wat het huis afneemt en teruglevert
thing-about-panels = op het dak of aan het balkon
thing-about-battery = wat erin gaat en eruit komt
thing-about-wallbox = laden van een auto
thing-about-heat-pump = verwarming en warm water
thing-about-flat = een woning of een huurder, met een eigen kostenoverzicht
thing-about-other = bijvoorbeeld een apparaat met een slimme stekker
way-mqtt = Via MQTT
way-address = Het heeft een adres in het netwerk
way-script = Een script of programma stuurt ze
way-file = Uit een bestand
way-person = Ik lees de meter zelf af
way-name = Ik weet de naam van het apparaat
way-about-mqtt = het stuurt naar een broker, zoals Mosquitto
way-about-address = wattkeeper leest het om de paar seconden uit; een broker is niet nodig
way-about-script = één regel met curl is genoeg
way-about-file = een export van de leverancier of van een ander programma
way-about-person = een pagina voor de telefoon controleert elke meterstand
way-about-name = zoals Shelly, Tasmota of Fronius
wizard-another = Een ander apparaat
wizard-another-mqtt = de pagina toont wat de broker hoort
wizard-another-address = elk apparaat dat antwoordt met JSON, of via Modbus met SunSpec
wizard-other-device = Een ander apparaat
wizard-what-it-measures = Wat meet het?
wizard-name = Naam
wizard-name-hint = Bijvoorbeeld Huis, Zonnepanelen of Wasmachine.
wizard-role = Meet
wizard-role-missing = Kies wat hij meet.
at-grid-title = Netaansluiting
at-grid-question = Het huis heeft al een sensor bij de netaansluiting: { $others }. Wat is { $sensor } daarnaast?
at-grid-phase = Nog een fase van dezelfde meter: per minuut worden afname en teruglevering van alle fasen gesaldeerd, zoals de meter dat doet
at-grid-sub-meter = Een deel van wat de andere meet, zoals een warmtepomp erachter: hij wordt een tussenmeter en telt niet op bij de afname
at-grid-connection = Nog een aansluiting, of een ander telwerk van dezelfde meter, zoals dat van het nachttarief: beide worden opgeteld
wizard-part-of = Deel van
wizard-part-of-hint = Alleen voor een deel van het huis dat een andere tussenmeter ook meet.
wizard-part-of-none = Het huis
wizard-account = Account
wizard-account-hint = Eén per huis is genoeg.
wizard-id-summary = Zelf het sensor-id kiezen
wizard-id = Sensor-id
wizard-id-hint = Het apparaat stuurt het mee met elke meting. Laat je het leeg, dan volgt het uit de naam. Later kun je het niet wijzigen.
wizard-id-taken = Er is al een sensor { $id }. Kies een ander id.
wizard-name-taken = Er is al een sensor met deze naam, die iets anders meet. Kies een andere naam.
wizard-add = Verder
wizard-key = Sleutel
wizard-key-once = De sleutel is maar één keer te zien: alleen een hash wordt opgeslagen. Je kunt er metingen mee sturen, verder niets.
wizard-key-needed = In de regels hieronder moet nog een sleutel in plaats van API_ID en API_KEY. Eerdere sleutels blijven geldig tot je ze intrekt.
wizard-key-make = Sleutel maken
wizard-copy-lines = de regels
wizard-device = Op het apparaat
wizard-read = Meter aflezen
wizard-local = wattkeeper luistert alleen op deze computer. Zet voor apparaten in het netwerk eerst `http.listen` op 0.0.0.0:{ $port } in het configuratiebestand, herstart, en open deze pagina via het netwerkadres van de computer. Een sleutel die je eerder maakt, blijft geldig.
wizard-shelly-device = Zet in de instellingen van de Shelly MQTT aan en vul je broker in. Vink bij een Plus, Pro, Gen3 of nieuwer ook ‘RPC status notifications’ aan: alleen dan stuurt hij metingen.
wizard-tasmota-menu = Vink op de eigen pagina’s van het apparaat, onder Configuration, Configure Other, ‘MQTT enable’ aan. Vul daarna onder Configuration, Configure MQTT de host en de poort van je broker in, en een topic dat geen ander apparaat heeft, zoals { $topic }. Laat Full Topic zoals het is. Metingen komen dan onder tele/{ $topic }/SENSOR.
wizard-tasmota-period = Het stuurt elke vijf minuten. Plak deze regel in de console van het apparaat voor een meting per minuut.
wizard-zigbee2mqtt-device = Zigbee2MQTT stuurt metingen vanzelf. Voeg deze regels toe aan het configuratiebestand, zodat elke meting haar tijd meekrijgt.
wizard-p1-device = Een programma zoals DSMR-reader leest de P1-poort uit. Zet daar de MQTT-berichten aan, met een topic per waarde of als JSON, onder de topics die het voorstelt.
wizard-homewizard-device = Zet in de HomeWizard-app de lokale API aan, in de instellingen van het apparaat.
wizard-fronius-device = Zet op de eigen pagina’s van de omvormer de Solar API aan, onder Communicatie.
wizard-sunspec-device = Zet op de eigen pagina’s van het apparaat Modbus TCP met SunSpec aan.
wizard-two-ways = Kies een van de twee manieren.
wizard-by-address = Via zijn adres
wizard-polled = wattkeeper kan het uitlezen op zijn adres in je netwerk. Daar is geen broker voor nodig.
wizard-heard = { $count ->
        [one] Er is zo’n apparaat gevonden op de broker. Voeg het toe met één klik.
       *[other] Er zijn { $count } van zulke apparaten gevonden op de broker. Voeg elk toe met één klik.
    }
wizard-not-heard = Zo’n apparaat heeft nog niets naar de broker gestuurd. Na het volgende bericht staat het bij de apparaten op de broker; voeg het daar toe.
wizard-topic = Of zijn topic
wizard-topic-hint = Voor een apparaat met één meter: wattkeeper luistert er dan meteen naar en toont het eerste bericht.
wizard-topic-wrong = Vul een topic in zonder spaties en zonder +, # of /.
wizard-topic-listen = Naar dit topic luisteren
wizard-tasmota-console = Plak deze regels in de console van het apparaat. TelePeriod is de tijd tussen twee metingen in seconden.
wizard-esphome-file = Voeg deze regels toe aan de configuratie van de node. Vervang power door het id van de vermogenssensor.
wizard-iotawatt-setup = Voeg onder Setup, Uploaders een influxDB-uploader toe met deze instellingen.
wizard-emonpi-file = Voeg deze regels toe aan emonhub.conf: de eerste bij de interfacers, de laatste met het nummer van je node in plaats van 10.
wizard-home-assistant-packages = Eén keer voor alle sensoren: voeg deze regels toe aan configuration.yaml van Home Assistant, en maak daarnaast de map packages. Staat er al een regel homeassistant:, voeg dan alleen de regel eronder toe.
wizard-home-assistant-file = Voor deze sensor: sla deze regels in die map op als { $file }, met je eigen entiteit in plaats van sensor.house_power, en herstart Home Assistant.
wizard-script-shell = Probeer het in een shell. watts is het vermogen, watthours de meterstand; een van beide mag je weglaten.
wizard-script-python = Hetzelfde in Python.
wizard-file-command = Voer dit uit op de computer waarop wattkeeper draait.
wizard-file-formats = Het leest CSV met een kolom met tijden, en exports van Emoncms, Home Assistant en InfluxDB zoals ze zijn. Er wordt alleen iets opgeslagen als het hele bestand klopt.
wizard-person-page = Voer de meterstand in als je langs de meter komt. Een pagina voor de telefoon vergelijkt hem met de vorige.
wizard-person-open = Meterstand invoeren
wizard-check = Controleer of het binnenkomt
wizard-check-open = Eerste meting bekijken
wizard-connect = Apparaat verbinden
wizard-check-title = Eerste metingen van { $name }
wizard-dashboard = Naar dashboard
wizard-settings = Sensorinstellingen
wizard-newest = Nieuwste meting
wizard-power = Vermogen
wizard-register = Meterstand
wizard-guess = Dit past niet bij de instellingen
wizard-guess-accept = Instellingen wijzigen
wizard-fine = Deze metingen passen bij de instellingen van de sensor.
wizard-nothing = Er is nog niets binnengekomen. Kijk opnieuw als het apparaat iets heeft gestuurd.
wizard-again = Opnieuw kijken
device-shelly = Shelly
device-tasmota-mqtt = Tasmota
device-tasmota = Tasmota zonder broker
device-zigbee2mqtt = Zigbee2MQTT
device-esphome = ESPHome
device-p1 = P1-poort (DSMR)
device-homewizard = HomeWizard
device-fronius = Fronius
device-sunspec = Omvormer of meter met SunSpec
device-iotawatt = IoTaWatt
device-emonpi = emonPi, emonTx, emonHub
device-home-assistant = Home Assistant
device-script = Een script of programma
device-file = Een bestand met oudere metingen
device-person = Een meter die je zelf afleest
device-about-shelly = alle generaties; via zijn adres, of via MQTT
device-about-tasmota-mqtt = slimme stekkers en leeskoppen, via hun eigen MQTT
device-about-tasmota = een regel op het apparaat stuurt
device-about-zigbee2mqtt = stekkers en meters met Zigbee, via MQTT
device-about-esphome = je eigen ESP-apparaten
device-about-p1 = slimme meters in Nederland, België en Luxemburg, via MQTT
device-about-homewizard = P1-meter, kWh-meter, stekker; via zijn adres
device-about-fronius = omvormer, of de meter ernaast; via zijn adres
device-about-sunspec = SMA, Kostal, SolarEdge en andere, via Modbus; via zijn adres
device-about-iotawatt = stroomklemmen, via zijn uploader
device-about-emonpi = via emonHub
device-about-home-assistant = elke entiteit die vermogen meet
device-about-script = HTTP met JSON
device-about-file = CSV en exports
device-about-person = met de telefoon
whole-house-evcc = evcc
whole-house-about-evcc = net, zonnepanelen, batterij en laadpunten in één keer, via MQTT
whole-house-set-up-evcc = Vul in evcc onder Configuratie, Integraties, MQTT je broker in en laat het topic op evcc staan. De netmeter, zonnepanelen, batterij en laadpunten verschijnen dan hier. Laat weg wat een andere sensor al meet.
guess-sign-as-is = Het vermogen telt al de goede kant op, maar de sensor staat op omgekeerd.
guess-sign-inverted = Het vermogen is negatief. Dat past niet bij wat de sensor meet: hij telt andersom.
guess-power-sign-as-is = Het vermogen telt al de goede kant op, maar staat op omgekeerd.
guess-power-sign-inverted = Het vermogen is negatief. Dat past niet bij wat de sensor meet: het vermogen telt andersom.
guess-register-sign-as-is = De meterstand telt al de goede kant op, maar staat op omgekeerd.
guess-register-sign-inverted = De meterstand daalt. Dat past niet bij wat de sensor meet: de meterstand telt andersom.
guess-between-line = Het vermogen komt op vaste tijden: het gemiddelde van twee waarden benadert het vermogen ertussen het best.
guess-between-hold = Het vermogen komt op wisselende tijden, als het verandert: elke waarde telt tot de volgende.
guess-register-net = De meterstand stijgt en daalt, zoals bij een meter die terugloopt tijdens teruglevering.
guess-register-counter = De meterstand stijgt alleen maar, zoals een teller.
guess-register-interval = Het telwerk begint bij elke waarde opnieuw, zoals energie per interval.
settings-sensors = Sensoren
settings-add-sensor = Sensor toevoegen
settings-no-sensors = Nog geen sensoren. Een sensor is alles wat metingen stuurt: een meter, een slimme stekker, een script.
settings-last-upload = Laatst gestuurd { $time }
settings-no-upload = Nog niets gestuurd
settings-readings =
    { $count ->
        [one] { $shown } meting
       *[other] { $shown } metingen
    }
settings-of-account = account
settings-keys = API-sleutels
settings-create-key = API-sleutel maken
settings-no-keys = Nog geen API-sleutels. Sensoren en programma’s loggen in met een API-sleutel.
settings-last-used = Laatst gebruikt { $time }
settings-never-used = Nooit gebruikt
settings-accounts = Accounts
settings-add-account = Account toevoegen
settings-no-accounts = Nog geen accounts. Bij een account horen sensoren en API-sleutels. Eén per huis is genoeg.
settings-sensor-count =
    { $count ->
        [one] 1 sensor
       *[other] { $count } sensoren
    }
settings-password = Wachtwoord
settings-password-hint = Minstens { $count } tekens. Bij een wijziging worden alle andere browsers uitgelogd.
settings-change-password = Wachtwoord wijzigen
settings-account = Account
settings-name = Naam
settings-save = Opslaan
settings-remove = Verwijderen

### Frame of each page

frame-skip = Naar de inhoud
frame-pages = Pagina’s
frame-sign-out = Uitloggen
frame-api = API
frame-region = Regio
frame-region-none = Zoals de taal
frame-region-choose = Regio kiezen
frame-language = Taal
frame-problem = Er klopt iets niet
frame-open-dashboard = Naar dashboard
frame-accounts = Accounts
language-name = Nederlands

### Ranges of time

span-range = Periode
span-from-to = { $from } – { $to }
span-unit-24h = 24 uur
span-unit-hour = Uur
span-unit-day = Dag
span-unit-week = Week
span-unit-month = Maand
span-unit-year = Jaar
span-unit-contract = Contractjaar
span-unit-all = Alles
span-earlier = Eerder
span-later = Later
span-first-day = Eerste dag
span-last-day = Laatste dag
span-show = Tonen
span-now = Vandaag
span-other = Andere dagen
span-problem = Vul twee datums in, de eerste niet na de tweede, en hoogstens { $years } jaar uit elkaar.

### Live values

live-on = live
live-off = uitgelogd
live-lost = verbinding weg, nieuwe poging

### Errors

offline-title = De server is niet bereikbaar
offline-remedy = Hij staat uit, of dit apparaat zit in een ander netwerk. Er gaat niets verloren: sensoren die hun metingen bewaren, sturen ze later.
offline-again = Opnieuw proberen
error-api = Er ging iets mis
error-refused = De dienst heeft dit verzoek niet aangenomen. De uitleg in het Engels: { $detail }
error-form = Er is niets gewijzigd
error-expired = Dit formulier is verlopen
error-expired-remedy = Er is niets gewijzigd. Ga terug, laad de pagina opnieuw en verstuur het formulier nog eens.
form-kept = Je moest intussen inloggen. Er is nog niets opgeslagen: controleer wat je hebt ingevuld en sla het op.
form-changed = Dit is intussen gewijzigd. Er is nog niets opgeslagen: sla nog eens op om het te vervangen.
form-changed-value = { $label }: opgeslagen ‘{ $stored }’, hier ‘{ $typed }’.
form-changed-none = niets
kept-title = Ingelogd
kept-lead = Wat je had ingevuld, is bewaard, zonder wachtwoorden. Er is nog niets opgeslagen.
kept-continue = Terug naar je invoer
sign-in-kept = Je sessie is afgelopen. Wat je had ingevuld, komt terug als je inlogt.
error-setup = Dit installatieadres is niet geldig
error-wall = Deze link werkt niet meer
error-wall-remedy = De beheerder kan een nieuwe maken.
error-setup-remedy = Het werkt maar één keer, en alleen tot wattkeeper stopt. Is er al een beheerderswachtwoord, log dan in, of voer op de server `wattkeeper password` uit om een nieuw in te stellen. Herstart anders `wattkeeper serve`: dat geeft een nieuw installatieadres.
error-not-found = Pagina niet gevonden
error-not-found-remedy = Controleer het adres op tikfouten.
error-method = Methode niet toegestaan
error-method-remedy = Er is niets gewijzigd.
error-too-large = Dat is te veel tegelijk
error-too-large-remedy = Er is niets opgeslagen. Stuur het in delen. De uitleg in het Engels: { $detail }.
error-too-many = Te veel verzoeken
error-too-many-remedy = Wacht even en probeer het dan opnieuw.
error-busy = De server is bezet
error-busy-remedy = Probeer het zo opnieuw.

### Mistakes in forms: the message of the check. Other languages say what the field expects.

problem-name =
    { $detail ->
       *[other] De naam is niet aangenomen: hij moet nieuw zijn, 1 tot 128 tekens lang en zonder stuurtekens.
    }
problem-id =
    { $detail ->
       *[other] Het sensor-id is niet aangenomen: het moet nieuw zijn, 1 tot 64 tekens lang en zonder stuurtekens.
    }
problem-zone =
    { $detail ->
       *[other] Deze tijdzone bestaat niet. Vul een naam in, bijvoorbeeld Europe/Amsterdam.
    }
problem-price =
    { $detail ->
       *[other] De prijs is niet aangenomen. Vul een getal in, bijvoorbeeld 0,3215.
    }
problem-currency =
    { $detail ->
       *[other] De valuta is niet aangenomen. Vul een code in, bijvoorbeeld EUR.
    }
problem-date =
    { $detail ->
       *[other] De datum is niet aangenomen. Vul een dag in, bijvoorbeeld 08-07-2026.
    }
problem-password =
    { $detail ->
       *[other] Het wachtwoord is niet aangenomen: het is te kort of te lang.
    }
problem-other = Deze invoer is niet aangenomen. De uitleg in het Engels: { $detail }

### Sign in

sign-in-title = Inloggen
sign-in-forgot = Vergeten? Vraag de beheerder. Ben je zelf de beheerder, voer dan op de server `wattkeeper password` uit.
sign-in-not-set = Er is nog geen beheerderswachtwoord ingesteld. Open het installatieadres dat `wattkeeper serve` bij het starten gaf, of voer op de server `wattkeeper password` uit.
sign-in-wrong = Verkeerd wachtwoord.
sign-in-too-many-here = Te veel pogingen vanaf dit adres. Probeer het opnieuw over { $seconds } s.
sign-in-differ = De wachtwoorden zijn niet gelijk.
sign-in-link = Vanaf nu inloggen via Home Assistant
sign-in-link-hint = Wie Home Assistant gebruikt als { $user }, opent wattkeeper dan zonder dit wachtwoord.
sign-in-link-too-many = Er zijn al acht gebruikers van Home Assistant aan jou gekoppeld, meer kan niet. Verwijder er een, of haal het vinkje weg.
sign-in-unlinked = Deze gebruiker van Home Assistant heeft weer een wachtwoord nodig.
sign-in-continue = Verder als { $name }
sign-in-continue-administrator = Verder als beheerder
sign-in-as-another = Of log in met een wachtwoord:

### Setup

setup-title = Installatie
setup-welcome = Welkom bij wattkeeper
setup-lead = Kies het beheerderswachtwoord. Je hebt het nodig voor het dashboard, de instellingen en de statuspagina.
password-current = Huidig wachtwoord
password-new = Nieuw wachtwoord
password-again = Wachtwoord herhalen
setup-hint = Minstens { $count } tekens. Een paar willekeurige woorden werken goed.
setup-set = Wachtwoord instellen

### Accounts

account-plan = Pakket
account-plan-paid = betaald
account-plan-free = gratis
account-paid = Betaald: alle functies
account-free = Gratis: programma’s kunnen het nettoverbruik niet opvragen
account-phases = Meerdere sensoren bij de netaansluiting
account-phases-hint = De meter van de netbeheerder saldeert de fasen: alleen hun som is afname of teruglevering.
account-phases-separate = Apart: afname en teruglevering van elke sensor tellen op zichzelf
account-phases-balanced = Gesaldeerd: de sensoren meten de fasen van één meter; afname en teruglevering van dezelfde minuut worden gesaldeerd
account-has-sensors = Een account met sensoren kun je niet verwijderen.
account-sensors-first = Verwijder die eerst.
account-remove-hint = Trekt ook de API-sleutels in. Dit kan niet ongedaan worden gemaakt.
account-remove = Account verwijderen
account-zone = Tijdzone
account-zone-hint = Dagen, weken en maanden beginnen om middernacht in deze tijdzone.
account-choose-zone = Kies een tijdzone

### API keys

key-title = API-sleutel
key-scope = Rechten
key-created = Gemaakt
key-last-used = Laatst gebruikt
key-never = nooit
key-rotate-title = Vernieuwen
key-rotate-hint = Vervangt de api_key en houdt het api_id. De oude api_key werkt meteen niet meer; de nieuwe is maar één keer te zien.
key-rotate = api_key vernieuwen
key-revoke-title = Intrekken
key-revoke-hint = Alles wat deze sleutel gebruikt, verliest meteen de toegang. Dit kan niet ongedaan worden gemaakt.
key-revoke = API-sleutel intrekken
key-does-full = sturen en ophalen
key-does-read = alleen ophalen
key-does-write = alleen sturen
key-lead = Een sensor of programma logt in met een API-sleutel: een api_id en een api_key. Geef elk een eigen sleutel, zodat je er een kunt intrekken zonder de andere te storen.
key-label = Omschrijving
key-label-hint = Het apparaat of programma dat de sleutel gebruikt. Optioneel.
key-full = Sturen en ophalen
key-write = Alleen sturen: voor sensoren
key-read = Alleen ophalen: voor programma’s die metingen tonen
key-new = Nieuwe API-sleutel
key-new-secret = Nieuwe api_key
key-once = De api_key is maar één keer te zien: alleen een hash wordt opgeslagen. Kopieer hem nu.
key-done = Klaar

### Copy buttons

copy-word = Kopiëren
copy-what = { $what } kopiëren
copy-id = het api_id
copy-key = de api_key
copy-copied = Gekopieerd
copy-by-keys = Druk op Ctrl+C

### Sensors

sensor-revoked = geblokkeerd
sensor-active = stuurt
sensor-silent = stil
sensor-title = Sensor
sensor-chart = Grafiek
sensor-id = Sensor-id
sensor-last-upload = Laatst gestuurd
sensor-none-yet = nog niets
sensor-stored = Opgeslagen metingen
sensor-measures = Instellingen
sensor-register = Telwerk
sensor-register-net = Netto: loopt terug tijdens teruglevering
sensor-register-counter = Teller: telt alleen op; een lagere waarde betekent dat hij is teruggezet
sensor-register-interval = Interval: elke waarde is de energie sinds de vorige
sensor-power-sign = Teken van het vermogen
sensor-register-sign = Teken van de meterstand
sensor-as-is = Zoals het komt
sensor-inverted = Omgekeerd: het telt andersom
sensor-between = Vermogen tussen twee metingen
sensor-between-line = In een rechte lijn van de ene naar de andere: voor apparaten die op vaste tijden sturen
sensor-between-hold = Blijft tot de volgende: voor apparaten die sturen als het vermogen verandert
sensor-revoke-title = Blokkeren
sensor-authorize-title = Toelaten
sensor-revoke-hint = Een geblokkeerde sensor kan geen metingen sturen, en zijn metingen kunnen niet worden opgehaald. Ze blijven bewaard, en je kunt de sensor weer toelaten.
sensor-authorize-hint = Deze sensor is geblokkeerd: hij kan geen metingen sturen, en zijn metingen kunnen niet worden opgehaald. Ze blijven bewaard.
sensor-revoke = Sensor blokkeren
sensor-authorize = Sensor toelaten
sensor-remove-title = Verwijderen
sensor-remove-hint = Verwijdert de sensor en al zijn metingen. Dit kan niet ongedaan worden gemaakt.
sensor-type = Typ het sensor-id
sensor-type-end = ter bevestiging
sensor-remove = Sensor en metingen verwijderen
sensor-not-its-id = Dit is niet het sensor-id. Er is niets verwijderd.

### Roles of sensors

role-title = Meet
role-grid = Net: afname min teruglevering
role-grid-import = Afname: energie van het net
role-grid-export = Teruglevering: energie naar het net
role-solar = Zon: opwek van de zonnepanelen
role-battery = Batterij: geladen min ontladen energie
role-battery-charge = Batterij laden: geladen energie
role-battery-discharge = Batterij ontladen: ontladen energie
role-sub-meter = Tussenmeter: een deel van het verbruik in huis, zoals een warmtepomp, een groep of een slimme stekker

### The first reading

steps-waiting = Wachten op de eerste meting…
steps-first = Eerste meting opgeslagen.
steps-stored = metingen opgeslagen.

### Status

status-well = Alles in orde: elke bevestigde meting is opgeslagen.
status-refusing = Er worden geen metingen opgeslagen en geen aangenomen.
status-attention = Metingen worden opgeslagen. Let op:
status-service = Dienst
status-backups = Back-ups
status-last-error = Laatste fout
status-no-errors = Geen fouten sinds de start.
status-version = Versie
status-uptime = Draait al
status-zones = Tijdzones
status-zones-built-in = { $version }, deel van het programma
status-zones-of-system = { $version }, uit { $folder }
status-readings = Metingen
status-sensors = Sensoren
status-size = Grootte van de database
status-free = Vrije schijfruimte
status-written = Naar schijf geschreven
status-written-later = bekend na tien minuten
status-written-a-day = { $size } per dag
status-read-only = De database is alleen-lezen
status-read-only-remedy = { $why }. Neem de oorzaak weg en herstart wattkeeper. Elke bevestigde meting is veilig.
status-backups-off = Er worden geen back-ups gemaakt
status-backups-off-remedy = Kies een map in de instellingen, liefst op een andere schijf: een SD-kaart kan helemaal uitvallen.
status-backup-folder = De back-upmap is niet leesbaar
status-backup-folder-remedy = Controleer of de schijf gekoppeld is, en of wattkeeper er mag lezen en schrijven.
status-backup-off = Geplande back-ups staan uit.
status-backup-none = Nog geen back-up.
status-backup-newest = Nieuwste back-up: { $size }, { $ago } gemaakt en gecontroleerd.
status-backup-unreadable = De back-upmap is niet leesbaar: { $why }.
status-ago = { $span } geleden ({ $date } { $zone })
status-seconds =
    { $count ->
        [one] 1 seconde
       *[other] { $count } seconden
    }
status-minutes =
    { $count ->
        [one] 1 minuut
       *[other] { $count } minuten
    }
status-hours =
    { $count ->
        [one] 1 uur
       *[other] { $count } uur
    }
status-days =
    { $count ->
        [one] 1 dag
       *[other] { $count } dagen
    }

### API page

api-operations = Bewerkingen
api-base = Basisadres
api-first = Een eerste blik
api-group-readings = Metingen
api-group-energy = Energie en gebeurtenissen
api-group-money = Geld
api-group-service = Dienst
api-group-influx = InfluxDB
api-group-emoncms = Emoncms
api-version = Versie { $version }. Machineleesbaar:
api-sign-in = Inloggen
api-parameters = Parameters
api-required = verplicht
api-body = Inhoud van het verzoek
api-answers = Antwoorden

### Sure?

sure = Het klopt: opslaan
sure-number = ‘{ $typed }’ wordt gelezen als { $read }.
ask-yes = Ja, ik weet het zeker

sensor-more = Meer instellingen
sensor-silence = Melden na, in minuten
sensor-silence-hint = Komt er zo lang niets binnen, dan verschijnt een melding. Leeg: volgt uit hoe vaak de sensor gewoonlijk stuurt.
sensor-home-assistant = Home Assistant
sensor-home-assistant-choice = Daar tonen, als discovery aanstaat. Niet als Home Assistant hem al van de broker heeft.
sensor-silence-problem = Vul hele minuten in, bijvoorbeeld 30, of niets.
sensor-plausible = Geloofwaardig vermogen, in watt
sensor-plausible-hint = Meer dan dit is een fout en telt niet. Leeg: 100000.
sensor-plausible-problem = Vul hele watts boven 0 in, bijvoorbeeld 5000.
sensor-rollover = Teller rond bij, in kWh
sensor-rollover-hint = Waar de meterstand weer bij 0 begint. Leeg: nergens.
sensor-rollover-problem = Vul kilowatturen boven 0 in, bijvoorbeeld 100000, of niets.

status-no-password = Het wachtwoord van de broker ontbreekt.
status-no-password-remedy = Het staat in geen enkele back-up en is dus niet teruggezet. Tot je het in de instellingen invult, komt er niets van de broker.
status-no-webhook = Het adres of het token voor berichten over meldingen ontbreekt.
status-no-webhook-remedy = Ze staan in geen enkele back-up en zijn dus niet teruggezet. Tot je ze in de instellingen invult, worden er geen berichten gestuurd.
status-no-poll-passwords = Wachtwoorden van uitgelezen apparaten ontbreken
status-no-poll-passwords-remedy = De database is teruggezet uit een back-up, en back-ups bevatten geen wachtwoorden. Voeg deze apparaten met hun wachtwoord opnieuw toe, op de pagina Uitgelezen apparaten.
status-no-price-keys = Sleutels van prijsbronnen ontbreken
status-no-price-keys-remedy = De database is teruggezet uit een back-up, en back-ups bevatten geen sleutels. Voeg deze bronnen met hun sleutel opnieuw toe, op de pagina Prijsbronnen.

## Settings of the service

service-title = Dienst
service-held = Ingesteld door { $by }. Wijzig het daar.
service-wrong = Vul minder tekens in, en geen onzichtbare.
service-secret-held = Er is er een ingesteld; die wordt nooit getoond.
service-secret-set = Er is er een ingesteld; die wordt nooit getoond. Laat dit leeg om die te houden, of typ een nieuwe.
service-secret-missing = Ontbreekt sinds het terugzetten, want geen enkele back-up bevat dit. Typ het opnieuw.
service-secret-again = Geheimen worden nooit teruggestuurd: typ het opnieuw.

broker-title = MQTT-broker
broker-lead = Metingen van veel apparaten komen via een MQTT-broker. Home Assistant toont sensoren via dezelfde broker.
broker-address = Adres
broker-address-hint = Naam of IP-adres van de broker, met een poort als het niet de gebruikelijke is, zoals broker.lan of 192.168.1.5:1884. Laat dit leeg voor geen broker.
broker-tls = TLS gebruiken, zodat niemand onderweg kan meelezen
broker-user = Gebruiker
broker-user-hint = Laat dit leeg als de broker er niet om vraagt.
broker-password = Wachtwoord
broker-password-hint = Staat in geen enkele back-up.
broker-password-remove = Wachtwoord verwijderen
broker-password-goes = Verandert het adres of TLS, dan wordt het wachtwoord verwijderd, want het is alleen voor deze broker bedoeld. Typ het dan opnieuw.
broker-ca-file = Bestand met vertrouwde certificaten
broker-ca-file-hint = Alleen voor TLS met eigen certificaten: het pad van een PEM-bestand op de computer van wattkeeper.
broker-discovery = Alle sensoren tonen in Home Assistant
broker-discovery-hint = Home Assistant heeft daarvoor zijn MQTT-integratie bij deze broker nodig.
broker-wrong-address = Vul een naam of een IP-adres in, met een poort als het niet de gebruikelijke is, zoals broker.lan:1883. Gebruiker en wachtwoord hebben eigen velden.
broker-test-title = Verbinding testen
broker-test-hint = Met de opgeslagen instellingen. Het duurt hoogstens tien seconden.
broker-test-result = Test van de verbinding
broker-test-fine = De broker neemt de verbinding aan.
broker-test-none = Er is geen broker om te testen: sla eerst een adres op, en het wachtwoord als dat ontbreekt.
trial-busy = Er loopt al een andere test. Probeer het over tien seconden opnieuw.
broker-test-name = Deze naam is onbekend. Controleer de spelling, of typ het IP-adres.
broker-test-nothing = De computer is er, maar op deze poort luistert niets. Controleer de poort, en of de broker draait.
broker-test-silent = Geen antwoord binnen tien seconden. Controleer het adres, en of er een firewall tussen zit.
broker-test-certificate-name = Het certificaat van de broker is voor een andere naam. Typ de naam die in het certificaat staat.
broker-test-untrusted = Het certificaat van de broker is niet ondertekend door een vertrouwde instantie. Geef het bestand op met het certificaat van jouw instantie.
broker-test-tls = Geen verbinding met TLS: { $why }. Controleer de poort (meestal 8883), en of de broker TLS heeft.
broker-test-login = De broker weigert de gebruiker of het wachtwoord. Controleer beide.
broker-test-not-mqtt = De server daar spreekt geen MQTT, of verwacht TLS. Controleer de poort en TLS.
broker-test-other = Geen verbinding: { $why }.
broker-connecting = Bezig te verbinden met de broker.
broker-elsewhere = Een andere server van deze dienst praat met de broker.
broker-connected = Verbonden met de broker sinds { $time }.
broker-not-connected = Niet verbonden met de broker. { $why } Volgende poging over { $seconds } s.
broker-lost = De broker heeft de verbinding verbroken. Gebeurt dat steeds weer, dan gebruikt een ander programma hetzelfde client-id (mqtt.client_id).
broker-not-ready = Metingen kunnen nu niet worden opgeslagen, dus blijven hun berichten bij de broker. De pagina Status vertelt waarom.
broker-subscriptions = Apparaten die worden gelezen
broker-subscriptions-none = Nog geen.
broker-subscription-described = Beschreven berichten
broker-subscription-file = in het configuratiebestand
broker-subscription-stays = Het abonnement kon niet worden verwijderd. Het logboek vertelt waarom.
broker-unsubscribe = Verwijderen
broker-unsubscribed = Verwijderd. De sensor en zijn metingen blijven; van dit apparaat komt niets meer.

polled-title = Uitgelezen apparaten
polled-lead = Meters en omvormers in je netwerk die verzoeken beantwoorden. wattkeeper leest ze steeds weer uit, zonder broker.
polled-devices = Apparaten die worden uitgelezen
polled-add-title = Een apparaat uitlezen
polled-add = Testen en toevoegen
polled-sensor = Sensor
polled-sensor-hint = De sensor van de eerste waarde. Voor meer waarden, zoals teruggeleverde energie, komen er sensoren bij zodra hun eerste meting binnenkomt.
polled-preset = Apparaat
polled-address = Adres
polled-address-hint = Naam of IP-adres, met een poort als het niet de gebruikelijke is, zoals 192.168.1.20. Geef het apparaat een vast adres in je router.
polled-anyway = Toevoegen, ook al antwoordt het nu niet
polled-more = Wachtwoord en apparaatnummer
polled-password-hint = Alleen voor Shelly’s met een wachtwoord. Laat dit leeg om het opgeslagen wachtwoord te houden. Het staat in geen enkele back-up.
polled-unit = Apparaatnummer
polled-unit-hint = Alleen als er meerdere apparaten op één adres zitten, zoals omvormers via Modbus: een getal van 0 tot 255. Laat dit leeg voor het gebruikelijke.
polled-no-sensors = Metingen horen bij een sensor. Voeg er eerst een toe.
polled-done = Toegevoegd. Het eerste antwoord is onderweg.
polled-first-answer = Het antwoordt: { $values }. wattkeeper leest het vanaf nu uit.
polled-answered = { $time }: { $values }.
polled-failed = { $time }: { $why }
polled-not-yet = Nog niet uitgelezen.
polled-elsewhere = Een andere server van deze dienst leest het uit.
polled-no-sensor = Kies de sensor van de metingen.
polled-no-preset = Kies het apparaat.
polled-wrong-unit = Vul een heel getal in van 0 tot 255.
polled-no-unit = Op zo’n adres zit maar één apparaat: laat het apparaatnummer leeg.
polled-long-sensor = Het id van deze sensor is langer dan 54 tekens en laat geen ruimte voor die van verdere waarden. Kies een andere sensor.
polled-wrong-address = Vul een naam of een IP-adres in, met een poort als het niet de gebruikelijke is, zoals 192.168.1.20 of meter.lan:8080, zonder http://.
polled-not-free = Een apparaat in het configuratiebestand vult deze sensor al, of er zijn al 32 apparaten. Kies een andere sensor, of verwijder een apparaat.
polled-stays = Het apparaat kon niet worden verwijderd. Het logboek vertelt waarom.
poll-unreachable = Op dit adres antwoordt niets. Controleer het adres, en of het apparaat aanstaat en in hetzelfde netwerk zit.
poll-no-answer = Geen antwoord binnen { $seconds } seconden. Controleer het adres, en of het apparaat aanstaat.
poll-password = Het apparaat vraagt om een wachtwoord, of weigert dit. Typ het wachtwoord.
poll-unknown-login = Het apparaat vraagt om een wachtwoord op een manier die wattkeeper niet kent. Zet het wachtwoord op het apparaat uit.
poll-password-place = Het wachtwoord kan niet worden gelezen. Het logboek vertelt waarom.
poll-too-often = Het apparaat wordt te vaak uitgelezen, misschien ook door andere programma’s.
poll-status = Het apparaat antwoordt met status { $status }. Controleer welk apparaat het is, en zet de lokale API aan.
poll-other-device = Zo antwoordt een dergelijk apparaat niet. Controleer het apparaat en het adres.
poll-solar-api = De Solar API van de omvormer antwoordt met code { $code }. Controleer het apparaatnummer.
poll-no-sunspec = Het antwoordt, maar niet als zo’n apparaat. Zet Modbus TCP met SunSpec aan, en controleer het apparaatnummer.
poll-exception = Het apparaat antwoordt met de Modbus-fout { $code }. Controleer het apparaatnummer.
poll-own-fault = Het uitlezen is mislukt. Het logboek vertelt waarom.

### Price sources

sources-title = Prijsbronnen
sources-lead = Prijzen en dagkleuren die wattkeeper zelf ophaalt: die van vandaag, die van morgen zodra ze er zijn, en die uit het verleden. Het raadpleegt alleen de bronnen op deze pagina, en zonder bron niemand.
sources-all = Bronnen die worden geraadpleegd
sources-add-title = Een bron toevoegen
sources-source = Bron
sources-source-hint = Waar de prijzen vandaan komen. De bron krijgt het internetadres van dit huis te zien, verder niets.
sources-own = Een andere, hieronder beschreven
sources-zone = Zone of regio
sources-zone-hint = Zoals de bron die noemt: DE-LU of AT bij Energy-Charts en ENTSO-E, een letter van A tot P bij Octopus. Laat dit leeg bij de andere.
sources-account = Account
sources-series = Prijsreeks of daglijst
sources-series-hint = De naam die een contract gebruikt, zoals day-ahead. Bij dagkleuren de naam van de daglijst, zoals tempo.
sources-since = Vanaf
sources-since-hint = De eerste dag die wordt opgehaald, op zijn vroegst 1 januari 2000. Leeg: vandaag.
sources-key = Sleutel
sources-key-hint = Alleen voor ENTSO-E, Tempo en andere bronnen die erom vragen. Laat dit leeg om de opgeslagen sleutel te houden. Hij staat in geen enkele back-up.
sources-more = Een eigen bron
sources-mapping = De beschrijving ervan
sources-mapping-hint = Regels zoals in het configuratiebestand: url, items, time, price, unit en andere. Ze vervangen ook die van de gekozen bron.
sources-anyway = Toevoegen, ook al antwoordt de bron nu niet
sources-only = Alleen testen
sources-no-accounts = Prijzen horen bij een account. Voeg er eerst een toe.
sources-done = Toegevoegd. Het eerste antwoord is onderweg.
sources-removed = Verwijderd. De prijzen blijven; er komen geen nieuwe.
sources-trial = De bron antwoordt met { $count } prijzen of dagen van { $from } tot { $to }. Daarvan zijn er { $stored } nog niet opgeslagen.
sources-trial-prices = De eerste, per kilowattuur:
sources-trial-days = De eerste:
sources-kept = wattkeeper raadpleegt de bron vanaf nu.
sources-not-kept = Er is niets opgeslagen, en de bron is nog niet toegevoegd.
sources-answered = { $time }: { $count } prijzen of dagen van { $from } tot { $to }, waarvan { $stored } nieuw.
sources-others = Andere tarieven in het antwoord, die niet worden overgenomen: { $rates }
sources-conflict = { $count } wijken af van opgeslagen waarden, de eerste: { $time }. De opgeslagen blijven. Verwijder die fout zijn: ze worden opnieuw opgehaald.
sources-not-yet = Nog niet geraadpleegd.
sources-elsewhere = Een andere server van deze dienst raadpleegt de bron.
sources-no-source = Kies de bron.
sources-no-account = Kies het account.
sources-no-key = Deze bron heeft geen sleutel: laat dit leeg.
sources-wrong-zone = Vul een zone of regio in zoals de bron die noemt, bijvoorbeeld DE-LU; of niets als de bron er geen heeft.
sources-wrong-series = Vul de naam van een prijsreeks in, bijvoorbeeld day-ahead, of van een daglijst zonder dubbele punt, bijvoorbeeld tempo.
sources-wrong-since = Vul een datum vanaf 01-01-2000 in, bijvoorbeeld 01-01-2024, of niets.
sources-wrong-mapping = Vul regels in zoals price = "/price", met teksten tussen aanhalingstekens, en hoogstens 4096 bytes.
sources-wrong-line = De regel { $field } is fout, ontbreekt of is onbekend. In docs/PRICE-SOURCES.md staat wat er hoort te staan.
sources-not-free = Een bron in het configuratiebestand vult deze reeks al, of er zijn al 16 bronnen. Kies een andere naam, of verwijder een bron.
sources-stay = De bron kon niet worden verwijderd. Het logboek vertelt waarom.
ha-title = Home Assistant
ha-lead = wattkeeper kan een Home Assistant lezen. Het verbindt alleen met het adres op deze pagina, met een token van jou.
ha-all = Home Assistants die worden gelezen
ha-form-title = Toevoegen of wijzigen
ha-address-hint = Zoals in je browser, bijvoorbeeld http://homeassistant.local:8123.
ha-token-label = Langdurig token
ha-token-hint = Gemaakt in Home Assistant: je naam, Beveiliging, langdurige toegangstokens. Leeg houdt het opgeslagen token. Het wordt nooit getoond en staat in geen enkele back-up.
ha-anyway = Opslaan, ook al antwoordt het nu niet
ha-save = Testen en opslaan
ha-done = Opgeslagen.
ha-removed = Verwijderd, met het token. Sensoren en metingen blijven.
ha-too-many = De dienst heeft al 50 Home Assistants, meer kan niet. Verwijder er eerst een.
ha-wrong-address = Vul een adres in zoals http://homeassistant.local:8123, of https://... voor TLS, zonder gebruiker.
ha-wrong-token-text = Vul een langdurig token in van hoogstens 1024 tekens zonder spaties. Voor dit adres is er geen opgeslagen.
ha-identity = { $location } antwoordt, met Home Assistant { $version }. Het token is van { $person }.
ha-administrator = Dat is daar een beheerder, dus kan ook geschiedenis worden gestuurd.
ha-reader = Dat is daar geen beheerder: om te lezen is dat genoeg. Om geschiedenis te sturen is het token van een beheerder nodig.
ha-token-file = Het token staat in een bestand.
ha-token-store = Het token is opgeslagen.
ha-token-missing = Het token ontbreekt: typ het opnieuw.
ha-token-supervisor = In deze Home Assistant draait wattkeeper: een token is niet nodig.
ha-own = wattkeeper draait in deze Home Assistant. Een adres of token is niet nodig: kies de sensoren en druk op de knop eronder.
ha-own-other = De sensoren voorstellen voor het account { $account }
ha-another = Een andere Home Assistant
ha-house = Het huis
ha-house-empty = Er zijn geen statistieken van energie of vermogen. Stel daar het energiedashboard in en kijk opnieuw.
ha-of-dashboard = Dit staat in het energiedashboard. Elk wordt een sensor met zijn hele geschiedenis; laat weg wat al op een andere manier wordt gemeten.
ha-guessed = Er is geen energiedashboard, dus zijn de rollen geraden uit de namen. Kies ze, en laat de andere weg.
ha-sensor-name = Naam
ha-sensor-id = Id
ha-sensor-role = Rol
ha-leave-out = weglaten
ha-take = Deze lezen
ha-look = Het huis bekijken
ha-sensors = Deze worden vanaf nu gelezen, eerst de geschiedenis.
ha-since = sinds { $month }
ha-left-out-title = Niet gelezen:
ha-left-out-unknown = Home Assistant heeft er geen statistiek van
ha-left-out-other-unit = de eenheid is niet van energie of vermogen
ha-left-out-no-entity = een ander programma stuurt deze statistiek
ha-left-out-too-many = het zijn er te veel
ha-wrong-sensor = Een sensor heeft geen geldig id of geen geldige rol. Een id heeft hoogstens 64 tekens.
ha-none-chosen = Geen sensor heeft een rol. Kies er voor minstens één sensor een.
ha-no-sensors = Er wordt nog geen sensor gevuld: bekijk het huis en kies er een paar.
ha-elsewhere = Een andere server van deze dienst leest het, of het wordt zo gelezen.
ha-connecting = Bezig te verbinden.
ha-reads-history = Leest geschiedenis: { $read } van { $months } maanden van sensoren, { $readings } metingen tot nu toe.
ha-reads-live = { $sensors } sensoren krijgen elke nieuwe toestand. Metingen sinds de start: { $readings }.
ha-price-title = De prijs daar
ha-price-flat = Een kilowattuur kost daar { $price } { $currency }, een teruggeleverde brengt { $credit } op. Controleer dat en sla het op als contract.
ha-price-confirm = Contract bekijken
ha-price-series = De prijzen per uur daar
ha-price-lead = De toestanden van deze entiteiten kunnen prijsreeksen met dezelfde naam vullen, met hun geschiedenis. Een contract met zo’n reeks heeft dan die prijzen.
ha-price-contract = Een contract met deze reeks
ha-price-take = Prijsreeksen hiermee vullen
ha-prices = De prijzen worden vanaf nu gelezen, eerst de geschiedenis.
ha-send = Herstelde geschiedenis sturen
ha-send-lead = Home Assistant krijgt de energie en de kosten van elk uur zoals wattkeeper ze berekent, als eigen statistieken, en opnieuw waar ze veranderen. De statistieken van de entiteiten blijven zoals ze zijn.
ha-send-no-more = Geen geschiedenis meer sturen
ha-sends = De geschiedenis wordt vanaf nu gestuurd. De eerste keer duurt dat enkele minuten.
ha-sends-not = Er wordt niets meer gestuurd. De uren die er al zijn, blijven daar.
ha-sent-here = De geschiedenis wordt gestuurd:
ha-same-address = Naar dit adres wordt al de geschiedenis van een ander account gestuurd.
ha-counted-title = Wat Home Assistant telde
ha-counted-lead = De energie die Home Assistant telde, naast wat de meters volgens wattkeeper maten. Elk verschil heeft zijn reden en leidt naar de gebeurtenissen van die tijd.
ha-counted-from = Een dag van de eerste maand
ha-counted-to = Een dag na de laatste maand
ha-counted-show = Vergelijken
ha-counted-measured = Gemeten
ha-counted-difference = Verschil
ha-counted-none = In deze maanden heeft geen van beide energie.
ha-counted-no-sensor = Home Assistant vult geen telwerk van zo’n sensor: bekijk het huis en kies er een paar.
ha-counted-wrong-range = Vul een eerste dag in vóór de laatste en vóór vandaag, en samen hoogstens 780 maanden van sensoren: kies één sensor, of een kortere periode.
ha-counted-reason = { $reason }: { $energy }, { $time }
ha-compare-busy = Er loopt al een andere vergelijking met een Home Assistant. Probeer het over een minuut opnieuw.
ha-reason-reset = een meterstand werd opnieuw geteld
ha-reason-spike = een waarde die veel te hoog was
ha-reason-gap = er werd niets vastgelegd, en alles telt daarna
ha-reason-late = een waarde kwam te laat
ha-reason-renamed = geen statistiek: de entiteit kreeg een andere naam, of werd opnieuw toegevoegd
ha-reason-unit = een andere eenheid
ha-reason-edited = de som werd met de hand gewijzigd
ha-reason-corrected = iemand corrigeerde hier metingen
ha-reason-unread = wattkeeper heeft geen metingen
ha-reason-unknown = onbekend
ha-history-title = Geschiedenis in Home Assistant
ha-history-lead = Home Assistant telt energie zoals die binnenkomt en mist dus late metingen en correcties. wattkeeper kan de energie en de kosten van elk uur sturen, en opnieuw waar ze zijn veranderd.
ha-history-off = Dit staat uit. De pagina Home Assistant van de instellingen zet het aan, of de regels url en token_file in de sectie home_assistant van het configuratiebestand; de stappen staan in docs/HOME-ASSISTANT.md.
ha-history-not-yet = Nog niets gestuurd.
ha-history-under-way = De geschiedenis wordt nu vergeleken.
ha-history-complete = Volledig: { $time }.
ha-history-sent = Gestuurde uren sinds de start: { $hours }.
ha-history-elsewhere = Een andere server van deze dienst stuurt de geschiedenis.
ha-unknown-host = De host van het adres is onbekend. Controleer die, of gebruik het IP-adres, bijvoorbeeld http://192.168.1.20:8123.
ha-certificate = Het certificaat wordt niet vertrouwd: { $why }. Noem een bestand met een vertrouwd certificaat in home_assistant.ca_file van het configuratiebestand.
ha-no-tls = De server daar spreekt geen TLS. Controleer of het adres begint met http:// of https://.
ha-unreachable = Home Assistant is niet bereikbaar: { $why }. Controleer het adres, en of het draait.
ha-no-answer = Home Assistant antwoordde niet binnen { $seconds } s. Controleer het adres, en of er een firewall tussen zit.
ha-closed = Home Assistant verbrak de verbinding. Misschien start het net opnieuw.
ha-no-websocket = De server daar antwoordt met status { $status } in plaats van een WebSocket. Controleer het adres, en of een proxy WebSockets doorlaat.
ha-other-protocol = De server daar spreekt niet de WebSocket-API van Home Assistant. Controleer het adres.
ha-wrong-token = Home Assistant weigert het token. Maak daar een langdurig token (Profiel, Beveiliging) en vul het in, of schrijf het in het bestand.
ha-not-administrator = Het token is van iemand die geen beheerder is van Home Assistant. Maak er een als beheerder.
ha-no-token = Er is geen token. Vul een langdurig token van Home Assistant in, of schrijf het in een bestand dat wattkeeper kan lezen.
ha-trust = De certificaten in home_assistant.ca_file zijn niet bruikbaar. Het logboek vertelt waarom.
ha-refused = Home Assistant weigert { $command }, met de code { $code }.
ha-history-not-taken = Home Assistant nam uren aan, maar toont ze niet. Misschien is de recorder bezet, of staat hij uit.
ha-history-unknown-hours = Home Assistant heeft uren van { $name } die wattkeeper niet kent. Misschien zijn ze de laatste kopie, dus blijven ze. Zijn ze fout, verwijder deze statistiek dan daar: ze wordt opnieuw gestuurd.
ha-history-disputed = Een ander programma wijzigt de statistieken van wattkeeper in Home Assistant. Laat maar één dienst ernaartoe sturen.
ha-history-no-account = Stel home_assistant.account in op het account waarvan de geschiedenis wordt gestuurd.
ha-own-fault = Het mislukte aan deze kant. Het logboek vertelt waarom.
source-unreachable = Op het adres antwoordt niets. Controleer het adres, en of deze computer internet heeft.
source-private = Het adres ligt in een privénetwerk, waar geen bron op internet is. Is het er een van jezelf, voeg dan de regel allow_private = true toe aan de beschrijving.
source-no-answer = Geen volledig antwoord binnen { $seconds } seconden. De volgende poging komt vanzelf.
source-redirect = De bron verwijst naar een andere server. Die wordt niet gevolgd. Controleer het adres.
source-busy = De bron is bezet, of wordt te vaak geraadpleegd. De volgende poging komt vanzelf.
source-status = De bron antwoordt met status { $status }. Controleer de zone en het adres.
source-key = De bron wil een sleutel, of weigert deze. Typ de sleutel.
source-other-answer = Het antwoord is iets anders, bijvoorbeeld een webpagina. Controleer het adres en de beschrijving. Er is niets gewijzigd.
source-too-long = Het antwoord is te lang. Voeg de regel most_days toe met een kleiner getal.
source-missing = In het antwoord ontbreekt { $place }. Controleer de beschrijving: items, time, end en price.
source-entry = Item { $number } van het antwoord kan niet worden gelezen: { $what }. Controleer de beschrijving. Er is niets gewijzigd.
source-entry-time = de tijd
source-entry-end = het einde
source-entry-price = de prijs
source-entry-type = het type dag
source-twice = Het antwoord heeft twee prijzen voor { $time }. Er is niets gewijzigd.
source-refused = De bron weigert het verzoek, met de reden { $reason }. Controleer de zone.
source-currency = De prijzen zijn in { $found }, de contracten in { $expected }. Kies een bron in { $expected }: prijzen worden niet omgerekend.
source-no-account = Dat account bestaat niet. Voeg de bron opnieuw toe, voor een ander account.
source-not-stored = De prijzen kunnen niet worden opgeslagen. Het logboek vertelt waarom.
source-own-fault = Het raadplegen is mislukt. Het logboek vertelt waarom.

found-title = Apparaten op de broker
found-lead = Apparaten die de laatste uren op de broker te horen waren en nog geen sensor vullen. Er wordt niets vanzelf toegevoegd.
found-lead-of = Kies het apparaat dat de metingen van { $name } stuurt.
found-none = Geen apparaat van een bekende soort dat nog niet is toegevoegd. Een apparaat verschijnt met zijn volgende bericht: de meeste sturen binnen enkele minuten.
found-no-broker = Deze apparaten sturen via een MQTT-broker, en er is nog geen MQTT-broker ingesteld.
found-heard = laatst gehoord { $time }
found-retained = bewaard door de broker, onbekend sinds wanneer
found-add = Toevoegen
found-added = Toegevoegd. Het volgende bericht is de eerste meting.
found-use = Gebruiken voor { $name }
found-leave-out = Weglaten
found-unit-power = Eenheid van het vermogen (het stuurt { $number })
found-unit-energy = Eenheid van de meterstand (het stuurt { $number })
found-unit-choose = Kies
found-unit-hint = Het apparaat noemt de eenheid van zijn getallen niet. Vergelijk ze met wat het zelf aangeeft.
found-no-unit = Kies de eenheid van de getallen.
found-unusable = Bekende apparaten die niet bruikbaar zijn
found-why-names = De namen van de getallen zijn vrij te kiezen, en deze zijn geen van de gebruikelijke. Beschrijf ze in een abonnement in het configuratiebestand.
found-why-mean-power = De energie is een gemiddeld vermogen over enkele seconden, dus is er geen meterstand.
found-why-unit = Het telt in een eenheid die alleen de meter noemt. Beschrijf het in een abonnement in het configuratiebestand, met een factor.
found-why-other = Het bericht kan niet worden gelezen: { $why }.
found-gone = Dit apparaat heeft al uren niets gestuurd, of wattkeeper is herstart. Het komt terug met zijn volgende bericht.
found-no-account = Kies het account waar het bij hoort.
found-none-chosen = Kies van minstens één van de getallen wat het meet.
found-wrong = Kies uit de lijsten wat het meet en wat het telwerk aangeeft.
found-no-id = De naam { $device } kan geen sensor-id zijn. Beschrijf het apparaat in een abonnement in het configuratiebestand.
found-too-many = Er zijn te veel abonnementen. Verwijder ongebruikte, of schrijf er een voor meerdere apparaten in het configuratiebestand.

export-title = Alles als bestanden
export-lead = Metingen, energie, kosten, rekeningen, contracten en alle andere invoer, als CSV- en JSON-bestanden in een archief. Andere programma’s lezen ze, en README.md beschrijft ze in het Engels. Wachtwoorden en sleutels zitten er niet in. Bij een verhuizing naar een andere wattkeeper: zet daar liever een back-up terug.
export-everything = Alles downloaden
export-account = { $account } downloaden

backups-title = Back-ups
backups-lead = wattkeeper kopieert volgens schema alles naar een map en controleert elke kopie. De map staat het best op een andere schijf.
backups-dir = Map
backups-dir-hint = Het volledige pad op de computer van wattkeeper, zoals /mnt/backups. Bestaat de map niet, dan wordt die gemaakt. Laat dit leeg voor geen back-ups.
backups-every = Tijd tussen twee back-ups
backups-every-hint = Bijvoorbeeld 24h of 90m.
backups-keep = Hoeveel er bewaard worden
backups-keep-hint = De oudste gaat weg zodra een nieuwere is gecontroleerd.
backups-secrets = Wachtwoorden en tokens van de broker en van berichten staan in geen enkele back-up.
backups-not-absolute = Vul het volledige pad van een map in, bijvoorbeeld /mnt/backups.
backups-in-store = Deze map ligt in de gegevensmap van wattkeeper. Kies een andere, liefst op een andere schijf.
backups-not-made = De map kan niet worden gemaakt: { $why }. Maak hem zelf, en laat de gebruiker van wattkeeper erin schrijven.
backups-not-writable = wattkeeper kan niet in deze map schrijven: { $why }. Laat zijn gebruiker daar schrijven; een dienst van systemd heeft ook ReadWritePaths= nodig.
backups-wrong-every = Vul een tijd in van 1m tot 8760h, bijvoorbeeld 24h.
backups-wrong-keep = Vul een heel getal in van 1 tot 1000.

messages-title = Berichten over meldingen
messages-lead = wattkeeper stuurt een bericht als een melding begint en als die eindigt: per e-mail, naar Home Assistant, naar ntfy, naar Gotify of naar een eigen webhook.
messages-go-to = Berichten gaan naar { $host }.
messages-address = Adres
messages-address-hint = Zoals https://ntfy.sh/my-topic, http://homeassistant.local:8123, of smtps://mail.example.org voor e-mail. Het kan geheim zijn, dus wordt later alleen de host getoond.
messages-address-remove = Adres verwijderen: geen berichten
messages-format = Formaat
messages-format-hint = Het formaat dat de ontvanger begrijpt.
messages-token = Token of wachtwoord
messages-token-hint = Hieraan herkent de ontvanger wattkeeper, als hij erom vraagt: een langdurig toegangstoken van Home Assistant, of het wachtwoord van de mailserver.
messages-token-remove = Token verwijderen
messages-token-goes = Verandert het adres, dan wordt het token verwijderd, want het is alleen voor deze ontvanger bedoeld. Typ het dan opnieuw.
messages-language = Berichten die mensen lezen, komen in de taal van deze pagina.
messages-test-text = Dit is een test. Berichten over meldingen komen hier aan.
messages-test-title = Testbericht sturen
messages-test-hint = Met de opgeslagen instellingen. Het duurt hoogstens tien seconden.
messages-test-result = Testbericht
messages-test-fine = De ontvanger nam het bericht aan.
messages-test-none = Er is niemand om het naartoe te sturen: sla eerst een adres op.
messages-test-name = De host van het adres is onbekend. Controleer de spelling.
messages-test-silent = Geen antwoord binnen tien seconden. Controleer het adres, en of er een firewall tussen zit.
messages-test-refused = De ontvanger antwoordde met status { $status }. Controleer het adres, het formaat en het token.
messages-test-other = Het bericht kon niet worden gestuurd: { $why }.
messages-wrong-address = Vul een adres in dat begint met https:// of http://, zonder gebruiker; of smtps:// of smtp:// en een mailserver, zonder wachtwoord.
messages-wrong-token = Vul hoogstens 1000 zichtbare tekens in.
messages-email = E-mail
messages-mail-to = Ontvanger van e-mail
messages-mail-to-hint = Bijvoorbeeld ik@example.org. Alleen voor e-mail.
messages-mail-from = Afzender van e-mail
messages-mail-from-hint = Het adres dat inlogt bij de mailserver. Leeg: dat van de ontvanger.
messages-wrong-mail = Vul een e-mailadres in, bijvoorbeeld ik@example.org.
messages-weekly = Weekbericht
messages-weekly-hint = Energie en kosten van de week, en waarom ze veranderden. Het gaat naar dezelfde plek als berichten over meldingen.
messages-weekly-off = Geen
messages-weekly-sunday = Op zondagavond
messages-weekly-monday = Op maandagochtend
messages-statement = Maandelijks kostenoverzicht
messages-statement-hint = Op de eerste van de volgende maand, als pagina om af te drukken. Zonder e-mail is het één zin.
messages-statement-off = Geen
messages-statement-house = Van het huis
messages-wrong-report = Kies een van de mogelijkheden.
report-week-title = Je week: { $energy }
report-week-title-cost = Je week: { $energy }, { $cost }
report-week-so-far = Deze week verbruikte het huis { $energy }
report-week-so-far-cost = Deze week verbruikte het huis { $energy } voor { $cost }
report-week-over = Vorige week verbruikte het huis { $energy }
report-week-over-cost = Vorige week verbruikte het huis { $energy } voor { $cost }
report-week-alone = { $week }.
report-week-and-change = { $week }: { $change }.
report-change-none = evenveel energie als in de week ervoor
report-change-more = { $percent } meer energie dan in de week ervoor
report-change-less = { $percent } minder energie dan in de week ervoor
report-change-more-by = { $percent } meer energie dan in de week ervoor, vooral door { $device } ({ $energy } meer)
report-change-less-by = { $percent } minder energie dan in de week ervoor, vooral door { $device } ({ $energy } minder)
report-cheapest-tomorrow = Morgen, { $date }, is stroom het goedkoopst van { $from } tot { $to }, voor { $price }.
report-cheapest-today = Vandaag, { $date }, is stroom het goedkoopst van { $from } tot { $to }, voor { $price }.
report-missing = Van { $share } van de tijd ontbreken metingen.
report-bars = Verbruik per dag
report-stop = Dit bericht is in wattkeeper gekozen. Stoppen kan bij Instellingen, Berichten over meldingen.
report-of-house = Huis
report-statement-title = Kostenoverzicht { $month }: { $of }
report-statement = { $title }. Het totaal is { $total }.

history-title = Metingen importeren
history-lead = Een tabel die een ander systeem heeft geëxporteerd, wordt metingen van deze sensor. Eerst zie je de regels, dan wat erin staat; er wordt pas iets opgeslagen als jij dat zegt.
history-table = Tabel als tekst
history-table-hint = Regels met een tijd en met vermogen, meterstand of beide. Hoogstens 4 MiB; gebruik voor langere de opdracht wattkeeper import.
history-sheet = Blad van een werkmap
history-sheet-hint = Alleen als meerdere bladen tijden hebben: de naam van één blad.
history-other-sheets = Andere bladen met tijden, die niet worden gelezen: { $names }
history-look = Bekijken
history-rows = De eerste regels
history-columns = Kolommen
history-time = Tijd
history-power = Vermogen
history-register = Meterstand
history-energy = Energie van elk interval
history-none = – geen –
history-from-registers = Het bestand bevat meterstanden: sla de energie tussen twee standen op
history-zone = Tijdzone voor tijden zonder tijdzone
history-dates = Volgorde in datums zoals 03/04/2026
history-dmy = Eerst de dag
history-mdy = Eerst de maand
history-contents = Inhoud
history-rows-read = Gelezen regels: { $count }; zonder waarde: { $empty }; van andere reeksen: { $other }
history-found = Metingen: { $count }, van { $from } tot { $to }
history-no-readings = Er staat geen meting in.
history-power-range = Vermogen: { $low } tot { $high }
history-energy-range = Meterstand: { $low } tot { $high }
history-interval-range = Energie van een interval: { $low } tot { $high }
history-duplicates = Herhaalde gelijke waarden: { $count }
history-format = Herkend als een bestand van { $name }.
history-times = Tijden van energiewaarden
history-times-hint = Of een tijd het begin of het einde van het interval is.
history-by-file = zoals het bestand zegt
history-starts = begin van het interval
history-ends = einde van het interval
history-more = plus { $name }
history-add-up = Meerdere kolommen optellen
history-add-up-hint = Bijvoorbeeld die van tarieven of fasen. Ze hebben dezelfde eenheid.
history-decimals = Decimalen in getallen zoals 1,250
history-comma = na een komma
history-point = na een punt
history-where = Alleen regels met
history-where-hint = Eén KOLOM=WAARDE per regel. Meerdere waarden van een kolom zijn alternatieven.
history-choose-where = Schrijf elke regel als KOLOM=WAARDE.
history-months = Energie per maand
history-total = Totaal
history-busy = Bezig met importeren
history-undo = Deze import ongedaan maken
history-undo-lead = Verwijdert de metingen van dit bestand waar ze zo zijn opgeslagen als ze erin staan. Metingen die ze hebben vervangen, komen niet terug.
history-remember = Onthouden hoe zulke bestanden worden gelezen
history-remember-hint = Andere bestanden met dezelfde kolommen worden dan op dezelfde manier gelezen.
history-format-name = Leverancier of programma
history-choose-name = Geef het een naam van hoogstens 64 tekens; letters met accenten tellen dubbel.
history-many-formats = Dit account heeft al 50 onthouden formaten, meer kan niet. Verwijder er eerst een.
history-format-long = De kolommen hebben te veel of te lange namen om te onthouden.
history-formats = Onthouden formaten
history-formats-lead = Bestanden die in het account { $account } worden herkend, naast die van bekende leveranciers.
history-forget = Verwijderen
history-format-removed = Het formaat is verwijderd.
history-remembered = De keuzes zijn onthouden.
plan-times = Tijden: { $columns }, { $are } ({ $by })
plan-are-start = het begin van elk interval
plan-are-end = het einde van elk interval
plan-are-both = begin en einde van elk interval
plan-are-moment = het moment van elke waarde
plan-are-open = het begin of het einde van elk interval
plan-zone = Tijden zonder tijdzone: in { $zone } ({ $by })
plan-power = Vermogen: { $columns }, in { $unit } ({ $by })
plan-energy = Energie van elk interval: { $columns }, in { $unit } ({ $by })
plan-register = Meterstand: { $columns }, in { $unit } ({ $by })
plan-rows = Alleen regels met { $value } in { $column } ({ $by })
plan-by-user = zoals gekozen
plan-by-format = volgens het formaat van het bestand
plan-by-unit = naar de eenheid
plan-by-name = naar de naam
plan-by-values = naar de waarden
plan-by-account = zoals in het account
plan-by-default = want niets zegt iets anders
history-bad = Onleesbare regels: { $count }. De eerste, in het Engels:
history-bad-remedy = Verbeter deze regels, of kies om ze weg te laten.
history-bad-many = Meer dan een tiende van de regels is onleesbaar, dus kloppen de keuzes waarschijnlijk niet. Verbeter die, of deze regels.
history-skip-bad = Deze regels weglaten
history-store = Importeren
history-too-long = De tabel is langer dan 4 MiB. Importeer de tabel in delen, of met de opdracht wattkeeper import.
history-empty = Kies een bestand, of plak een tabel.
history-choose = Kies de kolom van het vermogen, die van de meterstand, of beide.
history-choose-time = Kies de kolom met de tijden.
history-choose-order = Kies of eerst de dag of eerst de maand komt.
history-ask-sheet = Noem het blad dat je wilt lezen. De opdracht zegt het in het Engels zo: { $detail }.
history-ask-times = Kies of een tijd het begin of het einde van het interval is. De opdracht zegt het in het Engels zo: { $detail }.
history-ask-decimals = Kies of decimalen na een komma of na een punt staan. De opdracht zegt het in het Engels zo: { $detail }.
history-ask-where = De tabel heeft meerdere reeksen. Noem er een onder ‘Alleen regels met’. De opdracht zegt het in het Engels zo: { $detail }.
history-ask-direction = { $detail } heeft de andere richting dan deze sensor. Kies een andere kolom, of kies hem opnieuw als hij klopt.
history-ask-unit = Kies de eenheid van deze waarden. De opdracht zegt het in het Engels zo: { $detail }.
history-wrong = De tabel kan niet worden gelezen: { $detail }. Woorden die beginnen met -- zijn opties van de opdracht wattkeeper import.

## The store, and its repair

store-title = Database
store-lead = De bestanden met alle gegevens van wattkeeper.
store-noted = Schade gevonden
store-noted-remedy = Deze gegevens zijn verloren. Zet hieronder een back-up terug als je ze nodig hebt, en overweeg een nieuwe schijf of SD-kaart.
store-confirm-hint = Bekijk eerst de sleutels, personen en wandtablets: na schade kan een ingetrokken sleutel of link terug zijn. Met bevestigen laat je ze allemaal weer toe.
store-confirm = Ik heb dit gelezen
store-check-title = Controle
store-check-lead = Dit leest de hele database en noemt de fouten erin. Bij een grote database duurt dat minuten; metingen worden intussen aangenomen.
store-check = Nu controleren
store-busy = Er loopt een test of een controle. Probeer het opnieuw als die klaar is.
store-found = { $problems ->
    [0] De database is in orde: { $readings } metingen zijn gelezen.
    [one] Er is één fout gevonden; { $readings } metingen zijn gelezen.
   *[other] Er zijn { $problems } fouten gevonden; { $readings } metingen zijn gelezen.
}
store-repair-title = Herstel
store-repair-lead = Dit sluit de database, zodat je die kunt redden of door een back-up kunt vervangen. Tot je die weer opent, zijn er geen andere pagina’s en krijgen sensoren een fout; de meeste sturen hun metingen later.
store-close = Database sluiten
store-close-unconfirmed = Bevestig dat de database gesloten moet worden.
store-closing = De database wordt gesloten
store-closing-lead = De herstelpagina volgt over enkele seconden. Alleen deze browser heeft het adres.
store-replaced = Vervangen databases
store-replaced-lead = Elk herstel bewaart de database zoals die was. Verwijder er een als je zeker weet dat je die niet nodig hebt.
store-remove = Verwijderen
repair-title = Herstel van de database
repair-why = De database kan niet worden geopend:
repair-closed = De database is gesloten.
repair-open-title = Database openen
repair-open-lead = wattkeeper probeert de database te openen zoals die is.
repair-open = Openen
repair-opening = De database wordt geopend.
repair-salvage-title = Database redden
repair-salvage-lead = Dit kopieert alle leesbare gegevens naar een nieuwe database en noemt de verliezen. De beschadigde database blijft ernaast staan, dus moet er ruimte zijn voor beide.
repair-salvage = Redden
repair-restore-title = Back-up terugzetten
repair-restore-lead = De back-up wordt eerst gecontroleerd en vervangt dan de database. De huidige database blijft ernaast staan.
repair-file = Back-up
repair-file-hint = Het volledige pad op de computer van wattkeeper.
repair-no-file = Vul het volledige pad van een back-up in, bijvoorbeeld /mnt/backups/wattkeeper-20260105T100000Z.backup.
repair-restore = Terugzetten
repair-upload = Of stuur een back-up van dit apparaat
repair-uploaded = gestuurd door een browser, { $size }
repair-salvaging = De database wordt gered: { $count } metingen tot nu toe.
repair-restoring = De back-up wordt teruggezet: { $size } gelezen tot nu toe.
repair-salvaged = De database is gered: { $count } metingen. Open de database nu.
repair-restored = De back-up is teruggezet: { $count } metingen. Open nu de database.
repair-failed = Dat mislukte, en de database is zoals die was: { $why }
repair-losses = Deze gegevens zijn verloren:
repair-needs-address = De database van wattkeeper is gesloten voor herstel. wattkeeper gaf het adres van deze pagina bij het starten.
