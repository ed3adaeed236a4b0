"""`prum generate`: whole test collections whose truth is known, as folders."""
