"""How bytes reach a bridge. Each transport has two forms of one interface: one that blocks, and one of asyncio's."""
