"""Why results were lost."""
