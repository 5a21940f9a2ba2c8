"""The roles of columns in a purchase history, and the names people give them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

from sudare.errors import ColumnNotFound, OptionNotUsable
from sudare.messages import Joined, Message, message

REQUIRED = ("customer", "day", "item")
ROLES = (*REQUIRED, "item_name", "invoice", "time", "price", "quantity")

# What the columns of a file without a header are, by their number: the owners of items, and the formats of the PWS Cup
# contests.
FORMATS = {
    2: ("customer", "item"),
    5: ("customer", "day", "item", "price", "quantity"),
    7: ("customer", "invoice", "day", "time", "item", "price", "quantity"),
}

# Best name first: where two columns could play a role, the earlier name wins.
NAMES = {
    "customer": (
        "customer customerid customerno customernumber customercode custid cust client clientid user userid member "
        "memberid pid pseudonym 顧客 顧客id 顧客番号 顧客コード 仮名 会員 会員id 会員番号 "
        "ユーザ ユーザid ユーザー ユーザーid 利用者 利用者id 利用者番号 お客様番号"
    ).split(),
    "day": (
        "day date purchaseday purchasedate invoicedate orderdate transactiondate visitdate salesdate datetime "
        "invoicedatetime purchasedatetime orderdatetime timestamp 購買日 購入日 日付 年月日 購買年月日 購入年月日 "
        "注文日 取引日 売上日 来店日 購買日時 購入日時 注文日時 取引日時 日時"
    ).split(),
    "item": (
        "item itemid itemno itemcode product productid productcode productno stockcode sku goods goodsid goodscode "
        "article articleid jan jancode 購買商品 購入商品 商品 商品id 商品コード 商品番号 "
        "品番 janコード 品目 商品名 品名"
    ).split(),
    "item_name": (
        "itemname productname goodsname articlename itemdescription productdescription description "
        "producttitle itemtitle 商品名 品名 品目名 商品名称 商品説明"
    ).split(),
    "invoice": (
        "invoice invoiceno invoiceid invoicenumber order orderid orderno receipt receiptid receiptno basket basketid "
        "transaction transactionid 伝票 伝票id 伝票番号 注文 注文id 注文番号 レシート レシートid "
        "レシート番号 取引id 取引番号"
    ).split(),
    "time": (
        "time purchasetime invoicetime ordertime transactiontime 購買時 購買時刻 購入時刻 時刻 時間 注文時刻 取引時刻"
    ).split(),
    "price": "price unitprice priceperunit itemprice 単価 価格 値段 税込価格 税抜価格".split(),
    "quantity": "quantity qty units pieces amount 個数 数量 購買個数 購入個数 点数".split(),
}


def fold(name: str) -> str:
    """Reduce a column name to what counts when it is compared: letters and digits, full width as half width."""
    return "".join(letter for letter in unicodedata.normalize("NFKC", name).casefold() if letter.isalnum())


def is_role_name(name: str) -> bool:
    """Tell whether a column of this name would be given a role."""
    return any(fold(name) in names for names in NAMES.values())


def assign_roles(
    columns: Sequence[str],
    given: Mapping[str, str],
    *,
    header: bool,
    source: str,
    required: Sequence[str] = REQUIRED,
) -> dict[str, int]:
    """Return the position of the column of each role: as given, by name, or by the number of columns.

    A given column is named as in the header or by its position from 1.
    """
    found = _by_name(columns) if header else _by_format(columns)
    taken = {role: _position(columns, role, name, source) for role, name in given.items()}
    found = {role: place for role, place in found.items() if role not in given and place not in taken.values()}
    found.update(taken)
    missing = [role for role in required if role not in found]
    if missing:
        raise _missing(columns, missing, header=header, source=source)
    return {role: found[role] for role in ROLES if role in found}


def _by_format(columns: Sequence[str]) -> dict[str, int]:
    return {role: place for place, role in enumerate(FORMATS.get(len(columns), ()))}


def _by_name(columns: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for role, places in _candidates(columns).items():
        # A column called 商品名 is the item where nothing better is, and then no name of it.
        free = [place for place in places if place not in found.values()]
        if free:
            found[role] = free[0]
    return found


def _candidates(columns: Sequence[str]) -> dict[str, list[int]]:
    """Return the places of all columns that could have a role by their names, the best first."""
    folded = [fold(column) for column in columns]
    return {
        role: [place for name in names for place, other in enumerate(folded) if other == name]
        for role, names in NAMES.items()
    }


def alternatives(
    columns: Sequence[str], roles: Mapping[str, int], given: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """Return for roles that were found by name the further columns that could have them, as far as they have none."""
    free = {
        role: [columns[place] for place in places if place not in roles.values()]
        for role, places in _candidates(columns).items()
        if role in roles and role not in given
    }
    return {role: tuple(dict.fromkeys(names)) for role, names in free.items() if names}


def unknown_role(role: str) -> OptionNotUsable:
    """Return the error about a role that there is not."""
    return OptionNotUsable("errors.sources.unknown_role", role=role, roles=", ".join(ROLES))


def _position(columns: Sequence[str], role: str, name: str, source: str) -> int:
    if role not in ROLES:
        raise unknown_role(role)
    if name in columns:
        return columns.index(name)
    if name.isdecimal() and 1 <= int(name) <= len(columns):
        return int(name) - 1
    raise ColumnNotFound("errors.sources.unknown_column", name=source, column=name, role=role, columns=_listed(columns))


def _missing(columns: Sequence[str], missing: Sequence[str], *, header: bool, source: str) -> ColumnNotFound:
    roles, first = Joined([message(f"errors.roles.{role}") for role in missing]), missing[0]
    if header:
        return ColumnNotFound(
            "errors.sources.no_column_for", name=source, roles=roles, columns=_listed(columns), role=first
        )
    return ColumnNotFound("errors.sources.no_header", name=source, count=len(columns), roles=roles, role=first)


def _listed(columns: Sequence[str], most: int = 20) -> Message | str:
    shown = ", ".join(columns[:most])
    return message("errors.sources.first_columns", columns=shown, count=len(columns)) if columns[most:] else shown
