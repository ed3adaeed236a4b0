"""What docs/statistics.md reports: kills survived, inputs fuzzed, faults planted. Not tests."""
