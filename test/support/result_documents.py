"""What a hand-made result folder's reconstruction.json holds."""

import json

from autourdf_ros.model.document_migration import VERSION
from autourdf_ros.model.result_files import DOCUMENT, FORMAT


def write_document(folder, **content):
    """Write it into a folder, of the format and version that are read today."""
    document = {"format": FORMAT, "version": VERSION, "reference_configuration": {}, **content}
    (folder / DOCUMENT).write_text(json.dumps(document))
