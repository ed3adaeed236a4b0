"""Made collections whose truth is known: structures, topics, judgements and systems from dials."""
