from .measured import JudgesResult as JudgesResult
from .verb import judges as judges
