# A file from an older system: cp932, era dates, yen signs, one row that cannot be used.
sudare history attackers dirty.csv || echo "ended with $?"
sudare history attackers dirty.csv --bad-rows drop --rejects bad.csv
