"""Connections and subscriptions: `aio` is what they do, `sync` the same for who blocks."""
