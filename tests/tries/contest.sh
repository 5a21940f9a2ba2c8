# A team's whole contest: anonymize, check, publish, attack, judge.
sudare contest anonymize T.csv --k 3 --fast --rounds 5 --skip-attacks -o A.csv
sudare contest check T.csv A.csv
sudare contest publish A.csv -o published.csv
sudare contest attack T.csv published.csv -o guesses.csv
sudare contest safety T.csv A.csv guesses.csv
