from . import analytic as analytic
from . import experiments as experiments
from . import simulator as simulator
from . import spans as spans
from .experiments.compare.verb import compare as compare
from .experiments.crosscheck.values import precision as precision
from .experiments.crosscheck.values import simulate as simulate
from .experiments.crosscheck.verb import crosscheck as crosscheck
from .experiments.evaluate.campaigns import read_campaign as read_campaign
from .experiments.evaluate.scored import evaluate as evaluate
from .experiments.explore.verb import explore as explore
from .experiments.fitting.fitted import read_fitted as read_fitted
from .experiments.fitting.verb import fit as fit
from .experiments.generate.verb import generate_dataset as generate_dataset
from .experiments.judges.verb import judges as judges
from .experiments.studies.kit.registry import study as study
from .experiments.sweeps.verb import sweep as sweep
from .experiments.trust.jobs import trust as trust
from .simulator.collections.chunk_files import read_chunks as read_chunks
from .simulator.collections.gold_files import read_gold as read_gold
from .simulator.collections.links import read_elements as read_elements
from .simulator.collections.links import read_links as read_links
from .simulator.collections.qrels import read_qrels as read_qrels
from .simulator.collections.trec import read_run as read_run
from .simulator.collections.xml import read_xml as read_xml
from .simulator.model.browsing import Browsing as Browsing
from .simulator.model.elements import Elements as Elements
from .simulator.model.errors import InputError as InputError
from .simulator.model.expansion import Expansion as Expansion
from .simulator.model.navigation import Copula as Copula
from .simulator.model.navigation import Coupled as Coupled
from .simulator.model.navigation import Independent as Independent
from .simulator.model.navigation import Walk as Walk
from .simulator.model.population import Beta as Beta
from .simulator.model.population import OneFactor as OneFactor
from .simulator.model.population import Types as Types
from .simulator.model.tables import Links as Links
from .simulator.model.task import Task as Task
from .simulator.sampling.simulation import Simulation as Simulation

__version__: str

# Not listed: closed forms of arrays, in the place of which `precision` stands here.
exact = analytic.exact
prum = analytic.prum
