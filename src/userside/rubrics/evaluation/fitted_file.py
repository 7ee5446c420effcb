"""`RUN/cuts.json`: cuts that were fitted to the labels of a run's conversations."""

import json
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from userside.errors import FormatError
from userside.llm import write_atomically
from userside.rubrics.evaluation.cut_fitting import FittedCuts

CUTS = "cuts.json"

_FITTED = TypeAdapter(FittedCuts)


def write_fitted_cuts(fitted: FittedCuts, folder: Path) -> Path:
    """Return the file that the cuts were written to, whole or not at all."""
    path = folder / CUTS
    tree = {"format": 1, **_FITTED.dump_python(fitted, mode="json")}
    write_atomically(path, json.dumps(tree, ensure_ascii=False, indent=1) + "\n")
    return path


def read_fitted_cuts(folder: Path) -> FittedCuts | None:
    """Return the cuts that were fitted in a run's folder, or None where there are none.

    Raises:
        FormatError: The file cannot be used as it stands.
    """
    path = folder / CUTS
    try:
        return _FITTED.validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = ".".join(str(step) for step in fault["loc"]) or "the whole file"
        raise FormatError(f"{path}: {where}: {fault['msg']}").with_note(
            "Fit the cuts anew with `userside evaluate RUN --fit-cuts`."
        ) from None
