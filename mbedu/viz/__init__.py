"""Pictures and films of runs: they read traces and results, and import no algorithm."""
