"""What measures do and do not: Table IV of the paper, decided by evidence."""
