"""The match as an agent sees it: frames, names, what happened; and what an agent asks of the game and orders."""
