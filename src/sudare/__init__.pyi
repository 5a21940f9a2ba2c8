from sudare import (
    baskets as baskets,
    contest as contest,
    gate as gate,
    histories as histories,
    tables as tables,
)
from sudare.baskets.model import Baskets as Baskets
from sudare.baskets.read import read_baskets as read_baskets
from sudare.engine import open_engine as open_engine
from sudare.engine.duckdb import DuckDBEngine as DuckDBEngine
from sudare.engine.spark.engine import SparkEngine as SparkEngine
from sudare.errors import (
    AnswerIsNo as AnswerIsNo,
    BadRows as BadRows,
    ColumnNotFound as ColumnNotFound,
    EngineNotAvailable as EngineNotAvailable,
    HierarchyNotUsable as HierarchyNotUsable,
    InputError as InputError,
    KnowledgeNotUnderstood as KnowledgeNotUnderstood,
    MemoryNotEnough as MemoryNotEnough,
    NotOnEngine as NotOnEngine,
    OptionNotUsable as OptionNotUsable,
    OutputNotWritable as OutputNotWritable,
    SourceNotReadable as SourceNotReadable,
    SudareError as SudareError,
)
from sudare.histories.model import History as History
from sudare.histories.read import read_history as read_history
from sudare.histories.synthetic import generate_history as generate_history
from sudare.sources.readings import Reading as Reading
from sudare.tables.model import Table as Table
from sudare.tables.read import read_table as read_table
from sudare.tables.synthetic import generate_table as generate_table
from sudare.version import __version__ as __version__
