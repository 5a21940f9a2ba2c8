# May this purchase history be handed over? Ends with 3: no.
sudare history attackers "$SUDARE_DATA/online-retail.parquet" --missing-value customer=0 --bad-rows drop --fail-above 5%
