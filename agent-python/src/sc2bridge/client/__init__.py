"""Connections and subscriptions. `aio` has the logic and is for asyncio; `sync` has the same methods, but blocking."""
