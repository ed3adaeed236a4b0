from .scores import UncertainIdeals as UncertainIdeals
