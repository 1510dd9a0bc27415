"""Runs a program in its own terminal, and passes standard input to it."""

import pty
import sys

sys.exit(pty.spawn(sys.argv[1:]) >> 8)
