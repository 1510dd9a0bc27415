"""Runs a program, and prints its peak memory, in KiB, as the last line of standard output."""

import resource
import subprocess
import sys

code = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, flush=True)
sys.exit(code)
