# The cells of a notebook; what a cell ends with is shown.
import sudare

history = sudare.read_history("purchases.csv")
history.attackers()
safe = history.anonymize(k=3, fast=True, rounds=3)
safe  # noqa: B018
safe.publish("published.csv")
table = sudare.read_table("members.csv")
table.risk(known=["sex", "age", "prefecture"])
