from .feature_table import FeatureTable as FeatureTable
from .feature_table import read_features as read_features
from .features import LinkFeatures as LinkFeatures
from .features import link_features as link_features
from .fitted import FittedNavigation as FittedNavigation
from .foretold import Foretold as Foretold
from .walking import reached as reached
