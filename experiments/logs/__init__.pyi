from .columns import read_log as read_log
from .events import Events as Events
from .events import read_events as read_events
from .events import seen_links as seen_links
from .trials import Trials as Trials
from .trials import trials_of as trials_of
