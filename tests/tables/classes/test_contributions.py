import sudare


def test_the_attribute_without_which_least_risk_is_left_comes_first(people: sudare.Table) -> None:
    found = sudare.tables.attribute_contributions(people)
    # Without age: m-x three times, f-x once, f-y twice; without sex or town more classes are left.
    assert found[0] == sudare.tables.Contribution("age", max_risk=1.0, mean_risk=3 / 6, uniques=1)
    assert {entry.attribute: entry.mean_risk for entry in found} == {"age": 3 / 6, "sex": 4 / 6, "town": 4 / 6}


def test_a_single_known_attribute_leaves_no_knowledge(people: sudare.Table) -> None:
    assert sudare.tables.attribute_contributions(people, ["sex"]) == [
        sudare.tables.Contribution("sex", 1 / 6, 1 / 6, 0)
    ]
