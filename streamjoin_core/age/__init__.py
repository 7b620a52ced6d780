"""The age-based model: how many results a tuple has at each age, and what follows from it."""
