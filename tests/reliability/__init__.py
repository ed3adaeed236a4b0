"""What docs/reliability.md reports: kills survived, inputs fuzzed, faults planted. Not tests."""
