# A job that publishes only what is safe enough: it must stop before the last line.
set -e
sudare table risk members.csv --known sex,age,prefecture --fail-above 20% --json -q > risk.json
cp members.csv published.csv
