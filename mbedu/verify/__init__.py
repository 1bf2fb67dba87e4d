"""Is it right? All small DAGs, random problems, smallest counterexamples, functions that misbehave."""
