"""What measures and draws in Python, run from the checkout (see `__main__`). Agents need nothing of it."""
