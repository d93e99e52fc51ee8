"""What `autourdf payload` prints."""

from autourdf_ros.cli.terminal.payload_summary import print_payload

TENSOR = {"ixx": 2.5e-3, "iyy": 4e-5, "izz": 2.5e-3, "ixy": 0.0, "ixz": 0.0, "iyz": 0.0}
DOCUMENT = {
    "frame": "tool0",
    "verdict": "trusted",
    "warnings": [],
    "mass": 0.0702834,
    "centre_of_mass": [-1e-8, 0.1562, -0.0009],
    "inertia": TENSOR,
    "shape": {"volume": 2e-4},
    "std": {
        "mass": 1.7e-5,
        "centre_of_mass": [3e-5, 0.0, 4e-5],
        "inertia": dict.fromkeys(TENSOR, 1e-6),
    },
}


def test_deviations_have_two_digits_and_no_zero_has_a_sign(capsys):
    print_payload(DOCUMENT)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split(None, 1)[1] == "70.283 ± 0.017 g"
    assert lines[1].endswith("0.000, 156.200, -0.900 ± 0.050 mm in tool0")
    assert "-0.000" not in lines[1]
    assert lines[2].split(None, 1)[1].startswith("2500.0, 40.0, 2500.0 ± 1.0 kg mm²")
    assert lines[3].split(None, 2)[2] == "351 kg/m³"


def test_a_method_without_deviations_states_none(capsys):
    print_payload(DOCUMENT | {"std": None})
    assert "±" not in capsys.readouterr().out
