"""Puts names that exist into generated requests, so that operations also answer with a result, and counts results."""

import atexit
import collections
import json
import os
import zlib

import schemathesis

# The names that exist in the workspace: by field, and by operation and field where the field means different things.
NAMES = json.loads(os.environ["EXISTING_NAMES"])

# The number of results of each operation, which is written to a file at the end.
RESULTS = collections.Counter()


@atexit.register
def write_results():
    with open(os.environ["RESULTS_FILE"], "w") as file:
        json.dump(RESULTS, file)


@schemathesis.hook
def after_call(context, case, response):
    if response.status_code == 200:
        RESULTS[case.operation.path] += 1


@schemathesis.hook
def before_call(context, case, kwargs):
    operation = case.operation.path.rsplit("/", 1)[-1]
    for field, value in (case.path_parameters or {}).items():
        names = NAMES.get(f"{operation}.{field}")
        if names and isinstance(value, str):
            case.path_parameters[field] = existing(names, value, f"{field} {value}")
    if not isinstance(case.body, dict):
        return
    schema = case.operation.definition.raw["requestBody"]["content"]["application/json"]["schema"]
    text = json.dumps(case.body)
    for field, value in case.body.items():
        names = NAMES.get(f"{operation}.{field}") or NAMES.get(field)
        # Null stays where it is invalid, and where a name would be.
        types = set(schema["properties"].get(field, {}).get("type", []))
        if names and (value is not None or {"string", "null"} <= types or {"boolean", "null"} <= types):
            case.body[field] = existing(names, value, f"{field} {text}")


def existing(names, value, seed):
    """Replaces seven of eight texts, nulls and objects; the others test unknown names."""
    if isinstance(value, list):
        # Null is invalid in every list.
        return [item if item is None else existing(names, item, f"{at} {seed}") for at, item in enumerate(value)]
    checksum = zlib.crc32(seed.encode())
    name = names[checksum // 8 % len(names)]
    # An empty object may be invalid, and must then stay so.
    is_replaceable = value is None or (isinstance(value, (str, dict)) and type(value) is type(name) and value != {})
    return name if is_replaceable and checksum % 8 != 0 else value
