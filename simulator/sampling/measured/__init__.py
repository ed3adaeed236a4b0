"""What is measured of simulated users beside C(r) and CL(r), or of two lists at once."""
