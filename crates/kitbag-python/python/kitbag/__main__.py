"""``python -m kitbag`` runs the program ``kitbag``."""

from kitbag._program import main

main()
