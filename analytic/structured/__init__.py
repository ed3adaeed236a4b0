"""The measures PRUM is compared with: RP, GRP, GRPng, xCG, T2I, GR, EPRUM, and graded PRUM."""
