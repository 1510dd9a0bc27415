"""Reads MCAP, the container format of recordings: https://mcap.dev/spec."""
