"""`sjoin reduce`: the caching problem as a joining problem."""

from pathlib import Path
from typing import Annotated

import typer

from cli import options

References = Annotated[
    Path, typer.Argument(metavar="TRACE", help="Parquet file, or folder, with references.")
]
Output = Annotated[Path, typer.Option("--output", "-o", help="Parquet file to write.")]


def reduce(
    trace: References,
    output: Output,
    time_column: options.TimeColumn = "time",
    key_column: options.KeyColumn = "key",
    sort: options.Sort = False,
    null_keys: options.NullKeys = "error",
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Turn a caching trace into a joining trace with as many results as the cache has hits.

    The i-th reference to v becomes (v, i-1) on R and (v, i) on S.

    \b
    sjoin reduce cache.parquet -o joining.parquet
    """
    from cli.output import print_json
    from cli.progress import progress_bar
    from streamjoin_core.trace.columns import Columns
    from streamjoin_core.trace.read import read_trace
    from streamjoin_core.trace.reduce import reduce_caching
    from streamjoin_core.trace.write import write_trace

    with progress_bar(quiet) as progress:
        references = read_trace(
            trace,
            columns=Columns(time=time_column, key=key_column),
            sort=sort,
            null_keys=null_keys,
            problem="caching",
            progress=progress,
        )
    joining = reduce_caching(references)
    write_trace(joining, output)
    account = {
        "path": str(output),
        "references": len(references),
        "rows": len(joining),
        "fingerprint": joining.fingerprint,
    }
    if as_json:
        print_json(account)
    elif not quiet:
        typer.echo("{path}: {rows} rows for {references} references".format_map(account))
