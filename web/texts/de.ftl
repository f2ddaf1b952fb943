# Deutsch. Aufbau wie en.ftl.

### Numbers and dates

number-decimal = ,
number-group = .
date-day = { $day }. { date-month } { $year }
date-day-of-year = { $day }. { date-month }
date-month-of-year = { date-month } { $year }
date-week = Woche ab { $date }
date-month-day = { date-month } { $day }, { $year }
date-month-day-of-year = { date-month } { $day }
date-month =
    { $month ->
        [1] Jan.
        [2] Feb.
        [3] März
        [4] Apr.
        [5] Mai
        [6] Juni
        [7] Juli
        [8] Aug.
        [9] Sept.
        [10] Okt.
        [11] Nov.
       *[12] Dez.
    }
date-weekday =
    { $weekday ->
        [1] Mo
        [2] Di
        [3] Mi
        [4] Do
        [5] Fr
        [6] Sa
       *[7] So
    }
date-and-clock = { $date }, { $clock }
date-locale = de-DE

### Chart

chart-none = Keine Messwerte
chart-title-power = Leistung von { $name }, { $start } bis { $end }
chart-title-prices = Preis in { $name } je Kilowattstunde, { $start } bis { $end }
chart-title-energy = Energie von { $name }, { $start } bis { $end }
chart-power = Leistung
chart-mean = Mittel
chart-peak = Höchstwert
chart-lowest = Tiefstwert
chart-lowest-whole = Tiefster vollständiger Wert
chart-highest = Höchstwert
chart-energy = Energie
chart-total = Summe
chart-resets = Rücksetzungen des Zählers
chart-reset = { $time }: Zähler zurückgesetzt, von { $before } auf { $after }
chart-gaps = Lücken
chart-gap = { $start } bis { $end }: keine Messwerte
chart-estimated = Teils geschätzt
chart-some-of = { $some } von { $all }
chart-bar-estimated = { $percent } geschätzt
chart-bar-known = { $percent } der Zeit bekannt
chart-grid = Netz
chart-house = Haus
chart-last-24-hours = Letzte 24 Stunden
chart-since = Seit { $date }
chart-week-of = Woche ab { $date }
chart-by-quarter = Viertelstündlich
chart-whole-quarters = ganze Viertelstunden
chart-whole-hours = ganze Stunden
chart-whole-days = ganze Tage
chart-whole-months = ganze Monate
chart-whole-years = ganze Jahre
chart-newest = Der neueste Messwert ist vom { $time }, daher wird statt des aktuellen Zeitraums dieser gezeigt:
chart-by-hour = Stündlich
chart-by-day = Täglich
chart-by-month = Monatlich
chart-by-year = Jährlich
chart-cost = Kosten
chart-heading-power = Leistung von { $name }
chart-heading-energy = Energie von { $name }
chart-quantity = Größe
chart-source = Quelle
chart-sources = Alle Sensoren
chart-search = Suchen
chart-with = { $name } mit anzeigen
chart-together = Markierte gemeinsam anzeigen
chart-group-grid = Netz
chart-group-solar = Solar
chart-group-battery = Batterien
chart-group-devices = Geräte
chart-bars = Zeit je Balken
chart-alone = Als eigene Seite öffnen
chart-csv = CSV für Programme
chart-csv-spreadsheet = CSV für Tabellenprogramme
chart-csv-time = Zeit ({ $zone })
chart-csv-energy = Energie (kWh)
chart-csv-power = Leistung (W)
chart-help = Diagramm. Die Pfeiltasten links und rechts zeigen einzelne Werte, Bild auf und Bild ab führen zum früheren oder späteren Zeitraum, Plus und Minus vergrößern und verkleinern die Ansicht.
chart-between = bis

### Settings

settings-done-password = Passwort geändert. Alle anderen Browser wurden abgemeldet.
settings-done-account-added = Konto angelegt.
settings-done-account-removed = Konto und seine API-Schlüssel entfernt.
settings-done-key-added = API-Schlüssel angelegt. Der api_key wurde nur einmal angezeigt; wenn er verloren ist, bitte erneuern.
settings-done-key-revoked = API-Schlüssel gesperrt.
settings-done-sensor-added = Sensor angelegt.
settings-done-sensor-removed = Sensor und seine Messwerte gelöscht.
settings-done-saved = Gespeichert.
settings-done-imported = Importierte Messwerte: { $count }
settings-done-undone = Import rückgängig gemacht.
settings-done-authorized = Sensor freigegeben: Er kann Messwerte senden, und seine Messwerte können abgerufen werden.
settings-done-revoked = Sensor gesperrt: Er kann keine Messwerte senden, und seine Messwerte können nicht abgerufen werden. Sie bleiben erhalten.

### Costs: statements

statement-tab = Kosten
statement-title = Kosten
costs-pages = Seiten über Kosten
costs-cheapest = Günstig
costs-statement = Abrechnung
costs-house = Ganzes Haus
costs-contracts = Verträge
statement-no-account = Es gibt noch kein Konto. Zu einem Konto gehören Sensoren und Verträge.
statement-add-account = Konto anlegen
statement-so-far = bisher, bis { $time }
statement-what = Posten
statement-quantity = Menge
statement-price = Preis in { $currency }
statement-amount = Betrag in { $currency }
statement-varies = variabel
statement-kind-energy = Bezug
statement-kind-demand = Leistungspreis
statement-kind-fixed = Grundpreis
statement-kind-minimum = Mindestbetrag
statement-kind-maximum = Höchstbetrag
statement-kind-discount = Rabatt
statement-kind-export = Einspeisung
statement-kind-tax = Steuer
statement-one-day = Tag
statement-one-month = Monat
statement-one-quarter = Quartal
statement-one-year = Jahr
statement-one-billing = Abrechnungszeitraum
statement-many-day = Tage
statement-many-month = Monate
statement-many-quarter = Quartale
statement-many-year = Jahre
statement-many-billing = Abrechnungszeiträume
statement-costs = Kosten vor Steuern
statement-costs-untaxed = Kosten
statement-credits = Gutschriften
statement-taxes = Steuern
statement-total = Gesamtbetrag
statement-paid = Gezahlte Abschläge
statement-owed = Noch zu zahlen
statement-to-receive = Guthaben
statement-tier-up-to = bis { $kwh } kWh
statement-tier-up-to-a-day = bis { $kwh } kWh am Tag
statement-tier-over = über { $kwh } kWh
statement-tier-over-a-day = über { $kwh } kWh am Tag
statement-tier-all = alles
statement-cap = Preisdeckel
statement-surplus = Überschuss
statement-at-most-energy = höchstens die Energiekosten
statement-imported = Bezug
statement-exported = Einspeisung
statement-measured = Zeit mit gemessener Energie
statement-estimated = Zeit mit geschätzter Energie
statement-missing = Zeit ohne Messwerte
statement-events = Auffälligkeiten
statement-corrections = Korrekturen
amount-without-energy = ohne { $energy }
amount-without-time = ohne { $share } der Zeit
amount-without-both = ohne { $energy } und { $share } der Zeit
amount-without-share = ohne { $share } der Energie
# As bills call a tax, between commas.
bill-usual-taxes = Mehrwertsteuer, MwSt, MwSt., Umsatzsteuer, USt, USt.
statement-unknown = Es gibt keinen Gesamtbetrag: Die Energie dieser Tage ist nicht bekannt oder hat keinen Preis.
statement-incomplete = Der Gesamtbetrag umfasst nicht alles: Ein Teil der Energie ist nicht bekannt oder hat keinen Preis.
statement-unpriced = Energie ohne Preis: { $imported } Bezug und { $exported } Einspeisung. Entweder galt dann kein Vertrag, oder es fehlen seine Preise: Sie lassen sich unter Kosten, Verträge nachtragen.
statement-converted = Die Preise von { $series } sind in { $currency }. Sie sind mit den Kursen von { $rates } umgerechnet.
statement-other-currency = Die Preise von { $series } sind in { $currency }, nicht in der Währung der Verträge: Die Energie danach hat keinen Preis. Bitte eine Reihe mit Preisen in der Währung der Verträge füllen.
statement-no-contract = Ohne Vertrag hat keine Energie einen Preis.
statement-compared-unknown = Die Kosten sind nicht bekannt.
statement-csv = Als Tabelle herunterladen (CSV)
statement-json = Als JSON herunterladen

### The costs of a device

sensor-costs-title = Kosten eines Geräts
sensor-costs-devices = Geräte
sensor-costs-from = Energie aus
sensor-costs-source-solar = Solarstrom, direkt
sensor-costs-source-battery = Solarstrom aus der Batterie
sensor-costs-source-stored-grid = Netzstrom aus der Batterie
sensor-costs-source-grid = Netz
sensor-costs-source-unknown = Herkunft unbekannt
sensor-costs-left-out = { $energy } haben keine bekannte Herkunft oder keinen Preis.
sensor-costs-gaps = Zeiten ohne Messwerte
sensor-costs-more =
    { $count ->
        [one] 1 weitere ist nicht aufgeführt.
       *[other] { $count } weitere sind nicht aufgeführt.
    }
sensor-costs-assumes = In jeder Viertelstunde hat das Gerät anteilig die Quellen des Hauses. Strom aus dem Netz zählt mit seinem Preis, mit Steuern und ohne Grundpreis. Eigenstrom zählt mit der Vergütung, die er bei Einspeisung gebracht hätte; ohne Vergütung kostet er nichts. Schwankt ein Preis, steht in der Zeile der mittlere.
sensor-costs-no-validity = Diese Aufstellung ist aus Messwerten und Verträgen berechnet. Sie erhebt keinen Anspruch auf rechtliche Gültigkeit.
tenancy-title = Mieter
tenancy-own = Meine Energie
tenancy-nobody = Noch bist du bei keinem Mietverhältnis eingetragen. Frag die Person, bei der du mietest.
tenancy-now = Jetzt
tenancy-outside = Dein Mietverhältnis hat in diesem Zeitraum keine Tage. Bitte einen anderen wählen.
tenancy-gone = Den Zähler dieses Mietverhältnisses gibt es nicht mehr, oder er misst jetzt etwas anderes.
tenancy-assumes = Strom aus allen Quellen hat den vereinbarten Preis. Ein angebrochener Monat hat den Anteil des Grundpreises nach Tagen.
tenancy-correction = Eine Korrektur, die auch Tage außerhalb des Mietverhältnisses betrifft.
tenancy-base-fee = Grundpreis
tenancy-lead = Ein Mieter zahlt für einen eigenen Zähler: einen vereinbarten Preis oder die tatsächlichen Kosten. Er kann sich anmelden und sieht nur diesen Zähler, sonst nichts vom Haus.
tenancy-all = Alle Mietverhältnisse
tenancy-none = Noch mietet hier niemand.
tenancy-new = Mietverhältnis hinzufügen
tenancy-change = Mietverhältnis ändern
tenancy-name = Name
tenancy-name-hint = Von der Wohnung oder vom Mieter. Für einen neuen Preis das Mietverhältnis beenden und ein weiteres anfügen.
tenancy-sensor = Zähler
tenancy-until-hint = Leer, solange es weitergeht.
tenancy-price = Preis je Kilowattstunde
tenancy-price-hint = Leer für die tatsächlichen Kosten: Netzstrom zu seinem Preis, Eigenstrom zu seiner Vergütung.
tenancy-fee = Grundpreis im Monat
tenancy-person = Wer es sieht
tenancy-person-hint = Der Name bei der Anmeldung. Der Administrator trägt die Person als Mieter ein.
tenancy-save = Speichern
tenancy-remove = Mietverhältnis entfernen
tenancy-as-tenant = Die Seite des Mieters
tenancy-agreed = { $price } je Kilowattstunde
tenancy-real-cost = tatsächliche Kosten
tenancy-a-month = { $fee } im Monat
tenancy-no-access = { $name } ist noch nicht als Mieter eingetragen: auf der Seite Personen
tenancy-statements = Alle Abrechnungen zum Drucken
tenancy-real = Tatsächliche Kosten ({ $currency })
tenancy-to-pay = Zu zahlen ({ $currency })
tenancy-rest = Bleibt beim Haus
tenancy-rest-what = Bleibt beim Haus: sein eigener Verbrauch und der Rest seiner Abrechnung, wenn die Mieter gezahlt haben. Mit festen Beträgen und mit der Vergütung, die für den Eigenstrom der Mieter entfiel.
tenancy-nested = { $sensor } liegt hinter dem Zähler eines anderen Mieters und würde doppelt zählen. Darum steht hier kein Rest.
tenancy-incomplete = Ein Teil der Energie des Hauses oder eines Mieters ist unbekannt oder hat keinen Preis. In den Beträgen fehlt er.
tenancy-done-saved = Mietverhältnis gespeichert.
tenancy-done-removed = Mietverhältnis entfernt. Die Messwerte bleiben.
tenancy-wrong-name = Bitte einen Namen mit höchstens 64 Zeichen eingeben; Umlaute zählen doppelt.
tenancy-wrong-taken = Es gibt schon ein Mietverhältnis mit diesem Namen. Bitte einen anderen wählen.
tenancy-wrong-sensor = Bitte einen Zähler wählen.
tenancy-wrong-date = Bitte ein Datum eingeben, etwa 31.01.2026.
tenancy-wrong-until = Der letzte Tag liegt vor dem ersten.
tenancy-wrong-person = Bitte den Namen einer Person mit höchstens 56 Zeichen eingeben; Umlaute zählen doppelt.
tenancy-wrong-amount = Bitte einen Betrag ab 0 eingeben, etwa 0,28.
tenancy-wrong-collides = Ein anderes Mietverhältnis hat diesen Zähler an einigen dieser Tage. Bitte zuerst jenes beenden oder andere Tage wählen.
tenancy-too-many = Es gibt 100 Mietverhältnisse, mehr sind nicht möglich. Zuerst alte entfernen.

### Kosten: Prognose

forecast-title = Prognose
forecast-lead = Verbrauch und Kosten, die im laufenden Monat und Jahr zu erwarten sind.
forecast-no-grid = Kein Sensor misst, was das Haus aus dem Netz bezieht. Der Sensor am Netz bekommt seine Rolle in den Einstellungen.
forecast-few-days =
    { $count ->
        [one] Eine Prognose braucht 14 gemessene Tage der letzten 56. Bisher ist es einer.
       *[other] Eine Prognose braucht 14 gemessene Tage der letzten 56. Bisher sind es { $count }.
    }
forecast-until = Messwerte bis { $time }
forecast-billing = Abrechnungszeitraum { $from } – { $to }
forecast-late = Die Messwerte beginnen in diesem Zeitraum: Er zählt ab { $date }.
forecast-unpriced = { $energy } davon haben keinen Preis und sind in keinem Betrag enthalten.
forecast-no-contract = Ohne Vertrag gibt es keine Kosten.
forecast-likely = Am wahrscheinlichsten
forecast-range = In 8 von 10 Fällen
forecast-from-to = { $low } – { $high }
forecast-so-far = Bisher
forecast-used = Verbrauch des Hauses
forecast-costs = Kosten
forecast-total = Kosten abzüglich Gutschriften
forecast-advances = Abschläge
forecast-balance = Saldo: Abschläge abzüglich Kosten
forecast-basis = Annahmen
forecast-basis-method = Die nächsten 31 Tage folgen dieser Methode: { $method }.
forecast-reason-untested = Sie ist die erste Wahl: Noch haben sie keine zwölf Monate geprüft.
forecast-reason-first = Sie ist die erste Wahl: In den letzten zwölf Monaten war keine andere deutlich näher.
forecast-reason-nearer = In den letzten zwölf Monaten war sie deutlich näher als die erste Wahl.
forecast-basis-year = Spätere Tage sind wie die des letzten Jahres, mit der halben Veränderung seitdem.
forecast-basis-recent = Spätere Tage sind wie dieselben Wochentage der letzten acht Wochen, denn weniger als ein Jahr ist bekannt: Andere Jahreszeiten zählen also nicht.
forecast-basis-rest = Fehlende Energie zählt ebenso. Jeder Tag verläuft wie derselbe Wochentag einer der letzten acht Wochen, zu den Preisen der Verträge. Ein noch unbekannter Preis ist der Mittelwert seiner Stunde in diesen Wochen.
forecast-days-and-year = Letzte Tage und letztes Jahr
forecast-days = Letzte Tage
forecast-month-so-far = Monat bisher
forecast-weeks = Letzte acht Wochen
forecast-year = Letztes Jahr
forecast-year-scaled = Letztes Jahr, angepasst
forecast-month-and-year = Monat bisher und letztes Jahr
forecast-days-and-year-scaled = Letzte Tage und letztes Jahr, angepasst
forecast-method-of-export = Methode für die Einspeisung
forecast-method-of-use = Methode für den Verbrauch
forecast-known-days = Gemessene Tage der letzten 56
forecast-tested = Die letzten Monate zur Probe
forecast-tested-lead =
    { $count ->
        [one] Ein vergangener Monat wurde zur Prüfung zu Beginn seines 10. vorhergesagt: Sein Bezug wich um { $error } ab.
       *[other] Von den letzten { $count } Monaten, jeweils vorhergesagt zu Beginn des 10., lag der Bezug von { $within } im Bereich. Die mittlere Abweichung (Median) war { $error }, in 9 von 10 Monaten war sie höchstens { $most }. Für jeden Monat gilt die Methode, die sich in den Monaten davor bewährt hatte.
    }
forecast-tested-methods = Dieselben Monate nach jeder Methode: Es zählt die kleinste Summe beider Abweichungen, wenn sie um mehr als ein Fünftel unter der der ersten Wahl liegt.
forecast-method = Methode
forecast-method-months = Monate
forecast-method-median = Mittlere Abweichung
forecast-method-most = 9 von 10 höchstens
forecast-method-chosen = gewählt
forecast-tested-none = Es gibt noch keinen Monat, um sie zu prüfen: Dazu braucht es einen ganzen Monat ohne Lücken und zwei Wochen vor seinem 10.
forecast-month = Monat
forecast-actual = Gemessen
forecast-within = Im Bereich
forecast-held = ja
forecast-missed = nein
### Costs: what if

what-if-title = Was wäre, wenn?
what-if-lead = Was die eigenen Tage mit einer anderen Batterie, einer anderen Solaranlage oder einem anderen Verbraucher gekostet hätten. Nichts davon wird gespeichert.
what-if-ask = Was wäre anders?
what-if-show = Berechnen
what-if-present = Wie es war
what-if-changed = Was wäre, wenn
what-if-produced = Erzeugung
what-if-charged = In die Batterie
what-if-discharged = Aus der Batterie
what-if-sufficiency = Autarkiegrad
what-if-saved = Ersparnis
what-if-saved-year = Ersparnis im Jahr
what-if-statement = Die Abrechnung, wie es war
what-if-lines = Die Abrechnung, wie sie gewesen wäre
what-if-sizes = Größen der Batterie
what-if-sizes-lead = Jede im Vergleich zum gleichen Haus ohne Batterie. Wo die Balken kaum noch steigen, hilft mehr Kapazität wenig.
what-if-picture = Was jede Größe im Jahr spart
what-if-picture-known = Was jede Größe in den bekannten Tagen spart
what-if-no-year-few-months = Es sind weniger als zwölf Monate bekannt, daher gibt es keine Angabe für ein Jahr.
what-if-no-year-incomplete = Mehr als ein Zwanzigstel der letzten zwölf Monate hat keine Messwerte oder keinen Preis, daher gibt es keine Angabe für ein Jahr.
what-if-at-rest = Hätte die Batterie in dieser Zeit geruht, hätte das Haus { $saved } gespart.
what-if-rule = Günstigste Regel
what-if-rule-greedy = Sie versorgt nur das Haus
what-if-rule-prices = Sie kauft günstige Energie
what-if-rule-below-peaks = Sie kauft günstige Energie unterhalb der Monatsspitze
what-if-rule-trading = Sie kauft günstige Energie und speist ein
what-if-replayed = Die vorhandene Batterie ist ersetzt. Diese hätte { $share } gegenüber der vorhandenen geliefert. Mit der Größe der eigenen Batterie zeigt das, wie weit die Rechnung von der Wirklichkeit entfernt ist.
what-if-known-in = Bekannt sind { $days } Tage im { $from }.
what-if-known = Bekannt sind { $days } Tage, von { $from } bis { $to }.
what-if-cycles = Zyklen im Jahr
what-if-payback = Bezahlt nach
what-if-years = { $years } Jahren
what-if-battery = Batterie
what-if-kwh = Nutzbare Kapazität in kWh
what-if-kwh-hint = Bis 1000. Sie tritt an die Stelle einer vorhandenen Batterie.
what-if-price = Preis je kWh Kapazität
what-if-price-hint = Mit Einbau, abzüglich Förderung.
what-if-charge = Lädt höchstens mit, in kW
what-if-discharge = Liefert höchstens, in kW
what-if-power-hint = Leer: 5.
what-if-efficiency = Wirkungsgrad in Prozent
what-if-efficiency-hint = Für Laden und Entladen zusammen. Leer: 90.
what-if-reserve = Reserve in Prozent
what-if-reserve-hint = Der Teil der Kapazität, der nie entladen wird. Leer: 0.
what-if-standby = Eigenverbrauch in Watt
what-if-standby-hint = Was sie selbst ständig braucht; üblich sind 5 bis 30. Leer: 0.
what-if-ageing = Verlust an Kapazität in Prozent je Jahr
what-if-ageing-hint = Für die Jahre, bis sie bezahlt ist; üblich sind 1 bis 3. Leer: 0.
what-if-dispatch = Sie lädt
what-if-greedy = nur, was das Haus einspeisen würde
what-if-prices = auch aus dem Netz, wenn der Preis niedrig ist
what-if-trading = ebenso, und sie speist ein, wenn der Vertrag es erlaubt
what-if-panels = Solaranlage
what-if-factor = Erzeugung mal
what-if-factor-hint = 2 heißt doppelt so viele Module wie jetzt, 0 keine.
what-if-kwp = Neue Module in kWp
what-if-kwp-hint = Mit dem Profil darunter.
what-if-file = Eine Datei mit dem Profil der neuen Module
what-if-profile = Profil der neuen Module
what-if-profile-hint = Eine Tabelle mit der Leistung jeder Stunde eines Jahres, wie PVGIS sie exportiert (stündliche Daten, PV-Leistung, CSV).
what-if-load = Verbraucher
what-if-load-how = Ein Verbraucher
what-if-load-none = bleibt, wie er ist
what-if-load-add = kommt dazu
what-if-load-cheapest = kommt dazu, in den günstigsten Stunden
what-if-load-remove = fällt weg
what-if-load-move = läuft in den günstigsten Stunden seines Tages
what-if-sensor = Gerät
what-if-sensor-hint = Seine Energie ist die des Verbrauchers. Oder leer lassen und die Energie eingeben.
what-if-daily = Energie am Tag in kWh
what-if-daily-hint = Etwa 8 für ein Auto.
what-if-between = Zwischen
what-if-between-hint = Etwa 22:00-06:00.
what-if-load-power = Leistung in kW
what-if-load-power-hint = Für die günstigsten Stunden. Leer: gleichmäßig verteilt.
what-if-assumes-same-use = Das Haus verbraucht die gleiche Energie zu den gleichen Zeiten, bis auf den Verbraucher oben: Das Verhalten ändert sich nicht mit dem Preis.
what-if-assumes-greedy = Die Batterie lädt nur, was das Haus einspeisen würde, und liefert es, sobald das Haus aus dem Netz beziehen würde. Sie speist nie ins Netz ein. Ohne Angaben oben braucht sie selbst nichts und altert nicht. Sie beginnt diese Tage leer, und was sie am Ende enthält, ist nichts wert.
what-if-assumes-buying = Die Batterie lädt auch aus dem Netz, wenn sich das nach Verlusten lohnt: nach den Preisen, die dann bekannt sind, und dem Verbrauch der letzten sieben Tage. Sie speist nie ins Netz ein. Ohne Angaben oben braucht sie selbst nichts und altert nicht. Von den Regeln mit und ohne Kauf wird die günstigste gezeigt. Sie beginnt diese Tage leer, und was sie am Ende enthält, ist nichts wert.
what-if-assumes-trading = Der Vertrag erlaubt, dass die Batterie ins Netz einspeist. Sie lädt auch aus dem Netz und speist ein, wenn sich das nach Verlusten lohnt: nach den Preisen und Vergütungen, die dann bekannt sind, und dem Verbrauch der letzten sieben Tage. Bei einem Leistungspreis erhöht sie dabei nie die Monatsspitze. Ohne Angaben oben braucht sie selbst nichts und altert nicht. Von den Regeln mit und ohne Kauf wird die günstigste gezeigt. Sie beginnt diese Tage leer, und was sie am Ende enthält, ist nichts wert.
what-if-assumes-replaced = Die vorhandene Batterie wird zuerst herausgerechnet.
what-if-assumes-kept = Die vorhandene Batterie lädt und liefert, wie sie es tat.
what-if-assumes-profile = Die neuen Module liefern in jeder Stunde, was das Profil für diese Stunde des Jahres enthält.
what-if-assumes-cheapest = Der Verbraucher läuft in den günstigsten Viertelstunden, nach den Preisen aller Bestandteile.
what-if-wrong-nothing = Bitte eine Batterie, eine Solaranlage oder einen Verbraucher eingeben: So wäre nichts anders.
what-if-wrong-number = Bitte eine Zahl von { $from } bis { $to } eingeben, etwa { $example }.
what-if-wrong-efficiency = Bitte 1 bis 100 Prozent mit höchstens vier Nachkommastellen eingeben, etwa 90.
what-if-wrong-choice = Bitte einen Eintrag der Liste wählen.
what-if-wrong-sizes = Bitte höchstens 41 Größen von 0 bis 1000 kWh mit Kommas dazwischen eingeben, oder usual.
what-if-wrong-alone = Das sagt allein nichts aus. Bitte die Batterie oder den Verbraucher dazu eingeben, oder das Feld leer lassen.
what-if-wrong-missing = Bitte auch das eingeben.
what-if-wrong-header = Der Tabelle fehlt die Zeile mit den Spalten „time“ und „P“. Bitte stündliche Daten mit PV-Leistung als CSV exportieren.
what-if-wrong-line = Zeile { $line } enthält keine Stunde mit Leistung, etwa 20200101:0010,512.4.
what-if-wrong-nominal = Zeile { $line } nennt keine Nennleistung der Module in kWp, etwa 1.0.
what-if-wrong-long = Die Tabelle hat zu viele Zeilen. Einige Jahre von Stunden genügen.
what-if-wrong-hour = Über die Stunde { $time } UTC ist nichts bekannt. Die Tabelle braucht alle 8.760 Stunden eines Jahres.
what-if-wrong-between = Bitte zwei Uhrzeiten in Viertelstunden eingeben, etwa 22:00-06:00.
what-if-wrong-power = Die Energie passt nicht in diese Stunden. Bitte eine höhere Leistung eingeben.
what-if-wrong-both = Bitte entweder die Energie eingeben oder ein Gerät wählen, nicht beides.
what-if-wrong-sensor = Bitte ein Gerät dieses Kontos wählen.
what-if-wrong-panels = Kein Sensor misst eine Solaranlage, also gibt es nichts zu vervielfachen. Bitte neue Module mit Profil eingeben.
what-if-wrong-many = Das dauert zu lange. Bitte weniger Tage wählen.

### Costs: offers, and what they would have cost

compare-title = Was hätte es gekostet?
compare-contract = Vertrag
compare-present = Geltende Verträge
compare-difference = Unterschied
compare-mean = Preis je kWh im Mittel
compare-incomplete = unvollständig
compare-lines = Zeile für Zeile
compare-months = Nach Monaten
compare-energy = Bezug
compare-demand = Leistungspreise
compare-standing = Feste Beträge
compare-credits = Gutschriften
compare-taxes = Steuern
compare-assumes = Angenommen ist die gleiche Energie zu den gleichen Zeiten: Das Verhalten ändert sich nicht mit dem Preis. Jedes Angebot gilt ab dem ersten dieser Tage.
compare-measured = Die ganze Zeit ist gemessen.
compare-coverage = { $estimated } der Zeit sind geschätzt, für { $missing } fehlen Messwerte.
compare-none = Es gibt noch kein Angebot zum Vergleichen. Die Preise eines anderen Anbieters lassen sich als Angebot eingeben.
compare-no-contract = Es gibt keinen Vertrag, mit dem sich Angebote vergleichen lassen. Zuerst den eigenen eingeben.
compare-before-contract = An diesen Tagen galt kein Vertrag: Der erste beginnt am { $from }. Bitte spätere Tage wählen.
compare-too-many = Das sind zu viele Preise. Bitte weniger Tage wählen oder Angebote entfernen.
compare-left-out = Nicht verglichen, weil die Währung eine andere ist: { $names }.
offer-all = Angebote
offer-lead = Ein Angebot ist ein Vertrag, der nicht gilt, etwa der eines anderen Anbieters. Es ändert keine Kosten, sondern zeigt, was es gekostet hätte.
offer-none = Es gibt noch keine Angebote.
offer-new = Neues Angebot
offer-change = Angebot ändern
offer-save = Angebot speichern
offer-remove = Angebot entfernen
offer-not-in-force = Ein Angebot ändert keine Kosten. Es wird mit den geltenden Verträgen verglichen.
offer-begins-hint = Ein Vergleich früherer Tage zählt es ab dem ersten von ihnen.
offer-template-lead = Ein Tarif, der so aufgebaut ist wie das Angebot, wird zu einem Angebot. Darin stehen Beispielpreise: ersetzen und speichern.
offer-done-saved = Angebot gespeichert.
offer-done-removed = Angebot entfernt.
offer-wrong-taken = Ein anderes Angebot hat diesen Namen.
offer-too-many = Es gibt 50 Angebote, mehr sind nicht möglich. Zuerst eines entfernen.
statement-offer = Das sind die Preise des Angebots { $name }, das nicht gilt.

### Costs: what the panels and the battery saved, and purchases

savings-title = Was haben Solaranlage und Batterie gespart?
savings-short = Ersparnis
savings-house = Haus
savings-present = Wie es war
savings-without-panels = Ohne Solaranlage
savings-without-battery = Ohne Batterie
savings-without-both = Ohne beides
savings-saved = Gespart
savings-months = Gespart nach Monaten
savings-assumes = Angenommen ist der gleiche Verbrauch zu den gleichen Zeiten mit den gleichen Verträgen.
savings-assumes-both = Ohne Solaranlage lädt und entlädt die Batterie wie gemessen. Darum ist die Ersparnis beider zusammen nicht die Summe der einzelnen.
savings-missing = Wo Messwerte fehlen oder geschätzt sind, zählt nichts als gespart.
savings-coarse = { $share } der Energie am Netz wurden seltener als jede Viertelstunde abgelesen. Innerhalb dieser Zeit sind sie gleichmäßig verteilt.
savings-left-out = Wo eine Viertelstunde geschätzt ist oder keine Messwerte hat, zählt das Haus so, wie es war: { $imported } Bezug, { $exported } Einspeisung, { $own } von Solaranlage und Batterie.
savings-no-export = Kein Sensor misst die eingespeiste Energie. Darum zählt alles, was die Solaranlage erzeugt, als verbraucht, und ihre Ersparnis erscheint zu hoch.
savings-no-contract = Es gibt keinen Vertrag, der die Energie bewertet. Zuerst den eigenen eingeben.
savings-no-part = Dieses Haus hat weder eine Solaranlage noch eine Batterie, die gemessen wird. Dazu braucht es einen Sensor mit dieser Aufgabe und Messwerte.
savings-too-many = Das sind zu viele Preise. Bitte weniger Tage wählen.
statement-without-panels = Das hätte das Haus ohne seine Solaranlage bezahlt.
statement-without-battery = Das hätte das Haus ohne seine Batterie bezahlt.
statement-without-both = Das hätte das Haus ohne seine Solaranlage und seine Batterie bezahlt.
purchase-title = Anschaffungen
purchase-lead = Was gekauft wurde, um Energie zu erzeugen oder zu speichern, und wie weit es sich bezahlt gemacht hat.
purchase-by-panels = Solaranlage
purchase-by-battery = Batterie
purchase-by-both = Alle Anschaffungen
purchase-paid-back = { $share } sind bezahlt.
purchase-expected = Der Rest ist voraussichtlich am { $date } bezahlt.
purchase-reason-paid-back = Alles ist bezahlt.
purchase-reason-no-sensor = Kein Sensor misst das: Die Ersparnis ist unbekannt.
purchase-reason-few-months = Noch lässt sich kein Tag nennen: Messwerte und Preise sind für weniger als zwölf Monate bekannt.
purchase-reason-incomplete = Es lässt sich kein Tag nennen: Mehr als ein Zwanzigstel der letzten zwölf Monate hat keine Messwerte oder keinen Preis.
purchase-reason-no-savings = Es lässt sich kein Tag nennen: Die Ersparnis ist kleiner als die Kosten.
purchase-price = Preis abzüglich Förderung
purchase-saved = Gespart seit { $date }
purchase-assumed = Davor vermutlich gespart
purchase-costs-so-far = Kosten bisher
purchase-per-year = Ersparnis eines Jahres abzüglich Kosten
purchase-assumes = Angenommen ist, dass jedes künftige Jahr und die Zeit vor den ersten Messwerten so viel spart wie die letzten zwölf Monate.
purchase-entered = Eingegebene Anschaffungen
purchase-none = Es gibt noch keine Anschaffungen.
purchase-new = Neue Anschaffung
purchase-change = Anschaffung ändern
purchase-name = Name
purchase-kind = Was es ist
purchase-kind-panels = Solaranlage
purchase-kind-battery = Batterie
purchase-kind-other = Etwas anderes
purchase-date = Spart seit
purchase-amount = Bezahlter Betrag
purchase-subsidy = Förderung, falls es eine gab
purchase-costs = Kosten im Jahr, etwa für eine Versicherung
purchase-save = Anschaffung speichern
purchase-remove = Diese Anschaffung entfernen
purchase-done-saved = Anschaffung gespeichert.
purchase-done-removed = Anschaffung entfernt.
purchase-wrong-name = Bitte einen Namen mit höchstens 64 Zeichen eingeben
purchase-wrong-taken = Eine andere Anschaffung hat diesen Namen.
purchase-wrong-date = Bitte einen Tag ab 1970 eingeben, der höchstens ein Jahr in der Zukunft liegt, etwa 01.05.2022
purchase-wrong-amount = Bitte einen Betrag ab 0 eingeben, mit höchstens neun Stellen vor und sechs nach dem Komma, etwa 14500
purchase-wrong-subsidy = Bitte einen Betrag von 0 bis zum bezahlten Betrag eingeben, etwa 1500
purchase-wrong-costs = Bitte einen Betrag ab 0 eingeben, etwa 120
purchase-too-many = Es gibt 50 Anschaffungen, mehr sind nicht möglich. Zuerst eine entfernen.

### Costs: templates of contracts

template-title = Tarife
template-from = Mit dem Tarif eines Landes beginnen
template-lead = Ein Tarif, der so aufgebaut ist wie der eigene, wird zu einem neuen Vertrag. Darin stehen Beispielpreise: durch die eigenen ersetzen und speichern.
template-country = Land
template-all-countries = alle
template-kind = Art
template-all-kinds = alle
template-kind-flat = Ein Preis
template-kind-time-of-use = Nach Stunden und Tagen
template-kind-tiers = Nach Verbrauch gestaffelt
template-kind-series = Preise einer Börse
template-kind-demand = Nach höchster Leistung
template-kind-net-metering = Saldierung
template-kind-export = Einspeisung
template-kind-other = Andere
template-show = Anzeigen
template-use = Verwenden
template-needs = Er braucht:
template-source = Quelle:
template-none = Diesen Tarif gibt es noch nicht. Einen Vertrag anlegen und die Preise eintragen.
template-search = Suche

### Kosten: ein Tarif eines Landes

tariff-lead = Die Werte des eigenen Vertrags eintragen: Sie stehen auf der Rechnung oder dem Preisblatt. Gespeichert wird erst, wenn das Ergebnis zu sehen war.
tariff-offer-name-hint = Er steht im Vergleich.
tariff-example = Zum Beispiel { $example }.
tariff-list-hint = Der Name, unter dem die Preise oder Tage hier hochgeladen werden.
tariff-check = Weiter
tariff-about = Über diesen Tarif
tariff-json = Als JSON
tariff-questions = Bitte noch einmal ansehen:
tariff-save = Speichern
tariff-change = Ändern
tariff-missing = Bitte hier einen Wert eingeben, etwa { $example }.
tariff-wrong-price = Bitte einen Preis eingeben, etwa { $example }, mit wenigen Nachkommastellen.
tariff-wrong-number = Bitte eine Zahl eingeben, die nicht negativ ist, etwa { $example }.
tariff-wrong-hours = Bitte Stunden eingeben, etwa { $example }; mehrere mit Komma dazwischen.
tariff-wrong-choice = Bitte etwas aus der Liste wählen oder einen Namen mit höchstens 64 Zeichen eingeben.
tariff-key-hint = Der Schlüssel, den die Quelle verlangt. Er wird allein für diese Quelle aufbewahrt und steht in keiner Sicherung.
tariff-needs-key = Diese Quelle verlangt einen Schlüssel.
tariff-mapping = Andere Adresse der Quelle
tariff-result = So wäre es gewesen
tariff-source-answers = { $source } antwortet mit { $count } Preisen oder Tagen von { $from } bis { $to }.
tariff-preview = { $month } hätte { $total } gekostet ({ $energy }, im Mittel { $mean }).
tariff-preview-demo = Es gibt noch keinen vollen Monat mit Messwerten. Der Haushalt der Demo hätte im { $month } { $total } bezahlt ({ $energy }, im Mittel { $mean }).
tariff-preview-unpriced = Was { $month } gekostet hätte, ist unbekannt: Nicht alle { $energy } haben einen Preis.
tariff-preview-present = Nach dem geltenden Vertrag: { $total } ({ $energy }, im Mittel { $mean }).
doubt-hundredths = { $name }: { $price } { $currency } je Kilowattstunde ist sehr viel. Sind es Cent, dann { $hundredth } eingeben.
doubt-megawatthours = { $name }: { $price } { $currency } je Kilowattstunde ist sehr viel. Gilt der Preis je Megawattstunde, dann { $thousandth } eingeben.
doubt-negative = { $name }: Der Preis { $price } { $currency } ist negativ. Wer Strom bezieht, bekäme Geld dafür.
doubt-small-percent = { $name }: Stimmen { $percent }? Ist ein Anteil von eins gemeint, dann { $hundredfold } eingeben.
doubt-large-percent = { $name }: { $percent } ist sehr viel. Stimmt das?
doubt-fee = { $name }: { $price } { $currency } { $per } ist sehr viel. Stimmt das?
doubt-unusual = { $name }: Stimmen { $typed } { $unit }? Üblich sind { $least } bis { $most }.
doubt-series = Preise { $name } gibt es noch nicht: Energie nach ihnen hat keinen Preis.
doubt-series-near = Preise { $name } gibt es noch nicht. Ist { $near } gemeint?
doubt-days = Tage mit dem Namen { $name } gibt es noch nicht: Energie dieser Tage hat keinen Preis.
doubt-days-near = Tage mit dem Namen { $name } gibt es noch nicht. Ist { $near } gemeint?
doubt-future = Der Vertrag beginnt in der Zukunft, am { $from }. Bis dahin ändert sich nichts.
country-AT = Österreich
country-AU = Australien
country-BE = Belgien
country-BG = Bulgarien
country-BR = Brasilien
country-CA = Kanada
country-CH = Schweiz
country-CY = Zypern
country-CZ = Tschechien
country-DE = Deutschland
country-DK = Dänemark
country-EE = Estland
country-ES = Spanien
country-FI = Finnland
country-FR = Frankreich
country-GB = Vereinigtes Königreich
country-GR = Griechenland
country-HR = Kroatien
country-HU = Ungarn
country-IE = Irland
country-IN = Indien
country-IS = Island
country-IT = Italien
country-JP = Japan
country-KR = Südkorea
country-LT = Litauen
country-LU = Luxemburg
country-LV = Lettland
country-MT = Malta
country-MX = Mexiko
country-NL = Niederlande
country-NO = Norwegen
country-NZ = Neuseeland
country-PK = Pakistan
country-PL = Polen
country-PT = Portugal
country-RO = Rumänien
country-RS = Serbien
country-SE = Schweden
country-SI = Slowenien
country-SK = Slowakei
country-TR = Türkei
country-TW = Taiwan
country-UA = Ukraine
country-US = Vereinigte Staaten
country-ZA = Südafrika
wizard-tariff = Tarif wählen
wizard-tariff-title = Was kostet der Strom?
wizard-tariff-lead = Einen Tarif wählen, der so aufgebaut ist wie der eigene. Daraus folgen die Kosten, auch die vergangenen.
wizard-tariff-others = Andere Tarife
wizard-tariff-later = Später

### Costs: contracts

contract-all = Verträge
contract-lead = Ein Vertrag sagt, was Strom ab seinem ersten Tag kostet und was für Einspeisung gezahlt wird. Er gilt, bis der nächste beginnt.
contract-none = Es gibt noch keine Verträge.
contract-new = Neuer Vertrag
contract-change = Vertrag ändern
contract-done-saved = Gespeichert. Ab jetzt werden Kosten nach diesem Vertrag berechnet, auch die vergangener Tage.
contract-done-removed = Vertrag entfernt. Kosten aus seiner Zeit werden ohne ihn berechnet.
contract-always = Zu jeder Zeit
contract-from = Ab { $from }
contract-until = Bis { $to }
contract-from-to = { $from } – { $to }
contract-past = Kosten werden berechnet, nicht gespeichert: Eine Änderung wirkt sofort, auch auf vergangene Tage.
contract-basics = Vertrag
contract-name = Name
contract-begins = Erster Tag
contract-continues = Dieser Vertrag
contract-continues-yes = hat neue Preise des Vertrags davor
contract-continues-no = ist von einem neuen Anbieter
contract-continues-hint = Bei neuen Preisen gehen Beträge eines Monats oder Jahres weiter: Preisstufen, Saldierung, Preisdeckel und Mindestbeträge. Bei einem neuen Anbieter beginnen sie neu.
contract-currency = Währung
contract-energy-title = Bezug aus dem Netz
contract-whole-units = Alle Preise in der Währung oben, nicht in Cent: 32,15 Cent sind 0,3215.
contract-energy = Bezug
contract-how = Wie ergibt sich der Preis?
contract-rate-flat = Ein Preis zu jeder Zeit
contract-rate-hours = Preise nach Stunden der Woche, etwa Tag und Nacht
contract-rate-tiers = Preise nach der verbrauchten Menge
contract-rate-series = Stündliche Marktpreise
contract-price = Preis je kWh
contract-price-hint = Zum Beispiel 0,3215, das sind 32,15 Cent.
contract-history-before = Es gibt Messwerte seit dem { $first }. Der Vertrag beginnt am { $from }: Die Energie davor hat keinen Preis.
contract-usual = Üblicher Preis, zu allen anderen Zeiten
contract-painted = Preis zu bestimmten Stunden
contract-zone-name = Name
contract-another = Weiterer Preis zu bestimmten Stunden
contract-grid = Die Stunden mit diesem Preis ankreuzen. Jedes Feld steht für die Stunde, die dann beginnt.
contract-hour = Stunde
contract-months = In diesen Monaten
contract-tiers = Stufen
contract-tiers-hint = Die letzte Stufe hat kein Ende: Das Feld dafür bleibt leer.
contract-period = Verbrauch wird gezählt
contract-tier-end = Stufe { $nth }: bis, in kWh
contract-tier-price = Stufe { $nth }: Preis je kWh
contract-series = Name der Preise
contract-series-hint = Der Name, unter dem die Preise hochgeladen werden.
contract-factor = Multipliziert mit
contract-surcharge = Aufschlag je kWh
contract-beside = Grundpreis, Einspeisung und Steuer
contract-fixed = Feste Beträge
contract-fixed-hint = Beträge, die nicht vom Verbrauch abhängen, etwa ein Grundpreis von 12,50 im Monat. Nicht benötigte Felder bleiben leer.
contract-fixed-name = Betrag { $nth }: Name
contract-fixed-price = Höhe
contract-fixed-of = von Betrag { $nth }
contract-fixed-per = Zeitraum
contract-feed-in = Einspeisung
contract-feed-in-price = Vergütung je eingespeister kWh
contract-feed-in-hint = Zum Beispiel 0,08. Ohne Vergütung leer lassen.
contract-tax = Steuer
contract-tax-hint = Leer lassen, wenn die Preise die Steuer enthalten.
contract-percent = Prozent
contract-tax-name = Name der Steuer
contract-tax-base = Prozent von
contract-tax-of-net = Kosten abzüglich Gutschriften
contract-tax-of-costs = Kosten allein
contract-per-day = pro Tag
contract-per-month = pro Monat
contract-per-quarter = pro Quartal
contract-per-year = pro Jahr
contract-per-billing = pro Abrechnungszeitraum
contract-a-day = am Tag
contract-a-month = im Monat
contract-a-quarter = im Quartal
contract-a-year = im Jahr
contract-a-billing = im Abrechnungszeitraum
contract-up-to = Bis { $kwh } kWh { $per }
contract-above = Darüber
contract-by-series = Preis aus { $series } × { $factor } + { $surcharge }
contract-hours-a-week =
    { $hours ->
        [one] eine Stunde in der Woche
       *[other] { $hours } Stunden in der Woche
    }
contract-consists-of = Besteht aus
contract-electricity = Strom
contract-day = Tag
contract-night = Nacht
contract-vat = MwSt.
contract-weekday-mon = Mo
contract-weekday-tue = Di
contract-weekday-wed = Mi
contract-weekday-thu = Do
contract-weekday-fri = Fr
contract-weekday-sat = Sa
contract-weekday-sun = So
contract-save = Vertrag speichern
contract-as-json = Als Text bearbeiten (JSON)
contract-json-title = Vertrag als Text
contract-json = JSON
contract-json-hint = Dieser Vertrag hat mehr, als das Formular zeigen kann, oder sein Text wurde gewünscht. docs/MONEY.md beschreibt alle Felder.
contract-remove-title = Entfernen
contract-remove-hint = Der Vertrag davor gilt dann, bis der nächste beginnt. Vergangene Kosten ändern sich sofort.
contract-remove = Vertrag entfernen
contract-wrong-name = Bitte einen Namen mit höchstens 64 Zeichen eingeben; Umlaute zählen doppelt.
contract-wrong-price = Bitte eine Zahl mit bis zu sechs Nachkommastellen eingeben, etwa 0,3215.
contract-wrong-currency = Bitte eine Währung von 1 bis 8 Zeichen eingeben, etwa EUR.
contract-wrong-from = Bitte ein Datum eingeben, etwa 01.01.2026.
contract-wrong-tax = Bitte einen Prozentsatz eingeben, der nicht negativ ist, etwa 19.
contract-wrong-twice = Jeder Preis braucht einen eigenen Namen.
contract-wrong-hours = Bitte für diesen Preis mindestens eine Stunde und einen Monat ankreuzen.
contract-wrong-unused = Dieser Preis gilt nie: Andere Preise belegen alle seine Stunden.
contract-wrong-tiers = Bitte bis zu 16 Stufen eingeben, jede mit höherem Ende als die davor, die letzte ohne Ende.
contract-wrong-taken = An diesem Tag beginnt ein anderer Vertrag.
contract-wrong-other-currency = Alle Verträge brauchen dieselbe Währung. Die anderen sind in { $currency }.
contract-wrong-json = Das ist kein Vertrag: { $problem }.
contract-wrong-other = Dieser Vertrag lässt sich nicht speichern: { $problem }.

### Costs: price series

prices-title = Wechselnde Preise
prices-lead = Preise, die sich stündlich oder viertelstündlich ändern, etwa die des Day-Ahead-Marktes. Ein Vertrag nutzt sie über ihren Namen.
prices-by-itself = Von wattkeeper selbst abrufen lassen
prices-series = Vorhandene Preise
prices-none = Es gibt noch keine Preise.
prices-count = { $count } Preise
prices-add-title = Preise hinzufügen
prices-add = Preise hinzufügen
prices-name = Name der Preise
prices-name-hint = Ein neuer oder einer von oben. Preise für dieselben Zeiten ersetzen die vorhandenen.
prices-length = Jeder Preis gilt
prices-length-spacing = für den üblichen Abstand
prices-length-hour = eine Stunde
prices-length-quarter = eine Viertelstunde
prices-length-until-next = bis der nächste beginnt
prices-currency-hint = Die der Verträge. Preise in einer anderen Währung werden nicht umgerechnet. Leer: nicht bekannt.
prices-file = Datei
prices-table = Preise als Text
prices-table-hint = Eine Tabelle mit Zeiten und Preisen, wie ein Markt oder ein anderes Programm sie schreibt, oder Zeilen wie 2026-01-05T10:00:00Z,0.0873. Höchstens 1.000.000 Zeilen auf einmal.
prices-sending = Wird gesendet. Das dauert einen Moment.
prices-failed = Die Datei konnte nicht gesendet werden. Bitte noch einmal versuchen.
prices-done-added = Preise hinzugefügt.
prices-done-gaps =
    { $gaps ->
        [one] Preise hinzugefügt. Dazwischen ist eine Lücke ohne Preis, von { $hours } Stunden.
       *[other] Preise hinzugefügt. Dazwischen sind { $gaps } Lücken ohne Preis, zusammen { $hours } Stunden.
    }
prices-done-remedy = Gilt jeder Preis, bis der nächste beginnt, bitte alle noch einmal hinzufügen, mit der Wahl „{ $choice }“.
prices-done-removed = Preise entfernt.
prices-known = Gespeicherte Preise
prices-number = Preise
prices-first = Erster Preis beginnt
prices-end = Letzter Preis endet
prices-gaps = Lücken
prices-newest-gaps = Neueste Lücken
prices-gaps-hint = Bezug in einer Lücke hat keinen Preis: Abrechnungen führen ihn gesondert auf.
prices-remove-title = Preise entfernen
prices-remove-days = Diese Tage entfernen
prices-remove-all = Ganze Reihe entfernen
prices-wrong-name = Bitte einen Namen mit höchstens 64 Zeichen eingeben, etwa day-ahead; Umlaute zählen doppelt.
prices-form = Wenn die Tabelle unklar ist
prices-unit = Einheit der Preise
prices-unit-hint = Etwa EUR/kWh, ct/kWh oder EUR/MWh. Leer: die in der Tabelle, sonst je Kilowattstunde.
prices-column = Spalte der Preise
prices-column-hint = Ihr Name oder ihre Nummer ab 1. Leer: die einzige.
prices-dates = Datumsangaben wie 03/04/2026
prices-dates-dmy = beginnen mit dem Tag
prices-dates-mdy = beginnen mit dem Monat
prices-decimals = Nachkommastellen
prices-decimals-comma = folgen auf ein Komma
prices-decimals-point = folgen auf einen Punkt
prices-wrong-unit = Bitte eine Einheit wie EUR/kWh, ct/kWh oder EUR/MWh eingeben, oder das Feld leer lassen.
prices-wrong-size = So hohe Preise je Kilowattstunde gelten wohl je Megawattstunde. Bitte die Einheit eingeben, etwa EUR/MWh, oder EUR/kWh, wenn sie stimmen.
prices-wrong-twice = Für { $time } gibt es zwei Preise. Bitte für jede Zeit einen eingeben.
prices-wrong-close = Der Preis für { $time } beginnt weniger als eine Minute nach dem davor. Bitte Preise eingeben, die mindestens eine Minute auseinander liegen.
prices-wrong-other = Das sind keine Preise: { $problem }.
prices-wrong-currency = Bitte eine Währung mit höchstens 8 Zeichen eingeben, etwa EUR.
prices-wrong-other-currency = Die Verträge oder die früheren Preise dieser Reihe haben eine andere Währung. Bitte Preise in dieser Währung eingeben.
prices-wrong-empty = Bitte mindestens eine Zeit mit Preis eingeben.
prices-wrong-many-series = Mehr Reihen kann dieses Konto nicht haben. Bitte zuerst eine entfernen.
prices-wrong-many-prices = Dieses Konto hätte in allen Reihen zusammen mehr Preise, als es haben kann. Bitte zuerst einige entfernen.
prices-wrong-end = Bitte einen Tag eingeben, der nicht vor dem ersten liegt.

### Costs: day lists

days-title = Tage mit eigenem Preis
days-lead = Tage mit einem Typ, etwa die roten, weißen und blauen Tage eines Tarifs, die am Vortag bekannt gegeben werden. Ein Vertrag nutzt sie über den Namen der Liste und den Typ.
days-lists = Alle Listen
days-none = Es gibt noch keine solchen Tage.
days-next = Heute und die nächsten Tage
days-next-none = Ab heute ist kein Tag bekannt.
days-range = { $count } Tage bekannt, vom { $first } bis zum { $last }.
days-add = Tage hinzufügen
days-name = Name der Liste
days-name-hint = Ein neuer oder einer von oben. Ein Typ für denselben Tag ersetzt den vorhandenen.
days-table = Tage als Text
days-table-hint = Je eine Zeile für Datum und Typ, etwa 2026-01-05,red.
days-of = Liste
days-done-added = Tage hinzugefügt.
days-done-removed = Tage entfernt.
days-remove-title = Tage entfernen
days-remove-days = Diese Tage entfernen
days-remove-all = Ganze Liste entfernen
days-wrong-name = Bitte einen Namen mit höchstens 64 Zeichen und ohne Doppelpunkt eingeben, etwa tempo; Umlaute zählen doppelt.
days-wrong-line = Zeile { $line }: Bitte ein vorhandenes Datum und seinen Typ eingeben, etwa 2026-01-05,red.
days-wrong-twice = Für den { $date } gibt es zwei Typen. Bitte für jeden Tag einen eingeben.
days-wrong-other = Das sind keine Tage: { $problem }.
days-wrong-empty = Bitte mindestens ein Datum mit Typ eingeben.
days-wrong-many-lists = Mehr Listen solcher Tage kann dieses Konto nicht haben. Bitte zuerst eine entfernen.
days-wrong-many-days = Dieses Konto hätte in allen Listen zusammen mehr als 10.000 Tage. Bitte zuerst einige entfernen.
days-wrong-many-types = Diese Liste hätte in einem Jahr mehr als 16 Typen von Tagen. Bitte weniger verwenden.

### Events

events-title = Auffälligkeiten
events-lead = Auffällige Messwerte und die Entscheidungen dazu. Die Messwerte selbst werden nie geändert.
events-here = Auffällige Messwerte
events-open = Noch zu entscheiden
events-none-here = An den Messwerten dieses Zeitraums ist nichts auffällig.
events-none-open = Keine Entscheidung steht aus.
events-more = Es gibt mehr davon. Erst diese entscheiden oder im Diagramm einen kürzeren Zeitraum wählen.
events-filter-sensor = Sensor
events-filter-all-sensors = Alle Sensoren
events-filter-state = Auffälligkeiten
events-filter-all = Alle Auffälligkeiten
events-filter-show = Anzeigen
events-page = Auffällige Messwerte suchen
events-is-open = offen
events-see-chart = Im Diagramm ansehen
events-kind-dip = Einbruch
events-kind-spike = Ausreißer
events-kind-reset = Zähler zurückgesetzt
events-kind-rollover = Zählerüberlauf
events-kind-jump = Sprung
events-kind-gap = Lücke
events-kind-implausible-power = Unplausible Leistung
events-dip = Am { $time } fiel der Zählerstand von { $before } auf { $after }. Am { $until } war der alte Stand wieder da.
events-small-dip = Am { $time } fiel der Zählerstand ein wenig, von { $before } auf { $after }.
events-spike = Am { $time } sprang der Zählerstand von { $before } auf { $after }. Am { $until } war der alte Stand wieder da.
events-interval-spike = Der Wert vom { $time } ist höher, als seit dem { $since } geflossen sein kann.
events-reset = Zwischen dem { $since } und dem { $time } fiel der Zählerstand von { $before } auf { $after } und blieb dort.
events-rollover = Zwischen dem { $since } und dem { $time } lief der Zähler über, von { $before } auf { $after }.
events-jump = Zwischen dem { $since } und dem { $time } sprang der Zählerstand von { $before } auf { $after } und blieb dort.
events-gap = Zwischen dem { $since } und dem { $time } kamen keine Messwerte an. Der Zählerstand ging von { $before } auf { $after }.
events-power-gap = Zwischen dem { $since } und dem { $time } kamen keine Messwerte an.
events-implausible-power = Vom { $time } bis zum { $until } zeigen die Messwerte mehr Leistung, als plausibel ist, oder eine Zahl, die Geräte ohne Messwert senden.
events-counts-open = Bis zur Entscheidung zählt nichts davon.
events-counts-nothing = Nichts davon zählt.
events-counts = Gezählt werden { $energy }.
events-decided-nothing = Entschieden: Nichts davon zählt.
events-decided = Entschieden: { $energy } zählen.
events-decide = Entscheiden
events-what-is-right = Was stimmt?
events-count = Zählen: Der Zählerstand stimmte
events-count-energy = Zählen: { $energy }
events-ignore = Nicht zählen
events-spread = { $energy } zählen, verteilt auf die Zeit vom { $since } bis zum { $until }
events-energy = In dieser Zeit floss eine andere Energiemenge: unten eintragen
events-wrong = Diese Messwerte sind falsch: weglassen
events-energy-field = Energie in kWh
events-energy-hint = Nur für eine andere Energiemenge, etwa 1,5. Negativ, wenn eingespeist wurde.
events-like-weekday = Wie an den gleichen Wochentagen davor und danach verteilen, nicht gleichmäßig
events-note = Notiz
events-save = Speichern
events-meter-changed = Der Zähler wurde gewechselt
events-type-in = Zählerstand eingeben
events-range = Einen Zeitraum selbst berichtigen
events-from = Von
events-to = Bis
events-range-wrong = Die Messwerte dieser Zeit sind falsch: weglassen
events-range-energy = In dieser Zeit floss eine andere Energiemenge: unten eintragen
events-choose = Bitte eine Antwort wählen
events-end-expected = Bitte eine Zeit nach dem Anfang eingeben
events-gone = Diese Auffälligkeit gibt es nicht mehr: Ihre Messwerte haben sich geändert, oder sie ist schon entschieden. Nichts wurde gespeichert
events-done-decided = Entschieden.
events-done-corrected = Korrigiert.
events-done-revoked = Widerrufen.
events-done-changed = Der Zählerwechsel ist gespeichert.
events-made = Korrekturen
events-made-number = Nummer { $number }
events-made-change = Der Zähler wurde am { $time } gewechselt: Der alte endete bei { $old }, der neue begann bei { $new }.
events-made-counts = Was am { $time } auffiel, zählt.
events-made-ignored = Was am { $time } auffiel, zählt nicht.
events-made-energy = Vom { $from } bis zum { $to } flossen { $energy }, gleichmäßig verteilt.
events-made-energy-weekday = Vom { $from } bis zum { $to } flossen { $energy }, verteilt wie an den gleichen Wochentagen.
events-made-wrong = Die Messwerte vom { $from } bis zum { $to } werden weggelassen.
events-made-factor-until = Vom { $from } bis zum { $to } wird die Energie mit { $factor } multipliziert.
events-made-factor = Ab dem { $from } wird die Energie mit { $factor } multipliziert.
events-made-utility = Der Zähler des Versorgers zeigte am { $time } { $shown }.
events-made-by = { $time }, { $author }
events-by-administrator = Administrator
events-by-command = Befehl
events-by-credential = API-Schlüssel { $id }
events-revoke = Widerrufen
events-revoked = widerrufen

### Meter

meter-title = Zählerstand eingeben
meter-sensors = Sensoren
meter-no-sensor = Noch gibt es keinen Sensor. Einer ohne Gerät genügt: Seine Energie ergibt sich aus den eingegebenen Zählerständen.
meter-add-sensor = Sensor hinzufügen
meter-choose = Welcher Zähler wird abgelesen?
meter-shown = Der Zähler zeigt, in kWh
meter-first = Alle Ziffern, etwa 12345,6
meter-last = Zuletzt: { $shown }, { $time }
meter-at = Abgelesen am
meter-at-hint = Leer: jetzt. Sonst nach der Uhr von { $zone }.
meter-shown-expected = Bitte den Zählerstand in kWh eingeben, etwa 12345,6
meter-kwh-expected = Bitte eine Zahl in kWh eingeben, etwa 1234,5
meter-time-expected = Bitte Datum und Uhrzeit eingeben, etwa 05.01.2026 10:30
meter-future = Bitte eine Zeit eingeben, die nicht in der Zukunft liegt
meter-old-expected = Ein Zähler läuft nicht rückwärts: Der Stand müsste mindestens so hoch sein wie der frühere
meter-doubt-below = Der Zähler zeigte am { $time } { $shown }: Der Stand müsste mindestens so hoch sein. Weniger stimmt nur nach einem Zählerwechsel
meter-doubt-above = Der Zähler zeigte am { $time }, also später, { $shown }: Der Stand dürfte höchstens so hoch sein
meter-doubt-usual = Das sind { $rise } mehr als { $shown } am { $time }. Üblich sind seitdem { $usual }: Der Stand müsste etwa { $expected } sein
meter-doubt-power = Das sind { $rise } mehr als { $shown } am { $time }, als wären seitdem ständig { $power } geflossen. Ist eine Ziffer zu viel?
meter-done-typed = Gespeichert.
meter-done-calibrated = Der Faktor gilt jetzt.
meter-calibrate = Faktor übernehmen
meter-done-untyped = Entfernt.
meter-readings = Zählerstände
meter-remove = Entfernen
meter-beside = Vergleich mit dem Sensor
meter-beside-lead = Energie zwischen zwei Ablesungen, nach dem Zähler und nach dem Sensor.
meter-drift-all = Der Sensor weicht ab um
meter-period = Von – bis
meter-of-utility = Zähler
meter-of-ledger = Sensor
meter-drift = Abweichung
meter-more = Ältere zeigt der Befehl wattkeeper utility.
meter-calibration =
    { $periods ->
        [one] In { $periods } Zeitraum
       *[other] In { $periods } Zeiträumen
    } seit dem { $from } weicht der Sensor um den gleichen Anteil ab. Mit { $factor } multipliziert, stimmt er mit dem Zähler überein.
meter-change = Zählerwechsel
meter-change-lead = Verbindet den alten Zähler mit dem neuen, sodass nichts verloren geht und nichts doppelt zählt.
meter-change-at = Gewechselt am
meter-old = Letzter Zählerstand des alten Zählers, in kWh
meter-old-hint = Zuletzt davor: { $register }
meter-new = Erster Zählerstand des neuen Zählers, in kWh
meter-new-hint = Neuester: { $register }
meter-register = { $shown }, { $time }

### Bills

bills-title = Rechnungen
bills-lead = Die Rechnungen des Versorgers, jede verglichen mit den Kosten aus Messwerten und Verträgen derselben Tage.
bills-entered = Eingetragene Rechnungen
bills-line = Posten
bills-billed = Rechnung
bills-computed = Berechnet
bills-difference = Abweichung
bills-total = Summe
bills-energy = Bezug laut Rechnung
bills-energy-drift = Die Sensoren weichen ab um
bills-remove = Diese Rechnung entfernen
bills-add = Rechnung eintragen
bills-total-field = Summe
bills-same = Eine solche Rechnung gibt es schon: { $range }, { $total }.
bills-kwh = Bezug in kWh, falls angegeben
bills-lines = Posten
bills-lines-hint = So viele wie gewünscht, mit den Namen aus dem Vertrag: Nacht, Grundpreis, MwSt. Gutschriften sind negativ.
bills-name = Name { $number }
bills-amount = Betrag { $number }
bills-more-lines = Weitere Posten
bills-save = Rechnung speichern
bills-date-expected = Bitte einen Tag eingeben, etwa 31.01.2026
bills-last-expected = Bitte den ersten Tag oder einen späteren eingeben
bills-amount-expected = Bitte einen Betrag eingeben, etwa 73,50
bills-line-expected = Posten { $number } braucht einen Namen und einen Betrag, etwa 73,50
bills-done-added = Rechnung gespeichert.
bills-done-removed = Rechnung entfernt.

### Frame

tab-dashboard = Übersicht
tab-energy = Energie
tab-meters = Zähler
tab-settings = Einstellungen
tab-status = Status
notices-open =
    { $count ->
        [one] 1 Benachrichtigung
       *[other] { $count } Benachrichtigungen
    }
notices-others = und { $count } weitere
change-more = mehr
change-less = weniger
change-none = unverändert

### Energy

energy-title = Energie
energy-help = Diagramm. Pfeil links und rechts lesen einzelne Balken, Eingabe öffnet einen, Bild auf und Bild ab führen zum früheren oder späteren Zeitraum.
energy-cut = Der erste und der letzte Balken umfassen nur einen Teil eines Monats.
energy-running = Dieser Zeitraum läuft noch.
energy-compared = Verglichen mit { $from } – { $to }.
energy-compared-day = Verglichen mit dem { $date }.
energy-compared-until = Verglichen mit dem { $date } bis { $clock } Uhr.
against-year = Mit dem Vorjahr vergleichen
against-before = Mit der Zeit davor vergleichen
energy-future = Dieser Zeitraum liegt in der Zukunft.
energy-nothing = Keine Messwerte in diesem Zeitraum.
energy-no-grid = Der Verbrauch ist nicht bekannt: Kein Sensor misst am Netzanschluss.
energy-is-partial = In { $share } der Zeit fehlen Messwerte: Die Summen enthalten nur, was gemessen wurde.
energy-is-estimated = { $share } der Zeit sind geschätzt: Gemessen ist dort nur die Summe.
energy-is-unpriced = { $share } der Energie haben keinen Preis und fehlen in den Kosten.
energy-house = Haus
energy-all-sums = Alle Summen
energy-paths = Woher der Strom kam und wohin er ging
hours-title = Stunden nach Tagen
hours-power = Leistung
hours-cost = Kosten
hours-price = Preis je kWh
hours-picture = { $what } jeder Stunde, { $range }
hours-empty = Leer: unbekannt
hours-table = Jede Stunde des Tages
energy-energy = Energie
energy-imported = Bezug
energy-exported = Einspeisung
energy-produced = Erzeugung
energy-charged = Geladen
energy-discharged = Entladen
energy-used = Verbrauch
energy-self_consumed = Eigenverbrauch
energy-self_consumption = Eigen{ "\u00AD" }verbrauchs{ "\u00AD" }quote
energy-self_sufficiency = Autarkiegrad
energy-other = Sonstiges
energy-cost = Kosten
energy-credit = Vergütung
energy-total = Gesamt
energy-estimated = Geschätzt
energy-partial = Fehlend
energy-unpriced = Ohne Preis
energy-from_solar = Solarstrom, direkt
energy-from_battery = Solarstrom aus der Batterie
energy-from_grid = Aus dem Netz
energy-from_unknown = Herkunft unbekannt
energy-own_share = Eigenstrom
energy-real_cost = Tatsächliche Kosten
energy-real_unpriced = Ohne Herkunft oder Preis
energy-before = zuvor: { $value }
energy-from-solar = Eigener Solarstrom
energy-from-battery = Aus der Batterie
energy-from-grid = Aus dem Netz
energy-used-before = Verbrauch, { $range }
energy-most-used = Höchster Verbrauch
energy-least-used = Niedrigster Verbrauch
energy-so-far = bis jetzt
energy-incomplete = unvollständig
energy-partly-estimated = teils geschätzt
energy-partly-unpriced = teils ohne Preis
energy-numbers = Dasselbe als Tabelle
energy-time = Zeit
energy-sum = Summe
energy-csv = CSV herunterladen

### Where does it go?

uses-title = Wohin fließt der Strom?
uses-none = Kein Gerät hat einen eigenen Sensor. Eine smarte Steckdose, als Gerät angelegt, zeigt hier ihren Anteil.
uses-other = Sonstiges
uses-night = Grundlast nachts: die niedrigste mittlere Leistung über vier Stunden am Stück, als Median der sieben Nächte bis zum { $date }. Geräte, die takten, brauchen gerade mehr oder weniger.
uses-always-on = Grundlast nachts { $power }
uses-cost = { $cost } zum Bezugspreis
uses-own = { $share } Eigenstrom
uses-real-cost = tatsächlich { $cost }, { $full } zum Bezugspreis
uses-inside = Enthält { $names }
uses-today = Heute, verglichen mit gestern bis zur gleichen Uhrzeit
uses-today-last-year = Heute, verglichen mit demselben Wochentag vor einem Jahr bis zur gleichen Uhrzeit
uses-folded =
    { $count ->
        [one] 1 weiteres Gerät
       *[other] { $count } weitere Geräte
    }

### Who used the sun?

sources-who = Wer hat die Sonne genutzt?
sources-device = Gerät
sources-show = Wer hat die Sonne genutzt? Für einen so langen Zeitraum dauert das einige Sekunden
sources-many = Wer hat die Sonne genutzt? Das zeigt wattkeeper für bis zu { $most } Geräte auf einmal. Hier sind es mehr: Jedes lässt sich einzeln ansehen.
sources-assumes = In jeder Viertelstunde teilen sich die Geräte Solarstrom, Batterie und Netz im Verhältnis ihres Verbrauchs. In den tatsächlichen Kosten zählt Strom aus dem Netz mit seinem Preis und Eigenstrom mit der Vergütung, die er bei Einspeisung gebracht hätte. Jedes Gerät führt zu seiner Aufstellung.

### Dashboard

dashboard-title = Übersicht
dashboard-refresh = Aktualisieren
dashboard-grid = Netz
dashboard-solar = Solar
dashboard-house = Haus
dashboard-battery = Batterie
dashboard-used = verbraucht
dashboard-net = Netz abzüglich Einspeisung
dashboard-today = Heute
dashboard-yesterday = Gestern
dashboard-week = Diese Woche
dashboard-month = Dieser Monat
dashboard-year = Dieses Jahr
dashboard-periods = Tage, Woche, Monat, Jahr
today-cheapest-hours = Günstigste { $hours } Stunden:
today-cheapest = heute { $time } für { $price }
today-cheapest-tomorrow = morgen { $time } für { $price }
today-no-prices-tomorrow = morgen: noch keine Preise
month-cause = Vor allem { $name }: { $change }
month-ahead = Bis Monatsende voraussichtlich { $likely }, in 8 von 10 Fällen { $low } bis { $high }.
dashboard-against-today = gestern bis zur gleichen Uhrzeit
dashboard-against-yesterday = am Tag davor
dashboard-against-week = vorige Woche bis zum gleichen Zeitpunkt
dashboard-against-month = voriger Monat bis zum gleichen Zeitpunkt
dashboard-against-year = voriges Jahr bis zum gleichen Zeitpunkt
dashboard-last-year-today = vor einem Jahr bis zur gleichen Uhrzeit
dashboard-last-year-yesterday = vor einem Jahr
dashboard-last-year-week = vor einem Jahr bis zum gleichen Zeitpunkt
dashboard-last-year-month = voriges Jahr bis zum gleichen Zeitpunkt
dashboard-net-import = aus dem Netz, abzüglich Einspeisung
dashboard-net-export = ins Netz, abzüglich Bezug
dashboard-to-energy = Woche, Monat, Jahr
dashboard-meters = Zähler
dashboard-last-reading = letzter Messwert { $date }
dashboard-none-authorized = Kein Sensor ist freigegeben
dashboard-all-revoked = Dieses Konto hat Sensoren, aber alle sind gesperrt.
dashboard-authorize = Einen Sensor freigeben
dashboard-first = Den ersten Sensor hinzufügen
dashboard-first-what = Ein Sensor ist alles, was Messwerte sendet: ein Lesekopf am Zähler, eine smarte Steckdose, ein Skript. Drei Schritte bis zum ersten Messwert.
dashboard-first-do = Sensor hinzufügen
prices-day = Strompreis
prices-now = Jetzt
prices-least = Niedrigster Preis ab jetzt
prices-most = Höchster Preis ab jetzt
prices-cheapest = Günstigste { $hours } Stunden ab jetzt
prices-help = Diagramm. Die Pfeiltasten nach links und rechts lesen einzelne Preise vor.
prices-all = Alle Preise
prices-price = Preis
cheapest-title = Wann ist Strom am günstigsten?
cheapest-hours = Stunden
cheapest-hours-hint = Von 0,25 bis 24.
cheapest-before = Fertig bis
cheapest-before-hint = Uhrzeit. Leer: bis morgen um Mitternacht.
cheapest-split = Auch in mehreren Teilen: die günstigsten Viertelstunden
cheapest-pieces = Die Teile
cheapest-price = Mittlerer Preis
cheapest-window = Mittlerer Preis, { $time }
cheapest-equal = In dieser Zeit sind alle Preise gleich.
cheapest-until = Es fehlen Preise. Der letzte bekannte endet am { $time }.
cheapest-none = Von { $from } bis { $to } ist kein Preis bekannt.
cheapest-few = Für so viele Stunden fehlen Preise. Der letzte bekannte endet am { $time }.
cheapest-assumption = Der Preis einer weiteren Kilowattstunde aus dem Netz bei gleichmäßigem Verbrauch, mit allen Preisbestandteilen pro Kilowattstunde und den Steuern des dann geltenden Vertrags. Nur jetzt bekannte Preise zählen, bei Staffelpreisen die erste Stufe. Solarstrom bleibt außen vor.
cheapest-wrong-hours = Bitte 0,25 bis 24 Stunden eingeben, etwa 3 oder 1,5.
cheapest-wrong-quarters = Bitte ganze Viertelstunden eingeben, etwa 1,25, oder auf Teile verzichten.
cheapest-wrong-before = Bitte eine Uhrzeit eingeben, etwa 07:00.
cheapest-wrong-past = Bitte eine Zeit nach { $start } eingeben.
cheapest-wrong-soon = Die Stunden passen nicht zwischen { $start } und diese Zeit. Bitte eine spätere Zeit oder weniger Stunden eingeben.
cheapest-wrong-late = Bitte eine Zeit höchstens 7 Tage nach { $start } eingeben.
dashboard-role-grid = Netz
dashboard-role-grid-import = Netzbezug
dashboard-role-grid-export = Einspeisung
dashboard-role-solar = Solaranlage
dashboard-role-battery = Batterie
dashboard-role-battery-charge = Batterie, Ladung
dashboard-role-battery-discharge = Batterie, Entladung
dashboard-role-sub-meter = Gerät
now-table = Leistung jetzt, als Tabelle
now-part = Teil
now-way = Richtung
now-state = Sendet
power-unknown = unbekannt
power-from-grid = aus dem Netz
power-into-grid = ins Netz
power-of-inverter = vom Wechselrichter verbraucht
power-produced = erzeugt
power-charging = lädt
power-discharging = entlädt
power-fed-back = zurückgespeist
power-used = verbraucht
power-since = seit { $time }
power-never = noch nichts gesendet
silence-uploading = sendet
silence-late = überfällig
silence-silent = sendet nicht

### Spitzen, wo ein Vertrag die Leistung bepreist

peak-running = Bis { $time }: bisher { $energy }, im Mittel voraussichtlich { $likely }
peak-left = bis { $level } bleiben { $left }
peak-not-now = Bis { $time } zählt keine Spitze
peak-unknown = Über die laufende Viertelstunde ist zu wenig bekannt
peak-so-far = bisherige Spitze { $peak }
peak-kilowatt = ein Kilowatt mehr kostet { $cost }

### Notices

notice-dismiss = Ausblenden
notice-dismissed = Benachrichtigung ausgeblendet.
notice-over = Das ist vorbei: { $happened }
notice-since = Seit { $time }.
notice-of-account = Konto: { $name }.
notice-more =
    { $count ->
        [one] 1 weitere Benachrichtigung
       *[other] { $count } weitere Benachrichtigungen
    }
notice-sensor-silent = Der Sensor { $name } sendet nichts mehr.
notice-event-open = Beim Zählerstand von { $name } ist etwas zu entscheiden.
notice-implausible-power = Der Sensor { $name } hat mehr Leistung gemeldet, als plausibel ist.
notice-power-drift = Leistung und Zählerstand von { $name } weichen um mehr als 5 % voneinander ab.
notice-inverted-sign = Der Sensor { $name } scheint andersherum zu zählen.
notice-unusual-day-more = Am { $date } hat das Haus { $used } verbraucht, mehr als die an diesem Wochentag üblichen { $least } bis { $most }.
notice-unusual-day-less = Am { $date } hat das Haus { $used } verbraucht, weniger als die an diesem Wochentag üblichen { $least } bis { $most }.
notice-see-day = Den Tag ansehen
notice-base-load-rose = Das Haus verbraucht nachts mehr als in den vier Wochen davor.
notice-base-load-rose-most = Das Haus verbraucht nachts mehr als in den vier Wochen davor, das meiste davon { $name }.
notice-prices-missing = Bei den Preisen { $name } fehlen welche.
notice-price-source-late = Die Quelle von { $name } ist überfällig: Es fehlen Werte, die inzwischen da sein müssten.
notice-price-conflict = Die Quelle von { $name } weicht von den gespeicherten Werten ab. Es gelten die gespeicherten Werte.
notice-peak-ahead = Bis { $time } bezieht das Haus im Mittel voraussichtlich { $likely }: mehr als die { $level }, die der Abrechnungszeitraum ohnehin erreicht. Das kostet { $cost } mehr.
notice-backup-overdue = Die letzte Sicherung ist alt, oder es gibt keine.
notice-disk-nearly-full = Der Datenträger ist fast voll.
notice-wrong-clock = Die Uhr wurde zurückgestellt oder ging vor: Der neueste Messwert liegt in der Zukunft.
notice-store-damaged = Der Speicher ist beschädigt: Ein Teil der Daten ist verloren.
notice-sensor-clock-ahead =
    Die Uhr von { $name } geht { $count } { $unit ->
        [min] min
        [h] h
       *[days] Tage
    } vor.
notice-sensor-clock-behind =
    Die Uhr von { $name } geht { $count } { $unit ->
        [min] min
        [h] h
       *[days] Tage
    } nach.
notice-unknown-field = { $name } sendet ein Feld „{ $sent }“, das nicht gespeichert wird: Es müsste { $meant } heißen.
notice-register-in-kwh = Der Zählerstand von { $name } scheint in kWh statt in Wh zu kommen: Er zählt nur ein Tausendstel der Energie.
notice-power-in-kw = Die Leistung von { $name } scheint in kW statt in W zu kommen.
notice-same-meter = Diese Sensoren zählen Stunde für Stunde dieselbe Energie: { $name }. Sie scheinen ein und derselbe Zähler zu sein, der so doppelt zählt.
notice-grid-swapped = Das Haus speist mehr Energie ein, als es haben kann: Bezug und Einspeisung scheinen vertauscht zu sein.
notice-parts-exceed-house = Die Geräte haben zusammen mehr Energie verbraucht als das ganze Haus.
notice-advice-sensor-silent = Stromversorgung, Netzwerk und das sendende Programm prüfen.
notice-advice-event-open = Entscheiden, ob es zählt, oder angeben, dass der Zähler gewechselt wurde.
notice-advice-implausible-power = Sensor prüfen; ist solche Leistung echt, sie unter Auffälligkeiten zählen lassen oder die plausible Leistung erhöhen.
notice-advice-power-drift = Prüfen, ob Leistung (W) und Zählerstand (Wh) vom selben Zähler stammen. Die Energie ergibt sich aus dem Zählerstand.
notice-advice-inverted-sign = Stromwandler umdrehen oder Vorzeichen umkehren; stimmt es, prüfen, welchen Teil des Hauses er misst.
notice-advice-unusual-day = Herausfinden, wann es war und welches Gerät es verursacht hat.
notice-advice-base-load-rose = Prüfen, was seitdem zusätzlich läuft, etwa eine Pumpe, eine Heizung oder ein Gefrierschrank.
notice-advice-prices-missing = Preise importieren und den täglichen Import oder die Preisquelle prüfen: Bis dahin hat diese Energie keinen Preis.
notice-advice-price-source-late = In den Einstellungen unter Preisquellen stehen die letzte Antwort und die Abhilfe. Bis die Quelle antwortet, lassen sich die Preise importieren.
notice-advice-price-conflict = Prüfen, welche stimmen. Falsche gespeicherte Werte entfernen: Sie werden dann neu geholt. Stimmen sie, diese Benachrichtigung ausblenden.
notice-advice-peak-ahead = Ein großes Gerät ausschalten oder erst in ein paar Minuten starten.
notice-advice-backup-overdue = Im Protokoll nachsehen, warum Sicherungen scheitern, und prüfen, ob ihr Ordner da ist und Platz hat.
notice-advice-disk-nearly-full = Platz schaffen: Ist der Datenträger voll, wird kein Messwert mehr angenommen.
notice-advice-wrong-clock = Prüfen, ob die Uhrzeit dieses Rechners stimmt und ob ein Zeitserver sie stellt.
notice-advice-store-damaged = In den Einstellungen unter „Speicher“ ansehen, was verloren ist, bei Bedarf dort eine Sicherung einspielen, dann bestätigen. Den Datenträger oder die SD-Karte besser ersetzen.
notice-advice-sensor-clock = Uhrzeit und Zeitzone des Geräts oder des sendenden Programms stellen: Eine Zeit ohne Zeitzone gilt als UTC.
notice-advice-unknown-field = Den Namen im sendenden Programm berichtigen: Bis dahin geht der Wert verloren.
notice-advice-register-in-kwh = Wattstunden senden: den Wert im sendenden Programm mit 1000 malnehmen oder die Einheit seines Topics einstellen. Danach die bisherigen Messwerte löschen.
notice-advice-power-in-kw = Watt senden: den Wert im sendenden Programm mit 1000 malnehmen oder die Einheit seines Topics einstellen. Danach die bisherigen Messwerte löschen.
notice-advice-same-meter = Einen davon entfernen oder ihn in seinen Einstellungen zu einem Teil des anderen machen.
notice-advice-grid-swapped = In den Einstellungen der Sensoren am Netz vertauschen, was sie messen. Speist eine Batterie oder eine andere Anlage ein, einen Sensor dafür anlegen.
notice-advice-parts-exceed-house = Prüfen, ob der Sensor am Netz das ganze Haus misst und nicht nur eine Steckdose. Hat die Solaranlage oder die Batterie keinen Sensor, einen anlegen.

### Status

status-disk-fine = Der Datenträger reicht: Die Daten belegen { $size } und wachsen um etwa { $growth } am Tag, der Platz reicht für mehr als zehn Jahre.
status-disk-days =
    { $days ->
        [one] Die Daten belegen { $size } und wachsen um etwa { $growth } am Tag: Der Datenträger ist in einem Tag voll.
       *[other] Die Daten belegen { $size } und wachsen um etwa { $growth } am Tag: Der Platz reicht für { $days } Tage.
    }
status-disk-unknown = Die Daten belegen { $size }. Seit einem Tag kamen keine Messwerte an, daher ist nicht bekannt, wie sie wachsen.

### People

people-title = Personen
people-me = Mein Zugang
people-settings = Einstellungen
people-and-tablets = Personen und Wandtablets
people-lead = Personen melden sich mit Name und Passwort an und sehen nur die Konten, die hier gewählt sind. Der Administrator sieht alles und meldet sich ohne Namen an.
people-all = Alle Personen
people-nobody = Bisher niemand außer dem Administrator.
people-add = Person anlegen
people-name = Name
people-name-of-administrator = Der Administrator lässt dieses Feld leer.
people-wrong = Name oder Passwort falsch
people-name-hint = Mit diesem Namen meldet sich die Person an.
people-password = Passwort
people-password-hint = Mindestens { $count } Zeichen. Alle Browser dieser Person werden abgemeldet.
people-change-password = Passwort ändern
people-set-password = Passwort setzen
people-account = Konto
people-accounts = Konten
people-none = kein Konto
people-tenant = Mieter
people-viewer = nur ansehen
people-member = Mitglied
people-choice-none = Nichts: Für diese Person gibt es das Konto nicht
people-choice-tenant = Mieter: sieht nur die Zähler der eigenen Mietverhältnisse
people-choice-viewer = Nur ansehen
people-choice-member = Mitglied: korrigiert auch Messwerte, ändert Verträge und Rechnungen, blendet Benachrichtigungen aus, sieht die API-Schlüssel
people-no-account = Noch ist kein Konto sichtbar. Der Administrator kann eines freigeben.
people-save = Speichern
people-remove = Person entfernen
people-remove-what = Alle Browser der Person werden abgemeldet. Messwerte und Korrekturen bleiben erhalten.
people-done-added = Person angelegt.
people-done-removed = Person entfernt.
people-done-password = Passwort gesetzt. Alle Browser dieser Person wurden abgemeldet.
people-done-own-password = Passwort geändert. Alle anderen Browser wurden abgemeldet.
people-done-saved = Gespeichert.
people-done-unlinked = Entfernt. Ab jetzt meldet sich dieser Benutzer von Home Assistant mit einem Passwort an.
people-linked = Anmeldung über Home Assistant
people-linked-what = Diese Benutzer von Home Assistant öffnen wattkeeper ohne Passwort. Ein neues Passwort der Person beendet das.
people-linked-own = Diese Benutzer von Home Assistant öffnen wattkeeper mit diesem Zugang, ohne Passwort. Ein neues Passwort beendet das.
people-linked-to = Als { $name }
people-linked-to-administrator = Als Administrator
people-unlink = Entfernen

### Wall tablets

wall-title = Wandtablets
wall-lead = Ein Wandtablet zeigt ein Konto allen im Raum. Dort einmal den Link öffnen: Er braucht kein Passwort und kann nichts ändern.
wall-links = Links
wall-none = Noch keine Links.
wall-new = Neuer Link
wall-name = Name
wall-name-hint = Wo das Tablet hängt, zum Beispiel Flur.
wall-make = Link erstellen
wall-revoke = Sperren
wall-last-used = zuletzt benutzt { $time }
wall-never-used = nie benutzt
wall-once = Der Link wird nur einmal angezeigt: Gespeichert ist nur ein Hash. Jetzt im Browser des Tablets öffnen. Wer den Link hat, sieht das Konto.
wall-link = Link
wall-done = Fertig
wall-done-revoked = Link gesperrt. Das Tablet zeigt nichts mehr.
wall-go-on = Übersicht zeigen
wall-as-of = Stand { $clock }
wall-now = Jetzt
wall-nothing = Noch keine Messwerte.
wall-energy = Energie
wall-period = Zeitraum
wall-today = Heute
wall-yesterday = Gestern
wall-this-month = Dieser Monat
wall-solar = Solar
wall-house = Haus
wall-cost = Kosten
wall-incomplete = unvollständig

### Einen Sensor hinzufügen

wizard-title = Sensor hinzufügen
wizard-title-of = { $name } verbinden
wizard-back = Einstellungen
wizard-which-device = Welches Gerät misst?
wizard-back-question = Vorige Frage
wizard-home = Gibt es Home Assistant?
wizard-home-yes = Ja
wizard-home-yes-about = wattkeeper liest seine Sensoren samt Verlauf und schlägt das Haus so vor, wie es im Energie-Dashboard steht
wizard-home-no = Nein, oder das Gerät ist nicht darin
wizard-home-no-about = einen Zähler oder ein Gerät selbst verbinden
wizard-what = Was gibt es zu Hause?
wizard-how = Wie kommen die Messwerte hierher?
thing-grid = Stromzähler
thing-panels = Solaranlage
thing-battery = Batterie
thing-wallbox = Wallbox
thing-heat-pump = Wärmepumpe
thing-flat = Wohnung
thing-other = Etwas anderes
thing-about-grid = was das Haus bezieht und einspeist
thing-about-panels = auf dem Dach oder am Balkon
thing-about-battery = was hineingeht und herauskommt
thing-about-wallbox = lädt ein Auto
thing-about-heat-pump = Heizung und Warmwasser
thing-about-flat = eine Wohnung oder ein Mieter, mit eigener Abrechnung
thing-about-other = zum Beispiel ein Gerät an einer Messsteckdose
way-mqtt = Über MQTT
way-address = Das Gerät hat eine Adresse im Netzwerk
way-script = Ein Skript oder Programm sendet sie
way-file = Aus einer Datei
way-person = Der Zähler wird abgelesen
way-name = Der Name des Geräts ist bekannt
way-about-mqtt = es sendet an einen Broker wie Mosquitto
way-about-address = wattkeeper fragt es alle paar Sekunden; ein Broker ist nicht nötig
way-about-script = eine Zeile mit curl genügt
way-about-file = ein Export des Versorgers oder eines anderen Programms
way-about-person = eine Seite fürs Handy prüft jede Ablesung
way-about-name = zum Beispiel Shelly, Tasmota oder Fronius
wizard-another = Ein anderes Gerät
wizard-another-mqtt = die Seite zeigt, was der Broker hört
wizard-another-address = jedes Gerät, das mit JSON oder über Modbus mit SunSpec antwortet
wizard-other-device = Anderes Gerät
wizard-what-it-measures = Was misst es?
wizard-name = Name
wizard-name-hint = Zum Beispiel Haus, Solaranlage oder Waschmaschine.
wizard-role = Misst
wizard-role-missing = Bitte wählen, was er misst.
at-grid-title = Am Netz
at-grid-question = Am Netz misst schon ein anderer Sensor: { $others }. Was misst { $sensor } daneben?
at-grid-phase = Eine weitere Phase desselben Zählers: In jeder Minute werden Bezug und Einspeisung aller Phasen verrechnet, wie es der Zähler tut
at-grid-sub-meter = Einen Teil davon, etwa eine Wärmepumpe dahinter: Er zählt dann als Gerät und erhöht den Bezug nicht
at-grid-connection = Einen weiteren Anschluss oder ein weiteres Zählwerk desselben Zählers, etwa für den Nachttarif: Beide werden zusammengezählt
wizard-part-of = Teil von
wizard-part-of-hint = Nur wählen, wenn ein anderer Sensor dieses Gerät schon mitmisst.
wizard-part-of-none = dem Haus
wizard-account = Konto
wizard-account-hint = Eines je Haus genügt.
wizard-id-summary = Sensor-ID selbst wählen
wizard-id = Sensor-ID
wizard-id-hint = Das Gerät sendet sie mit jedem Messwert. Ohne Angabe wird sie aus dem Namen gebildet. Später lässt sie sich nicht ändern.
wizard-id-taken = Den Sensor { $id } gibt es schon. Bitte eine andere ID wählen.
wizard-name-taken = Einen Sensor mit diesem Namen gibt es schon, er misst etwas anderes. Einen anderen Namen wählen.
wizard-add = Weiter
wizard-key = Schlüssel
wizard-key-once = Der Schlüssel wird nur einmal angezeigt: Gespeichert ist nur ein Hash. Mit ihm lassen sich Messwerte senden, sonst nichts.
wizard-key-needed = In den Zeilen unten fehlt noch ein Schlüssel anstelle von API_ID und API_KEY. Frühere Schlüssel gelten weiter, bis sie gesperrt werden.
wizard-key-make = Schlüssel erzeugen
wizard-copy-lines = die Zeilen
wizard-device = Am Gerät
wizard-read = Ablesen
wizard-local = wattkeeper ist nur auf diesem Rechner erreichbar. Für Geräte im Netzwerk zuerst `http.listen` in der Konfigurationsdatei auf 0.0.0.0:{ $port } setzen, neu starten und diese Seite unter der Netzwerkadresse des Rechners öffnen. Ein vorher erstellter Schlüssel bleibt gültig.
wizard-shelly-device = In den Einstellungen des Shelly MQTT einschalten und den Broker eintragen. Bei Plus, Pro, Gen3 und neueren auch den Haken bei „RPC status notifications“ setzen: Erst dann sendet er Messwerte.
wizard-tasmota-menu = In der Oberfläche des Geräts unter Einstellungen, Sonstige Konfiguration den Haken bei „MQTT aktivieren“ setzen. Dann unter Einstellungen, MQTT konfigurieren Host und Port des Brokers eintragen und ein Topic, das kein anderes Gerät hat, zum Beispiel { $topic }. Full Topic bleibt, wie es ist. Messwerte kommen dann unter tele/{ $topic }/SENSOR.
wizard-tasmota-period = Es sendet alle fünf Minuten. Für einen Messwert je Minute diese Zeile in die Konsole des Geräts einfügen.
wizard-zigbee2mqtt-device = Zigbee2MQTT sendet Messwerte von selbst. Diese Zeilen in dessen Konfigurationsdatei eintragen, damit jeder Messwert seine Zeit enthält.
wizard-p1-device = Ein P1-Anschluss wird mit einem Programm wie DSMR-reader gelesen. Dort MQTT mit einem Topic für jeden Wert oder als JSON einschalten, mit den vorgeschlagenen Topics.
wizard-homewizard-device = In der HomeWizard-App in den Einstellungen des Geräts die lokale API einschalten.
wizard-fronius-device = In der Oberfläche des Wechselrichters unter Kommunikation die Solar API einschalten.
wizard-sunspec-device = In der Oberfläche des Geräts Modbus TCP mit SunSpec einschalten.
wizard-two-ways = Einen von zwei Wegen wählen.
wizard-by-address = Über seine Adresse
wizard-polled = wattkeeper kann es unter seiner Adresse im eigenen Netz abfragen. Dafür ist kein Broker nötig.
wizard-heard = { $count ->
        [one] Ein solches Gerät ist am Broker zu hören. Mit einem Klick hinzufügen.
       *[other] { $count } solche Geräte sind am Broker zu hören. Jedes mit einem Klick hinzufügen.
    }
wizard-not-heard = Noch hat kein solches Gerät etwas an den Broker gesendet. Nach seiner nächsten Nachricht erscheint es bei den Geräten am Broker; dort hinzufügen.
wizard-topic = Oder sein Topic
wizard-topic-hint = Für ein Gerät mit nur einem Zähler: wattkeeper hört es dann sofort ab und zeigt seine erste Nachricht.
wizard-topic-wrong = Erwartet wird ein Topic ohne Leerzeichen und ohne +, # und /.
wizard-topic-listen = Dieses Topic abonnieren
wizard-tasmota-console = Diese Zeilen in die Konsole des Geräts einfügen. TelePeriod ist die Zeit zwischen zwei Messwerten in Sekunden.
wizard-esphome-file = Diese Zeilen in die Konfiguration des Knotens eintragen. Statt power die ID seines Leistungssensors einsetzen.
wizard-iotawatt-setup = Unter Setup, Uploaders einen influxDB-Uploader mit diesen Einstellungen anlegen.
wizard-emonpi-file = Diese Zeilen in emonhub.conf eintragen: die ersten bei den Interfacers, die letzten mit der Nummer des Knotens anstelle von 10.
wizard-home-assistant-packages = Einmal für alle Sensoren: diese Zeilen in configuration.yaml von Home Assistant eintragen und daneben den Ordner packages anlegen. Gibt es die Zeile homeassistant: schon, nur die darunter eintragen.
wizard-home-assistant-file = Für diesen Sensor: diese Zeilen in jenem Ordner als { $file } speichern, mit der eigenen Entität statt sensor.house_power, und Home Assistant neu starten.
wizard-script-shell = In einer Shell ausprobieren. watts ist die Leistung, watthours der Zählerstand; eines von beiden kann fehlen.
wizard-script-python = Dasselbe in Python.
wizard-file-command = Auf dem Rechner ausführen, auf dem wattkeeper läuft.
wizard-file-formats = Gelesen werden CSV mit einer Spalte für die Zeit sowie Exporte von Emoncms, Home Assistant und InfluxDB. Gespeichert wird nur, wenn die ganze Datei stimmt.
wizard-person-page = Den Zählerstand beim Vorbeigehen eingeben. Eine Seite für das Handy vergleicht ihn mit dem letzten.
wizard-person-open = Zählerstand eingeben
wizard-check = Prüfen, ob etwas ankommt
wizard-check-open = Ersten Messwert ansehen
wizard-connect = Gerät verbinden
wizard-check-title = Erste Messwerte von { $name }
wizard-dashboard = Zur Übersicht
wizard-settings = Einstellungen des Sensors
wizard-newest = Neuester Messwert
wizard-power = Leistung
wizard-register = Zählerstand
wizard-guess = Das passt nicht zu den Einstellungen
wizard-guess-accept = Einstellungen ändern
wizard-fine = Diese Messwerte passen zu den Einstellungen des Sensors.
wizard-nothing = Noch ist nichts angekommen. Noch einmal nachsehen, wenn das Gerät gesendet hat.
wizard-again = Noch einmal nachsehen
device-shelly = Shelly
device-tasmota-mqtt = Tasmota
device-tasmota = Tasmota ohne Broker
device-zigbee2mqtt = Zigbee2MQTT
device-esphome = ESPHome
device-p1 = P1-Anschluss (DSMR)
device-homewizard = HomeWizard
device-fronius = Fronius
device-sunspec = Wechselrichter oder Zähler mit SunSpec
device-iotawatt = IoTaWatt
device-emonpi = emonPi, emonTx, emonHub
device-home-assistant = Home Assistant
device-script = Skript oder Programm
device-file = Datei mit früheren Messwerten
device-person = Zähler, von Hand abgelesen
device-about-shelly = alle Generationen; über seine Adresse oder MQTT
device-about-tasmota-mqtt = Steckdosen und Leseköpfe, über das eigene MQTT
device-about-tasmota = eine Regel des Geräts sendet
device-about-zigbee2mqtt = Steckdosen und Zähler mit Zigbee, über MQTT
device-about-esphome = eigene ESP-Geräte
device-about-p1 = Zähler in den Niederlanden, Belgien und Luxemburg, über MQTT
device-about-homewizard = P1-Meter, kWh-Meter, Steckdose; über seine Adresse
device-about-fronius = Wechselrichter oder der Zähler daneben; über seine Adresse
device-about-sunspec = SMA, Kostal, SolarEdge und andere mit Modbus; über seine Adresse
device-about-iotawatt = Stromwandler, über seinen Uploader
device-about-emonpi = über emonHub
device-about-home-assistant = jede Entität, die eine Leistung misst
device-about-script = HTTP mit JSON
device-about-file = CSV und Exporte
device-about-person = mit dem Handy
whole-house-evcc = evcc
whole-house-about-evcc = Netz, Solaranlage, Batterie und Wallboxen auf einmal, über MQTT
whole-house-set-up-evcc = In evcc unter Konfiguration, Integrationen, MQTT den Broker eintragen; das Topic bleibt evcc. Netzzähler, Solaranlage, Batterie und Wallboxen erscheinen dann hier. Weglassen, was schon ein anderer Sensor misst.
guess-sign-as-is = Seine Leistung zählt schon richtig herum, aber der Sensor ist umgekehrt eingestellt.
guess-sign-inverted = Seine Leistung ist negativ, was nicht zu dem passt, was er misst: Er zählt andersherum.
guess-power-sign-as-is = Seine Leistung zählt schon richtig herum, ist aber umgekehrt eingestellt.
guess-power-sign-inverted = Seine Leistung ist negativ, was nicht zu dem passt, was er misst: Die Leistung zählt andersherum.
guess-register-sign-as-is = Sein Zählerstand zählt schon richtig herum, ist aber umgekehrt eingestellt.
guess-register-sign-inverted = Sein Zählerstand fällt, was nicht zu dem passt, was er misst: Der Zählerstand zählt andersherum.
guess-between-line = Seine Leistung kommt in festen Abständen: Das Mittel zweier Werte kommt der Leistung dazwischen am nächsten.
guess-between-hold = Seine Leistung kommt unregelmäßig, wenn sie sich ändert: Jeder Wert zählt bis zum nächsten.
guess-register-net = Sein Zählerstand steigt und fällt, wie bei einem Zähler, der bei Einspeisung rückwärts läuft.
guess-register-counter = Sein Zählerstand steigt nur, wie bei einem gewöhnlichen Zähler.
guess-register-interval = Sein Zählwerk beginnt mit jedem Wert neu, wie bei Energie je Zeitraum.
settings-sensors = Sensoren
settings-add-sensor = Sensor anlegen
settings-no-sensors = Noch keine Sensoren. Ein Sensor ist alles, was Messwerte sendet: ein Zähler, eine smarte Steckdose, ein Skript.
settings-last-upload = Zuletzt gesendet { $time }
settings-no-upload = Noch nichts gesendet
settings-readings =
    { $count ->
        [one] { $shown } Messwert
       *[other] { $shown } Messwerte
    }
settings-of-account = Konto
settings-keys = API-Schlüssel
settings-create-key = API-Schlüssel erzeugen
settings-no-keys = Noch keine API-Schlüssel. Sensoren und Programme melden sich mit einem API-Schlüssel an.
settings-last-used = Zuletzt benutzt { $time }
settings-never-used = Nie benutzt
settings-accounts = Konten
settings-add-account = Konto anlegen
settings-no-accounts = Noch keine Konten. Zu einem Konto gehören Sensoren und API-Schlüssel. Eines pro Haus genügt.
settings-sensor-count =
    { $count ->
        [one] 1 Sensor
       *[other] { $count } Sensoren
    }
settings-password = Passwort
settings-password-hint = Mindestens { $count } Zeichen. Eine Änderung meldet alle anderen Browser ab.
settings-change-password = Passwort ändern
settings-account = Konto
settings-name = Name
settings-save = Speichern
settings-remove = Entfernen

### Frame of each page

frame-skip = Zum Inhalt springen
frame-pages = Seiten
frame-sign-out = Abmelden
frame-api = API
frame-region = Region
frame-region-none = Wie die Sprache
frame-region-choose = Region wählen
frame-language = Sprache
frame-problem = Da stimmt etwas nicht
frame-open-dashboard = Zur Übersicht
frame-accounts = Konten
language-name = Deutsch

### Ranges of time

span-range = Zeitraum
span-from-to = { $from } – { $to }
span-unit-24h = 24 Stunden
span-unit-hour = Stunde
span-unit-day = Tag
span-unit-week = Woche
span-unit-month = Monat
span-unit-year = Jahr
span-unit-contract = Vertragsjahr
span-unit-all = Alles
span-earlier = Früher
span-later = Später
span-first-day = Erster Tag
span-last-day = Letzter Tag
span-show = Anzeigen
span-now = Heute
span-other = Andere Tage
span-problem = Bitte zwei Tage eingeben, den ersten nicht nach dem zweiten, höchstens { $years } Jahre auseinander.

### Live values

live-on = live
live-off = abgemeldet
live-lost = getrennt, neuer Versuch

### Errors

offline-title = Der Server ist nicht erreichbar
offline-remedy = Er ist aus, oder dieses Gerät ist in einem anderen Netz. Verloren ist nichts: Sensoren, die ihre Messwerte aufheben, senden sie später.
offline-again = Noch einmal versuchen
error-api = Da ist etwas schiefgegangen
error-refused = Der Dienst hat diese Anfrage nicht angenommen. Seine Meldung auf Englisch: { $detail }
error-form = Es wurde nichts geändert
error-expired = Dieses Formular ist abgelaufen
error-expired-remedy = Es wurde nichts geändert. Zurückgehen, die Seite neu laden und das Formular noch einmal absenden.
form-kept = Inzwischen war eine Anmeldung nötig. Noch ist nichts gespeichert: bitte die Eingaben prüfen und speichern.
form-changed = Das wurde inzwischen geändert. Noch ist nichts gespeichert: Erneutes Speichern ersetzt es.
form-changed-value = { $label }: gespeichert „{ $stored }“, hier „{ $typed }“.
form-changed-none = nichts
kept-title = Angemeldet
kept-lead = Die Eingaben sind noch da, ohne Passwörter. Gespeichert ist noch nichts.
kept-continue = Zurück zu den Eingaben
sign-in-kept = Die Sitzung ist abgelaufen. Nach der Anmeldung kommen die Eingaben zurück.
error-setup = Diese Einrichtungsadresse gilt nicht
error-wall = Dieser Link gilt nicht mehr
error-wall-remedy = Der Administrator kann einen neuen erstellen.
error-setup-remedy = Sie gilt nur einmal und nur, bis wattkeeper beendet wird. Gibt es schon ein Administrator-Passwort: anmelden, oder auf dem Server mit `wattkeeper password` ein neues setzen. Sonst `wattkeeper serve` neu starten: Es gibt eine neue Adresse aus.
error-not-found = Diese Seite gibt es nicht
error-not-found-remedy = Bitte die Adresse auf Tippfehler prüfen.
error-method = Diese Methode ist nicht erlaubt
error-method-remedy = Es wurde nichts geändert.
error-too-large = Das ist zu viel auf einmal
error-too-large-remedy = Es wurde nichts gespeichert. Bitte in mehreren Teilen senden. Die Meldung auf Englisch: { $detail }.
error-too-many = Zu viele Anfragen
error-too-many-remedy = Bitte einen Moment warten und es dann noch einmal versuchen.
error-busy = Der Server ist ausgelastet
error-busy-remedy = Bitte gleich noch einmal versuchen.

### Mistakes in forms: what the field expects. A choice with one branch leaves out the value: the English message.

problem-name =
    { $detail ->
       *[other] Der Name wurde nicht angenommen: Er muss neu sein, 1 bis 128 Zeichen lang und ohne Steuerzeichen.
    }
problem-id =
    { $detail ->
       *[other] Die Sensor-ID wurde nicht angenommen: Sie muss neu sein, 1 bis 64 Zeichen lang und ohne Steuerzeichen.
    }
problem-zone =
    { $detail ->
       *[other] Diese Zeitzone gibt es nicht. Bitte einen Namen eingeben, etwa Europe/Berlin.
    }
problem-price =
    { $detail ->
       *[other] Der Preis wurde nicht angenommen. Bitte eine Zahl eingeben, etwa 0,3215.
    }
problem-currency =
    { $detail ->
       *[other] Die Währung wurde nicht angenommen. Bitte ein Kürzel eingeben, etwa EUR.
    }
problem-date =
    { $detail ->
       *[other] Das Datum wurde nicht angenommen. Bitte einen Tag eingeben, etwa 08.07.2026.
    }
problem-password =
    { $detail ->
       *[other] Das Passwort wurde nicht angenommen: Es ist zu kurz oder zu lang.
    }
problem-other = Diese Angabe wurde nicht angenommen. Die Meldung auf Englisch: { $detail }

### Sign in

sign-in-title = Anmelden
sign-in-forgot = Vergessen? Bitte den Administrator fragen; er führt auf dem Server `wattkeeper password` aus.
sign-in-not-set = Es gibt noch kein Administrator-Passwort. Die Einrichtungsadresse öffnen, die `wattkeeper serve` beim Start ausgegeben hat, oder `wattkeeper password` auf dem Server ausführen.
sign-in-wrong = Falsches Passwort.
sign-in-too-many-here = Zu viele Versuche von dieser Adresse. Neuer Versuch in { $seconds } s.
sign-in-differ = Die Passwörter stimmen nicht überein.
sign-in-link = Ab jetzt über Home Assistant anmelden
sign-in-link-hint = Wer Home Assistant als { $user } benutzt, öffnet wattkeeper dann ohne dieses Passwort.
sign-in-link-too-many = Acht Benutzer von Home Assistant sind schon verbunden, mehr geht nicht. Bitte einen entfernen oder das Häkchen wegnehmen.
sign-in-unlinked = Dieser Benutzer von Home Assistant braucht wieder ein Passwort.
sign-in-continue = Weiter als { $name }
sign-in-continue-administrator = Weiter als Administrator
sign-in-as-another = Oder mit Passwort anmelden:

### Setup

setup-title = Einrichtung
setup-welcome = Willkommen bei wattkeeper
setup-lead = Bitte ein Administrator-Passwort wählen. Es wird für Übersicht, Einstellungen und Statusseite gebraucht.
password-current = Bisheriges Passwort
password-new = Neues Passwort
password-again = Passwort wiederholen
setup-hint = Mindestens { $count } Zeichen. Ein paar zufällige Wörter eignen sich gut.
setup-set = Passwort setzen

### Accounts

account-plan = Tarif
account-plan-paid = bezahlt
account-plan-free = kostenlos
account-paid = Bezahlt: alle Funktionen
account-free = Kostenlos: Programme können den Nettoverbrauch nicht abfragen
account-phases = Mehrere Sensoren am Netz
account-phases-hint = Der Zähler des Versorgers verrechnet die Phasen: Nur ihre Summe zählt als Bezug oder Einspeisung.
account-phases-separate = Getrennt: Bezug und Einspeisung jedes Sensors zählen für sich
account-phases-balanced = Verrechnet: Die Sensoren messen die Phasen eines Zählers; Bezug und Einspeisung derselben Minute werden verrechnet
account-has-sensors = Ein Konto mit Sensoren lässt sich nicht entfernen.
account-sensors-first = Zuerst die Sensoren löschen.
account-remove-hint = Sperrt auch seine API-Schlüssel. Das lässt sich nicht rückgängig machen.
account-remove = Konto entfernen
account-zone = Zeitzone
account-zone-hint = Tage, Wochen und Monate beginnen um Mitternacht in dieser Zeitzone.
account-choose-zone = Zeitzone wählen

### API keys

key-title = API-Schlüssel
key-scope = Rechte
key-created = Erzeugt
key-last-used = Zuletzt benutzt
key-never = nie
key-rotate-title = Erneuern
key-rotate-hint = Ersetzt den api_key; die api_id bleibt. Der alte api_key gilt sofort nicht mehr, der neue wird nur einmal angezeigt.
key-rotate = api_key erneuern
key-revoke-title = Sperren
key-revoke-hint = Alles, was diesen Schlüssel benutzt, verliert sofort den Zugang. Das lässt sich nicht rückgängig machen.
key-revoke = API-Schlüssel sperren
key-does-full = senden und abrufen
key-does-read = nur abrufen
key-does-write = nur senden
key-lead = Ein Sensor oder Programm meldet sich mit einem API-Schlüssel an: einer api_id und einem api_key. Am besten bekommt jedes einen eigenen: So lässt sich einer sperren, ohne die anderen zu stören.
key-label = Bezeichnung
key-label-hint = Das Gerät oder Programm, das den Schlüssel benutzt. Optional.
key-full = Senden und abrufen
key-write = Nur senden: für Sensoren
key-read = Nur abrufen: für Programme, die Messwerte zeigen
key-new = Neuer API-Schlüssel
key-new-secret = Neuer api_key
key-once = Der api_key wird nur einmal angezeigt: Gespeichert ist nur ein Hash. Jetzt kopieren.
key-done = Fertig

### Copy buttons

copy-word = Kopieren
copy-what = { $what } kopieren
copy-id = die api_id
copy-key = den api_key
copy-copied = Kopiert
copy-by-keys = Strg+C drücken

### Sensors

sensor-revoked = gesperrt
sensor-active = sendet
sensor-silent = sendet nicht
sensor-title = Sensor
sensor-chart = Diagramm
sensor-id = Sensor-ID
sensor-last-upload = Zuletzt gesendet
sensor-none-yet = noch nie
sensor-stored = Gespeicherte Messwerte
sensor-measures = Einstellungen
sensor-register = Zählwerk
sensor-register-net = Läuft rückwärts, solange eingespeist wird
sensor-register-counter = Zähler: zählt nur aufwärts; ein kleinerer Wert heißt, dass er zurückgesetzt wurde
sensor-register-interval = Intervall: jeder Wert ist die Energie seit dem Wert davor
sensor-power-sign = Vorzeichen der Leistung
sensor-register-sign = Vorzeichen des Zählerstands
sensor-as-is = Wie gesendet
sensor-inverted = Umgekehrt: zählt andersherum
sensor-between = Leistung zwischen zwei Messwerten
sensor-between-line = Geradlinig vom einen zum anderen: für Geräte, die in festen Abständen senden
sensor-between-hold = Bleibt bis zum nächsten: für Geräte, die bei einer Änderung der Leistung senden
sensor-revoke-title = Sperren
sensor-authorize-title = Freigeben
sensor-revoke-hint = Ein gesperrter Sensor kann keine Messwerte senden, und seine Messwerte können nicht abgerufen werden. Sie bleiben erhalten, und er lässt sich wieder freigeben.
sensor-authorize-hint = Dieser Sensor ist gesperrt: Er kann keine Messwerte senden, und seine Messwerte können nicht abgerufen werden. Sie bleiben erhalten.
sensor-revoke = Sensor sperren
sensor-authorize = Sensor freigeben
sensor-remove-title = Löschen
sensor-remove-hint = Löscht den Sensor und alle seine Messwerte. Das lässt sich nicht rückgängig machen.
sensor-type = Zur Bestätigung die Sensor-ID
sensor-type-end = eintippen
sensor-remove = Sensor und Messwerte löschen
sensor-not-its-id = Das ist nicht die Sensor-ID. Es wurde nichts gelöscht.

### Roles of sensors

role-title = Misst
role-grid = Netz: Bezug minus Einspeisung
role-grid-import = Bezug: Energie aus dem Netz
role-grid-export = Einspeisung: Energie ins Netz
role-solar = Solar: Erzeugung der Solaranlage
role-battery = Batterie: geladene minus entladene Energie
role-battery-charge = Batterie, Ladung: geladene Energie
role-battery-discharge = Batterie, Entladung: entladene Energie
role-sub-meter = Gerät oder Stromkreis: ein Teil des Verbrauchs im Haus, etwa eine Wärmepumpe oder eine smarte Steckdose

### The first reading

steps-waiting = Warten auf den ersten Messwert …
steps-first = Der erste Messwert ist gespeichert.
steps-stored = Messwerte gespeichert.

### Status

status-well = Alles in Ordnung: Jeder bestätigte Messwert ist gespeichert.
status-refusing = Es werden keine Messwerte gespeichert und keine angenommen.
status-attention = Messwerte werden gespeichert. Zu beachten:
status-service = Dienst
status-backups = Sicherungen
status-last-error = Letzter Fehler
status-no-errors = Keine Fehler seit dem Start.
status-version = Version
status-uptime = Läuft seit
status-zones = Zeitzonen
status-zones-built-in = { $version }, Teil des Programms
status-zones-of-system = { $version }, aus { $folder }
status-readings = Messwerte
status-sensors = Sensoren
status-size = Größe des Speichers
status-free = Freier Speicherplatz
status-written = Auf den Datenträger geschrieben
status-written-later = nach zehn Minuten bekannt
status-written-a-day = { $size } pro Tag
status-read-only = Der Speicher ist schreibgeschützt
status-read-only-remedy = Ursache beheben, dann wattkeeper neu starten. Jeder bestätigte Messwert ist sicher. Meldung: { $why }.
status-backups-off = Es werden keine Sicherungen erstellt
status-backups-off-remedy = In den Einstellungen einen Ordner wählen, am besten auf einem anderen Datenträger: Eine SD-Karte kann ganz ausfallen.
status-backup-folder = Der Sicherungsordner ist nicht lesbar
status-backup-folder-remedy = Bitte prüfen, ob sein Datenträger eingehängt ist und wattkeeper darin lesen und schreiben darf.
status-backup-off = Regelmäßige Sicherungen sind ausgeschaltet.
status-backup-none = Noch keine Sicherung.
status-backup-newest = Neueste Sicherung: { $size }, erstellt und geprüft { $ago }.
status-backup-unreadable = Der Sicherungsordner ist nicht lesbar: { $why }.
status-ago = vor { $span } ({ $date } { $zone })
status-seconds =
    { $count ->
        [one] 1 Sekunde
       *[other] { $count } Sekunden
    }
status-minutes =
    { $count ->
        [one] 1 Minute
       *[other] { $count } Minuten
    }
status-hours =
    { $count ->
        [one] 1 Stunde
       *[other] { $count } Stunden
    }
status-days =
    { $count ->
        [one] 1 Tag
       *[other] { $count } Tagen
    }

### API page

api-operations = Aufrufe
api-base = Basisadresse
api-first = Ein erster Blick
api-group-readings = Messwerte
api-group-energy = Energie und Auffälligkeiten
api-group-money = Geld
api-group-service = Dienst
api-group-influx = InfluxDB
api-group-emoncms = Emoncms
api-version = Version { $version }. Maschinenlesbar:
api-sign-in = Anmeldung
api-parameters = Parameter
api-required = Pflicht
api-body = Inhalt der Anfrage
api-answers = Antworten

### Sure?

sure = Das stimmt: speichern
sure-number = „{ $typed }“ wird als { $read } gelesen.
ask-yes = Ja, sicher

sensor-more = Weitere Einstellungen
sensor-silence = Melden nach, in Minuten
sensor-silence-hint = Nach so langer Zeit ohne Messwert erscheint eine Benachrichtigung. Leer: Die Frist ergibt sich daraus, wie oft er sonst sendet.
sensor-home-assistant = Home Assistant
sensor-home-assistant-choice = Dort anzeigen, wenn die Erkennung eingeschaltet ist. Nicht, wenn Home Assistant ihn schon vom Broker hat.
sensor-silence-problem = Bitte ganze Minuten eingeben, etwa 30, oder nichts.
sensor-plausible = Plausible Leistung, in Watt
sensor-plausible-hint = Mehr als das ist ein Fehler und zählt nicht. Leer: 100000.
sensor-plausible-problem = Bitte ganze Watt über 0 eingeben, etwa 5000.
sensor-rollover = Überlauf, in kWh
sensor-rollover-hint = Wo der Zählerstand wieder bei 0 beginnt. Leer: nirgends.
sensor-rollover-problem = Bitte Kilowattstunden über 0 eingeben, etwa 100000, oder nichts.

status-no-password = Das Passwort des Brokers fehlt.
status-no-password-remedy = Keine Sicherung enthält es, daher fehlt es seit der Wiederherstellung. Bis es in den Einstellungen eingegeben wird, kommt nichts vom Broker.
status-no-webhook = Die Adresse oder das Token für Benachrichtigungen fehlt.
status-no-webhook-remedy = Keine Sicherung enthält sie, daher fehlen sie seit der Wiederherstellung. Bis sie in den Einstellungen eingegeben werden, werden keine Benachrichtigungen gesendet.
status-no-poll-passwords = Passwörter abgefragter Geräte fehlen
status-no-poll-passwords-remedy = Die Daten kommen aus einer Sicherung, und Sicherungen enthalten keine Passwörter. Diese Geräte mit ihrem Passwort auf der Seite „Abgefragte Geräte“ noch einmal hinzufügen.
status-no-price-keys = Schlüssel von Preisquellen fehlen
status-no-price-keys-remedy = Die Daten kommen aus einer Sicherung, und Sicherungen enthalten keine Schlüssel. Diese Quellen mit ihrem Schlüssel auf der Seite „Preisquellen“ noch einmal hinzufügen.

## Einstellungen des Dienstes

service-title = Dienst
service-held = Gesetzt durch { $by }. Bitte dort ändern.
service-wrong = Bitte weniger Zeichen eingeben und keine unsichtbaren.
service-secret-held = Ein Wert ist gesetzt; er wird nie angezeigt.
service-secret-set = Ein Wert ist gesetzt; er wird nie angezeigt. Leer lassen, um ihn zu behalten, oder einen neuen eingeben, um ihn zu ersetzen.
service-secret-missing = Der Wert fehlt seit der Wiederherstellung, denn keine Sicherung enthält ihn. Bitte neu eingeben.
service-secret-again = Geheime Werte werden nie zurückgesendet: bitte noch einmal eingeben.

broker-title = MQTT-Broker
broker-lead = Messwerte vieler Geräte kommen über einen MQTT-Broker. Home Assistant zeigt Sensoren über denselben Broker.
broker-address = Adresse
broker-address-hint = Name oder IP-Adresse des Brokers, mit Port, wenn es nicht der übliche ist, etwa broker.lan oder 192.168.1.5:1884. Leer für keinen Broker.
broker-tls = TLS verwenden, damit unterwegs niemand mitliest
broker-user = Benutzer
broker-user-hint = Leer lassen, wenn der Broker keinen verlangt.
broker-password = Passwort
broker-password-hint = Keine Sicherung enthält es.
broker-password-remove = Passwort entfernen
broker-password-goes = Ändert sich die Adresse oder TLS, wird das Passwort entfernt, denn es ist nur für diesen Broker bestimmt. Dann bitte neu eingeben.
broker-ca-file = Datei mit vertrauenswürdigen Zertifikaten
broker-ca-file-hint = Nur für TLS mit eigenen Zertifikaten: der Pfad einer PEM-Datei auf dem Rechner von wattkeeper.
broker-discovery = Alle Sensoren in Home Assistant zeigen
broker-discovery-hint = Home Assistant braucht dafür seine MQTT-Integration an diesem Broker.
broker-wrong-address = Bitte einen Namen oder eine IP-Adresse eingeben, mit Port, wenn es nicht der übliche ist, etwa broker.lan:1883. Benutzer und Passwort haben eigene Felder.
broker-test-title = Verbindung testen
broker-test-hint = Mit den gespeicherten Einstellungen. Das dauert bis zu zehn Sekunden.
broker-test-result = Test der Verbindung
broker-test-fine = Der Broker nimmt die Verbindung an.
broker-test-none = Es gibt keinen Broker zum Testen: zuerst eine Adresse speichern, und das Passwort, wenn es fehlt.
trial-busy = Ein anderer Test läuft. Bitte in zehn Sekunden noch einmal versuchen.
broker-test-name = Dieser Name ist unbekannt. Bitte die Schreibweise prüfen oder die IP-Adresse eingeben.
broker-test-nothing = Der Rechner ist da, aber an diesem Port antwortet nichts. Bitte den Port prüfen, und ob der Broker läuft.
broker-test-silent = Keine Antwort binnen zehn Sekunden. Bitte die Adresse prüfen, und ob eine Firewall dazwischen ist.
broker-test-certificate-name = Das Zertifikat des Brokers gilt für einen anderen Namen. Bitte den Namen eingeben, den das Zertifikat hat.
broker-test-untrusted = Das Zertifikat des Brokers stammt von keiner vertrauenswürdigen Stelle. Bitte die Datei mit dem Zertifikat der eigenen Zertifizierungsstelle angeben.
broker-test-tls = Keine Verbindung mit TLS: { $why }. Bitte den Port prüfen (meist 8883), und ob der Broker TLS hat.
broker-test-login = Der Broker lehnt den Benutzer oder das Passwort ab. Bitte beide prüfen.
broker-test-not-mqtt = Der Server dort spricht kein MQTT oder erwartet TLS. Bitte Port und TLS prüfen.
broker-test-other = Keine Verbindung: { $why }.
broker-connecting = Die Verbindung zum Broker wird aufgebaut.
broker-elsewhere = Mit dem Broker spricht ein anderer Server dieses Dienstes.
broker-connected = Mit dem Broker verbunden seit { $time }.
broker-not-connected = Nicht mit dem Broker verbunden. { $why } Nächster Versuch in { $seconds } s.
broker-lost = Der Broker hat die Verbindung beendet. Geschieht das immer wieder, benutzt ein anderes Programm dieselbe Client-ID (mqtt.client_id).
broker-not-ready = Messwerte können gerade nicht gespeichert werden, daher bleiben ihre Nachrichten beim Broker. Die Seite Status sagt, warum.
broker-subscriptions = Geräte, die gelesen werden
broker-subscriptions-none = Noch keine.
broker-subscription-described = Beschriebene Nachrichten
broker-subscription-file = in der Konfigurationsdatei
broker-subscription-stays = Das Abonnement konnte nicht entfernt werden. Das Protokoll sagt, warum.
broker-unsubscribe = Entfernen
broker-unsubscribed = Entfernt. Der Sensor und seine Messwerte bleiben; von diesem Gerät kommt nichts mehr.

polled-title = Abgefragte Geräte
polled-lead = Zähler und Wechselrichter im eigenen Netz, die auf Anfragen antworten. wattkeeper fragt sie immer wieder ab, ohne Broker.
polled-devices = Geräte, die abgefragt werden
polled-add-title = Ein Gerät abfragen
polled-add = Prüfen und hinzufügen
polled-sensor = Sensor
polled-sensor-hint = Der Sensor des ersten Wertes. Für weitere Werte, zum Beispiel eingespeiste Energie, entstehen Sensoren mit dem ersten Messwert.
polled-preset = Gerät
polled-address = Adresse
polled-address-hint = Name oder IP-Adresse, mit Port, wenn er nicht der übliche ist, zum Beispiel 192.168.1.20. Im Router sollte das Gerät eine feste Adresse haben.
polled-anyway = Hinzufügen, obwohl es jetzt nicht antwortet
polled-more = Passwort und Gerätenummer
polled-password-hint = Nur für Shellys mit Passwort. Leer bleibt das gespeicherte. Es steht in keiner Sicherung.
polled-unit = Gerätenummer
polled-unit-hint = Nur wenn hinter einer Adresse mehrere Geräte sind, zum Beispiel bei Wechselrichtern mit Modbus: eine Zahl von 0 bis 255. Leer gilt die übliche.
polled-no-sensors = Messwerte gehören zu einem Sensor. Zuerst einen anlegen.
polled-done = Hinzugefügt. Die erste Antwort kommt gleich.
polled-first-answer = Es antwortet: { $values }. Ab jetzt wird es abgefragt.
polled-answered = { $time }: { $values }.
polled-failed = { $time }: { $why }
polled-not-yet = Noch nicht abgefragt.
polled-elsewhere = Ein anderer Server dieses Dienstes fragt es ab.
polled-no-sensor = Bitte den Sensor wählen, zu dem die Messwerte gehören.
polled-no-preset = Bitte das Gerät wählen.
polled-wrong-unit = Bitte eine ganze Zahl von 0 bis 255 eingeben.
polled-no-unit = An so einer Adresse ist nur ein Gerät: Bitte die Gerätenummer leer lassen.
polled-long-sensor = Die Sensor-ID ist länger als 54 Zeichen, sodass für weitere Werte kein Platz bleibt. Bitte einen anderen Sensor wählen.
polled-wrong-address = Bitte einen Namen oder eine IP-Adresse eingeben, mit Port, wenn er nicht der übliche ist, zum Beispiel 192.168.1.20 oder meter.lan:8080, ohne http://.
polled-not-free = Ein Gerät in der Konfigurationsdatei gehört schon zu diesem Sensor, oder es sind schon 32 Geräte. Bitte einen anderen Sensor wählen oder ein Gerät entfernen.
polled-stays = Das Gerät konnte nicht entfernt werden. Der Grund steht im Protokoll.
poll-unreachable = An dieser Adresse antwortet nichts. Die Adresse prüfen, und ob das Gerät an und im selben Netz ist.
poll-no-answer = Keine Antwort in { $seconds } Sekunden. Die Adresse prüfen, und ob das Gerät an ist.
poll-password = Das Gerät verlangt ein Passwort oder lehnt dieses ab. Sein Passwort eingeben.
poll-unknown-login = Das Gerät verlangt ein Passwort auf eine Art, die wattkeeper nicht kennt. Das Passwort am Gerät abschalten.
poll-password-place = Das Passwort lässt sich nicht lesen. Der Grund steht im Protokoll.
poll-too-often = Das Gerät wird zu oft abgefragt, vielleicht auch von anderen Programmen.
poll-status = Das Gerät antwortet mit Status { $status }. Prüfen, welches Gerät es ist, und seine lokale API einschalten.
poll-other-device = So antwortet ein solches Gerät nicht. Gerät und Adresse prüfen.
poll-solar-api = Die Solar API des Wechselrichters antwortet mit Code { $code }. Die Gerätenummer prüfen.
poll-no-sunspec = Es antwortet, aber nicht wie ein solches Gerät. Modbus TCP mit SunSpec einschalten und die Gerätenummer prüfen.
poll-exception = Das Gerät antwortet mit der Modbus-Ausnahme { $code }. Die Gerätenummer prüfen.
poll-own-fault = Die Abfrage ist gescheitert. Der Grund steht im Protokoll.

### Price sources

sources-title = Preisquellen
sources-lead = Preise und Tagesfarben, die wattkeeper selbst abruft: die von heute, die von morgen, sobald sie veröffentlicht sind, und frühere. Gefragt werden nur die Quellen auf dieser Seite. Ohne Quelle wird niemand gefragt.
sources-all = Quellen, die abgefragt werden
sources-add-title = Eine Quelle hinzufügen
sources-source = Quelle
sources-source-hint = Woher die Preise kommen. Die Quelle erfährt die Internetadresse dieses Hauses, sonst nichts.
sources-own = Eine andere, unten beschrieben
sources-zone = Zone oder Region
sources-zone-hint = So, wie die Quelle sie nennt: DE-LU oder AT bei Energy-Charts und ENTSO-E, ein Buchstabe von A bis P bei Octopus. Bei den übrigen leer lassen.
sources-account = Konto
sources-series = Name der Preise oder der Tage
sources-series-hint = Der Name, über den ein Vertrag die Preise nutzt, zum Beispiel day-ahead. Bei Tagesfarben der Name der Tage, zum Beispiel tempo.
sources-since = Ab
sources-since-hint = Der erste Tag, der abgerufen wird, frühestens der 01.01.2000. Leer: heute.
sources-key = Schlüssel
sources-key-hint = Nur für ENTSO-E, Tempo und andere Quellen, die einen verlangen. Leer bleibt der gespeicherte. Er steht in keiner Sicherung.
sources-more = Eine eigene Quelle
sources-mapping = Ihre Beschreibung
sources-mapping-hint = Zeilen wie in der Konfigurationsdatei: url, items, time, price, unit und weitere. Sie ersetzen auch die der gewählten Quelle.
sources-anyway = Hinzufügen, obwohl sie jetzt nicht antwortet
sources-only = Nur prüfen
sources-no-accounts = Preise gehören zu einem Konto. Zuerst eines anlegen.
sources-done = Hinzugefügt. Die erste Antwort kommt gleich.
sources-removed = Entfernt. Die Preise bleiben, neue kommen nicht mehr.
sources-trial = Sie antwortet mit { $count } Preisen oder Tagen von { $from } bis { $to }. Davon sind { $stored } noch nicht gespeichert.
sources-trial-prices = Die ersten, je Kilowattstunde:
sources-trial-days = Die ersten:
sources-kept = Ab jetzt wird sie abgefragt.
sources-not-kept = Es wurde nichts gespeichert, und die Quelle ist noch nicht hinzugefügt.
sources-answered = { $time }: { $count } Preise oder Tage von { $from } bis { $to }, davon { $stored } neu.
sources-others = Weitere Preise in der Antwort, die nicht übernommen werden: { $rates }
sources-conflict = { $count } weichen von gespeicherten ab, zuerst { $time }. Die gespeicherten bleiben. Sind sie falsch, dann entfernen: Sie werden neu abgerufen.
sources-not-yet = Noch nicht abgefragt.
sources-elsewhere = Ein anderer Server dieses Dienstes fragt sie ab.
sources-no-source = Bitte die Quelle wählen.
sources-no-account = Bitte das Konto wählen.
sources-no-key = Diese Quelle hat keinen Schlüssel: Bitte leer lassen.
sources-wrong-zone = Bitte eine Zone oder Region eingeben, wie die Quelle sie nennt, zum Beispiel DE-LU; oder nichts, wenn die Quelle keine hat.
sources-wrong-series = Bitte den Namen der Preise eingeben, zum Beispiel day-ahead, oder den der Tage ohne Doppelpunkt, zum Beispiel tempo.
sources-wrong-since = Bitte ein Datum ab dem 01.01.2000 eingeben, zum Beispiel 01.01.2024, oder nichts.
sources-wrong-mapping = Bitte Zeilen wie price = "/price" eingeben, mit Texten in Anführungszeichen, und höchstens 4096 Bytes.
sources-wrong-line = Die Zeile { $field } ist falsch, fehlt oder ist unbekannt. docs/PRICE-SOURCES.md erklärt, was sie erwartet.
sources-not-free = Eine Quelle in der Konfigurationsdatei füllt diese Reihe schon, oder es sind schon 16 Quellen. Bitte einen anderen Namen wählen oder eine Quelle entfernen.
sources-stay = Die Quelle konnte nicht entfernt werden. Der Grund steht im Protokoll.
ha-title = Home Assistant
ha-lead = wattkeeper kann ein Home Assistant lesen. Es verbindet sich nur mit der Adresse auf dieser Seite, mit einem Token von dort.
ha-all = Home Assistants, die gelesen werden
ha-form-title = Eines hinzufügen oder ändern
ha-address-hint = So wie im Browser, zum Beispiel http://homeassistant.local:8123.
ha-token-label = Langlebiges Token
ha-token-hint = In Home Assistant erstellt: der eigene Name, Sicherheit, Langlebige Zugangstoken. Leer bleibt das gespeicherte. Es wird nie angezeigt und steht in keiner Sicherung.
ha-anyway = Speichern, obwohl es jetzt nicht antwortet
ha-save = Prüfen und speichern
ha-done = Gespeichert.
ha-removed = Entfernt, mit seinem Token. Sensoren und Messwerte bleiben.
ha-too-many = Der Dienst hat schon 50 Home Assistants, mehr geht nicht. Zuerst eines entfernen.
ha-wrong-address = Bitte eine Adresse wie http://homeassistant.local:8123 eingeben, oder https://... für TLS, ohne Benutzer.
ha-wrong-token-text = Bitte ein langlebiges Token mit bis zu 1024 Zeichen ohne Leerzeichen eingeben. Für diese Adresse ist keines gespeichert.
ha-identity = { $location } antwortet, mit Home Assistant { $version }. Das Token gehört { $person }.
ha-administrator = Das ist dort ein Administrator, also kann auch Verlauf gesendet werden.
ha-reader = Das ist dort kein Administrator: Zum Lesen genügt es. Zum Senden von Verlauf ist das Token eines Administrators nötig.
ha-token-file = Sein Token steht in einer Datei.
ha-token-store = Sein Token ist gespeichert.
ha-token-missing = Sein Token fehlt: noch einmal eingeben.
ha-token-supervisor = In diesem Home Assistant läuft wattkeeper: Ein Token ist nicht nötig.
ha-own = wattkeeper läuft in diesem Home Assistant. Weder Adresse noch Token sind nötig: Sensoren wählen und unten übernehmen.
ha-own-other = Seine Sensoren für das Konto { $account } vorschlagen
ha-another = Ein anderes Home Assistant
ha-house = Das Haus
ha-house-empty = Es hat keine Statistik von Energie oder Leistung. Dort das Energie-Dashboard einrichten und noch einmal nachsehen.
ha-of-dashboard = Das steht in seinem Energie-Dashboard. Jedes wird ein Sensor mit seinem ganzen Verlauf. Was schon anders gemessen wird, weglassen.
ha-guessed = Es hat kein Energie-Dashboard, deshalb sind die Rollen aus Namen geraten. Bitte wählen und die übrigen weglassen.
ha-sensor-name = Name
ha-sensor-id = Sensor-ID
ha-sensor-role = Rolle
ha-leave-out = weglassen
ha-take = Diese lesen
ha-look = Das Haus ansehen
ha-sensors = Diese werden ab jetzt gelesen, zuerst der Verlauf.
ha-since = seit { $month }
ha-left-out-title = Nicht gelesen:
ha-left-out-unknown = Home Assistant hat keine Statistik davon
ha-left-out-other-unit = die Einheit ist keine von Energie oder Leistung
ha-left-out-no-entity = diese Statistik sendet ein anderes Programm
ha-left-out-too-many = es sind zu viele
ha-wrong-sensor = Ein Sensor hat keine gültige Sensor-ID oder Rolle. Bitte eine Sensor-ID mit höchstens 64 Zeichen eingeben.
ha-none-chosen = Kein Sensor hat eine Rolle. Bitte mindestens für einen wählen.
ha-no-sensors = Noch ist kein Sensor damit verbunden: das Haus ansehen und wählen.
ha-elsewhere = Ein anderer Server dieses Dienstes liest es, oder es wird gleich gelesen.
ha-connecting = Verbindet.
ha-reads-history = Liest den Verlauf: { $read } von { $months } Monaten der Sensoren, bisher { $readings } Messwerte.
ha-reads-live = { $sensors } Sensoren bekommen jeden neuen Zustand. Messwerte seit dem Start: { $readings }.
ha-price-title = Sein Preis
ha-price-flat = Eine Kilowattstunde kostet dort { $price } { $currency }, eine eingespeiste bringt { $credit }. Bitte prüfen und als Vertrag speichern.
ha-price-confirm = Den Vertrag ansehen
ha-price-series = Seine Preise nach Stunden
ha-price-lead = Diese Entitäten können wechselnde Preise mit ihrem Namen füllen, mit ihrem Verlauf. Ein Vertrag, der sie nutzt, hat dann ihre Preise.
ha-price-contract = Ein Vertrag mit dieser Reihe
ha-price-take = Preise damit füllen
ha-prices = Die Preise werden ab jetzt gelesen, zuerst der Verlauf.
ha-send = Den reparierten Verlauf senden
ha-send-lead = Home Assistant bekommt Energie und Kosten jeder Stunde als eigene Statistik, und noch einmal, wo sie sich ändern. Die Statistik seiner Entitäten bleibt, wie sie ist.
ha-send-no-more = Keinen Verlauf mehr senden
ha-sends = Der Verlauf wird ab jetzt gesendet. Beim ersten Mal dauert das Minuten.
ha-sends-not = Es wird nichts mehr gesendet. Was gesendet wurde, bleibt dort.
ha-sent-here = Der Verlauf wird gesendet:
ha-same-address = An diese Adresse wird schon der Verlauf eines anderen Kontos gesendet.
ha-counted-title = Was Home Assistant gezählt hat
ha-counted-lead = Die Energie, die Home Assistant gezählt hat, neben der gemessenen. Jede Abweichung hat ihren Grund und führt zu den Auffälligkeiten dieser Zeit.
ha-counted-from = Ein Tag des ersten Monats
ha-counted-to = Ein Tag nach dem letzten Monat
ha-counted-show = Vergleichen
ha-counted-measured = Gemessen
ha-counted-difference = Abweichung
ha-counted-none = In diesen Monaten gibt es auf beiden Seiten keine Energie.
ha-counted-no-sensor = Home Assistant liefert keinen Zählerstand eines solchen Sensors: das Haus ansehen und wählen.
ha-counted-wrong-range = Bitte einen ersten Tag vor dem letzten und vor heute eingeben, zusammen höchstens 780 Monate der Sensoren: einen Sensor oder einen kürzeren Zeitraum wählen.
ha-counted-reason = { $reason }: { $energy }, { $time }
ha-compare-busy = Ein anderer Vergleich mit einem Home Assistant läuft noch. Bitte in einer Minute noch einmal versuchen.
ha-reason-reset = ein Zählerstand wurde noch einmal gezählt
ha-reason-spike = ein viel zu hoher Wert
ha-reason-gap = nichts wurde aufgezeichnet, und alles zählt danach
ha-reason-late = ein Wert kam zu spät
ha-reason-renamed = keine Statistik: Die Entität wurde umbenannt oder neu hinzugefügt
ha-reason-unit = eine andere Einheit
ha-reason-edited = die Summe wurde von Hand geändert
ha-reason-corrected = hier wurden Messwerte korrigiert
ha-reason-unread = keine Messwerte
ha-reason-unknown = unbekannt
ha-history-title = Verlauf in Home Assistant
ha-history-lead = Home Assistant zählt Energie, wie sie kommt. Späte Messwerte und Korrekturen entgehen ihm. wattkeeper kann ihm Energie und Kosten jeder Stunde senden, und noch einmal, wo sie sich geändert haben.
ha-history-off = Das ist ausgeschaltet. Die Seite Home Assistant der Einstellungen schaltet es ein, oder die Zeilen url und token_file im Abschnitt home_assistant der Konfigurationsdatei; die Schritte stehen in docs/HOME-ASSISTANT.md.
ha-history-not-yet = Noch nichts gesendet.
ha-history-under-way = Der Verlauf wird gerade verglichen.
ha-history-complete = Vollständig: { $time }.
ha-history-sent = Gesendete Stunden seit dem Start: { $hours }.
ha-history-elsewhere = Ein anderer Server dieses Dienstes sendet ihn.
ha-unknown-host = Der Host der Adresse ist unbekannt. Bitte prüfen, oder die IP-Adresse verwenden, zum Beispiel http://192.168.1.20:8123.
ha-certificate = Sein Zertifikat gilt nicht als vertrauenswürdig: { $why }. Bitte eine Datei mit einem passenden in home_assistant.ca_file der Konfigurationsdatei nennen.
ha-no-tls = Der Server dort spricht kein TLS. Bitte prüfen, ob die Adresse mit http:// oder https:// beginnt.
ha-unreachable = Home Assistant ist nicht erreichbar: { $why }. Bitte die Adresse prüfen, und ob es läuft.
ha-no-answer = Home Assistant hat nicht innerhalb von { $seconds } s geantwortet. Bitte die Adresse prüfen, und ob eine Firewall dazwischen ist.
ha-closed = Home Assistant hat die Verbindung beendet. Vielleicht startet es gerade neu.
ha-no-websocket = Der Server dort antwortet mit Status { $status } statt mit einem WebSocket. Bitte die Adresse prüfen, und ob ein Proxy WebSockets durchlässt.
ha-other-protocol = Der Server dort spricht nicht die WebSocket-API von Home Assistant. Bitte die Adresse prüfen.
ha-wrong-token = Home Assistant lehnt das Token ab. Bitte dort ein langlebiges Token erstellen (Profil, Sicherheit) und eingeben, oder in seine Datei schreiben.
ha-not-administrator = Das Token gehört jemandem, der in Home Assistant kein Administrator ist. Bitte eines als Administrator erstellen.
ha-no-token = Es gibt kein Token. Bitte ein langlebiges von Home Assistant eingeben, oder in eine Datei schreiben, die wattkeeper lesen kann.
ha-trust = Die Zertifikate in home_assistant.ca_file sind nicht brauchbar. Das Protokoll sagt, warum.
ha-refused = Home Assistant lehnt { $command } ab, mit dem Code { $code }.
ha-history-not-taken = Home Assistant hat Stunden angenommen, zeigt sie aber nicht. Vielleicht ist sein Recorder ausgelastet oder aus.
ha-history-unknown-hours = Home Assistant hat Stunden von { $name }, die wattkeeper nicht kennt. Vielleicht sind sie die letzte Kopie, darum bleiben sie. Sind sie falsch, diese Statistik dort löschen: Sie wird neu gesendet.
ha-history-disputed = Ein anderes Programm ändert die Statistiken von wattkeeper in Home Assistant. Nur ein Dienst sollte dorthin senden.
ha-history-no-account = Bitte home_assistant.account auf das Konto setzen, dessen Verlauf gesendet wird.
ha-own-fault = Es ist auf dieser Seite fehlgeschlagen. Das Protokoll sagt, warum.
source-unreachable = An ihrer Adresse antwortet nichts. Die Adresse prüfen, und ob dieser Rechner Internet hat.
source-private = Ihre Adresse liegt in einem privaten Netz, in dem keine Quelle im Internet ist. Ist es die eigene, dann in der Beschreibung die Zeile allow_private = true ergänzen.
source-no-answer = Keine vollständige Antwort in { $seconds } Sekunden. Der nächste Versuch kommt von selbst.
source-redirect = Sie leitet zu einem anderen Server weiter. Dem wird nicht gefolgt. Die Adresse prüfen.
source-busy = Sie ist überlastet oder wird zu oft gefragt. Der nächste Versuch kommt von selbst.
source-status = Sie antwortet mit Status { $status }. Zone und Adresse prüfen.
source-key = Sie verlangt einen Schlüssel oder lehnt diesen ab. Den Schlüssel eingeben.
source-other-answer = Die Antwort ist etwas anderes, zum Beispiel eine Webseite. Adresse und Beschreibung prüfen. Nichts wurde geändert.
source-too-long = Die Antwort ist zu lang. Die Zeile most_days mit einer kleineren Zahl ergänzen.
source-missing = In der Antwort fehlt { $place }. Die Beschreibung prüfen: items, time, end und price.
source-entry = Eintrag { $number } der Antwort lässt sich nicht lesen: { $what }. Die Beschreibung prüfen. Nichts wurde geändert.
source-entry-time = seine Zeit
source-entry-end = sein Ende
source-entry-price = sein Preis
source-entry-type = der Typ des Tages
source-twice = Die Antwort hat zwei Preise für { $time }. Nichts wurde geändert.
source-refused = Sie lehnt die Anfrage ab, mit dem Grund { $reason }. Die Zone prüfen.
source-currency = Die Preise sind in { $found }, die Verträge in { $expected }. Bitte eine Quelle in { $expected } wählen: Preise werden nicht umgerechnet.
source-no-account = Dieses Konto gibt es nicht. Die Quelle für ein anderes Konto noch einmal hinzufügen.
source-not-stored = Die Preise lassen sich nicht speichern. Der Grund steht im Protokoll.
source-own-fault = Die Abfrage ist gescheitert. Der Grund steht im Protokoll.

found-title = Geräte am Broker
found-lead = Geräte, die in den letzten Stunden am Broker zu hören waren und noch mit keinem Sensor verbunden sind. Nichts wird von selbst hinzugefügt.
found-lead-of = Das Gerät wählen, das die Messwerte von { $name } sendet.
found-none = Kein Gerät bekannter Art, das noch nicht hinzugefügt ist. Ein Gerät erscheint mit seiner nächsten Nachricht: Die meisten senden alle paar Minuten.
found-no-broker = Diese Geräte senden über einen MQTT-Broker, und es ist noch keiner gesetzt.
found-heard = zuletzt gehört { $time }
found-retained = vom Broker aufbewahrt, seit wann, ist unbekannt
found-add = Hinzufügen
found-added = Hinzugefügt. Die nächste Nachricht ist der erste Messwert.
found-use = Für { $name } verwenden
found-leave-out = Weglassen
found-unit-power = Einheit der Leistung (es sendet { $number })
found-unit-energy = Einheit des Zählerstands (es sendet { $number })
found-unit-choose = Wählen
found-unit-hint = Das Gerät nennt die Einheit seiner Zahlen nicht. Bitte mit dem vergleichen, was es selbst anzeigt.
found-no-unit = Bitte die Einheit seiner Zahlen wählen.
found-unusable = Bekannte Geräte, die nicht lesbar sind
found-why-names = Die Namen seiner Zahlen sind frei wählbar, und diese gehören nicht zu den üblichen. Bitte in einem Abonnement in der Konfigurationsdatei beschreiben.
found-why-mean-power = Seine Energie ist eine mittlere Leistung über einige Sekunden, daher hat es keinen Zählerstand.
found-why-unit = Es zählt in einer Einheit, die nur der Zähler nennt. Bitte in einem Abonnement in der Konfigurationsdatei beschreiben, mit einem Faktor.
found-why-other = Seine Nachricht ist nicht lesbar: { $why }.
found-gone = Dieses Gerät war seit Stunden nicht zu hören, oder wattkeeper wurde neu gestartet. Mit seiner nächsten Nachricht erscheint es wieder.
found-no-account = Bitte das Konto wählen, zu dem es gehört.
found-none-chosen = Bitte für mindestens eine seiner Zahlen wählen, was sie misst.
found-wrong = Bitte aus den Listen wählen, was es misst und was sein Zählwerk bedeutet.
found-no-id = Der Name { $device } kann keine Sensor-ID sein. Bitte das Gerät in einem Abonnement in der Konfigurationsdatei beschreiben.
found-too-many = Es gibt zu viele Abonnements. Bitte unbenutzte entfernen oder eines für mehrere Geräte in die Konfigurationsdatei schreiben.

export-title = Alles als Dateien
export-lead = Messwerte, Energie, Kosten, Rechnungen, Verträge und alle anderen Einträge, als CSV- und JSON-Dateien in einem Archiv. Andere Programme lesen sie, und README.md darin beschreibt sie auf Englisch. Passwörter und Schlüssel sind nicht dabei. Beim Umzug zu einem anderen wattkeeper besser dort eine Sicherung einspielen.
export-everything = Alles herunterladen
export-account = { $account } herunterladen

backups-title = Sicherungen
backups-lead = wattkeeper kopiert regelmäßig alles in einen Ordner und prüft jede Kopie. Der Ordner liegt am besten auf einem anderen Datenträger.
backups-dir = Ordner
backups-dir-hint = Der vollständige Pfad auf dem Rechner von wattkeeper, etwa /mnt/backups. Fehlt der Ordner, wird er angelegt. Leer für keine Sicherungen.
backups-every = Zeit zwischen zwei Sicherungen
backups-every-hint = Etwa 24h oder 90m.
backups-keep = Anzahl der Sicherungen
backups-keep-hint = Die älteste wird gelöscht, sobald eine neuere geprüft ist.
backups-secrets = Passwörter und Token des Brokers und der Benachrichtigungen stehen in keiner Sicherung.
backups-not-absolute = Bitte den vollständigen Pfad eines Ordners eingeben, etwa /mnt/backups.
backups-in-store = Dieser Ordner liegt im Datenordner von wattkeeper. Bitte einen anderen wählen, am besten auf einem anderen Datenträger.
backups-not-made = Der Ordner lässt sich nicht anlegen: { $why }. Bitte selbst anlegen und den Benutzer von wattkeeper darin schreiben lassen.
backups-not-writable = wattkeeper kann in diesem Ordner nicht schreiben: { $why }. Bitte seinen Benutzer dort schreiben lassen; ein Dienst von systemd braucht auch ReadWritePaths=.
backups-wrong-every = Bitte eine Zeit von 1m bis 8760h eingeben, etwa 24h.
backups-wrong-keep = Bitte eine ganze Zahl von 1 bis 1000 eingeben.

messages-title = Benachrichtigungen senden
messages-lead = wattkeeper sendet jede Benachrichtigung, wenn sie auftritt und wenn ihre Ursache endet: per E-Mail, an Home Assistant, an ntfy, an Gotify oder an einen eigenen Webhook.
messages-go-to = Benachrichtigungen gehen an { $host }.
messages-address = Adresse
messages-address-hint = Etwa https://ntfy.sh/my-topic, http://homeassistant.local:8123 oder smtps://mail.example.org für E-Mail. Sie kann ein Geheimnis sein, daher wird später nur ihr Host angezeigt.
messages-address-remove = Adresse entfernen: keine Benachrichtigungen
messages-format = Format
messages-format-hint = Das Format, das der Empfänger versteht.
messages-token = Token oder Passwort
messages-token-hint = Daran erkennt der Empfänger wattkeeper, wenn er es verlangt: ein langlebiges Zugangstoken von Home Assistant oder das Passwort beim Mailserver.
messages-token-remove = Token entfernen
messages-token-goes = Ändert sich die Adresse, wird das Token entfernt, denn es ist nur für diesen Empfänger bestimmt. Dann bitte neu eingeben.
messages-language = Benachrichtigungen kommen in der Sprache dieser Seite.
messages-test-text = Das ist ein Test. Benachrichtigungen kommen hier an.
messages-test-title = Testbenachrichtigung senden
messages-test-hint = Mit den gespeicherten Einstellungen. Das dauert bis zu zehn Sekunden.
messages-test-result = Testbenachrichtigung
messages-test-fine = Der Empfänger hat die Benachrichtigung angenommen.
messages-test-none = Es gibt keinen Empfänger: zuerst eine Adresse speichern.
messages-test-name = Der Host der Adresse ist unbekannt. Bitte die Schreibweise prüfen.
messages-test-silent = Keine Antwort innerhalb von zehn Sekunden. Bitte die Adresse prüfen, und ob eine Firewall dazwischen ist.
messages-test-refused = Der Empfänger antwortete mit dem Status { $status }. Bitte Adresse, Format und Token prüfen.
messages-test-other = Die Benachrichtigung konnte nicht gesendet werden: { $why }.
messages-wrong-address = Bitte eine Adresse eingeben, die mit https:// oder http:// beginnt, ohne Benutzer, oder smtps:// oder smtp:// und einen Mailserver, ohne Passwort.
messages-wrong-token = Bitte höchstens 1000 sichtbare Zeichen eingeben.
messages-email = E-Mail
messages-mail-to = Empfänger der E-Mails
messages-mail-to-hint = Etwa ich@example.org. Nur für E-Mail.
messages-mail-from = Absender der E-Mails
messages-mail-from-hint = Die Adresse, die sich beim Mailserver anmeldet. Leer: die des Empfängers.
messages-wrong-mail = Bitte eine E-Mail-Adresse wie ich@example.org eingeben.
messages-weekly = Wochennachricht
messages-weekly-hint = Energie und Kosten der Woche, und warum sie sich geändert haben. Sie geht dorthin, wohin auch Benachrichtigungen gehen.
messages-weekly-off = Keine
messages-weekly-sunday = Am Sonntagabend
messages-weekly-monday = Am Montagmorgen
messages-statement = Monatsabrechnung
messages-statement-hint = Am Ersten des nächsten Monats, als Seite zum Drucken. Ohne E-Mail ist es ein Satz.
messages-statement-off = Keine
messages-statement-house = Für das Haus
messages-wrong-report = Bitte eine der Möglichkeiten wählen.
report-week-title = Die Woche: { $energy }
report-week-title-cost = Die Woche: { $energy }, { $cost }
report-week-so-far = Diese Woche hat das Haus { $energy } verbraucht
report-week-so-far-cost = Diese Woche hat das Haus { $energy } für { $cost } verbraucht
report-week-over = Letzte Woche hat das Haus { $energy } verbraucht
report-week-over-cost = Letzte Woche hat das Haus { $energy } für { $cost } verbraucht
report-week-alone = { $week }.
report-week-and-change = { $week }: { $change }.
report-change-none = so viel Energie wie in der Woche davor
report-change-more = { $percent } mehr Energie als in der Woche davor
report-change-less = { $percent } weniger Energie als in der Woche davor
report-change-more-by = { $percent } mehr Energie als in der Woche davor, vor allem durch { $device } ({ $energy } mehr)
report-change-less-by = { $percent } weniger Energie als in der Woche davor, vor allem durch { $device } ({ $energy } weniger)
report-cheapest-tomorrow = Morgen, { $date }, ist Strom von { $from } bis { $to } am günstigsten, zu { $price }.
report-cheapest-today = Heute, { $date }, ist Strom von { $from } bis { $to } am günstigsten, zu { $price }.
report-missing = Für { $share } der Zeit fehlen Messwerte.
report-bars = Verbrauch an jedem Tag
report-stop = Diese Nachricht wurde in wattkeeper gewählt. Abbestellen: Einstellungen, Benachrichtigungen senden.
report-of-house = Haus
report-statement-title = Abrechnung { $month }: { $of }
report-statement = { $title }. Die Summe beträgt { $total }.

history-title = Messwerte importieren
history-lead = Aus einer Tabelle, die ein anderes System exportiert hat, werden Messwerte dieses Sensors. Zuerst erscheinen ihre Zeilen, dann ihr Inhalt; gespeichert wird erst auf Knopfdruck.
history-table = Tabelle als Text
history-table-hint = Zeilen mit einer Zeit und mit Leistung, Zählerstand oder beidem. Höchstens 4 MiB; für längere gibt es den Befehl wattkeeper import.
history-sheet = Blatt einer Arbeitsmappe
history-sheet-hint = Nur wenn mehrere Blätter Zeiten enthalten: der Name von einem.
history-other-sheets = Weitere Blätter mit Zeiten, die nicht gelesen werden: { $names }
history-look = Vorschau
history-rows = Die ersten Zeilen
history-columns = Spalten
history-time = Zeit
history-power = Leistung
history-register = Zählerstand
history-energy = Energie jedes Intervalls
history-none = – keine –
history-from-registers = Die Datei enthält Zählerstände: die Energie zwischen zwei Ständen speichern
history-zone = Zeitzone für Zeiten ohne Angabe
history-dates = Reihenfolge bei Datumsangaben wie 03/04/2026
history-dmy = Der Tag zuerst
history-mdy = Der Monat zuerst
history-contents = Inhalt
history-rows-read = Gelesene Zeilen: { $count }; ohne Wert: { $empty }; anderer Reihen: { $other }
history-found = Messwerte: { $count }, von { $from } bis { $to }
history-no-readings = Es ist kein Messwert darin.
history-power-range = Leistung: { $low } bis { $high }
history-energy-range = Zählerstand: { $low } bis { $high }
history-interval-range = Energie eines Intervalls: { $low } bis { $high }
history-duplicates = Mehrfach vorhandene gleiche Werte: { $count }
history-format = Erkannt als Datei von { $name }.
history-times = Zeitangaben der Energiewerte
history-times-hint = Ob eine Zeit den Anfang oder das Ende ihres Intervalls angibt.
history-by-file = wie die Datei angibt
history-starts = Anfang des Intervalls
history-ends = Ende des Intervalls
history-more = plus { $name }
history-add-up = Mehrere Spalten addieren
history-add-up-hint = Etwa die von Tarifen oder Phasen. Sie haben dieselbe Einheit.
history-decimals = Nachkommastellen in Zahlen wie 1,250
history-comma = nach einem Komma
history-point = nach einem Punkt
history-where = Nur Zeilen mit
history-where-hint = In jeder Zeile ein SPALTE=WERT. Mehrere Werte einer Spalte sind Alternativen.
history-choose-where = Bitte jede Zeile als SPALTE=WERT schreiben.
history-months = Energie nach Monaten
history-total = Summe
history-busy = Der Import läuft
history-undo = Diesen Import rückgängig machen
history-undo-lead = Löscht die Messwerte dieser Datei, wo sie so gespeichert sind wie in ihr. Messwerte, die sie ersetzt haben, kommen nicht zurück.
history-remember = Merken, wie solche Dateien gelesen werden
history-remember-hint = Andere Dateien mit denselben Spalten werden dann genauso gelesen.
history-format-name = Versorger oder Programm
history-choose-name = Bitte einen Namen mit höchstens 64 Zeichen angeben; Umlaute zählen doppelt.
history-many-formats = Dieses Konto hat mit 50 gemerkten Formaten so viele, wie es haben kann. Bitte zuerst eines entfernen.
history-format-long = Die Spalten haben zu viele oder zu lange Namen, um sie zu merken.
history-formats = Gemerkte Formate
history-formats-lead = Dateien, die im Konto { $account } außer denen bekannter Versorger erkannt werden.
history-forget = Entfernen
history-format-removed = Das Format wurde entfernt.
history-remembered = Die Auswahl wurde gemerkt.
plan-times = Zeiten: { $columns }, { $are } ({ $by })
plan-are-start = der Anfang jedes Zeitraums
plan-are-end = das Ende jedes Zeitraums
plan-are-both = beide Enden jedes Zeitraums
plan-are-moment = der Zeitpunkt jedes Werts
plan-are-open = der Anfang oder das Ende jedes Zeitraums
plan-zone = Zeiten ohne Abstand zu UTC: in { $zone } ({ $by })
plan-power = Leistung: { $columns }, in { $unit } ({ $by })
plan-energy = Energie jedes Zeitraums: { $columns }, in { $unit } ({ $by })
plan-register = Zählerstand: { $columns }, in { $unit } ({ $by })
plan-rows = Nur Zeilen mit { $value } in { $column } ({ $by })
plan-by-user = wie gewählt
plan-by-format = laut dem Format der Datei
plan-by-unit = nach der Einheit
plan-by-name = nach dem Namen
plan-by-values = nach den Werten
plan-by-account = wie im Konto
plan-by-default = weil nichts anderes angegeben ist
history-bad = Nicht lesbare Zeilen: { $count }. Die ersten, auf Englisch:
history-bad-remedy = Bitte diese Zeilen berichtigen oder wählen, dass sie wegbleiben.
history-bad-many = Mehr als ein Zehntel der Zeilen ist nicht lesbar, also stimmen wahrscheinlich die Angaben nicht. Bitte sie oder diese Zeilen berichtigen.
history-skip-bad = Diese Zeilen weglassen
history-store = Importieren
history-too-long = Die Tabelle ist länger als 4 MiB. Bitte in Teilen importieren oder mit dem Befehl wattkeeper import.
history-empty = Bitte eine Datei wählen oder eine Tabelle einfügen.
history-choose = Bitte die Spalte der Leistung, die des Zählerstands oder beide wählen.
history-choose-time = Bitte die Spalte mit den Zeiten wählen.
history-choose-order = Bitte wählen, ob der Tag oder der Monat zuerst kommt.
history-ask-sheet = Bitte das Blatt nennen, das gelesen werden soll. Der Befehl sagt es auf Englisch so: { $detail }.
history-ask-times = Bitte wählen, ob eine Zeit den Anfang oder das Ende des Intervalls meint. Der Befehl sagt es auf Englisch so: { $detail }.
history-ask-decimals = Bitte wählen, ob Nachkommastellen nach einem Komma oder nach einem Punkt stehen. Der Befehl sagt es auf Englisch so: { $detail }.
history-ask-where = Die Tabelle enthält mehrere Reihen. Bitte eine davon unter „Nur Zeilen mit“ nennen. Der Befehl sagt es auf Englisch so: { $detail }.
history-ask-direction = { $detail } hat die andere Richtung als dieser Sensor. Bitte eine andere Spalte wählen, oder dieselbe noch einmal, wenn sie stimmt.
history-ask-unit = Bitte die Einheit dieser Werte wählen. Der Befehl sagt es auf Englisch so: { $detail }.
history-wrong = Die Tabelle kann nicht gelesen werden: { $detail }. Wörter, die mit -- beginnen, sind Optionen des Befehls wattkeeper import.

## Der Speicher und seine Reparatur

store-title = Speicher
store-lead = Die Dateien, in denen wattkeeper alles aufbewahrt.
store-noted = Schäden gefunden
store-noted-remedy = Diese Daten sind verloren. Bei Bedarf unten eine Sicherung einspielen. Den Datenträger oder die SD-Karte besser ersetzen.
store-confirm-hint = Vorher Schlüssel, Personen und Wandtablets prüfen: Nach einem Schaden können widerrufene wieder da sein. Mit der Bestätigung sind alle wieder erlaubt.
store-confirm = Gelesen und bestätigt
store-check-title = Prüfen
store-check-lead = Das liest den ganzen Speicher und nennt seine Fehler. Bei einem großen Speicher dauert das Minuten; Messwerte werden dabei weiter angenommen.
store-check = Jetzt prüfen
store-busy = Gerade läuft ein Test oder eine Prüfung. Bitte danach noch einmal versuchen.
store-found = { $problems ->
    [0] Der Speicher ist in Ordnung: { $readings } Messwerte wurden gelesen.
    [one] Ein Fehler wurde gefunden; { $readings } Messwerte wurden gelesen.
   *[other] { $problems } Fehler wurden gefunden; { $readings } Messwerte wurden gelesen.
}
store-repair-title = Reparieren
store-repair-lead = Das schließt den Speicher, um ihn zu retten oder durch eine Sicherung zu ersetzen. Bis er wieder geöffnet wird, gibt es keine anderen Seiten, und Sensoren bekommen einen Fehler; die meisten senden ihre Messwerte später.
store-close = Speicher schließen
store-close-unconfirmed = Bitte bestätigen, dass der Speicher geschlossen werden soll.
store-closing = Der Speicher wird geschlossen
store-closing-lead = Die Seite für Reparaturen folgt in wenigen Sekunden. Nur dieser Browser hat ihre Adresse.
store-replaced = Ersetzte Speicher
store-replaced-lead = Jede Reparatur bewahrt den Speicher von vorher auf. Erst entfernen, wenn er sicher nicht mehr gebraucht wird.
store-remove = Entfernen
repair-title = Reparatur des Speichers
repair-why = Der Speicher lässt sich nicht öffnen:
repair-closed = Der Speicher ist geschlossen.
repair-open-title = Speicher öffnen
repair-open-lead = wattkeeper versucht, den Speicher so zu öffnen, wie er ist.
repair-open = Öffnen
repair-opening = Der Speicher wird geöffnet.
repair-salvage-title = Speicher retten
repair-salvage-lead = Das kopiert alles Lesbare in einen neuen Speicher und nennt die Verluste. Der beschädigte Speicher bleibt daneben erhalten; es muss also Platz für beide sein.
repair-salvage = Retten
repair-restore-title = Sicherung einspielen
repair-restore-lead = Die Sicherung wird zuerst geprüft und ersetzt dann den Speicher. Der jetzige Speicher bleibt daneben erhalten.
repair-file = Sicherung
repair-file-hint = Ihr vollständiger Pfad auf dem Rechner von wattkeeper.
repair-no-file = Bitte den vollständigen Pfad einer Sicherung eingeben, etwa /mnt/backups/wattkeeper-20260105T100000Z.backup.
repair-restore = Einspielen
repair-upload = Oder eine Sicherung von diesem Gerät senden
repair-uploaded = von einem Browser gesendet, { $size }
repair-salvaging = Der Speicher wird gerettet: bisher { $count } Messwerte.
repair-restoring = Die Sicherung wird eingespielt: bisher { $size } gelesen.
repair-salvaged = Der Speicher ist gerettet: { $count } Messwerte. Jetzt kann er geöffnet werden.
repair-restored = Die Sicherung ist eingespielt: { $count } Messwerte. Jetzt kann der Speicher geöffnet werden.
repair-failed = Das ging nicht, und der Speicher ist wie zuvor: { $why }
repair-losses = Diese Daten sind verloren:
repair-needs-address = Der Speicher von wattkeeper ist für eine Reparatur geschlossen. wattkeeper hat die Adresse dieser Seite beim Start ausgegeben; sie steht in der Ausgabe des Dienstes.
