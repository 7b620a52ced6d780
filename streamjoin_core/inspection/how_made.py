"""How a trace was made, in short."""


def how_made(metadata: dict) -> dict:
    """The trace's own account, where models, which may be long, are named by their kinds only."""
    return {
        name: _kinds(entry) if name == "model" else _within(entry)
        for name, entry in metadata.items()
    }


def _within(entry):
    """Accounts within the account: of the two files of a merged trace, or of a reduced one."""
    return how_made(entry) if isinstance(entry, dict) else entry


def _kinds(model):
    if not isinstance(model, dict):
        return None
    return {
        label: entry.get("kind") if isinstance(entry, dict) else None
        for label, entry in model.items()
    }
