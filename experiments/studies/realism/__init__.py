"""How close made data are to real data, statistic by statistic.

\b
A and B are each
  a folder of prum generate;
  a specification of prum generate, which is made then; or
  a TOML file that names files, those there are:
    links      with probabilities or without
    elements   [a table] or [XML files]
    runs       TREC runs, or a pattern like "runs/*"
    qrels      and ideal_grade, 1 by default
    log        of prum simulate or prum generate
    clicks     instead: log of searches, as NAVER's CLARA2
    paths      what people walked, a path a line

Degrees of pages, shapes of trees, topics and lists, and what people did: distances of what
both have (Kolmogorov and Smirnov's, Wasserstein's), with p-values by permutation of documents,
topics or people.
"""

from prum.experiments.frame.study import Study
from prum.experiments.studies.realism.study import RealismDesign, RealismRow, compute
from prum.experiments.studies.realism.view import view

REALISM = Study("realism", __doc__, RealismDesign, RealismRow, compute, view)
