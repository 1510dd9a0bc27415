"""MCAP, the container that a recording is: https://mcap.dev/spec."""
