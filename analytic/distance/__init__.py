"""Distance between what systems and users estimate: Mizzaro's ADM, its samples, users who trust."""
