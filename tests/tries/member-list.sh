# Members with names and e-mail addresses: what may be handed over?
sudare table risk members.csv --known sex,age,prefecture --k 5
sudare table hierarchies members.csv -o hierarchies
sudare table levels members.csv --known sex,age,prefecture --hierarchies hierarchies --k 5 --suppress 5% -o safe.csv
sudare table risk safe.csv --fail-above 1/5
