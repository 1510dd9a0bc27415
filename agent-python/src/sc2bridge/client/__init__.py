"""Connections and subscriptions: `aio` has the logic, `sync` blocks on it."""
