from .decision import Decision as Decision
from .decision import Pair as Pair
from .decision import Place as Place
from .question import Question as Question
from .result import ComparisonResult as ComparisonResult
from .score_files import scores_of as scores_of
from .scores import Scores as Scores
from .verb import compare as compare
