from .intervals import mean_interval as mean_interval
