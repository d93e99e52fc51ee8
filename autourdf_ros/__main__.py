"""`python -m autourdf_ros` is `autourdf`."""

import sys

from autourdf_ros.cli import main

sys.exit(main())
