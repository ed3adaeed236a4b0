"""How Sphinx makes the site of the documentation. `make docs`."""

import sys
from pathlib import Path

import prum

# The extensions of this folder, and what tests know of public names.
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

project = "prum"
author = "The prum developers"
copyright = author
release = version = prum.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "formulas",
    "site_pages",
]
# What is named in a docstring leads to its page; `site_pages` finds it by its name alone.
default_role = "py:obj"

exclude_patterns = ["paper"]  # for a journal, in its own form

# Pages in docs/notebooks are run, a page that cannot be is an error.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_execution_show_tb = True
# Progress of long cells.
nb_output_stderr = "remove"
myst_enable_extensions = ["deflist", "dollarmath", "colon_fence"]
# Links to headings, as `grammar.md#ways`, are those that code hosts make.
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "mixed"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_attr_annotations = False
# Names of attributes are no references: several classes have a mean.
napoleon_custom_sections = [("Attributes", "params_style")]
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 60
add_module_names = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
highlight_language = "text"
# Quotation marks stand in what is typed.
smartquotes = False

html_theme = "furo"
html_title = "prum"
html_static_path = ["_static"]
html_favicon = "_static/icon.svg"
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_math_renderer = "mathml"
html_theme_options = {"navigation_with_keys": True}

linkcheck_timeout = 20
linkcheck_retries = 2
# Publishers that turn programs away.
linkcheck_ignore = [r"https://doi\.org/.*", r"https://dl\.acm\.org/.*"]
