import pytest
from sample_results import write_sample


@pytest.fixture(scope="session")
def sample(tmp_path_factory):
    return write_sample(tmp_path_factory.mktemp("viewer"))
