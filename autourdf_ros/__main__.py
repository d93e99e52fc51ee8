"""`python -m autourdf_ros` is `autourdf`."""

import sys

from autourdf_ros.cli.main import main

sys.exit(main())
