"""How much memory is needed for what."""
