"""The match as an agent sees it: frames, names and events, and the agent's queries and commands."""
