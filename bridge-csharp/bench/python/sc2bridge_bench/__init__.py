"""What `sc2bridge codec` measures in Python, run as `python -m sc2bridge.measuring`. Agents need nothing of it."""
