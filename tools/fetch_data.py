"""Says where the real data of tests and benchmarks come from, and checks a folder that should have them.

    python tools/fetch_data.py                what to fetch, and how to make the files of it
    python tools/fetch_data.py --check [DIR]  which files are right, wrong or missing

DIR defaults to SUDARE_DATA or ../shared/data. Nothing is downloaded: the data belong to others, under their terms.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(os.environ.get("SUDARE_DATA", Path(__file__).parents[2] / "shared" / "data"))


@dataclass(frozen=True)
class Source:
    """Where data come from and how the files are made of them."""

    name: str
    home: str
    steps: str


@dataclass(frozen=True)
class File:
    """A file with its size in bytes and its SHA-256; `rows` is a hash of what a Parquet file says (see rows_hash)."""

    name: str
    source: Source
    size: int
    sha256: str
    rows: str = ""


ONLINE_RETAIL = Source(
    "Online Retail",
    "UCI Machine Learning Repository, data set 'Online Retail' (id 352), CC BY 4.0; D. Chen, S. L. Sain, K. Guo: Data "
    "mining for the online retail industry, Journal of Database Marketing and Customer Strategy Management 19(3), 2012",
    """\
online-retail.parquet: of the sheet's 541,909 rows those with a positive Quantity whose InvoiceNo is a number
(531,282), in their order, all eight columns; StockCode, Description, Country and InvoiceDate (2010-12-01 08:26:00) as
text, InvoiceNo and Quantity as 64-bit integers, UnitPrice and CustomerID as 64-bit floats; a missing CustomerID is 0,
a missing Description ''. The rows of the file were looked at, the steps were not repeated from the sheet. The bytes
depend on the program that writes Parquet (pyarrow 25.0.1 here); --check therefore also takes a file whose rows are
the same.
online-retail-400.csv: of the rows of online-retail.parquet with a UnitPrice above 0 those of the 402 smallest
CustomerIDs above 0 without 12363 and 12743, in their order; no header, CustomerID, InvoiceNo, day (2010/12/1), time
(8:45), StockCode, UnitPrice as Python writes floats (18.0), Quantity; lines end with LF. These steps give the hash.""",
)
PWS_CUP = Source(
    "PWS Cup 2018",
    "PWS Cup 2018, the contest of anonymization of the Privacy Workshop (PWS) of the Information Processing Society of "
    "Japan: the history T of the preliminary round; made of Online Retail",
    """\
pwscup2018-T.csv: as the contest gave it out. Of the rows of online-retail.parquet with a UnitPrice above 0 it has
those of 1,000 customers that the contest chose, before 2011-12-01 and without the StockCode BANK CHARGES, in their
order: CustomerID, day (2010/12/1), StockCode, UnitPrice without trailing zeros, Quantity; no header, lines end with
CRLF. Given the customers, these steps give the same lines; how the customers were chosen is not known.""",
)
BMS = Source(
    "BMS-WebView-1 and BMS-WebView-2",
    "KDD Cup 2000, click streams of a web shop (Z. Zheng, R. Kohavi, L. Mason: Real world performance of association "
    "rule algorithms, KDD 2001); also among the data sets of SPMF, the open-source data mining library",
    """\
bms-webview-1.txt, bms-webview-2.txt: one record a line, items divided by ' -1 ', in the order of SPMF's files for
sequences without the ' -1 -2' at the end of their lines; lines end with CRLF, but the last one of bms-webview-1.txt
has no end. 59,601 and 77,512 records. Only the first lines of bms-webview-1.txt were compared with SPMF's; where the
files differ from a download otherwise is not known.""",
)
ADULT = Source(
    "Adult",
    "UCI Machine Learning Repository, data set 'Adult' (id 2), CC BY 4.0; hierarchies: examples of ARX, the open "
    "source tool for anonymization, in the folder data of its repository",
    """\
adult/adult-full.csv: adult.data, 32,561 records, with a header line that names the columns as UCI does, but
salary-class for the last; divided by ',' without spaces, lines end with CRLF. The steps were not repeated from UCI.
adult/adult.csv: of adult-full.csv the records without '?' (30,162), columns sex, age, race, marital-status, education,
native-country, workclass, occupation, salary-class, divided by ';', lines end with CRLF. These steps give the hash;
ARX has the same table among its examples.
adult/adult_hierarchy_*.csv: of ARX's examples, line ends changed from CRLF to LF (compared for race and
marital-status). ARX has several versions of some hierarchies; which ones these are is not known.""",
)

FILES = (
    File(
        "online-retail.parquet", ONLINE_RETAIL, 3305306,
        "ad09db649d5ee696a47d87d042b4c364c0d386a6873f195e34bda01411d2349d",
        rows="215c249c984f3b8f3e754bcfc2181061d2ad9733969fed58734d08a592981664",
    ),
    File(
        "online-retail-400.csv", ONLINE_RETAIL, 1616580,
        "943df9b3e57b0288cf2ce3e1e615d1c254027f2471e3700a8c3ad2783b35c4a8",
    ),
    File(
        "pwscup2018-T.csv", PWS_CUP, 2494076,
        "3950b040a963de4a5ac1d751f66379441967bdb856d21be9a65252dff7f25e28",
    ),
    File(
        "bms-webview-1.txt", BMS, 1227538,
        "f601490237237320baf1218a941657e86daa276d0b2004b0b39506b1d5017970",
    ),
    File(
        "bms-webview-2.txt", BMS, 3159562,
        "2ea6b5800f49d2bb60b5f72bbc8f1118daccea572ac3a77e4eb27fbfb15b4b2b",
    ),
    File(
        "adult/adult-full.csv", ADULT, 3551174,
        "6a89fae2851163678a36ff9d98e3af4f0d42e4836bd8e99be67238d0013e0956",
    ),
    File(
        "adult/adult.csv", ADULT, 2516935,
        "c700df9304fbf3c4d4db5938bffc510561bd4a2dfad285a3feef9a20619391c5",
    ),
    File(
        "adult/adult_hierarchy_age.csv", ADULT, 2232,
        "463f35372e8b1ad31fc624eb73c5da9297878a044ae5d61038eaf7b431ac55ca",
    ),
    File(
        "adult/adult_hierarchy_education.csv", ADULT, 692,
        "f22e5ee519c28b05538d4e5ddea0fbee5f0017fefb3abab3fa02272325bf9ce5",
    ),
    File(
        "adult/adult_hierarchy_marital-status.csv", ADULT, 239,
        "3e7ba2c4a5cd4fec059b4e3a2c57fce6e7c34a20daee1e624990ddd7beba85e5",
    ),
    File(
        "adult/adult_hierarchy_native-country.csv", ADULT, 840,
        "696d3b53973311c096b33f98bb56e526016910b1a1cd5a1e904cb799d1077023",
    ),
    File(
        "adult/adult_hierarchy_occupation.csv", ADULT, 353,
        "16dc420d5d7f8ab4d1e6144eb1d19ab8314ef42523fe8c4ee202372db1c98126",
    ),
    File(
        "adult/adult_hierarchy_race.csv", ADULT, 66,
        "df11abf41fa0669455adc9c9f9fa88663afa0cee8327684ecca861cd32dc4209",
    ),
    File(
        "adult/adult_hierarchy_salary-class.csv", ADULT, 15,
        "404895b3fcfb615813efab7ae0d2c50c8b127cec651f9b37d44a648646f86345",
    ),
    File(
        "adult/adult_hierarchy_sex.csv", ADULT, 16,
        "537d23f7b6969b916b5a5490eb1b32c273fefdc62ca050a7a813e23bbf3b78b2",
    ),
    File(
        "adult/adult_hierarchy_workclass.csv", ADULT, 211,
        "106f420349bf0071dbb25371795a78799edf24a64c3424619d563c3990ee8d02",
    ),
)  # fmt: skip


def main(words: list[str]) -> int:
    about, _, _ = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(prog="tools/fetch_data.py", description=about)
    parser.add_argument(
        "--check", nargs="?", const=FOLDER, type=Path, metavar="DIR", help="check the files in a folder"
    )
    folder = parser.parse_args(words).check
    return show() if folder is None else check(folder)


def show() -> int:
    """Print for every source what it is, the files, and how to make them."""
    for source in dict.fromkeys(file.source for file in FILES):
        print(f"{source.name}\n  {source.home}\n")
        for file in (file for file in FILES if file.source is source):
            print(f"  {file.name}: {file.size:,} bytes, SHA-256 {file.sha256}")
        print("\n" + "\n".join(f"  {line}" for line in source.steps.splitlines()) + "\n")
    print("Put them into a folder, name it in SUDARE_DATA, and check it: tools/fetch_data.py --check")
    return 0


def check(folder: Path) -> int:
    """Print what is right, wrong or missing in a folder; 0 if all is right, else 2."""
    verdicts = {file.name: verdict(file, folder / file.name) for file in FILES}
    for name, found in verdicts.items():
        print(f"{found:8} {folder / name}")
    if all(found == "right" for found in verdicts.values()):
        return 0
    print("tools/fetch_data.py says where they come from and how they are made.", file=sys.stderr)
    return 2


def verdict(file: File, path: Path) -> str:
    if not path.is_file():
        return "missing"
    with path.open("rb") as opened:
        same = hashlib.file_digest(opened, "sha256").hexdigest() == file.sha256
    return "right" if same or (file.rows and rows_hash(path) == file.rows) else "wrong"


def rows_hash(path: Path) -> str:
    """Return the SHA-256 of the columns and rows of a Parquet file, as Python shows them; '' if it is none."""
    import duckdb

    found = hashlib.sha256()
    with duckdb.connect() as connection:
        try:
            rows = connection.execute("SELECT * FROM read_parquet(?)", [str(path)])
        except duckdb.Error:
            return ""
        found.update(repr([(name, str(kind)) for name, kind, *_ in rows.description or ()]).encode())
        while some := rows.fetchmany(10_000):
            found.update("".join(f"{row!r}\n" for row in some).encode())
    return found.hexdigest()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
