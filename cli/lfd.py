"""`sjoin lfd`: the offline optimum of caching."""

from cli import join_options as join
from cli import options
from cli.opt_offline import Memories
from cli.replay import Output, replay


def lfd(
    mem: Memories,
    trace: options.Trace = None,
    warmup: join.Warmup = 0,
    time_column: options.TimeColumn = "time",
    stream_column: options.StreamColumn = "stream",
    key_column: options.KeyColumn = "key",
    sort: options.Sort = False,
    null_keys: options.NullKeys = "error",
    as_json: options.Json = False,
    output: Output = None,
    quiet: options.Quiet = False,
) -> None:
    """Find the largest number of hits that any cache could have had.

    The object whose next use is furthest away goes first (longest forward distance), which nobody
    can beat. It is the same as sjoin replay --problem caching --policy lfd.

    \b
    sjoin lfd cache.parquet --mem 1000
    sjoin lfd cache.parquet --mem 10:100:10 --json
    """
    replay(
        policy=["lfd"],
        trace=trace,
        mem=mem,
        warmup=warmup,
        problem="caching",
        time_column=time_column,
        stream_column=stream_column,
        key_column=key_column,
        sort=sort,
        null_keys=null_keys,
        as_json=as_json,
        output=output,
        quiet=quiet,
    )
