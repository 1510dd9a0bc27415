"""Measures and draws in Python, run from the checkout (see `__main__`). Agents do not need this package."""
