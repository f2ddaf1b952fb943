# Français. Structure comme en.ftl.

### Numbers and dates

number-decimal = ,
# Between thousands: a thin space at which lines do not break.
number-group = { "\u202F" }
date-day = { $day } { date-month } { $year }
date-day-of-year = { $day } { date-month }
date-month-of-year = { date-month } { $year }
date-week = semaine du { $date }
date-month-day = { date-month } { $day }, { $year }
date-month-day-of-year = { date-month } { $day }
date-month =
    { $month ->
        [1] janv.
        [2] févr.
        [3] mars
        [4] avr.
        [5] mai
        [6] juin
        [7] juil.
        [8] août
        [9] sept.
        [10] oct.
        [11] nov.
       *[12] déc.
    }
date-weekday =
    { $weekday ->
        [1] lun.
        [2] mar.
        [3] mer.
        [4] jeu.
        [5] ven.
        [6] sam.
       *[7] dim.
    }
# Date and time of day; the chart leaves out the comma.
date-and-clock = { $date } à { $clock }
date-locale = fr-FR

### Chart

chart-none = Aucune mesure
chart-title-power = Puissance : { $name }, du { $start } au { $end }
chart-title-prices = Prix en { $name } du kilowattheure, du { $start } au { $end }
chart-title-energy = Énergie : { $name }, du { $start } au { $end }
chart-power = Puissance
chart-mean = Moyenne
chart-peak = Maximum
chart-lowest = Minimum
chart-lowest-whole = Minimum des périodes complètes
chart-highest = Maximum
chart-energy = Énergie
chart-total = Total
chart-resets = Remises à zéro du compteur
chart-reset = { $time } : compteur remis à zéro, de { $before } à { $after }
chart-gaps = Lacunes
chart-gap = Du { $start } au { $end } : aucune mesure
chart-estimated = Estimé en partie
chart-some-of = { $some } sur { $all }
chart-bar-estimated = estimé à { $percent }
chart-bar-known = { $percent } du temps connu
chart-grid = Réseau
chart-house = Maison
chart-last-24-hours = Dernières 24 heures
chart-since = Depuis le { $date }
chart-week-of = Semaine du { $date }
chart-by-quarter = Par quart d’heure
chart-whole-quarters = quarts d’heure entiers
chart-whole-hours = heures entières
chart-whole-days = jours entiers
chart-whole-months = mois entiers
chart-whole-years = années entières
chart-newest = La dernière mesure date du { $time }. Sa période s’affiche donc à la place de la période actuelle :
chart-by-hour = Par heure
chart-by-day = Par jour
chart-by-month = Par mois
chart-by-year = Par an
chart-cost = Coût
chart-heading-power = Puissance : { $name }
chart-heading-energy = Énergie : { $name }
chart-quantity = Grandeur
chart-source = Source
chart-sources = Tous les capteurs
chart-search = Rechercher
chart-with = Afficher aussi { $name }
chart-together = Afficher ensemble
chart-group-grid = Réseau
chart-group-solar = Solaire
chart-group-battery = Batteries
chart-group-devices = Appareils
chart-bars = Durée par barre
chart-alone = Ouvrir sur une page
chart-csv = CSV pour programmes
chart-csv-spreadsheet = CSV pour tableur
chart-csv-time = Heure ({ $zone })
chart-csv-energy = Énergie (kWh)
chart-csv-power = Puissance (W)
chart-help = Graphique. Les flèches gauche et droite lisent les valeurs une à une, Page précédente et Page suivante passent à la période d’avant ou d’après, plus et moins changent le zoom.
chart-between = à

### Settings

settings-done-password = Mot de passe modifié. Tous les autres navigateurs ont été déconnectés.
settings-done-account-added = Compte ajouté.
settings-done-account-removed = Compte et clés API supprimés.
settings-done-key-added = Clé API créée. Son api_key n’a été affichée qu’une fois : renouvelez-la si vous ne l’avez pas gardée.
settings-done-key-revoked = Clé API révoquée.
settings-done-sensor-added = Capteur ajouté.
settings-done-sensor-removed = Capteur et mesures supprimés.
settings-done-saved = Enregistré.
settings-done-imported = Mesures importées : { $count }
settings-done-undone = Importation annulée.
settings-done-authorized = Capteur autorisé : il peut envoyer des mesures, et elles peuvent être téléchargées.
settings-done-revoked = Capteur bloqué : il ne peut plus envoyer de mesures, et elles ne peuvent plus être téléchargées. Elles sont conservées.

### Costs: statements

statement-tab = Coûts
statement-title = Coûts
costs-pages = Pages sur les coûts
costs-cheapest = Prix bas
costs-statement = Décompte
costs-house = Toute la maison
costs-contracts = Contrats
statement-no-account = Il n’y a pas encore de compte. Un compte regroupe des capteurs et des contrats.
statement-add-account = Ajouter un compte
statement-so-far = pour l’instant, jusqu’au { $time }
statement-what = Poste
statement-quantity = Quantité
statement-price = Prix en { $currency }
statement-amount = Montant en { $currency }
statement-varies = variable
statement-kind-energy = Énergie
statement-kind-demand = Prime de puissance
statement-kind-fixed = Abonnement
statement-kind-minimum = Minimum facturé
statement-kind-maximum = Maximum facturé
statement-kind-discount = Remise
statement-kind-export = Injection
statement-kind-tax = Taxe
statement-one-day = jour
statement-one-month = mois
statement-one-quarter = trimestre
statement-one-year = an
statement-one-billing = période de facturation
statement-many-day = jours
statement-many-month = mois
statement-many-quarter = trimestres
statement-many-year = ans
statement-many-billing = périodes de facturation
statement-costs = Coûts hors taxes
statement-costs-untaxed = Coûts
statement-credits = Rémunération
statement-taxes = Taxes
statement-total = Total
statement-paid = Acomptes versés
statement-owed = Reste à payer
statement-to-receive = À vous rembourser
statement-tier-up-to = jusqu’à { $kwh } kWh
statement-tier-up-to-a-day = jusqu’à { $kwh } kWh par jour
statement-tier-over = au-delà de { $kwh } kWh
statement-tier-over-a-day = au-delà de { $kwh } kWh par jour
statement-tier-all = tout
statement-cap = prix plafond
statement-surplus = surplus
statement-at-most-energy = au plus le coût de l’énergie
statement-imported = Soutirage
statement-exported = Injection
statement-measured = Temps avec énergie mesurée
statement-estimated = Temps avec énergie estimée
statement-missing = Temps sans mesures
statement-events = Anomalies
statement-corrections = Corrections
amount-without-energy = sans { $energy }
amount-without-time = sans { $share } du temps
amount-without-both = sans { $energy } et { $share } du temps
amount-without-share = sans { $share } de l’énergie
# As bills call a tax, between commas.
bill-usual-taxes = TVA, T.V.A., taxe sur la valeur ajoutée, TPS, TVQ, TVH
statement-unknown = Il n’y a pas de total : l’énergie de ces jours est inconnue ou entièrement sans prix.
statement-incomplete = Le total ne couvre pas tout : une partie de l’énergie est inconnue ou sans prix.
statement-unpriced = Énergie sans prix : { $imported } de soutirage et { $exported } d’injection. Aucun contrat ne s’appliquait alors, ou sa série de prix a une lacune.
statement-converted = Les prix de { $series } sont en { $currency }. Ils sont convertis aux taux de { $rates }.
statement-other-currency = Les prix de { $series } sont en { $currency }, pas dans la monnaie des contrats : l’énergie comptée avec eux reste sans prix. Remplissez une série avec des prix dans la monnaie des contrats.
statement-no-contract = Sans contrat, toute l’énergie est sans prix.
statement-compared-unknown = Son coût n’est pas connu.
statement-csv = Télécharger le tableau (CSV)
statement-json = Télécharger en JSON

### The costs of a device

sensor-costs-title = Coûts d’un appareil
sensor-costs-devices = Appareils
sensor-costs-from = Provenance
sensor-costs-source-solar = Solaire, en direct
sensor-costs-source-battery = Solaire, par la batterie
sensor-costs-source-stored-grid = Réseau, par la batterie
sensor-costs-source-grid = Réseau
sensor-costs-source-unknown = Provenance inconnue
sensor-costs-left-out = Sans provenance connue ou sans prix : { $energy }.
sensor-costs-gaps = Moments sans mesures
sensor-costs-more =
    { $count ->
        [one] { $count } autre n’est pas affiché.
       *[other] { $count } autres ne sont pas affichés.
    }
sensor-costs-assumes = À chaque quart d’heure, l’appareil puise dans les sources de la maison, en proportion. L’énergie du réseau compte à son prix, avec les taxes et sans l’abonnement. L’énergie autoproduite compte à la rémunération qu’elle aurait reçue si elle avait été injectée ; sans rémunération, elle ne coûte rien. Si un prix a varié, la ligne en donne la moyenne.
sensor-costs-no-validity = Cette page est calculée à partir des mesures et des contrats. Elle n’a aucune valeur légale.
tenancy-title = Locataires
tenancy-own = Mon énergie
tenancy-nobody = Vous ne figurez encore dans aucune location. Demandez à la personne qui vous loue le logement.
tenancy-now = Maintenant
tenancy-outside = Votre location n’a aucun jour dans cette période. Choisissez-en une autre.
tenancy-gone = Le sous-compteur de cette location n’existe plus, ou il mesure maintenant autre chose.
tenancy-assumes = L’énergie de toutes les sources a le prix convenu. Un mois incomplet a une part de l’abonnement, selon les jours.
tenancy-correction = Une correction qui concerne aussi des jours hors de la location.
tenancy-base-fee = Abonnement
tenancy-lead = Un locataire paie pour un sous-compteur : à un prix convenu, ou au coût réel. Il peut se connecter et le voir, et rien d’autre de la maison.
tenancy-all = Toutes les locations
tenancy-none = Personne ne loue encore de sous-compteur.
tenancy-new = Ajouter une location
tenancy-change = Modifier la location
tenancy-name = Nom
tenancy-name-hint = Celui du logement ou du locataire. Pour un nouveau prix, terminez la location et ajoutez-en une qui la suit.
tenancy-sensor = Sous-compteur
tenancy-until-hint = Vide tant que la location continue.
tenancy-price = Prix du kilowattheure
tenancy-price-hint = Vide pour le coût réel : le réseau à son prix, l’énergie autoproduite à sa rémunération.
tenancy-fee = Abonnement par mois
tenancy-person = Personne qui la voit
tenancy-person-hint = Le nom avec lequel elle se connecte. L’administrateur l’ajoute comme locataire.
tenancy-save = Enregistrer
tenancy-remove = Supprimer la location
tenancy-as-tenant = La page du locataire
tenancy-agreed = { $price } le kilowattheure
tenancy-real-cost = coût réel
tenancy-a-month = { $fee } par mois
tenancy-no-access = { $name } n’est pas encore locataire : ajoutez ce droit sur la page Personnes
tenancy-statements = Tous les décomptes, à imprimer
tenancy-real = Coût réel ({ $currency })
tenancy-to-pay = À payer ({ $currency })
tenancy-rest = Reste pour la maison
tenancy-rest-what = Reste pour la maison : sa propre consommation, et le reste de son décompte une fois que les locataires ont payé. Avec les frais fixes, et avec la rémunération que l’énergie autoproduite pour les locataires n’a pas rapportée.
tenancy-nested = { $sensor } se trouve derrière le sous-compteur d’un autre locataire et compterait deux fois. C’est pourquoi il n’y a pas de reste ici.
tenancy-incomplete = Une partie de l’énergie de la maison ou d’un locataire est inconnue ou n’a pas de prix. Elle manque dans les montants.
tenancy-done-saved = Location enregistrée.
tenancy-done-removed = Location supprimée. Les mesures restent.
tenancy-wrong-name = Saisissez un nom de 64 caractères au plus ; les lettres accentuées comptent double.
tenancy-wrong-taken = Une location porte déjà ce nom. Choisissez-en un autre.
tenancy-wrong-sensor = Choisissez un sous-compteur.
tenancy-wrong-date = Saisissez une date, par exemple 31/01/2026.
tenancy-wrong-until = Le dernier jour est avant le premier.
tenancy-wrong-person = Saisissez le nom d’une personne, de 56 caractères au plus ; les lettres accentuées comptent double.
tenancy-wrong-amount = Saisissez un montant positif ou nul, par exemple 0,28.
tenancy-wrong-collides = Une autre location a ce sous-compteur certains de ces jours. Terminez-la d’abord, ou choisissez d’autres jours.
tenancy-too-many = Il y a 100 locations, c’est le maximum. Supprimez d’abord les anciennes.

### Costs: forecast

forecast-title = Prévision
forecast-lead = L’énergie et les coûts probables du mois et de l’année en cours.
forecast-no-grid = Aucun capteur ne mesure ce que la maison soutire du réseau. Dans les réglages, donnez son rôle au capteur du réseau.
forecast-few-days =
    { $count ->
        [one] Une prévision demande 14 jours mesurés sur les 56 derniers. Pour l’instant, il y en a { $count }.
       *[other] Une prévision demande 14 jours mesurés sur les 56 derniers. Pour l’instant, il y en a { $count }.
    }
forecast-until = mesures jusqu’au { $time }
forecast-billing = Période de facturation { $from } – { $to }
forecast-late = Les mesures commencent au cours de cette période : elle compte à partir du { $date }.
forecast-unpriced = Une part de { $energy } est sans prix et ne figure dans aucun montant.
forecast-no-contract = Sans contrat, il n’y a pas de coûts.
forecast-likely = Le plus probable
forecast-range = 8 fois sur 10
forecast-from-to = { $low } – { $high }
forecast-so-far = Pour l’instant
forecast-used = Consommation de la maison
forecast-costs = Coûts
forecast-total = Coûts moins rémunération
forecast-advances = Acomptes
forecast-balance = Solde : acomptes moins coûts
forecast-basis = Hypothèses
forecast-basis-method = Les 31 prochains jours suivent cette méthode : { $method }.
forecast-reason-untested = C’est le premier choix : elle a été testée sur moins de douze mois.
forecast-reason-first = C’est le premier choix : aucune autre n’a été nettement plus proche ces douze derniers mois.
forecast-reason-nearer = Elle a été nettement plus proche que le premier choix ces douze derniers mois.
forecast-basis-year = Les jours suivants ressemblent à ceux de l’an dernier, avec la moitié de l’évolution depuis.
forecast-basis-recent = Les jours suivants ressemblent aux mêmes jours de la semaine des huit dernières semaines, car moins d’un an est connu : les autres saisons ne comptent pas.
forecast-basis-rest = L’énergie manquante compte de la même façon. Chaque jour se déroule comme le même jour de l’une des huit dernières semaines, aux prix de vos contrats. Un prix encore inconnu est la moyenne de son heure sur ces semaines.
forecast-days-and-year = Derniers jours et année précédente
forecast-days = Derniers jours
forecast-month-so-far = Mois en cours
forecast-weeks = Huit dernières semaines
forecast-year = Année précédente
forecast-year-scaled = Année précédente, ajustée
forecast-month-and-year = Mois en cours et année précédente
forecast-days-and-year-scaled = Derniers jours et année précédente, ajustée
forecast-method-of-export = Méthode pour l’injection
forecast-method-of-use = Méthode pour la consommation
forecast-known-days = Jours mesurés sur les 56 derniers
forecast-tested = Les derniers mois comme test
forecast-tested-lead =
    { $count ->
        [one] Un mois passé a été prévu au début de son 10e jour, comme test : l’erreur sur le soutirage était de { $error }.
       *[other] Sur les { $count } derniers mois, chacun prévu au début de son 10e jour, le soutirage de { $within } était dans la fourchette. L’erreur médiane était de { $error }, et dans 9 mois sur 10 elle était d’au plus { $most }. Chaque mois suit la méthode que les mois précédents avaient choisie.
    }
forecast-tested-methods = Les mêmes mois avec chaque méthode : la plus petite somme des deux erreurs l’emporte, si elle est inférieure de plus d’un cinquième à celle du premier choix.
forecast-method = Méthode
forecast-method-months = Mois
forecast-method-median = Erreur médiane
forecast-method-most = 9 sur 10 au plus
forecast-method-chosen = choisie
forecast-tested-none = Il n’y a encore aucun mois passé pour la tester : il faut un mois entier sans lacunes, et deux semaines avant son 10e jour.
forecast-month = Mois
forecast-actual = Mesuré
forecast-within = Dans la fourchette
forecast-held = oui
forecast-missed = non
### Costs: what if

what-if-title = Et si… ?
what-if-lead = Le coût de vos journées avec une autre batterie, d’autres panneaux ou un autre appareil. Rien n’est enregistré.
what-if-ask = Qu’est-ce qui serait différent ?
what-if-show = Calculer
what-if-present = En réalité
what-if-changed = Et si
what-if-produced = Production
what-if-charged = Vers la batterie
what-if-discharged = De la batterie
what-if-sufficiency = Taux d’autoproduction
what-if-saved = Économies
what-if-saved-year = Économies par an
what-if-statement = Le décompte réel
what-if-lines = Le décompte tel qu’il aurait été
what-if-sizes = Tailles de la batterie
what-if-sizes-lead = Chacune est comparée à la même maison sans batterie. Là où les barres ne montent plus, plus de capacité apporte peu.
what-if-picture = Ce que chaque taille économise par an
what-if-picture-known = Ce que chaque taille économise sur les jours connus
what-if-no-year-few-months = Moins de douze mois sont connus : il n’y a donc pas de résultat sur un an.
what-if-no-year-incomplete = Sur les douze derniers mois, plus d’un vingtième est sans mesures ou sans prix : il n’y a donc pas de résultat sur un an.
what-if-at-rest = Si la batterie était restée au repos pendant ce temps, la maison aurait économisé { $saved }.
what-if-rule = Règle la moins chère
what-if-rule-greedy = Elle sert seulement la maison
what-if-rule-prices = Elle achète l’énergie bon marché
what-if-rule-below-peaks = Elle achète l’énergie bon marché sous la pointe du mois
what-if-rule-trading = Elle achète l’énergie bon marché et injecte
what-if-replayed = La batterie actuelle de la maison est remplacée. Celle-ci aurait fourni { $share } par rapport à elle. Avec la taille de votre propre batterie, cela montre l’écart entre le calcul et la réalité.
what-if-known-in = { $days } jours sont connus, en { $from }.
what-if-known = { $days } jours sont connus, entre { $from } et { $to }.
what-if-cycles = Cycles par an
what-if-payback = Amortie en
what-if-years = { $years } ans
what-if-battery = Batterie
what-if-kwh = Capacité utile en kWh
what-if-kwh-hint = Jusqu’à 1000. Elle remplace la batterie de la maison, s’il y en a une.
what-if-price = Prix par kWh de capacité
what-if-price-hint = Pose comprise, aides déduites.
what-if-charge = Charge au plus à, en kW
what-if-discharge = Fournit au plus, en kW
what-if-power-hint = Vide : 5.
what-if-efficiency = Rendement en %
what-if-efficiency-hint = Pour la charge et la décharge ensemble. Vide : 90.
what-if-reserve = Réserve en %
what-if-reserve-hint = La part de la capacité qu’elle ne fournit jamais. Vide : 0.
what-if-standby = Consommation propre en watts
what-if-standby-hint = Ce qu’elle consomme elle-même en permanence ; de 5 à 30 en général. Vide : 0.
what-if-ageing = Perte de capacité en % par an
what-if-ageing-hint = Pour les années jusqu’à l’amortissement ; de 1 à 3 en général. Vide : 0.
what-if-dispatch = Elle se charge
what-if-greedy = seulement avec ce que la maison injecterait
what-if-prices = aussi sur le réseau, quand les prix sont bas
what-if-trading = de même, et elle injecte dans le réseau si le contrat le permet
what-if-panels = Panneaux
what-if-factor = Production multipliée par
what-if-factor-hint = 2 pour deux fois plus de panneaux, 0 pour aucun.
what-if-kwp = Nouveaux panneaux en kWc
what-if-kwp-hint = Avec le profil ci-dessous.
what-if-file = Un fichier avec le profil des nouveaux panneaux
what-if-profile = Profil des nouveaux panneaux
what-if-profile-hint = Un tableau avec la puissance de chaque heure d’une année, tel que PVGIS l’exporte (données horaires, puissance PV, CSV).
what-if-load = Appareil
what-if-load-how = Un appareil
what-if-load-none = reste tel quel
what-if-load-add = s’ajoute
what-if-load-cheapest = s’ajoute aux heures les moins chères
what-if-load-remove = est retiré
what-if-load-move = passe aux heures les moins chères de sa journée
what-if-sensor = Sous-compteur
what-if-sensor-hint = Son énergie est celle de l’appareil. Ou laissez vide et saisissez l’énergie.
what-if-daily = Énergie par jour en kWh
what-if-daily-hint = Par exemple 8 pour une voiture.
what-if-between = Entre
what-if-between-hint = Par exemple 22:00-06:00.
what-if-load-power = Puissance en kW
what-if-load-power-hint = Pour les heures les moins chères. Vide : répartition uniforme.
what-if-assumes-same-use = La maison consomme la même énergie aux mêmes moments, sauf l’appareil ci-dessus : le comportement ne change pas avec le prix.
what-if-assumes-greedy = La batterie ne prend que ce que la maison injecterait, et le restitue dès que la maison soutire. Elle n’injecte jamais dans le réseau. Sans valeurs ci-dessus, elle ne consomme rien elle-même et ne vieillit pas. Elle est vide au début de ces jours, et l’énergie qui reste à la fin ne vaut rien.
what-if-assumes-buying = La batterie prend aussi de l’énergie du réseau quand cela reste rentable après les pertes, selon les prix connus à ce moment et la consommation des sept derniers jours. Elle n’injecte jamais dans le réseau. Sans valeurs ci-dessus, elle ne consomme rien elle-même et ne vieillit pas. Entre les règles qui achètent et celle qui n’achète pas, la moins chère s’affiche. Elle est vide au début de ces jours, et l’énergie qui reste à la fin ne vaut rien.
what-if-assumes-trading = Le contrat permet à la batterie d’injecter dans le réseau. Elle prend aussi de l’énergie du réseau et l’injecte quand cela reste rentable après les pertes, selon les prix et la rémunération connus à ce moment et la consommation des sept derniers jours. S’il y a une prime de puissance, elle n’élève jamais ainsi la pointe d’un mois. Sans valeurs ci-dessus, elle ne consomme rien elle-même et ne vieillit pas. Entre les règles qui achètent et celle qui n’achète pas, la moins chère s’affiche. Elle est vide au début de ces jours, et l’énergie qui reste à la fin ne vaut rien.
what-if-assumes-replaced = La batterie actuelle de la maison est d’abord retirée du calcul.
what-if-assumes-kept = La batterie actuelle de la maison continue comme avant.
what-if-assumes-profile = Les nouveaux panneaux fournissent à chaque heure ce que le profil indique pour cette heure de l’année.
what-if-assumes-cheapest = L’appareil fonctionne pendant les quarts d’heure les moins chers, selon les prix de toutes les composantes.
what-if-wrong-nothing = Saisissez une batterie, des panneaux ou un appareil : sans cela, rien ne serait différent.
what-if-wrong-number = Saisissez un nombre de { $from } à { $to }, par exemple { $example }.
what-if-wrong-efficiency = Saisissez de 1 à 100 pour cent avec au plus quatre décimales, par exemple 90.
what-if-wrong-choice = Choisissez dans la liste.
what-if-wrong-sizes = Saisissez au plus 41 tailles de 0 à 1000 kWh séparées par des virgules, ou usual.
what-if-wrong-alone = Seule, cette valeur n’a pas de sens. Saisissez aussi la batterie ou l’appareil concerné, ou laissez vide.
what-if-wrong-missing = Saisissez aussi ceci.
what-if-wrong-header = Le tableau n’a pas de ligne qui nomme les colonnes « time » et « P ». Exportez des données horaires avec la puissance PV en CSV.
what-if-wrong-line = La ligne { $line } ne contient pas une heure et une puissance, comme 20200101:0010,512.4.
what-if-wrong-nominal = La ligne { $line } ne donne pas la puissance nominale des panneaux en kWc, comme 1.0.
what-if-wrong-long = Le tableau a trop de lignes. Quelques années d’heures suffisent.
what-if-wrong-hour = L’heure { $time } UTC est inconnue. Le tableau doit contenir les 8 760 heures d’une année.
what-if-wrong-between = Saisissez deux heures au quart d’heure, par exemple 22:00-06:00.
what-if-wrong-power = L’énergie ne tient pas dans ces heures. Saisissez une puissance plus élevée.
what-if-wrong-both = Saisissez l’énergie ou choisissez un sous-compteur, pas les deux.
what-if-wrong-sensor = Choisissez un sous-compteur de ce compte.
what-if-wrong-panels = Aucun capteur ne mesure de panneaux, il n’y a donc rien à multiplier. Saisissez de nouveaux panneaux avec un profil.
what-if-wrong-many = Ce calcul est trop long. Choisissez moins de jours.

### Costs: offers, and what they would have cost

compare-title = Qu’aurais-je payé ?
compare-contract = Contrat
compare-present = Contrats en vigueur
compare-difference = Différence
compare-mean = Prix moyen par kWh
compare-incomplete = incomplet
compare-lines = Ligne par ligne
compare-months = Par mois
compare-energy = Énergie
compare-demand = Primes de puissance
compare-standing = Part fixe
compare-credits = Rémunération
compare-taxes = Taxes
compare-assumes = Le calcul suppose la même énergie aux mêmes moments : le comportement ne change pas avec le prix. Chaque offre est en vigueur dès le premier de ces jours.
compare-measured = Tout le temps est mesuré.
compare-coverage = { $estimated } du temps est estimé, { $missing } est sans mesures.
compare-none = Il n’y a pas encore d’offre à comparer. Saisissez les prix d’un autre fournisseur comme offre.
compare-no-contract = Il n’y a pas de contrat auquel comparer des offres. Ajoutez d’abord le vôtre.
compare-before-contract = Aucun contrat n’était en vigueur ces jours-là : le premier commence le { $from }. Choisissez des jours plus récents.
compare-too-many = Cela fait trop de prix. Choisissez moins de jours, ou supprimez des offres.
compare-left-out = Non comparé, car dans une autre monnaie : { $names }.
offer-all = Offres
offer-lead = Une offre est un contrat qui n’est pas en vigueur, par exemple celui d’un autre fournisseur. Elle ne change aucun coût : elle montre ce que vous auriez payé.
offer-none = Il n’y a pas encore d’offres.
offer-new = Nouvelle offre
offer-change = Modifier l’offre
offer-save = Enregistrer l’offre
offer-remove = Supprimer l’offre
offer-not-in-force = Une offre ne change aucun coût. Elle est comparée aux contrats en vigueur.
offer-begins-hint = Une comparaison de jours antérieurs la compte dès le premier d’entre eux.
offer-template-lead = Choisissez un tarif construit comme l’offre. Il devient une offre avec des prix d’exemple : remplacez-les, puis enregistrez.
offer-done-saved = Offre enregistrée.
offer-done-removed = Offre supprimée.
offer-wrong-taken = Une autre offre porte ce nom.
offer-too-many = Il y a 50 offres, c’est le maximum. Supprimez-en d’abord une.
statement-offer = Ce sont les prix de l’offre { $name }, qui n’est pas en vigueur.

### Costs: what the panels and the battery saved, and purchases

savings-title = Qu’ont fait économiser les panneaux et la batterie ?
savings-short = Économies
savings-house = Maison
savings-present = En réalité
savings-without-panels = Sans panneaux
savings-without-battery = Sans batterie
savings-without-both = Sans les deux
savings-saved = Économisé
savings-months = Économies par mois
savings-assumes = Le calcul suppose la même consommation aux mêmes moments, avec les mêmes contrats.
savings-assumes-both = Sans panneaux, la batterie se charge et se décharge comme mesuré. Les économies des deux ensemble ne sont donc pas la somme des deux.
savings-missing = Là où des mesures manquent ou sont estimées, rien ne compte comme économisé.
savings-coarse = { $share } de l’énergie au réseau a été relevée moins souvent qu’à chaque quart d’heure. Sur cette durée, elle est répartie uniformément.
savings-left-out = Quand un quart d’heure est estimé ou sans mesures, la maison compte telle qu’elle était : { $imported } de soutirage, { $exported } d’injection, { $own } des panneaux et de la batterie.
savings-no-export = Aucun capteur ne mesure l’injection. Toute la production des panneaux compte donc comme consommée, et leurs économies semblent trop élevées.
savings-no-contract = Il n’y a pas de contrat pour donner un prix à l’énergie. Ajoutez d’abord le vôtre.
savings-no-part = Cette maison n’a ni panneaux ni batterie mesurés. Il faut un capteur avec ce rôle, et des mesures.
savings-too-many = Cela fait trop de prix. Choisissez moins de jours.
statement-without-panels = C’est ce que la maison aurait payé sans ses panneaux.
statement-without-battery = C’est ce que la maison aurait payé sans sa batterie.
statement-without-both = C’est ce que la maison aurait payé sans ses panneaux ni sa batterie.
purchase-title = Achats
purchase-lead = Vos achats pour produire ou stocker de l’énergie, et où en est leur amortissement.
purchase-by-panels = Panneaux
purchase-by-battery = Batterie
purchase-by-both = Tous les achats
purchase-paid-back = Amorti à { $share }.
purchase-expected = Le reste devrait être amorti le { $date }.
purchase-reason-paid-back = Tout est amorti.
purchase-reason-no-sensor = Aucun capteur ne le mesure : ses économies sont inconnues.
purchase-reason-few-months = Pas encore de date prévue : les mesures et les prix couvrent moins de douze mois.
purchase-reason-incomplete = Pas de date prévue : sur les douze derniers mois, plus d’un vingtième est sans mesures ou sans prix.
purchase-reason-no-savings = Pas de date prévue : il économise moins qu’il ne coûte.
purchase-price = Prix, aides déduites
purchase-saved = Économisé depuis le { $date }
purchase-assumed = Sans doute économisé avant
purchase-costs-so-far = Coûts jusqu’ici
purchase-per-year = Économies par an, coûts déduits
purchase-assumes = Le calcul suppose que chaque année à venir, comme le temps avant les premières mesures, économise autant que les douze derniers mois.
purchase-entered = Achats saisis
purchase-none = Il n’y a pas encore d’achats.
purchase-new = Nouvel achat
purchase-change = Modifier l’achat
purchase-name = Nom
purchase-kind = Nature
purchase-kind-panels = Panneaux
purchase-kind-battery = Batterie
purchase-kind-other = Autre chose
purchase-date = Économise depuis
purchase-amount = Montant payé
purchase-subsidy = Aide reçue, s’il y en a eu une
purchase-costs = Coûts par an, par exemple une assurance
purchase-save = Enregistrer l’achat
purchase-remove = Supprimer cet achat
purchase-done-saved = Achat enregistré.
purchase-done-removed = Achat supprimé.
purchase-wrong-name = Saisissez un nom de 64 caractères au plus
purchase-wrong-taken = Un autre achat porte ce nom.
purchase-wrong-date = Saisissez un jour à partir de 1970 et au plus un an dans le futur, par exemple 01/05/2022
purchase-wrong-amount = Saisissez un montant positif ou nul, avec au plus neuf chiffres avant la virgule et six après, par exemple 14500
purchase-wrong-subsidy = Saisissez un montant de 0 jusqu’au montant payé, par exemple 1500
purchase-wrong-costs = Saisissez un montant positif ou nul, par exemple 120
purchase-too-many = Il y a 50 achats, c’est le maximum. Supprimez-en d’abord un.

### Costs: templates of contracts

template-title = Tarifs
template-from = Partir du tarif d’un pays
template-lead = Choisissez un tarif construit comme le vôtre. Il devient un nouveau contrat avec des prix d’exemple : remplacez-les par les vôtres, puis enregistrez.
template-country = Pays
template-all-countries = tous
template-kind = Type
template-all-kinds = tous
template-kind-flat = Prix unique
template-kind-time-of-use = Par heures et jours
template-kind-tiers = Par quantité consommée
template-kind-series = Prix du marché
template-kind-demand = Par pointe de puissance
template-kind-net-metering = Compensation
template-kind-export = Injection
template-kind-other = Autres
template-show = Afficher
template-use = Utiliser
template-needs = Il faut :
template-source = Source :
template-none = Ce tarif n’existe pas encore ici. Créez un contrat et saisissez ses prix.
template-search = Rechercher

### Costs: a tariff of a country

tariff-lead = Saisissez les valeurs de votre contrat : elles figurent sur la facture ou sur la grille tarifaire du fournisseur. Rien n’est enregistré avant que vous ayez vu le résultat.
tariff-offer-name-hint = Il figure dans la comparaison.
tariff-example = Par exemple { $example }.
tariff-list-hint = Le nom sous lequel les prix ou les jours sont envoyés ici.
tariff-check = Continuer
tariff-about = À propos de ce tarif
tariff-json = En JSON
tariff-questions = Merci de revoir ces points :
tariff-save = Enregistrer
tariff-change = Modifier
tariff-missing = Saisissez ici une valeur, par exemple { $example }.
tariff-wrong-price = Saisissez un prix, par exemple { $example }, avec peu de décimales.
tariff-wrong-number = Saisissez un nombre qui n’est pas négatif, par exemple { $example }.
tariff-wrong-hours = Saisissez des heures, par exemple { $example } ; s’il y en a plusieurs, séparez-les par une virgule.
tariff-wrong-choice = Choisissez dans la liste, ou saisissez un nom de 64 caractères au plus.
tariff-key-hint = La clé que demande la source. Elle est gardée pour cette seule source et ne figure dans aucune sauvegarde.
tariff-needs-key = Cette source demande une clé.
tariff-mapping = Autre adresse de la source
tariff-result = Ce que cela aurait donné
tariff-source-answers = { $source } répond avec { $count } prix ou jours ({ $from } – { $to }).
tariff-preview = Pour { $month }, le coût aurait été de { $total } ({ $energy }, { $mean } en moyenne).
tariff-preview-demo = Il n’y a pas encore de mois complet de mesures. Le ménage de la démo aurait payé { $total } en { $month } ({ $energy }, { $mean } en moyenne).
tariff-preview-unpriced = Le coût pour { $month } est inconnu : une partie des { $energy } est sans prix.
tariff-preview-present = Avec le contrat en vigueur : { $total } ({ $energy }, { $mean } en moyenne).
doubt-hundredths = { $name } : { $price } { $currency } pour un kilowattheure, c’est beaucoup. Si ce sont des centimes, saisissez { $hundredth }.
doubt-megawatthours = { $name } : { $price } { $currency } pour un kilowattheure, c’est beaucoup. Si c’est pour un mégawattheure, saisissez { $thousandth }.
doubt-negative = { $name } : le prix de { $price } { $currency } est négatif. Soutirer de l’énergie rapporterait de l’argent.
doubt-small-percent = { $name } : { $percent }, est-ce exact ? S’il s’agit d’une part entre 0 et 1, saisissez { $hundredfold }.
doubt-large-percent = { $name } : { $percent }, c’est beaucoup. Est-ce exact ?
doubt-fee = { $name } : { $price } { $currency } { $per }, c’est beaucoup. Est-ce exact ?
doubt-unusual = { $name } : { $typed } { $unit }, est-ce exact ? D’habitude, c’est de { $least } à { $most }.
doubt-series = Il n’y a pas encore de prix { $name } : l’énergie comptée avec eux reste sans prix.
doubt-series-near = Il n’y a pas encore de prix { $name }. Vouliez-vous dire { $near } ?
doubt-days = Il n’y a pas encore de liste de jours { $name } : l’énergie de ses jours reste sans prix.
doubt-days-near = Il n’y a pas encore de liste de jours { $name }. Vouliez-vous dire { $near } ?
doubt-future = Le contrat commence dans le futur, le { $from }. D’ici là, rien ne change.
country-AT = Autriche
country-AU = Australie
country-BE = Belgique
country-BG = Bulgarie
country-BR = Brésil
country-CA = Canada
country-CH = Suisse
country-CY = Chypre
country-CZ = Tchéquie
country-DE = Allemagne
country-DK = Danemark
country-EE = Estonie
country-ES = Espagne
country-FI = Finlande
country-FR = France
country-GB = Royaume-Uni
country-GR = Grèce
country-HR = Croatie
country-HU = Hongrie
country-IE = Irlande
country-IN = Inde
country-IS = Islande
country-IT = Italie
country-JP = Japon
country-KR = Corée du Sud
country-LT = Lituanie
country-LU = Luxembourg
country-LV = Lettonie
country-MT = Malte
country-MX = Mexique
country-NL = Pays-Bas
country-NO = Norvège
country-NZ = Nouvelle-Zélande
country-PK = Pakistan
country-PL = Pologne
country-PT = Portugal
country-RO = Roumanie
country-RS = Serbie
country-SE = Suède
country-SI = Slovénie
country-SK = Slovaquie
country-TR = Turquie
country-TW = Taïwan
country-UA = Ukraine
country-US = États-Unis
country-ZA = Afrique du Sud
wizard-tariff = Choisir un tarif
wizard-tariff-title = Combien coûte votre électricité ?
wizard-tariff-lead = Choisissez un tarif construit comme le vôtre. Les coûts en découlent, y compris ceux du passé.
wizard-tariff-others = Autres tarifs
wizard-tariff-later = Plus tard

### Costs: contracts

contract-all = Contrats
contract-lead = Un contrat dit ce que vous payez, et ce que vous recevez, à partir de son premier jour. Il s’applique jusqu’au début du suivant.
contract-none = Il n’y a pas encore de contrats.
contract-new = Nouveau contrat
contract-change = Modifier le contrat
contract-done-saved = Enregistré. Les coûts sont désormais calculés avec ce contrat, y compris ceux des jours passés.
contract-done-removed = Contrat supprimé. Les coûts de ses jours sont calculés sans lui.
contract-always = À toute heure
contract-from = À partir du { $from }
contract-until = Jusqu’au { $to }
contract-from-to = { $from } – { $to }
contract-past = Les coûts sont calculés, pas enregistrés : une modification prend effet aussitôt, même pour les jours passés.
contract-basics = Contrat
contract-name = Nom
contract-begins = Premier jour
contract-continues = Ce contrat
contract-continues-yes = contient de nouveaux prix du contrat précédent
contract-continues-no = est celui d’un nouveau fournisseur
contract-continues-hint = Avec de nouveaux prix, les cumuls d’un mois ou d’un an se poursuivent : tranches, compensation, prix plafonds et minimums facturés. Avec un nouveau fournisseur, ils repartent de zéro.
contract-currency = Monnaie
contract-energy-title = Énergie du réseau
contract-whole-units = Tous les prix sont dans la monnaie ci-dessus, pas en centimes : 32,15 centimes s’écrivent 0,3215.
contract-energy = Énergie
contract-how = Comment le prix est-il fixé ?
contract-rate-flat = Un seul prix à toute heure
contract-rate-hours = Prix selon les heures de la semaine, par exemple heures pleines / heures creuses
contract-rate-tiers = Prix selon la quantité consommée
contract-rate-series = Prix horaires du marché
contract-price = Prix par kWh
contract-price-hint = Par exemple 0,3215, soit 32,15 centimes.
contract-history-before = Il y a des mesures depuis le { $first }. Le contrat commence le { $from } : l’énergie d’avant est sans prix.
contract-usual = Prix habituel, à tout autre moment
contract-painted = Prix à certaines heures
contract-zone-name = Nom
contract-another = Autre prix à certaines heures
contract-grid = Cochez les heures à ce prix. Chaque case est l’heure qui commence à ce moment.
contract-hour = Heure
contract-months = Pendant ces mois
contract-tiers = Tranches
contract-tiers-hint = La dernière tranche n’a pas de fin : laissez sa fin vide.
contract-period = Énergie comptée
contract-tier-end = Tranche { $nth } : jusqu’à, en kWh
contract-tier-price = Tranche { $nth } : prix par kWh
contract-series = Série de prix
contract-series-hint = Le nom que vous lui donnez à l’envoi de ses prix.
contract-factor = Multiplié par
contract-surcharge = Supplément par kWh
contract-beside = Frais fixes, injection et taxe
contract-fixed = Frais fixes
contract-fixed-hint = Les frais qui ne dépendent pas de votre consommation, par exemple un abonnement de 12,50 par mois. Laissez vides les champs inutiles.
contract-fixed-name = Frais { $nth } : nom
contract-fixed-price = Montant
contract-fixed-of = des frais { $nth }
contract-fixed-per = Période
contract-feed-in = Injection
contract-feed-in-price = Prix reçu par kWh injecté
contract-feed-in-hint = Par exemple 0,08. Laissez vide si vous ne recevez rien.
contract-tax = Taxe
contract-tax-hint = Laissez vide si les prix comprennent la taxe.
contract-percent = Pourcentage
contract-tax-name = Nom de la taxe
contract-tax-base = Calculée
contract-tax-of-net = sur les coûts moins la rémunération
contract-tax-of-costs = sur les coûts seuls
contract-per-day = par jour
contract-per-month = par mois
contract-per-quarter = par trimestre
contract-per-year = par an
contract-per-billing = par période de facturation
contract-a-day = par jour
contract-a-month = par mois
contract-a-quarter = par trimestre
contract-a-year = par an
contract-a-billing = par période de facturation
contract-up-to = Jusqu’à { $kwh } kWh { $per }
contract-above = Au-delà
contract-by-series = prix de { $series } × { $factor } + { $surcharge }
contract-hours-a-week =
    { $hours ->
        [one] { $hours } heure par semaine
       *[other] { $hours } heures par semaine
    }
contract-consists-of = Se compose de
contract-electricity = Électricité
contract-day = jour
contract-night = nuit
contract-vat = TVA
contract-weekday-mon = lun.
contract-weekday-tue = mar.
contract-weekday-wed = mer.
contract-weekday-thu = jeu.
contract-weekday-fri = ven.
contract-weekday-sat = sam.
contract-weekday-sun = dim.
contract-save = Enregistrer le contrat
contract-as-json = Modifier en texte (JSON)
contract-json-title = Contrat en texte
contract-json = JSON
contract-json-hint = Ce contrat contient plus que ce que le formulaire peut montrer, ou vous avez demandé son texte. docs/MONEY.md décrit tous les champs.
contract-remove-title = Supprimer
contract-remove-hint = Le contrat précédent s’applique alors jusqu’au début du suivant. Les coûts passés changent aussitôt.
contract-remove = Supprimer le contrat
contract-wrong-name = Saisissez un nom de 64 caractères au plus ; les lettres accentuées comptent double.
contract-wrong-price = Saisissez un nombre avec au plus six décimales, par exemple 0,3215.
contract-wrong-currency = Saisissez une monnaie de 1 à 8 caractères, par exemple EUR.
contract-wrong-from = Saisissez une date, par exemple 01/01/2026.
contract-wrong-tax = Saisissez un pourcentage qui n’est pas négatif, par exemple 20.
contract-wrong-twice = Donnez à chaque prix son propre nom.
contract-wrong-hours = Cochez au moins une heure et un mois pour ce prix.
contract-wrong-unused = Ce prix ne s’applique jamais : d’autres prix occupent toutes ses heures.
contract-wrong-tiers = Saisissez au plus 16 tranches, chacune avec une fin plus haute que la précédente ; la dernière sans fin.
contract-wrong-taken = Un autre contrat commence ce jour-là.
contract-wrong-other-currency = Tous les contrats doivent être dans la même monnaie. Les autres sont en { $currency }.
contract-wrong-json = Ce n’est pas un contrat : { $problem }.
contract-wrong-other = Ce contrat ne peut pas être enregistré : { $problem }.

### Costs: price series

prices-title = Séries de prix
prices-lead = Des prix qui changent à chaque heure ou quart d’heure, comme ceux d’un marché day-ahead. Un contrat les utilise par le nom de la série.
prices-by-itself = Laisser wattkeeper les récupérer lui-même
prices-series = Toutes les séries
prices-none = Il n’y a pas encore de prix.
prices-count = { $count } prix
prices-add-title = Ajouter des prix
prices-add = Ajouter les prix
prices-name = Nom de la série
prices-name-hint = Un nouveau, ou l’un de ceux ci-dessus. Des prix pour les mêmes heures remplacent ceux qui existent.
prices-length = Chaque prix s’applique
prices-length-spacing = pour leur écart habituel
prices-length-hour = pendant une heure
prices-length-quarter = pendant un quart d’heure
prices-length-until-next = jusqu’au début du suivant
prices-currency-hint = Celle des contrats. Des prix dans une autre monnaie ne sont pas convertis. Vide : inconnue.
prices-file = Fichier
prices-table = Prix en texte
prices-table-hint = Un tableau d’heures et de prix, tel qu’un marché ou un autre programme l’écrit, ou des lignes comme 2026-01-05T10:00:00Z,0.0873. Au plus 1 000 000 de lignes à la fois.
prices-sending = Envoi en cours. Un instant.
prices-failed = Le fichier n’a pas pu être envoyé. Réessayez.
prices-done-added = Prix ajoutés.
prices-done-gaps =
    { $gaps ->
        [one] Prix ajoutés. Il y a entre eux { $gaps } lacune sans prix, de { $hours } h.
       *[other] Prix ajoutés. Il y a entre eux { $gaps } lacunes sans prix, { $hours } h en tout.
    }
prices-done-remedy = Si chaque prix s’applique jusqu’au début du suivant, ajoutez-les de nouveau avec le choix « { $choice } ».
prices-done-removed = Prix supprimés.
prices-known = Prix enregistrés
prices-number = Prix
prices-first = Début du premier prix
prices-end = Fin du dernier prix
prices-gaps = Lacunes
prices-newest-gaps = Dernières lacunes
prices-gaps-hint = L’énergie soutirée pendant une lacune est sans prix : les décomptes l’indiquent à part.
prices-remove-title = Supprimer des prix
prices-remove-days = Supprimer ces jours
prices-remove-all = Supprimer toute la série
prices-wrong-name = Saisissez un nom de 64 caractères au plus, par exemple day-ahead ; les lettres accentuées comptent double.
prices-form = Si le tableau n’est pas clair
prices-unit = Unité des prix
prices-unit-hint = Par exemple EUR/kWh, ct/kWh ou EUR/MWh. Vide : celle du tableau, ou par kilowattheure.
prices-column = Colonne des prix
prices-column-hint = Son nom, ou son numéro à partir de 1. Vide : la seule.
prices-dates = Les dates comme 03/04/2026
prices-dates-dmy = commencent par le jour
prices-dates-mdy = commencent par le mois
prices-decimals = Les décimales
prices-decimals-comma = suivent une virgule
prices-decimals-point = suivent un point
prices-wrong-unit = Saisissez une unité comme EUR/kWh, ct/kWh ou EUR/MWh, ou laissez vide.
prices-wrong-size = Des prix aussi élevés pour un kilowattheure sont sans doute ceux d’un mégawattheure. Saisissez l’unité, par exemple EUR/MWh, ou EUR/kWh s’ils sont exacts.
prices-wrong-twice = Il y a deux prix pour le { $time }. Saisissez-en un seul par moment.
prices-wrong-other = Ce ne sont pas des prix : { $problem }.
prices-wrong-close = Le prix pour le { $time } commence moins d’une minute après le précédent. Saisissez des prix espacés d’au moins une minute.
prices-wrong-currency = Saisissez une monnaie de 8 caractères au plus, par exemple EUR.
prices-wrong-other-currency = Les contrats, ou les prix précédents de cette série, sont dans une autre monnaie. Saisissez des prix dans celle-ci.
prices-wrong-empty = Saisissez au moins une heure et un prix.
prices-wrong-many-series = Ce compte a le maximum de séries. Supprimez-en d’abord une.
prices-wrong-many-prices = Ce compte dépasserait le maximum de prix, toutes séries comprises. Supprimez-en d’abord.
prices-wrong-end = Saisissez un jour qui n’est pas avant le premier.

### Costs: day lists

days-title = Listes de jours
days-lead = Des dates avec un type, comme les jours rouges, blancs et bleus d’un tarif, annoncés la veille. Un contrat les utilise par le nom de la liste et le type.
days-lists = Toutes les listes
days-none = Il n’y a pas encore de listes de jours.
days-next = Aujourd’hui et les prochains jours
days-next-none = Aucun jour n’est connu à partir d’aujourd’hui.
days-range = { $count } jours connus, du { $first } au { $last }.
days-add = Ajouter des jours
days-name = Nom de la liste
days-name-hint = Un nouveau, ou l’un de ceux ci-dessus. Un type pour la même date remplace celui qui existe.
days-table = Jours en texte
days-table-hint = Une ligne par date avec son type, comme 2026-01-05,red.
days-of = Liste
days-done-added = Jours ajoutés.
days-done-removed = Jours supprimés.
days-remove-title = Supprimer des jours
days-remove-days = Supprimer ces jours
days-remove-all = Supprimer toute la liste
days-wrong-name = Saisissez un nom de 64 caractères au plus, sans deux-points, par exemple tempo ; les lettres accentuées comptent double.
days-wrong-line = Ligne { $line } : saisissez une date qui existe et son type, comme 2026-01-05,red.
days-wrong-twice = Il y a deux types pour le { $date }. Saisissez-en un par date.
days-wrong-other = Ce ne sont pas des jours : { $problem }.
days-wrong-empty = Saisissez au moins une date et son type.
days-wrong-many-lists = Ce compte a le maximum de listes de jours. Supprimez-en d’abord une.
days-wrong-many-days = Ce compte aurait plus de 10 000 jours, toutes listes comprises. Supprimez-en d’abord.
days-wrong-many-types = Cette liste aurait plus de 16 types de jours par an. Utilisez-en moins.

### Events

events-title = Anomalies
events-lead = Tout ce qui est inhabituel dans les mesures, et vos décisions à ce sujet. Les mesures elles-mêmes ne changent jamais.
events-here = Mesures inhabituelles
events-open = À décider
events-none-here = Rien d’inhabituel dans les mesures de cette période.
events-none-open = Aucune décision à prendre.
events-more = Il y en a d’autres. Traitez d’abord celles-ci, ou choisissez une période plus courte sur le graphique.
events-filter-sensor = Capteur
events-filter-all-sensors = Tous les capteurs
events-filter-state = Anomalies
events-filter-all = Toutes les anomalies
events-filter-show = Afficher
events-page = Chercher des anomalies
events-is-open = ouverte
events-see-chart = Voir sur le graphique
events-kind-dip = Creux
events-kind-spike = Pic
events-kind-reset = Remise à zéro
events-kind-rollover = Tour du compteur
events-kind-jump = Saut
events-kind-gap = Lacune
events-kind-implausible-power = Puissance aberrante
events-dip = Le { $time }, l’index est tombé de { $before } à { $after }. Le { $until }, il était revenu.
events-small-dip = Le { $time }, l’index a un peu baissé, de { $before } à { $after }.
events-spike = Le { $time }, l’index a bondi de { $before } à { $after }. Le { $until }, il était revenu.
events-interval-spike = La valeur du { $time } dépasse ce qui a pu circuler depuis le { $since }.
events-reset = Entre le { $since } et le { $time }, l’index est tombé de { $before } à { $after }, et y est resté.
events-rollover = Entre le { $since } et le { $time }, l’index a dépassé sa fin, de { $before } à { $after }.
events-jump = Entre le { $since } et le { $time }, l’index a bondi de { $before } à { $after }, et y est resté.
events-gap = Aucune mesure n’est arrivée entre le { $since } et le { $time }. L’index est passé de { $before } à { $after }.
events-power-gap = Aucune mesure n’est arrivée entre le { $since } et le { $time }.
events-implausible-power = Du { $time } au { $until }, les mesures indiquent une puissance aberrante, ou un nombre que des appareils envoient faute de valeur.
events-counts-open = Rien ne compte avant votre décision.
events-counts-nothing = Rien n’en est compté.
events-counts = Compté : { $energy }.
events-decided-nothing = Décidé : rien n’en est compté.
events-decided = Décidé : on compte { $energy }.
events-decide = Décider
events-what-is-right = Qu’est-ce qui est juste ?
events-count = Compter : l’index était juste
events-count-energy = Compter : { $energy }
events-ignore = Ne pas compter
events-spread = Compter { $energy }, répartis du { $since } au { $until }
events-energy = Une autre quantité d’énergie a circulé pendant ce temps : à saisir ci-dessous
events-wrong = Ces mesures sont fausses : les écarter
events-energy-field = Énergie en kWh
events-energy-hint = Seulement pour une autre quantité, par exemple 1,5. Négative pour une injection.
events-like-weekday = Répartir comme les mêmes jours de la semaine avant et après, pas uniformément
events-note = Note
events-save = Enregistrer
events-meter-changed = Le compteur a été changé
events-type-in = Saisir un relevé
events-range = Corriger une période vous-même
events-from = Du
events-to = Au
events-range-wrong = Les mesures de cette période sont fausses : les écarter
events-range-energy = Une autre quantité d’énergie a circulé pendant ce temps : à saisir ci-dessous
events-choose = Choisissez une de ces réponses
events-end-expected = Saisissez un moment après le début
events-gone = Cette anomalie n’existe plus : ses mesures ont changé, ou elle est déjà décidée. Rien n’a été enregistré
events-done-decided = Décidé.
events-done-corrected = Corrigé.
events-done-revoked = Révoqué.
events-done-changed = Le changement de compteur est enregistré.
events-made = Corrections
events-made-number = Numéro { $number }
events-made-change = Le compteur a été changé le { $time } : l’ancien s’est arrêté à { $old }, le nouveau a commencé à { $new }.
events-made-counts = L’anomalie du { $time } compte.
events-made-ignored = L’anomalie du { $time } ne compte pas.
events-made-energy = Du { $from } au { $to } : { $energy }, répartis uniformément.
events-made-energy-weekday = Du { $from } au { $to } : { $energy }, répartis comme les mêmes jours de la semaine.
events-made-wrong = Les mesures du { $from } au { $to } sont écartées.
events-made-factor-until = Du { $from } au { $to }, l’énergie est multipliée par { $factor }.
events-made-factor = À partir du { $from }, l’énergie est multipliée par { $factor }.
events-made-utility = Le compteur du distributeur indiquait { $shown } le { $time }.
events-made-by = { $time }, par { $author }
events-by-administrator = l’administrateur
events-by-command = une commande
events-by-credential = la clé API { $id }
events-revoke = Révoquer
events-revoked = révoquée

### Meter

meter-title = Saisir un relevé
meter-sensors = Capteurs
meter-no-sensor = Il n’y a pas encore de capteur. Un capteur sans matériel suffit : son énergie vient des relevés que vous saisissez.
meter-add-sensor = Ajouter un capteur
meter-choose = Quel compteur relevez-vous ?
meter-shown = Le compteur indique, en kWh
meter-first = Tous les chiffres, par exemple 12345,6
meter-last = Dernier : { $shown }, { $time }
meter-at = Moment du relevé
meter-at-hint = Vide : maintenant. Sinon, à l’heure de { $zone }.
meter-shown-expected = Saisissez l’index du compteur en kWh, par exemple 12345,6
meter-kwh-expected = Saisissez un nombre de kWh, par exemple 1234,5
meter-time-expected = Saisissez une date et une heure, par exemple 05/01/2026 10:30
meter-future = Saisissez un moment qui n’est pas dans le futur
meter-old-expected = Un compteur ne tourne pas à l’envers : saisissez au moins son index précédent
meter-doubt-below = Le compteur indiquait { $shown } le { $time } : l’index devrait être au moins égal. Moins n’est juste qu’après un changement de compteur
meter-doubt-above = Le compteur indiquait { $shown } le { $time }, donc plus tard : l’index devrait être au plus égal
meter-doubt-usual = C’est { $rise } de plus que { $shown } le { $time }. La hausse habituelle depuis est de { $usual } : index attendu, environ { $expected }
meter-doubt-power = C’est { $rise } de plus que { $shown } le { $time }, comme si { $power } avaient été soutirés sans arrêt depuis. Y a-t-il un chiffre de trop ?
meter-done-typed = Enregistré.
meter-done-calibrated = Le facteur s’applique désormais.
meter-calibrate = Accepter le facteur
meter-done-untyped = Supprimé.
meter-readings = Relevés
meter-remove = Supprimer
meter-beside = Comparaison avec le capteur
meter-beside-lead = Énergie entre deux relevés, selon le compteur et selon le capteur.
meter-drift-all = Écart du capteur
meter-period = Du – au
meter-of-utility = Compteur
meter-of-ledger = Capteur
meter-drift = Écart
meter-more = La commande wattkeeper utility affiche les plus anciens.
meter-calibration =
    { $periods ->
        [one] Sur { $periods } période
       *[other] Sur { $periods } périodes
    } depuis le { $from }, le capteur s’écarte de la même part. Multiplié par { $factor }, il serait d’accord avec le compteur.
meter-change = Changement de compteur
meter-change-lead = Relie l’ancien compteur au nouveau, pour que rien ne soit perdu ni compté deux fois.
meter-change-at = Changé le
meter-old = Dernier index de l’ancien compteur, en kWh
meter-old-hint = Dernier avant : { $register }
meter-new = Premier index du nouveau compteur, en kWh
meter-new-hint = Le plus récent : { $register }
meter-register = { $shown }, { $time }

### Bills

bills-title = Factures
bills-lead = Les factures de votre fournisseur, chacune comparée aux coûts calculés à partir de vos mesures et contrats pour les mêmes jours.
bills-entered = Factures saisies
bills-line = Ligne
bills-billed = Facture
bills-computed = Calculé
bills-difference = Écart
bills-total = Total
bills-energy = Consommation facturée
bills-energy-drift = Écart des capteurs
bills-remove = Supprimer cette facture
bills-add = Saisir une facture
bills-total-field = Total
bills-same = Une telle facture existe déjà : { $range }, { $total }.
bills-kwh = Consommation en kWh, si elle figure sur la facture
bills-lines = Lignes
bills-lines-hint = Autant que vous voulez, nommées comme dans votre contrat : heures creuses, abonnement, TVA. Les rémunérations et remises sont négatives.
bills-name = Nom { $number }
bills-amount = Montant { $number }
bills-more-lines = Plus de lignes
bills-save = Enregistrer la facture
bills-date-expected = Saisissez un jour, par exemple 31/01/2026
bills-last-expected = Saisissez le premier jour ou un jour suivant
bills-amount-expected = Saisissez un montant, par exemple 73,50
bills-line-expected = La ligne { $number } doit avoir un nom et un montant, par exemple 73,50
bills-done-added = Facture enregistrée.
bills-done-removed = Facture supprimée.

### Frame

tab-dashboard = Accueil
tab-energy = Énergie
tab-meters = Compteurs
tab-settings = Réglages
tab-status = État
notices-open =
    { $count ->
        [one] { $count } notification
       *[other] { $count } notifications
    }
notices-others = et { $count } de plus
change-more = de plus
change-less = de moins
change-none = inchangé

### Energy

energy-title = Énergie
energy-help = Graphique. Les flèches gauche et droite lisent les barres une à une, Entrée en ouvre une, Page précédente et Page suivante passent à la période d’avant ou d’après.
energy-cut = La première et la dernière barre ne couvrent qu’une partie d’un mois.
energy-running = Cette période n’est pas terminée.
energy-compared = Comparaison : { $from } – { $to }.
energy-compared-day = Comparaison : { $date }.
energy-compared-until = Comparaison : { $date } jusqu’à { $clock }.
against-year = Comparer à l’an dernier
against-before = Comparer à la période d’avant
energy-future = Cette période est dans le futur.
energy-nothing = Aucune mesure dans cette période.
energy-no-grid = La consommation est inconnue : aucun capteur ne mesure le réseau.
energy-is-partial = Des mesures manquent pendant { $share } du temps : les sommes contiennent seulement ce qui a été mesuré.
energy-is-estimated = { $share } du temps est estimé : seule sa somme a été mesurée.
energy-is-unpriced = { $share } de l’énergie est sans prix et ne figure pas dans le coût.
energy-house = Maison
energy-all-sums = Toutes les sommes
energy-paths = D’où vient l’énergie, et où elle est allée
hours-title = Heures par jour
hours-power = Puissance
hours-cost = Coût
hours-price = Prix par kWh
hours-picture = { $what } de chaque heure, { $range }
hours-empty = Vide : inconnu
hours-table = Chaque heure de la journée
energy-energy = Énergie
energy-imported = Soutirage
energy-exported = Injection
energy-produced = Production
energy-charged = Charge
energy-discharged = Décharge
energy-used = Consommation
energy-self_consumed = Autoconsommation
energy-self_consumption = Taux d’auto{ "\u00AD" }consommation
energy-self_sufficiency = Taux d’auto{ "\u00AD" }production
energy-other = Autre
energy-cost = Coût
energy-credit = Rémunération
energy-total = Total
energy-estimated = Estimé
energy-partial = Manquant
energy-unpriced = Sans prix
energy-from_solar = Solaire, en direct
energy-from_battery = Solaire, par la batterie
energy-from_grid = Du réseau
energy-from_unknown = Provenance inconnue
energy-own_share = Énergie autoproduite
energy-real_cost = Coût réel
energy-real_unpriced = Sans provenance ou prix
energy-before = avant : { $value }
energy-from-solar = Solaire
energy-from-battery = De la batterie
energy-from-grid = Du réseau
energy-used-before = Consommation, { $range }
energy-most-used = Consommation la plus forte
energy-least-used = Consommation la plus faible
energy-so-far = pour l’instant
energy-incomplete = incomplet
energy-partly-estimated = estimé en partie
energy-partly-unpriced = sans prix en partie
energy-numbers = Les mêmes données en tableau
energy-time = Période
energy-sum = Somme
energy-csv = Télécharger en CSV

### Where does it go?

uses-title = Où va l’énergie ?
uses-none = Aucun appareil n’a son propre capteur. Une prise connectée, ajoutée comme sous-compteur, affiche ici sa part.
uses-other = Autre
uses-night = Talon nocturne : la moyenne la plus basse sur quatre heures d’affilée, médiane des sept nuits jusqu’au { $date }. À un moment donné, les appareils qui s’allument et s’éteignent consomment plus ou moins.
uses-always-on = talon nocturne { $power }
uses-cost = { $cost } au prix du réseau
uses-own = { $share } d’énergie autoproduite
uses-real-cost = coût réel { $cost }, { $full } au prix du réseau
uses-inside = Comprend { $names }
uses-today = Aujourd’hui, par rapport à hier à la même heure
uses-today-last-year = Aujourd’hui, par rapport au même jour de la semaine il y a un an, à la même heure
uses-folded =
    { $count ->
        [one] { $count } autre appareil
       *[other] { $count } autres appareils
    }

### Who used the sun?

sources-who = Qui a profité du soleil ?
sources-device = Appareil
sources-show = Qui a profité du soleil ? Sur une période aussi longue, l’affichage prend quelques secondes
sources-many = Qui a profité du soleil ? L’affichage se limite à { $most } appareils à la fois. Ici, il y en a plus : regardez-les un par un.
sources-assumes = À chaque quart d’heure, les appareils se partagent le solaire, la batterie et le réseau en proportion de leur consommation. Dans le coût réel, l’énergie du réseau compte à son prix, et l’énergie autoproduite à la rémunération qu’elle aurait reçue si elle avait été injectée. Chaque appareil mène à son décompte.

### Dashboard

dashboard-title = Accueil
dashboard-refresh = Actualiser
dashboard-grid = Réseau
dashboard-solar = Solaire
dashboard-house = Maison
dashboard-battery = Batterie
dashboard-used = consommés
dashboard-net = Réseau net
dashboard-today = Aujourd’hui
dashboard-yesterday = Hier
dashboard-week = Cette semaine
dashboard-month = Ce mois
dashboard-year = Cette année
dashboard-periods = Jours, semaine, mois, année
today-cheapest-hours = Les { $hours } heures les moins chères :
today-cheapest = aujourd’hui { $time } à { $price }
today-cheapest-tomorrow = demain { $time } à { $price }
today-no-prices-tomorrow = demain : pas encore de prix
month-cause = Surtout { $name } : { $change }
month-ahead = D’ici la fin du mois, sans doute { $likely } ; 8 fois sur 10, de { $low } à { $high }.
dashboard-against-today = hier à la même heure
dashboard-against-yesterday = la veille
dashboard-against-week = la semaine dernière au même moment
dashboard-against-month = le mois dernier au même moment
dashboard-against-year = l’an dernier au même moment
dashboard-last-year-today = il y a un an à la même heure
dashboard-last-year-yesterday = il y a un an
dashboard-last-year-week = il y a un an au même moment
dashboard-last-year-month = l’an dernier au même moment
dashboard-net-import = soutirage net
dashboard-net-export = injection nette
dashboard-to-energy = Semaine, mois, année
dashboard-meters = Compteurs
dashboard-last-reading = dernière mesure le { $date }
dashboard-none-authorized = Aucun capteur n’est autorisé
dashboard-all-revoked = Ce compte a des capteurs, mais tous sont bloqués.
dashboard-authorize = Autoriser un capteur
dashboard-first = Ajouter votre premier capteur
dashboard-first-what = Un capteur est tout ce qui envoie des mesures : une tête de lecture sur un compteur, une prise connectée, un script. Sa première mesure est à trois étapes d’ici.
dashboard-first-do = Ajouter un capteur
prices-day = Prix du kilowattheure
prices-now = Maintenant
prices-least = Le plus bas à venir
prices-most = Le plus haut à venir
prices-cheapest = Les { $hours } heures les moins chères à venir
prices-help = Graphique. Les flèches gauche et droite lisent les prix un à un.
prices-all = Tous les prix
prices-price = Prix
cheapest-title = Quand est-ce le moins cher ?
cheapest-hours = Heures
cheapest-hours-hint = De 0,25 à 24.
cheapest-before = Terminé avant
cheapest-before-hint = Une heure de la journée. Vide : jusqu’à la fin de demain.
cheapest-split = Aussi en plusieurs morceaux : les quarts d’heure les moins chers
cheapest-pieces = Les morceaux
cheapest-price = Prix moyen
cheapest-window = Prix moyen, { $time }
cheapest-equal = Tous les prix de cette période sont égaux.
cheapest-until = Des prix manquent. Le dernier connu se termine le { $time }.
cheapest-none = Aucun prix n’est connu du { $from } au { $to }.
cheapest-few = Les prix ne sont pas connus sur une durée aussi longue. Le dernier connu se termine le { $time }.
cheapest-assumption = Le prix d’un kilowattheure de plus du réseau, à puissance constante, avec tous les frais par kilowattheure et les taxes du contrat à ce moment. Seuls comptent les prix connus maintenant ; pour des tranches, c’est le premier prix. Le solaire n’est pas pris en compte.
cheapest-wrong-hours = Saisissez de 0,25 à 24 heures, par exemple 3 ou 1,5.
cheapest-wrong-quarters = Saisissez des quarts d’heure entiers, par exemple 1,25, ou renoncez aux morceaux.
cheapest-wrong-before = Saisissez une heure de la journée, par exemple 07:00.
cheapest-wrong-past = Saisissez un moment après le { $start }.
cheapest-wrong-soon = Les heures ne tiennent pas entre le { $start } et ce moment. Saisissez un moment plus tardif, ou moins d’heures.
cheapest-wrong-late = Saisissez un moment au plus 7 jours après le { $start }.
dashboard-role-grid = réseau
dashboard-role-grid-import = soutirage
dashboard-role-grid-export = injection
dashboard-role-solar = panneaux solaires
dashboard-role-battery = batterie
dashboard-role-battery-charge = batterie, charge
dashboard-role-battery-discharge = batterie, décharge
dashboard-role-sub-meter = sous-compteur
now-table = Puissance actuelle, en tableau
now-part = Élément
now-way = Sens
now-state = Envois
power-unknown = inconnu
power-from-grid = soutirage
power-into-grid = injection
power-of-inverter = conso. onduleur
power-produced = production
power-charging = charge
power-discharging = décharge
power-fed-back = réinjection
power-used = consommation
power-since = depuis : { $time }
power-never = encore aucun envoi
silence-uploading = actif
silence-late = en retard
silence-silent = muet

### Peaks, where a contract prices the demand

peak-running = Jusqu’à { $time } : { $energy } pour l’instant, sans doute { $likely } en moyenne
peak-left = encore { $left } avant { $level }
peak-not-now = Jusqu’à { $time }, aucune pointe ne compte
peak-unknown = Le quart d’heure en cours est trop peu connu
peak-so-far = pointe pour l’instant { $peak }
peak-kilowatt = un kilowatt de plus coûte { $cost }

### Notices

notice-dismiss = Masquer
notice-dismissed = Notification masquée.
notice-over = C’est terminé : { $happened }
notice-since = Depuis : { $time }.
notice-of-account = Compte : { $name }.
notice-more =
    { $count ->
        [one] { $count } autre notification
       *[other] { $count } autres notifications
    }
notice-sensor-silent = Le capteur { $name } n’envoie plus rien.
notice-event-open = Il y a une décision à prendre sur l’index du capteur { $name }.
notice-implausible-power = Le capteur { $name } a envoyé une puissance aberrante.
notice-power-drift = La puissance et l’index du capteur { $name } diffèrent de plus de 5 %.
notice-inverted-sign = Le capteur { $name } semble compter à l’envers.
notice-unusual-day-more = Le { $date }, la maison a consommé { $used }, plus que les { $least } à { $most } habituels ce jour de la semaine.
notice-unusual-day-less = Le { $date }, la maison a consommé { $used }, moins que les { $least } à { $most } habituels ce jour de la semaine.
notice-see-day = Voir ce jour
notice-base-load-rose = La maison consomme plus la nuit que pendant les quatre semaines précédentes.
notice-base-load-rose-most = La maison consomme plus la nuit que pendant les quatre semaines précédentes, surtout à cause de { $name }.
notice-prices-missing = Il manque des prix dans la série { $name }.
notice-price-source-late = La source de { $name } est en retard : des valeurs qui devraient être là manquent.
notice-price-conflict = La source de { $name } diffère des valeurs enregistrées. Les valeurs enregistrées s’appliquent.
notice-peak-ahead = Jusqu’à { $time }, la maison va sans doute soutirer { $likely } en moyenne : plus que les { $level } que la période atteint de toute façon. Cela coûte { $cost } de plus.
notice-backup-overdue = La dernière sauvegarde est ancienne, ou il n’y en a pas.
notice-disk-nearly-full = Le disque de la base de données est presque plein.
notice-wrong-clock = L’horloge a été retardée, ou elle avançait : la dernière mesure est dans le futur.
notice-store-damaged = La base de données est endommagée : une partie des données est perdue.
notice-sensor-clock-ahead =
    L’horloge du capteur { $name } avance de { $count } { $unit ->
        [min] min
        [h] h
       *[days] j
    }.
notice-sensor-clock-behind =
    L’horloge du capteur { $name } retarde de { $count } { $unit ->
        [min] min
        [h] h
       *[days] j
    }.
notice-unknown-field = Les envois du capteur { $name } ont un champ « { $sent } », qui est ignoré : son nom devrait être { $meant }.
notice-register-in-kwh = L’index du capteur { $name } semble être en kWh, pas en Wh : il compte un millième de l’énergie.
notice-power-in-kw = La puissance du capteur { $name } semble être en kW, pas en W.
notice-same-meter = Ces capteurs comptent la même énergie, heure par heure : { $name }. Ils semblent n’être qu’un seul compteur, compté deux fois.
notice-grid-swapped = La maison injecte plus d’énergie qu’elle ne peut en avoir : soutirage et injection semblent inversés.
notice-parts-exceed-house = Les sous-compteurs ont mesuré plus d’énergie que la maison entière n’en a consommé.
notice-advice-sensor-silent = Vérifiez son alimentation, son réseau et le programme qui envoie pour lui.
notice-advice-event-open = Décidez si cela compte, ou saisissez un changement de compteur.
notice-advice-implausible-power = Vérifiez le capteur ; si une telle puissance est réelle, décidez de la compter, ou relevez sa puissance plausible.
notice-advice-power-drift = Vérifiez que la puissance (W) et l’index (Wh) viennent du même compteur. L’énergie est tirée de l’index.
notice-advice-inverted-sign = Retournez sa pince ou inversez son signe ; s’il est juste, vérifiez quelle partie de la maison il mesure.
notice-advice-unusual-day = Cherchez à quel moment c’est arrivé et quel appareil en est la cause.
notice-advice-base-load-rose = Cherchez un appareil allumé depuis ce moment, par exemple une pompe, un chauffage ou un congélateur.
notice-advice-prices-missing = Importez-les, et vérifiez votre importation quotidienne ou la source de prix : d’ici là, cette énergie est sans prix.
notice-advice-price-source-late = Les réglages, sous Sources de prix, donnent sa dernière réponse et le remède. Tant qu’elle ne répond pas, vous pouvez importer les prix.
notice-advice-price-conflict = Cherchez lesquelles sont justes. Supprimez les valeurs enregistrées qui sont fausses : elles seront récupérées de nouveau. Si elles sont justes, masquez cette notification.
notice-advice-peak-ahead = Éteignez un gros appareil, ou lancez-le quelques minutes plus tard.
notice-advice-backup-overdue = Cherchez la cause dans le journal, et vérifiez que le dossier des sauvegardes existe et a de la place.
notice-advice-disk-nearly-full = Libérez de la place : un disque plein n’accepte plus de mesures.
notice-advice-wrong-clock = Vérifiez l’horloge de cette machine, et qu’un serveur de temps la règle.
notice-advice-store-damaged = Voyez les pertes dans les réglages, sous Base de données ; restaurez-y une sauvegarde si vous avez besoin de ces données, puis confirmez. Envisagez un nouveau disque ou une nouvelle carte SD.
notice-advice-sensor-clock = Réglez l’horloge et le fuseau horaire de l’appareil, ou du programme qui envoie pour lui : une heure sans décalage est en UTC.
notice-advice-unknown-field = Corrigez le nom dans le programme qui envoie : d’ici là, la valeur est perdue.
notice-advice-register-in-kwh = Envoyez des wattheures : multipliez la valeur par 1 000 dans le programme qui envoie, ou réglez l’unité de son topic. Supprimez ensuite les mesures reçues jusqu’ici.
notice-advice-power-in-kw = Envoyez des watts : multipliez la valeur par 1 000 dans le programme qui envoie, ou réglez l’unité de son topic. Supprimez ensuite les mesures reçues jusqu’ici.
notice-advice-same-meter = Supprimez l’un d’eux, ou déclarez-le comme partie de l’autre dans ses réglages.
notice-advice-grid-swapped = Dans les réglages des capteurs du réseau, échangez ce qu’ils mesurent. Si une batterie ou une autre installation injecte, ajoutez-lui un capteur.
notice-advice-parts-exceed-house = Vérifiez que le capteur du réseau mesure toute la maison, pas une seule prise. Si des panneaux ou une batterie n’ont pas de capteur, ajoutez-en un.

### Status

status-disk-fine = Le disque suffit : la base de données occupe { $size } et grossit d’environ { $growth } par jour, il y a donc de la place pour plus de dix ans.
status-disk-days =
    { $days ->
        [one] La base de données occupe { $size } et grossit d’environ { $growth } par jour : il reste de la place pour { $days } jour.
       *[other] La base de données occupe { $size } et grossit d’environ { $growth } par jour : il reste de la place pour { $days } jours.
    }
status-disk-unknown = La base de données occupe { $size }. Aucune mesure n’est arrivée depuis un jour, sa croissance est donc inconnue.

### People

people-title = Personnes
people-me = Mon accès
people-settings = Réglages
people-and-tablets = Personnes et tablettes murales
people-lead = Les personnes se connectent avec un nom et un mot de passe, et ne voient que les comptes que vous choisissez. Vous, l’administrateur, voyez tout et vous connectez sans nom.
people-all = Toutes les personnes
people-nobody = Encore personne, à part vous.
people-add = Ajouter une personne
people-name = Nom
people-name-of-administrator = L’administrateur laisse ce champ vide.
people-wrong = Nom ou mot de passe incorrect
people-name-hint = La personne se connecte avec ce nom.
people-password = Mot de passe
people-password-hint = Au moins { $count } caractères. Tous les navigateurs de cette personne sont déconnectés.
people-change-password = Changer le mot de passe
people-set-password = Définir le mot de passe
people-account = Compte
people-accounts = Comptes
people-none = aucun compte
people-tenant = locataire
people-viewer = lecteur
people-member = membre
people-choice-none = Rien : pour elle, le compte n’existe pas
people-choice-tenant = Locataire : ne voit que les sous-compteurs de ses locations
people-choice-viewer = Lecteur : le voit seulement
people-choice-member = Membre : corrige aussi les mesures, modifie contrats et factures, masque les notifications, voit les clés API
people-no-account = Vous ne voyez encore aucun compte. Demandez-en un à l’administrateur.
people-save = Enregistrer
people-remove = Supprimer la personne
people-remove-what = Déconnecte tous ses navigateurs. Les mesures et les corrections restent.
people-done-added = Personne ajoutée.
people-done-removed = Personne supprimée.
people-done-password = Mot de passe défini. Tous les navigateurs de cette personne ont été déconnectés.
people-done-own-password = Mot de passe modifié. Tous vos autres navigateurs ont été déconnectés.
people-done-saved = Enregistré.
people-done-unlinked = Supprimé. Cet utilisateur de Home Assistant se connecte désormais avec un mot de passe.
people-linked = Connexion par Home Assistant
people-linked-what = Ces utilisateurs de Home Assistant ouvrent wattkeeper sans mot de passe. Un nouveau mot de passe de la personne y met fin.
people-linked-own = Ces utilisateurs de Home Assistant ouvrent wattkeeper en votre nom, sans mot de passe. Un nouveau mot de passe y met fin.
people-linked-to = Sous le nom de { $name }
people-linked-to-administrator = Comme administrateur
people-unlink = Supprimer

### Wall tablets

wall-title = Tablettes murales
wall-lead = Une tablette murale montre un compte à tous ceux qui sont dans la pièce. Ouvrez-y son lien une fois : il ne demande pas de mot de passe et ne permet aucune modification.
wall-links = Liens
wall-none = Pas encore de liens.
wall-new = Nouveau lien
wall-name = Nom
wall-name-hint = L’endroit où la tablette est accrochée, par exemple Entrée.
wall-make = Créer un lien
wall-revoke = Révoquer
wall-last-used = dernière utilisation : { $time }
wall-never-used = jamais utilisé
wall-once = Le lien ne s’affiche qu’une fois : seule une empreinte est enregistrée. Ouvrez-le maintenant dans le navigateur de la tablette. Toute personne qui a ce lien voit le compte.
wall-link = Lien
wall-done = Terminé
wall-done-revoked = Lien révoqué. La tablette n’affiche plus rien.
wall-go-on = Afficher l’accueil
wall-as-of = à { $clock }
wall-now = Maintenant
wall-nothing = Pas encore de mesures.
wall-energy = Énergie
wall-period = Période
wall-today = Aujourd’hui
wall-yesterday = Hier
wall-this-month = Ce mois
wall-solar = Solaire
wall-house = Maison
wall-cost = Coût
wall-incomplete = incomplet

### Adding a sensor

wizard-title = Ajouter un capteur
wizard-title-of = Connecter { $name }
wizard-back = Réglages
wizard-which-device = Quel appareil le mesure ?
wizard-back-question = Question précédente
wizard-home = Avez-vous Home Assistant ?
wizard-home-yes = Oui
wizard-home-yes-about = wattkeeper lit ses capteurs avec leur historique, et propose la maison telle qu’elle figure dans son tableau de bord Énergie
wizard-home-no = Non, ou cet appareil n’y est pas
wizard-home-no-about = connecter directement un compteur ou un appareil
wizard-what = Qu’y a-t-il chez vous ?
wizard-how = Comment ses mesures arrivent-elles ici ?
thing-grid = Compteur du réseau
thing-panels = Panneaux
thing-battery = Batterie
thing-wallbox = Borne de recharge
thing-heat-pump = Pompe à chaleur
thing-flat = Appartement
thing-other = Autre chose
thing-about-grid = ce que la maison soutire et injecte
thing-about-panels = sur le toit ou le balcon
thing-about-battery = ce qui y entre et en sort
thing-about-wallbox = recharge d’une voiture
thing-about-heat-pump = chauffage et eau chaude
thing-about-flat = un appartement ou un locataire, avec son propre décompte
thing-about-other = par exemple un appareil sur prise connectée
way-mqtt = Par MQTT
way-address = Il a une adresse dans le réseau local
way-script = Un script ou un programme les envoie
way-file = Depuis un fichier
way-person = Je relève le compteur moi-même
way-name = Je connais le nom de l’appareil
way-about-mqtt = il envoie à un broker, par exemple Mosquitto
way-about-address = wattkeeper l’interroge à intervalles de quelques secondes ; pas besoin de broker
way-about-script = une ligne avec curl suffit
way-about-file = un export du fournisseur ou d’un autre programme
way-about-person = une page pour le téléphone vérifie chaque relevé
way-about-name = par exemple Shelly, Tasmota ou Fronius
wizard-another = Un autre appareil
wizard-another-mqtt = la page montre ce que le broker entend
wizard-another-address = tout appareil qui répond en JSON, ou par Modbus avec SunSpec
wizard-other-device = Autre appareil
wizard-what-it-measures = Quel flux mesure-t-il ?
wizard-name = Nom
wizard-name-hint = Par exemple Maison, Panneaux ou Lave-linge.
wizard-role = Ce qu’il mesure
wizard-role-missing = Choisissez ce qu’il mesure.
at-grid-title = Au réseau
at-grid-question = La maison a déjà un capteur au réseau : { $others }. Qu’est donc { $sensor } à côté ?
at-grid-phase = Une autre phase du même compteur : à chaque minute, soutirage et injection de toutes les phases sont compensés, comme le fait le compteur
at-grid-sub-meter = Une partie de ce que l’autre mesure, par exemple une pompe à chaleur en aval : il devient un sous-compteur et ne s’ajoute pas au soutirage
at-grid-connection = Un autre raccordement, ou un autre index du même compteur, par exemple celui des heures creuses : les deux s’additionnent
wizard-part-of = Partie de
wizard-part-of-hint = Seulement pour une partie de la maison qu’un autre sous-compteur mesure aussi.
wizard-part-of-none = La maison
wizard-account = Compte
wizard-account-hint = Un par maison suffit.
wizard-id-summary = Choisir vous-même l’identifiant du capteur
wizard-id = Identifiant du capteur
wizard-id-hint = L’appareil l’envoie avec chaque mesure. Sans indication, il est tiré du nom. Vous ne pourrez pas le changer plus tard.
wizard-id-taken = Il y a déjà un capteur { $id }. Choisissez un autre identifiant.
wizard-name-taken = Il y a déjà un capteur de ce nom, qui mesure autre chose. Choisissez un autre nom.
wizard-add = Continuer
wizard-key = Clé
wizard-key-once = La clé ne s’affiche qu’une fois : seule une empreinte est enregistrée. Elle permet d’envoyer des mesures, rien d’autre.
wizard-key-needed = Les lignes ci-dessous ont encore besoin d’une clé à la place de API_ID et API_KEY. Les clés précédentes restent valables jusqu’à ce que vous les révoquiez.
wizard-key-make = Créer une clé
wizard-copy-lines = les lignes
wizard-device = Sur l’appareil
wizard-read = Relever le compteur
wizard-local = wattkeeper n’écoute que sur cette machine. Pour des appareils du réseau local, réglez d’abord `http.listen` sur 0.0.0.0:{ $port } dans son fichier de configuration, redémarrez-le, et ouvrez cette page à l’adresse de la machine dans le réseau. Une clé que vous créez avant reste valable.
wizard-shelly-device = Dans les réglages du Shelly, activez MQTT et saisissez votre broker. Sur un Plus, Pro, Gen3 ou plus récent, cochez aussi « RPC status notifications » : sans cela, il n’envoie pas de mesures.
wizard-tasmota-menu = Dans les pages de l’appareil, sous Configuration, Autre configuration, cochez « MQTT activé ». Puis, sous Configuration, Configuration MQTT, saisissez l’hôte et le port de votre broker, et un topic qu’aucun autre appareil n’a, par exemple { $topic }. Laissez Full Topic tel quel. Les mesures arrivent alors sous tele/{ $topic }/SENSOR.
wizard-tasmota-period = Il envoie toutes les cinq minutes. Pour une mesure par minute, collez cette ligne dans la console de l’appareil.
wizard-zigbee2mqtt-device = Zigbee2MQTT envoie les mesures de lui-même. Ajoutez ces lignes à son fichier de configuration, pour que chaque mesure porte son heure.
wizard-p1-device = Un programme comme DSMR-reader lit le port P1. Activez ses messages MQTT, avec un topic par valeur ou en JSON, sous les topics qu’il propose.
wizard-homewizard-device = Dans l’application HomeWizard, activez l’API locale dans les réglages de l’appareil.
wizard-fronius-device = Dans les pages de l’onduleur, activez la Solar API, sous Communication.
wizard-sunspec-device = Dans les pages de l’appareil, activez Modbus TCP avec SunSpec.
wizard-two-ways = Choisissez l’une des deux façons.
wizard-by-address = Par son adresse
wizard-polled = wattkeeper peut l’interroger à son adresse dans votre réseau local. Cela ne demande pas de broker.
wizard-heard = { $count ->
        [one] Un tel appareil a été trouvé sur le broker. Ajoutez-le en un clic.
       *[other] { $count } appareils de ce type ont été trouvés sur le broker. Ajoutez chacun en un clic.
    }
wizard-not-heard = Aucun appareil de ce type n’a encore rien envoyé au broker. Après son prochain message, il figurera parmi les appareils du broker ; ajoutez-le là.
wizard-topic = Ou son topic
wizard-topic-hint = Pour un appareil à un seul compteur : wattkeeper l’écoute alors aussitôt et montre son premier message.
wizard-topic-wrong = Saisissez un topic sans espaces et sans +, # ni /.
wizard-topic-listen = Écouter ce topic
wizard-tasmota-console = Collez ces lignes dans la console de l’appareil. TelePeriod est le temps entre deux envois, en secondes.
wizard-esphome-file = Ajoutez ces lignes à la configuration du nœud. Remplacez power par l’identifiant de son capteur de puissance.
wizard-iotawatt-setup = Sous Setup, Uploaders, ajoutez un uploader influxDB avec ces réglages.
wizard-emonpi-file = Ajoutez ces lignes à emonhub.conf : les premières dans interfacers, les dernières avec le numéro de votre nœud à la place de 10.
wizard-home-assistant-packages = Une fois pour tous les capteurs : ajoutez ces lignes à configuration.yaml de Home Assistant, et créez le dossier packages à côté. S’il y a déjà une ligne homeassistant:, ajoutez seulement celle d’en dessous.
wizard-home-assistant-file = Pour ce capteur : enregistrez ces lignes dans ce dossier sous le nom { $file }, avec votre entité à la place de sensor.house_power, et redémarrez Home Assistant.
wizard-script-shell = Essayez depuis un shell. watts est la puissance, watthours l’index du compteur ; l’un des deux peut manquer.
wizard-script-python = La même chose en Python.
wizard-file-command = Exécutez ceci sur la machine où wattkeeper tourne.
wizard-file-formats = Il lit le CSV avec une colonne d’heures, et tels quels les exports d’Emoncms, de Home Assistant et d’InfluxDB. Rien n’est enregistré si le fichier n’est pas bon en entier.
wizard-person-page = Saisissez l’index chaque fois que vous passez devant le compteur. Une page pour le téléphone le compare au dernier relevé.
wizard-person-open = Saisir un relevé
wizard-check = Vérifier que tout arrive
wizard-check-open = Voir la première mesure
wizard-connect = Connecter un appareil
wizard-check-title = Premières mesures : { $name }
wizard-dashboard = Ouvrir l’accueil
wizard-settings = Réglages du capteur
wizard-newest = Dernière mesure
wizard-power = Puissance
wizard-register = Index
wizard-guess = Cela ne correspond pas aux réglages
wizard-guess-accept = Modifier les réglages
wizard-fine = Ces mesures correspondent aux réglages du capteur.
wizard-nothing = Rien n’est encore arrivé. Regardez de nouveau quand l’appareil aura envoyé quelque chose.
wizard-again = Regarder de nouveau
device-shelly = Shelly
device-tasmota-mqtt = Tasmota
device-tasmota = Tasmota sans broker
device-zigbee2mqtt = Zigbee2MQTT
device-esphome = ESPHome
device-p1 = Port P1 (DSMR)
device-homewizard = HomeWizard
device-fronius = Fronius
device-sunspec = Onduleur ou compteur avec SunSpec
device-iotawatt = IoTaWatt
device-emonpi = emonPi, emonTx, emonHub
device-home-assistant = Home Assistant
device-script = Un script ou un programme
device-file = Un fichier avec l’historique
device-person = Un compteur relevé à la main
device-about-shelly = toutes les générations ; à son adresse, ou par MQTT
device-about-tasmota-mqtt = prises connectées et têtes de lecture, par leur propre MQTT
device-about-tasmota = une règle de l’appareil envoie
device-about-zigbee2mqtt = prises et compteurs Zigbee, par MQTT
device-about-esphome = vos propres appareils ESP
device-about-p1 = compteurs communicants aux Pays-Bas, en Belgique et au Luxembourg, par MQTT
device-about-homewizard = P1 meter, kWh meter, prise ; à son adresse
device-about-fronius = onduleur, ou le compteur à côté ; à son adresse
device-about-sunspec = SMA, Kostal, SolarEdge et autres, par Modbus ; à son adresse
device-about-iotawatt = pinces, par son uploader
device-about-emonpi = par emonHub
device-about-home-assistant = toute entité qui mesure une puissance
device-about-script = HTTP avec JSON
device-about-file = CSV et exports
device-about-person = avec le téléphone
whole-house-evcc = evcc
whole-house-about-evcc = réseau, panneaux, batterie et bornes à la fois, par MQTT
whole-house-set-up-evcc = Dans evcc, sous Configuration, Intégrations, MQTT, saisissez votre broker et laissez le topic à evcc. Compteur du réseau, panneaux, batterie et bornes apparaissent alors ici. Écartez ce qu’un autre capteur mesure déjà.
guess-sign-as-is = Sa puissance compte déjà dans le bon sens, mais le capteur est réglé sur inversé.
guess-sign-inverted = Sa puissance est négative, ce qui ne correspond pas à ce qu’il mesure : il compte à l’envers.
guess-power-sign-as-is = Sa puissance compte déjà dans le bon sens, mais elle est réglée sur inversé.
guess-power-sign-inverted = Sa puissance est négative, ce qui ne correspond pas à ce qu’il mesure : la puissance compte à l’envers.
guess-register-sign-as-is = Son index compte déjà dans le bon sens, mais il est réglé sur inversé.
guess-register-sign-inverted = Son index baisse, ce qui ne correspond pas à ce qu’il mesure : l’index compte à l’envers.
guess-between-line = Sa puissance arrive à intervalles réguliers : la moyenne de deux valeurs est la plus proche de la puissance entre elles.
guess-between-hold = Sa puissance arrive à intervalles irréguliers, quand elle change : chaque valeur compte jusqu’à la suivante.
guess-register-net = Son index monte et descend, comme celui qui tourne à l’envers pendant l’injection dans le réseau.
guess-register-counter = Son index ne fait que monter, comme un compteur ordinaire.
guess-register-interval = Son index repart à chaque valeur, comme une énergie par intervalle.
settings-sensors = Capteurs
settings-add-sensor = Ajouter un capteur
settings-no-sensors = Pas encore de capteurs. Un capteur est tout ce qui envoie des mesures : un compteur, une prise connectée, un script.
settings-last-upload = Dernier envoi : { $time }
settings-no-upload = Encore aucun envoi
settings-readings =
    { $count ->
        [one] { $shown } mesure
        [many] { $shown } de mesures
       *[other] { $shown } mesures
    }
settings-of-account = compte
settings-keys = Clés API
settings-create-key = Créer une clé API
settings-no-keys = Pas encore de clés API. Les capteurs et les programmes se connectent avec une clé API.
settings-last-used = Dernière utilisation : { $time }
settings-never-used = Jamais utilisée
settings-accounts = Comptes
settings-add-account = Ajouter un compte
settings-no-accounts = Pas encore de comptes. Un compte regroupe des capteurs et des clés API. Un par maison suffit.
settings-sensor-count =
    { $count ->
        [one] { $count } capteur
       *[other] { $count } capteurs
    }
settings-password = Mot de passe
settings-password-hint = Au moins { $count } caractères. Le changer déconnecte tous les autres navigateurs.
settings-change-password = Changer le mot de passe
settings-account = Compte
settings-name = Nom
settings-save = Enregistrer
settings-remove = Supprimer

### Frame of each page

frame-skip = Aller au contenu
frame-pages = Pages
frame-sign-out = Se déconnecter
frame-api = API
frame-region = Région
frame-region-none = Selon la langue
frame-region-choose = Choisir la région
frame-language = Langue
frame-problem = Il y a un problème
frame-open-dashboard = Ouvrir l’accueil
frame-accounts = Comptes
language-name = Français

### Ranges of time

span-range = Période
span-from-to = { $from } – { $to }
span-unit-24h = 24 heures
span-unit-hour = Heure
span-unit-day = Jour
span-unit-week = Semaine
span-unit-month = Mois
span-unit-year = Année
span-unit-contract = Année de contrat
span-unit-all = Tout
span-earlier = Période précédente
span-later = Période suivante
span-first-day = Premier jour
span-last-day = Dernier jour
span-show = Afficher
span-now = Aujourd’hui
span-other = Autres jours
span-problem = Saisissez deux dates, la première pas après la seconde, et à { $years } ans d’écart au plus.

### Live values

live-on = en direct
live-off = déconnecté
live-lost = connexion perdue, nouvel essai

### Errors

offline-title = Le serveur est injoignable
offline-remedy = Il est éteint, ou cet appareil est dans un autre réseau. Rien n’est perdu : les capteurs qui gardent leurs mesures les envoient plus tard.
offline-again = Réessayer
error-api = Une erreur s’est produite
error-refused = Le service a refusé cette demande. Son message, en anglais : { $detail }
error-form = Rien n’a été modifié
error-expired = Ce formulaire a expiré
error-expired-remedy = Rien n’a été modifié. Revenez en arrière, rechargez la page et envoyez de nouveau le formulaire.
form-kept = Vous vous êtes connecté entre-temps. Rien n’est encore enregistré : vérifiez vos saisies et enregistrez-les.
form-changed = Ceci a été modifié entre-temps. Rien n’est encore enregistré : enregistrez de nouveau pour le remplacer.
form-changed-value = { $label } : enregistré « { $stored } », ici « { $typed } ».
form-changed-none = rien
kept-title = Connecté
kept-lead = Vos saisies ont été gardées, sans les mots de passe. Rien n’est encore enregistré.
kept-continue = Retour à vos saisies
sign-in-kept = Votre session a pris fin. Vous retrouverez vos saisies après la connexion.
error-setup = Cette adresse de configuration n’est pas valable
error-wall = Ce lien ne fonctionne plus
error-wall-remedy = L’administrateur peut en créer un nouveau.
error-setup-remedy = Elle ne sert qu’une fois, et seulement jusqu’à l’arrêt de wattkeeper. Si un mot de passe d’administrateur est défini, connectez-vous, ou exécutez `wattkeeper password` sur le serveur pour en définir un nouveau. Sinon, redémarrez `wattkeeper serve` : il affiche une nouvelle adresse de configuration.
error-not-found = Page introuvable
error-not-found-remedy = Vérifiez que l’adresse ne contient pas de faute de frappe.
error-method = Méthode non autorisée
error-method-remedy = Rien n’a été modifié.
error-too-large = C’est trop à la fois
error-too-large-remedy = Rien n’a été enregistré. Envoyez-le en plusieurs parties. Le message, en anglais : { $detail }.
error-too-many = Trop de demandes
error-too-many-remedy = Attendez un instant, puis réessayez.
error-busy = Le serveur est surchargé
error-busy-remedy = Réessayez dans un instant.

### Mistakes in forms: the message of the check. Other languages say what the field expects.
# A choice with one branch leaves out the value: the English message.

problem-name =
    { $detail ->
       *[other] Le nom n’a pas été accepté : il doit être nouveau, avoir de 1 à 128 caractères, et aucun caractère de contrôle.
    }
problem-id =
    { $detail ->
       *[other] L’identifiant du capteur n’a pas été accepté : il doit être nouveau, avoir de 1 à 64 caractères, et aucun caractère de contrôle.
    }
problem-zone =
    { $detail ->
       *[other] Ce fuseau horaire n’existe pas. Saisissez un nom, par exemple Europe/Paris.
    }
problem-price =
    { $detail ->
       *[other] Le prix n’a pas été accepté. Saisissez un nombre, par exemple 0,3215.
    }
problem-currency =
    { $detail ->
       *[other] La monnaie n’a pas été acceptée. Saisissez un code, par exemple EUR.
    }
problem-date =
    { $detail ->
       *[other] La date n’a pas été acceptée. Saisissez un jour, par exemple 08/07/2026.
    }
problem-password =
    { $detail ->
       *[other] Le mot de passe n’a pas été accepté : il est trop court ou trop long.
    }
problem-other = Cette saisie n’a pas été acceptée. Le message, en anglais : { $detail }

### Sign in

sign-in-title = Se connecter
sign-in-forgot = Oublié ? Demandez à l’administrateur. Si c’est vous, exécutez `wattkeeper password` sur le serveur.
sign-in-not-set = Aucun mot de passe d’administrateur n’est encore défini. Ouvrez l’adresse de configuration que `wattkeeper serve` a affichée au démarrage, ou exécutez `wattkeeper password` sur le serveur.
sign-in-wrong = Mot de passe incorrect.
sign-in-too-many-here = Trop d’essais depuis cette adresse. Réessayez dans { $seconds } s.
sign-in-differ = Les mots de passe ne sont pas identiques.
sign-in-link = Me connecter désormais par Home Assistant
sign-in-link-hint = Toute personne qui utilise Home Assistant comme { $user } ouvre alors wattkeeper sans ce mot de passe.
sign-in-link-too-many = Huit utilisateurs de Home Assistant sont liés à vous, c’est le maximum. Supprimez-en un, ou décochez la case.
sign-in-unlinked = Cet utilisateur de Home Assistant a de nouveau besoin d’un mot de passe.
sign-in-continue = Continuer comme { $name }
sign-in-continue-administrator = Continuer comme administrateur
sign-in-as-another = Ou connectez-vous avec un mot de passe :

### Setup

setup-title = Configuration
setup-welcome = Bienvenue dans wattkeeper
setup-lead = Choisissez le mot de passe d’administrateur. Il faut l’avoir pour voir l’accueil, les réglages et la page d’état.
password-current = Mot de passe actuel
password-new = Nouveau mot de passe
password-again = Répéter le mot de passe
setup-hint = Au moins { $count } caractères. Quelques mots au hasard conviennent bien.
setup-set = Définir le mot de passe

### Accounts

account-plan = Formule
account-plan-paid = payante
account-plan-free = gratuite
account-paid = Payante : toutes les fonctions
account-free = Gratuite : les programmes ne peuvent pas demander la consommation nette
account-phases = Plusieurs capteurs au réseau
account-phases-hint = Le compteur du distributeur compense ses phases : seule leur somme est un soutirage ou une injection.
account-phases-separate = Séparées : soutirage et injection de chaque capteur comptent à part
account-phases-balanced = Compensées : les capteurs mesurent les phases d’un compteur ; soutirage et injection d’une même minute sont compensés
account-has-sensors = Vous ne pouvez pas supprimer un compte qui a des capteurs.
account-sensors-first = Supprimez-les d’abord.
account-remove-hint = Révoque aussi ses clés API. C’est irréversible.
account-remove = Supprimer le compte
account-zone = Fuseau horaire
account-zone-hint = Les jours, semaines et mois commencent à minuit dans ce fuseau.
account-choose-zone = Choisir un fuseau horaire

### API keys

key-title = Clé API
key-scope = Droits
key-created = Créée
key-last-used = Dernière utilisation
key-never = jamais
key-rotate-title = Renouveler
key-rotate-hint = Remplace l’api_key et garde l’api_id. L’ancienne api_key cesse aussitôt de fonctionner ; la nouvelle ne s’affiche qu’une fois.
key-rotate = Renouveler l’api_key
key-revoke-title = Révoquer
key-revoke-hint = Tout ce qui utilise cette clé perd aussitôt l’accès. C’est irréversible.
key-revoke = Révoquer la clé API
key-does-full = envoi et téléchargement
key-does-read = téléchargement seul
key-does-write = envoi seul
key-lead = Un capteur ou un programme se connecte avec une clé API : une api_id et une api_key. Donnez à chacun la sienne, pour pouvoir en révoquer une sans toucher aux autres.
key-label = Libellé
key-label-hint = L’appareil ou le programme qui utilise la clé. Facultatif.
key-full = Envoi et téléchargement
key-write = Envoi seul : pour les capteurs
key-read = Téléchargement seul : pour les programmes qui affichent des mesures
key-new = Nouvelle clé API
key-new-secret = Nouvelle api_key
key-once = L’api_key ne s’affiche qu’une fois : seule une empreinte est enregistrée. Copiez-la maintenant.
key-done = Terminé

### Copy buttons

copy-word = Copier
copy-what = Copier { $what }
copy-id = l’api_id
copy-key = l’api_key
copy-copied = Copié
copy-by-keys = Appuyez sur Ctrl+C

### Sensors

sensor-revoked = bloqué
sensor-active = actif
sensor-silent = muet
sensor-title = Capteur
sensor-chart = Graphique
sensor-id = Identifiant du capteur
sensor-last-upload = Dernier envoi
sensor-none-yet = encore aucun
sensor-stored = Mesures enregistrées
sensor-measures = Réglages
sensor-register = Index
sensor-register-net = Net : recule pendant l’injection dans le réseau
sensor-register-counter = Compteur : ne fait que monter ; une valeur plus basse signifie une remise à zéro
sensor-register-interval = Intervalle : chaque valeur est l’énergie depuis la valeur précédente
sensor-power-sign = Signe de la puissance
sensor-register-sign = Signe de l’index
sensor-as-is = Tel quel
sensor-inverted = Inversé : il compte à l’envers
sensor-between = Puissance entre deux mesures
sensor-between-line = En ligne droite de l’une à l’autre : pour les appareils qui envoient à intervalles réguliers
sensor-between-hold = Reste la même jusqu’à la suivante : pour les appareils qui envoient quand la puissance change
sensor-revoke-title = Bloquer
sensor-authorize-title = Autoriser
sensor-revoke-hint = Un capteur bloqué ne peut pas envoyer de mesures, et les siennes ne peuvent pas être téléchargées. Elles sont conservées, et vous pouvez de nouveau autoriser le capteur.
sensor-authorize-hint = Ce capteur est bloqué : il ne peut pas envoyer de mesures, et les siennes ne peuvent pas être téléchargées. Elles sont conservées.
sensor-revoke = Bloquer le capteur
sensor-authorize = Autoriser le capteur
sensor-remove-title = Supprimer
sensor-remove-hint = Supprime le capteur et toutes ses mesures. C’est irréversible.
sensor-type = Saisissez l’identifiant
sensor-type-end = pour confirmer
sensor-remove = Supprimer le capteur et ses mesures
sensor-not-its-id = Ce n’est pas l’identifiant du capteur. Rien n’a été supprimé.

### Roles of sensors

role-title = Ce qu’il mesure
role-grid = Réseau : énergie soutirée du réseau moins énergie injectée
role-grid-import = Soutirage : énergie soutirée du réseau
role-grid-export = Injection : énergie injectée dans le réseau
role-solar = Solaire : énergie que produisent les panneaux
role-battery = Batterie : énergie qui la charge moins énergie qu’elle fournit
role-battery-charge = Charge de la batterie : énergie qui la charge
role-battery-discharge = Décharge de la batterie : énergie qu’elle fournit
role-sub-meter = Sous-compteur : une partie de la consommation de la maison, par exemple une pompe à chaleur ou une prise connectée

### The first reading

steps-waiting = En attente de la première mesure…
steps-first = Première mesure enregistrée.
steps-stored = mesures enregistrées.

### Status

status-well = Tout va bien : chaque mesure confirmée est enregistrée.
status-refusing = Les mesures ne sont pas enregistrées : les envois sont refusés.
status-attention = Les mesures sont enregistrées. À surveiller :
status-service = Service
status-backups = Sauvegardes
status-last-error = Dernière erreur
status-no-errors = Aucune erreur depuis le démarrage.
status-version = Version
status-uptime = En marche depuis
status-zones = Fuseaux horaires
status-zones-built-in = { $version }, inclus dans le programme
status-zones-of-system = { $version }, de { $folder }
status-readings = Mesures
status-sensors = Capteurs
status-size = Taille de la base
status-free = Espace disque libre
status-written = Écrit sur le disque
status-written-later = disponible après dix minutes
status-written-a-day = { $size } par jour
status-read-only = La base de données est en lecture seule
status-read-only-remedy = { $why }. Corrigez la cause, puis redémarrez wattkeeper. Chaque mesure confirmée est en sécurité.
status-backups-off = Aucune sauvegarde n’est faite
status-backups-off-remedy = Choisissez un dossier dans les réglages, de préférence sur un autre disque : une carte SD peut lâcher d’un coup.
status-backup-folder = Le dossier des sauvegardes est illisible
status-backup-folder-remedy = Vérifiez que son disque est monté et que wattkeeper a le droit d’y lire et d’y écrire.
status-backup-off = Les sauvegardes planifiées sont désactivées.
status-backup-none = Pas encore de sauvegarde.
status-backup-newest = Dernière sauvegarde : { $size }, faite et vérifiée { $ago }.
status-backup-unreadable = Le dossier des sauvegardes est illisible : { $why }.
status-ago = il y a { $span } ({ $date } { $zone })
status-seconds =
    { $count ->
        [one] { $count } seconde
       *[other] { $count } secondes
    }
status-minutes =
    { $count ->
        [one] { $count } minute
       *[other] { $count } minutes
    }
status-hours =
    { $count ->
        [one] { $count } heure
       *[other] { $count } heures
    }
status-days =
    { $count ->
        [one] { $count } jour
       *[other] { $count } jours
    }

### API page

api-operations = Opérations
api-base = Adresse de base
api-first = Un premier aperçu
api-group-readings = Mesures
api-group-energy = Énergie et anomalies
api-group-money = Argent
api-group-service = Service
api-group-influx = Programmes pour InfluxDB
api-group-emoncms = Programmes pour Emoncms
api-version = Version { $version }. Lisible par un programme :
api-sign-in = Authentification
api-parameters = Paramètres
api-required = obligatoire
api-body = Corps de la requête
api-answers = Réponses

### Sure?

sure = C’est exact : enregistrer
sure-number = « { $typed } » est lu comme { $read }.
ask-yes = Oui, certainement

sensor-more = Plus de réglages
sensor-silence = Signaler après, en minutes
sensor-silence-hint = Une notification apparaît après ce temps sans envoi. Vide : délai déduit du rythme de ses envois.
sensor-home-assistant = Home Assistant
sensor-home-assistant-choice = L’y afficher, si la découverte est activée. Inutile si Home Assistant le reçoit déjà du broker.
sensor-silence-problem = Saisissez des minutes entières, par exemple 30, ou rien.
sensor-plausible = Puissance plausible, en watts
sensor-plausible-hint = Au-delà, c’est une erreur, qui n’est pas comptée. Vide : 100000.
sensor-plausible-problem = Saisissez des watts entiers supérieurs à 0, par exemple 5000.
sensor-rollover = Tour du compteur, en kWh
sensor-rollover-hint = Là où l’index repart de 0. Vide : nulle part.
sensor-rollover-problem = Saisissez des kilowattheures supérieurs à 0, par exemple 100000, ou rien.

status-no-password = Le mot de passe du broker manque.
status-no-password-remedy = Il n’est dans aucune sauvegarde, il manque donc depuis la restauration. Tant que vous ne le saisissez pas dans les réglages, rien n’arrive du broker.
status-no-webhook = L’adresse ou le jeton pour les messages de notification manque.
status-no-webhook-remedy = Ils ne sont dans aucune sauvegarde, ils manquent donc depuis la restauration. Tant que vous ne les saisissez pas dans les réglages, aucun message n’est envoyé.
status-no-poll-passwords = Des mots de passe d’appareils interrogés manquent
status-no-poll-passwords-remedy = La base de données a été restaurée d’une sauvegarde, et les sauvegardes n’ont pas de mots de passe. Ajoutez de nouveau ces appareils, avec leurs mots de passe, sur la page Appareils interrogés.
status-no-price-keys = Des clés de sources de prix manquent
status-no-price-keys-remedy = La base de données a été restaurée d’une sauvegarde, et les sauvegardes n’ont pas de clés. Ajoutez de nouveau ces sources, avec leurs clés, sur la page Sources de prix.

## Settings of the service

service-title = Service
service-held = Réglé par { $by }. Modifiez-le là.
service-wrong = Saisissez moins de caractères, et aucun d’invisible.
service-secret-held = Une valeur est définie, et jamais affichée.
service-secret-set = Une valeur est définie, et jamais affichée. Laissez vide pour la garder, ou saisissez-en une nouvelle pour la remplacer.
service-secret-missing = Elle manque depuis la restauration, car aucune sauvegarde ne la contient. Saisissez-la de nouveau.
service-secret-again = Les secrets ne sont jamais renvoyés : saisissez-le de nouveau.

broker-title = Broker MQTT
broker-lead = Les mesures de nombreux appareils arrivent par un broker MQTT. Home Assistant affiche les capteurs par ce même broker.
broker-address = Adresse
broker-address-hint = Nom ou adresse IP du broker, avec un port si ce n’est pas le port habituel, par exemple broker.lan ou 192.168.1.5:1884. Laissez vide pour n’avoir aucun broker.
broker-tls = Utiliser TLS, pour que personne ne puisse lire en chemin
broker-user = Utilisateur
broker-user-hint = Laissez vide si le broker n’en demande pas.
broker-password = Mot de passe
broker-password-hint = Il n’est dans aucune sauvegarde.
broker-password-remove = Supprimer le mot de passe
broker-password-goes = Si l’adresse ou TLS change, le mot de passe est supprimé, car il n’est destiné qu’à ce broker. Saisissez-le alors de nouveau.
broker-ca-file = Fichier de certificats de confiance
broker-ca-file-hint = Seulement pour TLS avec vos propres certificats : le chemin d’un fichier PEM sur la machine de wattkeeper.
broker-discovery = Afficher tous les capteurs dans Home Assistant
broker-discovery-hint = Home Assistant doit avoir son intégration MQTT sur ce broker.
broker-wrong-address = Saisissez un nom ou une adresse IP, avec un port si ce n’est pas le port habituel, par exemple broker.lan:1883. L’utilisateur et le mot de passe ont leurs propres champs.
broker-test-title = Tester la connexion
broker-test-hint = Avec les réglages enregistrés. Cela prend jusqu’à dix secondes.
broker-test-result = Test de la connexion
broker-test-fine = Le broker accepte la connexion.
broker-test-none = Il n’y a pas de broker à tester : enregistrez d’abord une adresse, et le mot de passe s’il manque.
trial-busy = Un autre test est en cours. Réessayez dans dix secondes.
broker-test-name = Ce nom est inconnu. Vérifiez son orthographe, ou saisissez l’adresse IP.
broker-test-nothing = La machine est là, mais rien n’écoute sur ce port. Vérifiez le port, et que le broker est en marche.
broker-test-silent = Pas de réponse en dix secondes. Vérifiez l’adresse, et si un pare-feu fait barrage.
broker-test-certificate-name = Le certificat du broker est établi pour un autre nom. Saisissez le nom qui figure dans le certificat.
broker-test-untrusted = Le certificat du broker n’est signé par aucune autorité de confiance. Indiquez le fichier avec le certificat de votre autorité.
broker-test-tls = Pas de connexion par TLS : { $why }. Vérifiez le port (en général 8883), et que le broker utilise TLS.
broker-test-login = Le broker refuse l’utilisateur ou le mot de passe. Vérifiez les deux.
broker-test-not-mqtt = Le serveur à cette adresse ne parle pas MQTT, ou attend TLS. Vérifiez le port et TLS.
broker-test-other = Pas de connexion : { $why }.
broker-connecting = Connexion au broker en cours.
broker-elsewhere = Un autre serveur de ce service dialogue avec le broker.
broker-connected = Connecté au broker, depuis : { $time }.
broker-not-connected = Non connecté au broker. { $why } Prochain essai dans { $seconds } s.
broker-lost = Le broker a mis fin à la connexion. Si cela se répète, un autre programme utilise le même identifiant de client (mqtt.client_id).
broker-not-ready = Les mesures ne peuvent pas être enregistrées pour l’instant, leurs messages restent donc au broker. La page État dit pourquoi.
broker-subscriptions = Appareils lus
broker-subscriptions-none = Encore aucun.
broker-subscription-described = Messages décrits
broker-subscription-file = dans le fichier de configuration
broker-subscription-stays = L’abonnement MQTT n’a pas pu être supprimé. Le journal dit pourquoi.
broker-unsubscribe = Supprimer
broker-unsubscribed = Supprimé. Le capteur et ses mesures restent ; plus rien n’arrive de cet appareil.

polled-title = Appareils interrogés
polled-lead = Des compteurs et des onduleurs qui répondent aux demandes dans votre réseau local. wattkeeper les interroge sans cesse, sans broker.
polled-devices = Appareils interrogés
polled-add-title = Interroger un appareil
polled-add = Tester et ajouter
polled-sensor = Capteur
polled-sensor-hint = Le capteur de sa première valeur. Des capteurs pour d’autres valeurs, comme l’énergie injectée, s’ajoutent à l’arrivée de leur première mesure.
polled-preset = Appareil
polled-address = Adresse
polled-address-hint = Son nom ou son adresse IP, avec un port si ce n’est pas le port habituel, par exemple 192.168.1.20. Donnez à l’appareil une adresse fixe dans votre routeur.
polled-anyway = L’ajouter bien qu’il ne réponde pas maintenant
polled-more = Mot de passe et numéro d’unité
polled-password-hint = Seulement pour les Shelly avec mot de passe. Laissez vide pour garder celui qui est enregistré. Il n’est dans aucune sauvegarde.
polled-unit = Numéro d’unité
polled-unit-hint = Seulement pour les appareils à plusieurs unités, comme des onduleurs par Modbus : un nombre de 0 à 255. Laissez vide pour le numéro habituel.
polled-no-sensors = Les mesures appartiennent à un capteur. Ajoutez-en d’abord un.
polled-done = Ajouté. Sa première réponse est en route.
polled-first-answer = Il répond : { $values }. wattkeeper l’interroge désormais.
polled-answered = { $time } : { $values }.
polled-failed = { $time } : { $why }
polled-not-yet = Pas encore interrogé.
polled-elsewhere = Un autre serveur de ce service l’interroge.
polled-no-sensor = Choisissez le capteur de ses mesures.
polled-no-preset = Choisissez l’appareil.
polled-wrong-unit = Saisissez un nombre entier de 0 à 255.
polled-no-unit = Il n’y a qu’un appareil à une telle adresse : laissez le numéro d’unité vide.
polled-long-sensor = L’identifiant de ce capteur a plus de 54 caractères, et ne laisse pas de place à ceux d’autres valeurs. Choisissez un autre capteur.
polled-wrong-address = Saisissez un nom ou une adresse IP, avec un port si ce n’est pas le port habituel, par exemple 192.168.1.20 ou meter.lan:8080, sans http://.
polled-not-free = Un appareil du fichier de configuration alimente déjà ce capteur, ou il y a déjà 32 appareils. Choisissez un autre capteur, ou supprimez un appareil.
polled-stays = L’appareil n’a pas pu être supprimé. Le journal dit pourquoi.
poll-unreachable = Rien ne répond à cette adresse. Vérifiez l’adresse, et que l’appareil est allumé et dans le même réseau.
poll-no-answer = Pas de réponse en { $seconds } secondes. Vérifiez l’adresse, et que l’appareil est allumé.
poll-password = L’appareil demande un mot de passe, ou refuse celui-ci. Saisissez son mot de passe.
poll-unknown-login = L’appareil demande un mot de passe d’une façon que wattkeeper ne connaît pas. Désactivez son mot de passe.
poll-password-place = Son mot de passe ne peut pas être lu. Le journal dit pourquoi.
poll-too-often = L’appareil est interrogé trop souvent, peut-être aussi par d’autres programmes.
poll-status = L’appareil répond avec le statut { $status }. Vérifiez de quel appareil il s’agit, et activez son API locale.
poll-other-device = La réponse n’est pas celle d’un tel appareil. Vérifiez l’appareil et l’adresse.
poll-solar-api = La Solar API de l’onduleur répond avec le code { $code }. Vérifiez le numéro d’unité.
poll-no-sunspec = Il répond, mais pas comme un tel appareil. Activez Modbus TCP avec SunSpec, et vérifiez le numéro d’unité.
poll-exception = L’appareil répond avec l’exception Modbus { $code }. Vérifiez le numéro d’unité.
poll-own-fault = L’interrogation a échoué. Le journal dit pourquoi.

### Price sources

sources-title = Sources de prix
sources-lead = Des prix et des couleurs de jours que wattkeeper récupère lui-même : ceux d’aujourd’hui, ceux de demain dès leur publication, et ceux du passé. Il interroge les sources de cette page, et aucune autre. Sans source, il n’interroge personne.
sources-all = Sources interrogées
sources-add-title = Ajouter une source
sources-source = Source
sources-source-hint = D’où viennent les prix. Elle apprend l’adresse de cette maison sur Internet, et rien d’autre.
sources-own = Une autre, décrite ci-dessous
sources-zone = Zone ou région
sources-zone-hint = Comme la source la nomme : FR ou BE pour Energy-Charts et ENTSO-E, une lettre de A à P pour Octopus. Laissez vide pour les autres.
sources-account = Compte
sources-series = Série de prix ou liste de jours
sources-series-hint = Le nom qu’utilise un contrat, par exemple day-ahead. Pour des couleurs de jours, le nom de la liste de jours, par exemple tempo.
sources-since = À partir du
sources-since-hint = Le premier jour à récupérer, au plus tôt le 01/01/2000. Vide : aujourd’hui.
sources-key = Clé
sources-key-hint = Seulement pour ENTSO-E, Tempo et d’autres sources qui en demandent une. Laissez vide pour garder celle qui est enregistrée. Elle n’est dans aucune sauvegarde.
sources-more = Votre propre source
sources-mapping = Sa description
sources-mapping-hint = Des lignes comme dans le fichier de configuration : url, items, time, price, unit et d’autres. Elles remplacent aussi celles de la source choisie.
sources-anyway = L’ajouter bien qu’elle ne réponde pas maintenant
sources-only = Tester seulement
sources-no-accounts = Les prix appartiennent à un compte. Ajoutez-en d’abord un.
sources-done = Ajoutée. Sa première réponse est en route.
sources-removed = Supprimée. Ses prix restent ; il n’en vient plus de nouveaux.
sources-trial = Elle répond avec { $count } prix ou jours ({ $from } – { $to }). Dont pas encore enregistrés : { $stored }.
sources-trial-prices = Les premiers, par kilowattheure :
sources-trial-days = Les premiers :
sources-kept = wattkeeper l’interroge désormais.
sources-not-kept = Rien n’a été enregistré, et la source n’est pas encore ajoutée.
sources-answered = { $time } : { $count } prix ou jours ({ $from } – { $to }), dont nouveaux : { $stored }.
sources-others = Autres prix de la réponse, qui ne sont pas repris : { $rates }
sources-conflict = Différents des valeurs enregistrées : { $count }, d’abord { $time }. Celles qui sont enregistrées restent. Supprimez celles qui sont fausses : elles seront récupérées de nouveau.
sources-not-yet = Pas encore interrogée.
sources-elsewhere = Un autre serveur de ce service l’interroge.
sources-no-source = Choisissez la source.
sources-no-account = Choisissez le compte.
sources-no-key = Cette source n’a pas de clé : laissez vide.
sources-wrong-zone = Saisissez une zone ou une région comme la source la nomme, par exemple FR ; ou rien si la source n’en a pas.
sources-wrong-series = Saisissez le nom d’une série de prix, par exemple day-ahead, ou d’une liste de jours sans deux-points, par exemple tempo.
sources-wrong-since = Saisissez une date à partir du 01/01/2000, par exemple 01/01/2024, ou rien.
sources-wrong-mapping = Saisissez des lignes comme price = "/price", avec les textes entre guillemets, et 4096 octets au plus.
sources-wrong-line = La ligne { $field } est fausse, absente ou inconnue. docs/PRICE-SOURCES.md dit ce qu’elle attend.
sources-not-free = Une source du fichier de configuration remplit déjà cette série, ou il y a déjà 16 sources. Choisissez un autre nom, ou supprimez une source.
sources-stay = La source n’a pas pu être supprimée. Le journal dit pourquoi.
ha-title = Home Assistant
ha-lead = wattkeeper peut lire un Home Assistant. Il se connecte seulement à l’adresse de cette page, avec un jeton que vous lui donnez.
ha-all = Home Assistant lus
ha-form-title = En ajouter un, ou le modifier
ha-address-hint = Comme dans votre navigateur, par exemple http://homeassistant.local:8123.
ha-token-label = Jeton de longue durée
ha-token-hint = Créé dans Home Assistant : votre nom, Sécurité, Jetons d’accès de longue durée. Laissez vide pour garder celui qui est enregistré. Il n’est jamais affiché, et dans aucune sauvegarde.
ha-anyway = L’enregistrer bien qu’il ne réponde pas maintenant
ha-save = Tester et enregistrer
ha-done = Enregistré.
ha-removed = Supprimé, avec son jeton. Les capteurs et les mesures restent.
ha-too-many = Le service a 50 Home Assistant, c’est le maximum. Supprimez-en d’abord un.
ha-wrong-address = Saisissez une adresse comme http://homeassistant.local:8123, ou https://... pour TLS, sans utilisateur.
ha-wrong-token-text = Saisissez un jeton de longue durée, de 1 024 caractères au plus, sans espaces. Aucun n’est enregistré pour cette adresse.
ha-identity = { $location } répond, avec Home Assistant { $version }. Le jeton appartient à { $person }.
ha-administrator = Cette personne y est administrateur : l’historique peut donc aussi être envoyé.
ha-reader = Cette personne n’y est pas administrateur : cela suffit pour lire. Envoyer l’historique demande le jeton d’un administrateur.
ha-token-file = Son jeton est dans un fichier.
ha-token-store = Son jeton est enregistré.
ha-token-missing = Son jeton manque : saisissez-le de nouveau.
ha-token-supervisor = C’est le Home Assistant qui fait tourner wattkeeper : aucun jeton n’est nécessaire.
ha-own = wattkeeper tourne dans ce Home Assistant. Il n’a besoin ni d’adresse ni de jeton : choisissez les capteurs, puis appuyez sur le bouton en dessous.
ha-own-other = Proposer ses capteurs pour le compte { $account }
ha-another = Un autre Home Assistant
ha-house = La maison
ha-house-empty = Il n’a pas de statistiques d’énergie ou de puissance. Configurez son tableau de bord Énergie, puis regardez de nouveau.
ha-of-dashboard = Voici ce que contient son tableau de bord Énergie. Chaque élément devient un capteur avec tout son historique ; écartez ce qui est mesuré ailleurs.
ha-guessed = Il n’a pas de tableau de bord Énergie, les rôles sont donc devinés d’après les noms. Choisissez-les, et écartez les autres.
ha-sensor-name = Nom
ha-sensor-id = Identifiant
ha-sensor-role = Rôle
ha-leave-out = écarter
ha-take = Lire ceux-ci
ha-look = Examiner la maison
ha-sensors = Ceux-ci sont lus désormais, l’historique d’abord.
ha-since = depuis { $month }
ha-left-out-title = Non lus :
ha-left-out-unknown = Home Assistant n’en a pas de statistiques
ha-left-out-other-unit = son unité n’est pas une unité d’énergie ou de puissance
ha-left-out-no-entity = un autre programme envoie cette statistique
ha-left-out-too-many = il y en a trop
ha-wrong-sensor = Un capteur n’a pas d’identifiant ou de rôle valable. Saisissez un identifiant de 64 caractères au plus.
ha-none-chosen = Aucun capteur n’a de rôle. Choisissez-en un pour au moins l’un d’eux.
ha-no-sensors = Il n’alimente encore aucun capteur : examinez la maison, et choisissez-en.
ha-elsewhere = Un autre serveur de ce service le lit, ou sa lecture va commencer.
ha-connecting = Connexion en cours.
ha-reads-history = Lecture de l’historique : { $read } mois de capteurs sur { $months }, { $readings } mesures pour l’instant.
ha-reads-live = { $sensors } capteurs reçoivent chaque nouvel état. Mesures depuis le démarrage : { $readings }.
ha-price-title = Son prix
ha-price-flat = Un kilowattheure y coûte { $price } { $currency }, un kilowattheure injecté y rapporte { $credit }. Vérifiez-le, puis enregistrez-le comme contrat.
ha-price-confirm = Voir le contrat
ha-price-series = Ses prix par heure
ha-price-lead = Les états de ces entités peuvent alimenter des séries de prix du même nom, avec leur historique. Un contrat avec une telle série a alors leurs prix.
ha-price-contract = Un contrat avec cette série
ha-price-take = Alimenter des séries de prix
ha-prices = Les prix sont lus désormais, l’historique d’abord.
ha-send = Lui envoyer l’historique réparé
ha-send-lead = Home Assistant reçoit l’énergie et les coûts de chaque heure selon wattkeeper, comme statistiques à part, et de nouveau là où ils changent. Les statistiques de ses entités restent telles quelles.
ha-send-no-more = Ne plus lui envoyer l’historique
ha-sends = L’historique lui est envoyé désormais. La première fois prend quelques minutes.
ha-sends-not = Plus rien ne lui est envoyé. Les heures qu’il a déjà y restent.
ha-sent-here = Son historique est envoyé :
ha-same-address = L’historique d’un autre compte est déjà envoyé à cette adresse.
ha-counted-title = Ce que Home Assistant a compté
ha-counted-lead = L’énergie que Home Assistant a comptée, à côté de celle que les compteurs ont mesurée selon wattkeeper. Chaque écart a sa raison, et mène aux anomalies de ce moment.
ha-counted-from = Un jour du premier mois
ha-counted-to = Un jour après le dernier mois
ha-counted-show = Comparer
ha-counted-measured = Mesuré
ha-counted-difference = Écart
ha-counted-none = Aucun des deux côtés n’a d’énergie pendant ces mois.
ha-counted-no-sensor = Home Assistant n’alimente l’index d’aucun capteur de ce type : examinez la maison, et choisissez-en.
ha-counted-wrong-range = Saisissez un premier jour avant le dernier et avant aujourd’hui, et au plus 780 mois de capteurs en tout : choisissez un seul capteur, ou une durée plus courte.
ha-counted-reason = { $reason } : { $energy }, { $time }
ha-compare-busy = Une autre comparaison avec un Home Assistant est en cours. Réessayez dans une minute.
ha-reason-reset = un index a été compté une deuxième fois
ha-reason-spike = une valeur bien trop élevée
ha-reason-gap = rien n’a été enregistré, et tout a compté après
ha-reason-late = une valeur est arrivée en retard
ha-reason-renamed = pas de statistique : l’entité a été renommée, ou ajoutée de nouveau
ha-reason-unit = une autre unité
ha-reason-edited = sa somme a été modifiée à la main
ha-reason-corrected = une personne a corrigé les mesures dans wattkeeper
ha-reason-unread = wattkeeper n’a pas de mesures
ha-reason-unknown = inconnue
ha-history-title = Historique dans Home Assistant
ha-history-lead = Home Assistant compte l’énergie comme elle vient : les mesures tardives et les corrections lui échappent. wattkeeper peut lui envoyer l’énergie et les coûts de chaque heure, et les renvoyer là où ils ont changé.
ha-history-off = C’est désactivé. La page Home Assistant des réglages l’active, ou les lignes url et token_file de la section home_assistant du fichier de configuration ; docs/HOME-ASSISTANT.md décrit les étapes.
ha-history-not-yet = Rien n’a encore été envoyé.
ha-history-under-way = L’historique est en cours de comparaison.
ha-history-complete = Complet : { $time }.
ha-history-sent = Heures envoyées depuis le démarrage : { $hours }.
ha-history-elsewhere = Un autre serveur de ce service l’envoie.
ha-unknown-host = L’hôte de l’adresse est inconnu. Vérifiez-le, ou utilisez l’adresse IP, par exemple http://192.168.1.20:8123.
ha-certificate = Son certificat n’est pas de confiance : { $why }. Indiquez un fichier qui en contient un dans home_assistant.ca_file du fichier de configuration.
ha-no-tls = Le serveur à cette adresse ne parle pas TLS. Vérifiez si l’adresse commence par http:// ou https://.
ha-unreachable = Home Assistant est injoignable : { $why }. Vérifiez son adresse, et qu’il est en marche.
ha-no-answer = Home Assistant n’a pas répondu en { $seconds } s. Vérifiez son adresse, et si un pare-feu fait barrage.
ha-closed = Home Assistant a mis fin à la connexion. Il redémarre peut-être.
ha-no-websocket = Le serveur à cette adresse répond avec le statut { $status } au lieu d’un WebSocket. Vérifiez l’adresse, et si un proxy laisse passer les WebSockets.
ha-other-protocol = Le serveur à cette adresse ne parle pas l’API WebSocket de Home Assistant. Vérifiez l’adresse.
ha-wrong-token = Home Assistant refuse le jeton. Créez-y un jeton de longue durée (Profil, Sécurité), et saisissez-le, ou écrivez-le dans son fichier.
ha-not-administrator = Le jeton appartient à quelqu’un qui n’est pas administrateur de Home Assistant. Créez-en un comme administrateur.
ha-no-token = Il n’y a pas de jeton. Saisissez un jeton de longue durée de Home Assistant, ou écrivez-le dans un fichier que wattkeeper peut lire.
ha-trust = Les certificats de home_assistant.ca_file sont inutilisables. Le journal dit pourquoi.
ha-refused = Home Assistant refuse { $command }, avec le code { $code }.
ha-history-not-taken = Home Assistant a accepté des heures, mais ne les montre pas. Son Recorder est peut-être surchargé, ou arrêté.
ha-history-unknown-hours = Home Assistant a des heures de { $name } que wattkeeper ne connaît pas. C’est peut-être la dernière copie, elles restent donc. Si elles sont fausses, supprimez-y cette statistique : elle sera envoyée de nouveau.
ha-history-disputed = Un autre programme modifie les statistiques de wattkeeper dans Home Assistant. Laissez un seul service lui en envoyer.
ha-history-no-account = Réglez home_assistant.account sur le compte dont l’historique est envoyé.
ha-own-fault = Cela a échoué de ce côté-ci. Le journal dit pourquoi.
source-unreachable = Rien ne répond à son adresse. Vérifiez l’adresse, et que cette machine a accès à Internet.
source-private = Son adresse est dans un réseau privé, où il n’y a aucune source d’Internet. Si c’est la vôtre, ajoutez la ligne allow_private = true à sa description.
source-no-answer = Pas de réponse complète en { $seconds } secondes. Un nouvel essai suit de lui-même.
source-redirect = Elle renvoie vers un autre serveur, qui n’est pas suivi. Vérifiez l’adresse.
source-busy = Elle est surchargée, ou interrogée trop souvent. Un nouvel essai suit de lui-même.
source-status = Elle répond avec le statut { $status }. Vérifiez la zone et l’adresse.
source-key = Elle demande une clé, ou refuse celle-ci. Saisissez la clé.
source-other-answer = La réponse est autre chose, par exemple une page web. Vérifiez l’adresse et la description. Rien n’a été modifié.
source-too-long = La réponse est trop longue. Ajoutez la ligne most_days avec un nombre plus petit.
source-missing = { $place } manque dans la réponse. Vérifiez la description : items, time, end et price.
source-entry = L’entrée { $number } de la réponse est illisible : { $what }. Vérifiez la description. Rien n’a été modifié.
source-entry-time = son heure
source-entry-end = sa fin
source-entry-price = son prix
source-entry-type = son type de jour
source-twice = La réponse a deux prix pour { $time }. Rien n’a été modifié.
source-refused = Elle refuse la demande, pour cette raison : { $reason }. Vérifiez la zone.
source-currency = Ses prix sont en { $found }, et les contrats en { $expected }. Choisissez une source en { $expected } : les prix ne sont pas convertis.
source-no-account = Ce compte n’existe pas. Ajoutez de nouveau la source, pour un autre compte.
source-not-stored = Les prix ne peuvent pas être enregistrés. Le journal dit pourquoi.
source-own-fault = L’interrogation a échoué. Le journal dit pourquoi.

found-title = Appareils sur le broker
found-lead = Les appareils entendus sur le broker ces dernières heures, et qui n’alimentent pas encore de capteur. Rien ne s’ajoute tout seul.
found-lead-of = Choisissez l’appareil qui envoie les mesures du capteur { $name }.
found-none = Aucun appareil d’un type connu qui ne soit déjà ajouté. Un appareil apparaît avec son prochain message : la plupart en envoient un en quelques minutes.
found-no-broker = Ces appareils envoient par un broker MQTT, et aucun n’est encore réglé.
found-heard = dernier message : { $time }
found-retained = gardé par le broker, depuis un moment inconnu
found-add = Ajouter
found-added = Ajouté. Son prochain message est sa première mesure.
found-use = Utiliser pour { $name }
found-leave-out = Écarter
found-unit-power = Unité de la puissance (il envoie { $number })
found-unit-energy = Unité de l’index (il envoie { $number })
found-unit-choose = Choisir
found-unit-hint = L’appareil ne donne pas l’unité de ses nombres. Comparez-les à son propre affichage.
found-no-unit = Choisissez l’unité de ses nombres.
found-unusable = Appareils connus inutilisables
found-why-names = Les noms de ses nombres sont libres, et ceux-ci ne sont pas les noms habituels. Décrivez-les dans un abonnement MQTT du fichier de configuration.
found-why-mean-power = Son énergie est une puissance moyenne sur quelques secondes : il n’a donc pas d’index.
found-why-unit = Il compte dans une unité que seul le compteur indique. Décrivez-le dans un abonnement MQTT du fichier de configuration, avec un facteur.
found-why-other = Son message est illisible : { $why }.
found-gone = Cet appareil n’a rien envoyé depuis des heures, ou wattkeeper a été redémarré. Il revient avec son prochain message.
found-no-account = Choisissez le compte auquel il appartient.
found-none-chosen = Choisissez ce que mesure au moins un de ses nombres.
found-wrong = Choisissez dans les listes ce qu’il mesure et ce qu’indique son index.
found-no-id = Le nom { $device } ne peut pas servir d’identifiant de capteur. Décrivez l’appareil dans un abonnement MQTT du fichier de configuration.
found-too-many = Il y a trop d’abonnements MQTT. Supprimez ceux qui ne servent pas, ou écrivez-en un pour plusieurs appareils dans le fichier de configuration.

export-title = Tout en fichiers
export-lead = Les mesures, l’énergie, les coûts, les factures, les contrats et toutes les autres saisies, en fichiers CSV et JSON dans une archive. D’autres programmes les lisent, et README.md les décrit en anglais. Les mots de passe et les clés n’y sont pas. Pour passer à un autre wattkeeper, restaurez-y plutôt une sauvegarde.
export-everything = Tout télécharger
export-account = Télécharger { $account }

backups-title = Sauvegardes
backups-lead = wattkeeper copie tout dans un dossier à intervalles réguliers, et vérifie chaque copie. De préférence, le dossier est sur un autre disque.
backups-dir = Dossier
backups-dir-hint = Son chemin complet sur la machine de wattkeeper, par exemple /mnt/backups. Il est créé s’il n’existe pas. Laissez vide pour n’avoir aucune sauvegarde.
backups-every = Temps entre deux sauvegardes
backups-every-hint = Par exemple 24h ou 90m.
backups-keep = Sauvegardes gardées
backups-keep-hint = La plus ancienne disparaît dès qu’une plus récente est vérifiée.
backups-secrets = Les mots de passe et jetons du broker et des messages ne sont dans aucune sauvegarde.
backups-not-absolute = Saisissez le chemin complet d’un dossier, par exemple /mnt/backups.
backups-in-store = Ce dossier est dans le dossier de données de wattkeeper. Choisissez-en un autre, de préférence sur un autre disque.
backups-not-made = Le dossier ne peut pas être créé : { $why }. Créez-le vous-même, et donnez à l’utilisateur de wattkeeper le droit d’y écrire.
backups-not-writable = wattkeeper ne peut pas écrire dans ce dossier : { $why }. Donnez à son utilisateur le droit d’y écrire ; un service systemd a aussi besoin de ReadWritePaths=.
backups-wrong-every = Saisissez une durée de 1m à 8760h, par exemple 24h.
backups-wrong-keep = Saisissez un nombre entier de 1 à 1000.

messages-title = Messages de notification
messages-lead = wattkeeper envoie un message quand une notification s’ouvre, et quand elle se termine : par e-mail, à Home Assistant, à ntfy, à Gotify, ou à votre propre webhook.
messages-go-to = Les messages vont à { $host }.
messages-address = Adresse
messages-address-hint = Par exemple https://ntfy.sh/my-topic, http://homeassistant.local:8123, ou smtps://mail.example.org pour l’e-mail. Elle peut être secrète : seul son hôte est affiché ensuite.
messages-address-remove = Supprimer l’adresse : aucun message
messages-format = Format
messages-format-hint = Le format que comprend le destinataire.
messages-token = Jeton ou mot de passe
messages-token-hint = Le destinataire y reconnaît wattkeeper, s’il en demande un : un jeton d’accès de longue durée de Home Assistant, ou le mot de passe du serveur de messagerie.
messages-token-remove = Supprimer le jeton
messages-token-goes = Si l’adresse change, le jeton est supprimé, car il n’est destiné qu’à ce destinataire. Saisissez-le alors de nouveau.
messages-language = Les messages destinés à des personnes sont dans la langue de cette page.
messages-test-text = Ceci est un test. Les messages de notification arrivent ici.
messages-test-title = Envoyer un message de test
messages-test-hint = Avec les réglages enregistrés. Cela prend jusqu’à dix secondes.
messages-test-result = Message de test
messages-test-fine = Le destinataire a accepté le message.
messages-test-none = Il n’y a pas de destinataire : enregistrez d’abord une adresse.
messages-test-name = L’hôte de l’adresse est inconnu. Vérifiez son orthographe.
messages-test-silent = Pas de réponse en dix secondes. Vérifiez l’adresse, et si un pare-feu fait barrage.
messages-test-refused = Le destinataire a répondu avec le statut { $status }. Vérifiez l’adresse, le format et le jeton.
messages-test-other = Le message n’a pas pu être envoyé : { $why }.
messages-wrong-address = Saisissez une adresse qui commence par https:// ou http://, sans utilisateur ; ou smtps:// ou smtp:// et un serveur de messagerie, sans mot de passe.
messages-wrong-token = Saisissez 1000 caractères visibles au plus.
messages-email = E-mail
messages-mail-to = Destinataire des e-mails
messages-mail-to-hint = Par exemple moi@example.org. Seulement pour l’e-mail.
messages-mail-from = Expéditeur des e-mails
messages-mail-from-hint = L’adresse qui se connecte au serveur de messagerie. Vide : celle du destinataire.
messages-wrong-mail = Saisissez une adresse e-mail comme moi@example.org.
messages-weekly = Message de la semaine
messages-weekly-hint = L’énergie et les coûts de la semaine, et pourquoi ils ont changé. Il va là où vont les messages de notification.
messages-weekly-off = Aucun
messages-weekly-sunday = Le dimanche soir
messages-weekly-monday = Le lundi matin
messages-statement = Décompte du mois
messages-statement-hint = Le premier du mois suivant, sous forme de page à imprimer. Sans e-mail, c’est une phrase.
messages-statement-off = Aucun
messages-statement-house = De la maison
messages-wrong-report = Choisissez une des possibilités.
report-week-title = Votre semaine : { $energy }
report-week-title-cost = Votre semaine : { $energy }, { $cost }
report-week-so-far = Cette semaine, la maison a consommé { $energy }
report-week-so-far-cost = Cette semaine, la maison a consommé { $energy } pour { $cost }
report-week-over = La semaine dernière, la maison a consommé { $energy }
report-week-over-cost = La semaine dernière, la maison a consommé { $energy } pour { $cost }
report-week-alone = { $week }.
report-week-and-change = { $week } : { $change }.
report-change-none = autant d’énergie que la semaine précédente
report-change-more = { $percent } d’énergie de plus que la semaine précédente
report-change-less = { $percent } d’énergie de moins que la semaine précédente
report-change-more-by = { $percent } d’énergie de plus que la semaine précédente, surtout à cause de { $device } ({ $energy } de plus)
report-change-less-by = { $percent } d’énergie de moins que la semaine précédente, surtout grâce à { $device } ({ $energy } de moins)
report-cheapest-tomorrow = Demain, { $date }, l’électricité est la moins chère de { $from } à { $to }, à { $price }.
report-cheapest-today = Aujourd’hui, { $date }, l’électricité est la moins chère de { $from } à { $to }, à { $price }.
report-missing = Des mesures manquent pour { $share } du temps.
report-bars = Consommation par jour
report-stop = Ce message a été choisi dans wattkeeper. Pour l’arrêter : Réglages, Messages de notification.
report-of-house = Maison
report-statement-title = Décompte { $month } : { $of }
report-statement = { $title }. Le total est de { $total }.

history-title = Importer des mesures
history-lead = Un tableau exporté d’un autre système devient des mesures de ce capteur. Vous voyez d’abord ses lignes, puis ce qu’il contient ; rien n’est enregistré avant votre accord.
history-table = Tableau en texte
history-table-hint = Des lignes avec une heure, et la puissance, l’index du compteur ou les deux. Au plus 4 Mio ; au-delà, utilisez la commande wattkeeper import.
history-sheet = Feuille d’un classeur
history-sheet-hint = Seulement si plusieurs feuilles ont des heures : le nom de l’une d’elles.
history-other-sheets = Autres feuilles avec des heures, qui ne sont pas lues : { $names }
history-look = Aperçu
history-rows = Les premières lignes
history-columns = Colonnes
history-time = Heure
history-power = Puissance
history-register = Index du compteur
history-energy = Énergie de chaque intervalle
history-none = – aucune –
history-from-registers = Le fichier contient des index de compteur : enregistrer l’énergie entre deux relevés
history-zone = Fuseau horaire des heures qui n’en indiquent pas
history-dates = Ordre dans les dates comme 03/04/2026
history-dmy = Le jour d’abord
history-mdy = Le mois d’abord
history-contents = Contenu
history-rows-read = Lignes lues : { $count } ; sans valeur : { $empty } ; d’autres séries : { $other }
history-found = Mesures : { $count }, du { $from } au { $to }
history-no-readings = Il ne contient aucune mesure.
history-power-range = Puissance : { $low } à { $high }
history-energy-range = Index : { $low } à { $high }
history-interval-range = Énergie d’un intervalle : { $low } à { $high }
history-duplicates = Valeurs égales répétées : { $count }
history-format = Reconnu comme fichier de { $name }.
history-times = Heures des énergies
history-times-hint = Si une heure est le début ou la fin de son intervalle.
history-by-file = comme le dit le fichier
history-starts = début de l’intervalle
history-ends = fin de l’intervalle
history-more = plus { $name }
history-add-up = Additionner plusieurs colonnes
history-add-up-hint = Par exemple celles de tarifs ou de phases. Elles ont la même unité.
history-decimals = Décimales dans les nombres comme 1,250
history-comma = après une virgule
history-point = après un point
history-where = Seulement les lignes avec
history-where-hint = Un COLONNE=VALEUR par ligne. Plusieurs valeurs d’une même colonne sont des alternatives.
history-choose-where = Écrivez chaque ligne sous la forme COLONNE=VALEUR.
history-months = Énergie par mois
history-total = Total
history-busy = Importation en cours
history-undo = Annuler cette importation
history-undo-lead = Supprime les mesures de ce fichier là où elles sont enregistrées telles quelles. Les mesures qu’elles ont remplacées ne reviennent pas.
history-remember = Retenir ce format
history-remember-hint = D’autres fichiers avec les mêmes colonnes sont ensuite lus de la même façon.
history-format-name = Fournisseur ou programme
history-choose-name = Donnez-lui un nom de 64 caractères au plus ; les lettres accentuées comptent double.
history-many-formats = Ce compte a 50 formats retenus, c’est le maximum. Supprimez-en d’abord un.
history-format-long = Les colonnes ont des noms trop nombreux ou trop longs pour être retenus.
history-formats = Formats retenus
history-formats-lead = Les fichiers reconnus dans le compte { $account }, en plus de ceux des fournisseurs connus.
history-forget = Supprimer
history-format-removed = Le format a été supprimé.
history-remembered = Les choix ont été retenus.
plan-times = Heures : { $columns }, { $are } ({ $by })
plan-are-start = le début de chaque intervalle
plan-are-end = la fin de chaque intervalle
plan-are-both = les deux bouts de chaque intervalle
plan-are-moment = le moment de chaque valeur
plan-are-open = le début ou la fin de chaque intervalle
plan-zone = Heures sans décalage : dans { $zone } ({ $by })
plan-power = Puissance : { $columns }, en { $unit } ({ $by })
plan-energy = Énergie de chaque intervalle : { $columns }, en { $unit } ({ $by })
plan-register = Index du compteur : { $columns }, en { $unit } ({ $by })
plan-rows = Seulement les lignes avec { $value } dans { $column } ({ $by })
plan-by-user = selon votre choix
plan-by-format = selon le format du fichier
plan-by-unit = selon l’unité
plan-by-name = selon le nom
plan-by-values = selon les valeurs
plan-by-account = comme dans le compte
plan-by-default = faute d’autre indication
history-bad = Lignes illisibles : { $count }. Les premières, en anglais :
history-bad-remedy = Corrigez ces lignes, ou choisissez de les écarter.
history-bad-many = Plus d’un dixième des lignes est illisible, les choix sont donc sans doute faux. Corrigez-les, ou ces lignes.
history-skip-bad = Écarter ces lignes
history-store = Importer
history-too-long = Le tableau dépasse 4 Mio. Importez-le en plusieurs parties, ou avec la commande wattkeeper import.
history-empty = Choisissez un fichier, ou collez un tableau.
history-choose = Choisissez la colonne de la puissance, celle de l’index, ou les deux.
history-choose-time = Choisissez la colonne des heures.
history-choose-order = Choisissez si le jour ou le mois vient d’abord.
history-ask-sheet = Nommez la feuille à lire. La commande le dit ainsi, en anglais : { $detail }.
history-ask-times = Choisissez si une heure est le début ou la fin de son intervalle. La commande le dit ainsi, en anglais : { $detail }.
history-ask-decimals = Choisissez si les décimales suivent une virgule ou un point. La commande le dit ainsi, en anglais : { $detail }.
history-ask-where = Le tableau contient plusieurs séries. Nommez-en une sous « Seulement les lignes avec ». La commande le dit ainsi, en anglais : { $detail }.
history-ask-direction = { $detail } va dans l’autre sens que ce capteur. Choisissez une autre colonne, ou choisissez-la de nouveau si elle est juste.
history-ask-unit = Choisissez l’unité de ces valeurs. La commande le dit ainsi, en anglais : { $detail }.
history-wrong = Le tableau ne peut pas être lu : { $detail }. Les mots qui commencent par -- sont des options de la commande wattkeeper import.

## The store, and its repair

store-title = Base de données
store-lead = Les fichiers qui contiennent toutes les données de wattkeeper.
store-noted = Dégâts trouvés
store-noted-remedy = Ces données ont été perdues. Restaurez une sauvegarde ci-dessous si vous en avez besoin, et envisagez un nouveau disque ou une nouvelle carte SD.
store-confirm-hint = Vérifiez d’abord les clés, les personnes et les tablettes murales : après un dégât, une clé ou un lien révoqué peut être revenu. Confirmer les autorise tous de nouveau.
store-confirm = J’ai lu ceci
store-check-title = Contrôle
store-check-lead = Ceci lit toute la base de données, et énumère ses défauts. Pour une grande base, cela prend quelques minutes ; les mesures sont acceptées pendant ce temps.
store-check = Contrôler maintenant
store-busy = Un test ou un contrôle est en cours. Réessayez quand il sera terminé.
store-found = { $problems ->
    [0] La base de données est en ordre : { $readings } mesures ont été lues.
    [one] Un défaut a été trouvé ; { $readings } mesures ont été lues.
   *[other] { $problems } défauts ont été trouvés ; { $readings } mesures ont été lues.
}
store-repair-title = Réparation
store-repair-lead = Ceci ferme la base de données, pour que vous puissiez la récupérer ou mettre une sauvegarde à sa place. Jusqu’à ce que vous la rouvriez, il n’y a pas d’autres pages, et les capteurs reçoivent une erreur ; la plupart envoient leurs mesures plus tard.
store-close = Fermer la base
store-close-unconfirmed = Confirmez que la base de données doit être fermée.
store-closing = La base de données se ferme
store-closing-lead = La page des réparations suit dans quelques secondes. Seul ce navigateur en a l’adresse.
store-replaced = Bases remplacées
store-replaced-lead = Chaque réparation garde la base de données telle qu’elle était avant. Supprimez-en une quand vous êtes certain de ne plus en avoir besoin.
store-remove = Supprimer
repair-title = Réparation de la base
repair-why = La base de données ne peut pas être ouverte :
repair-closed = La base de données est fermée.
repair-open-title = Ouvrir la base
repair-open-lead = wattkeeper essaie d’ouvrir la base de données telle quelle.
repair-open = Ouvrir
repair-opening = La base de données s’ouvre.
repair-salvage-title = Récupérer la base
repair-salvage-lead = Ceci copie toutes les données lisibles dans une nouvelle base, et énumère les pertes. La base endommagée est gardée à côté : il faut donc de la place pour les deux.
repair-salvage = Récupérer
repair-restore-title = Restaurer une sauvegarde
repair-restore-lead = La sauvegarde est d’abord vérifiée ; puis elle prend la place de la base de données. La base actuelle est gardée à côté.
repair-file = Sauvegarde
repair-file-hint = Son chemin complet sur la machine de wattkeeper.
repair-no-file = Saisissez le chemin complet d’une sauvegarde, par exemple /mnt/backups/wattkeeper-20260105T100000Z.backup.
repair-restore = Restaurer
repair-upload = Ou envoyer une sauvegarde depuis cet appareil
repair-uploaded = envoyée par un navigateur, { $size }
repair-salvaging = Récupération en cours : { $count } mesures pour l’instant.
repair-restoring = Restauration en cours : { $size } lus pour l’instant.
repair-salvaged = La base de données a été récupérée : { $count } mesures. Ouvrez-la maintenant.
repair-restored = La sauvegarde a été restaurée : { $count } mesures. Ouvrez maintenant la base de données.
repair-failed = Cela a échoué, et la base de données est comme avant : { $why }
repair-losses = Ces données sont perdues :
repair-needs-address = La base de données de wattkeeper est fermée pour une réparation. wattkeeper a affiché l’adresse de cette page à son démarrage.
