"""Transports, which carry messages to and from a bridge. Each transport has a blocking form and an asyncio form."""
