"""Runs COLMAP by pycolmap, in a process of its own: `python -m` with a folder.

The folder has `images`, `masks` and `settings.json`; `text` gets the largest model that was found.
The wheel of pycolmap holds parts of SuiteSparse under the GPL: nothing else runs in this process.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main(folder: Path) -> int:
    """Find the cameras of images; return 1 with one line on standard error if there are none."""
    import pycolmap

    settings = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
    pycolmap.set_random_seed(0)
    database = folder / "database.db"
    extraction = pycolmap.FeatureExtractionOptions()
    extraction.sift.max_num_features = settings["features"]
    extraction.num_threads = settings["threads"]
    extraction.use_gpu = False
    for lens in settings["lenses"]:
        reader = pycolmap.ImageReaderOptions()
        reader.mask_path = str(folder / "masks")
        reader.camera_model = lens["model"]
        reader.camera_params = ",".join(map(str, lens["params"]))
        pycolmap.extract_features(
            database,
            folder / "images",
            image_names=lens["images"],
            camera_mode=pycolmap.CameraMode.SINGLE,
            reader_options=reader,
            extraction_options=extraction,
        )
    matching = pycolmap.FeatureMatchingOptions()
    matching.num_threads, matching.use_gpu = settings["threads"], False
    pycolmap.match_exhaustive(database, matching_options=matching)
    mapping = pycolmap.IncrementalPipelineOptions()
    mapping.num_threads = settings["threads"]
    mapping.min_model_size = 2
    mapping.ba_refine_focal_length = settings["free_focal"]
    mapping.ba_refine_principal_point = mapping.ba_refine_extra_params = False
    maps = pycolmap.incremental_mapping(database, folder / "images", folder / "maps", mapping)
    if not maps:
        print("no two images see enough of one scene that stands still", file=sys.stderr)
        return 1
    largest = max(maps.values(), key=lambda one: one.num_reg_images())
    (folder / "text").mkdir()
    largest.write_text(folder / "text")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
