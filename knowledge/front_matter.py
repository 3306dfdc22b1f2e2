"""A file's text, read into a page or a postmortem: YAML between two ``---`` lines, then prose."""

import re
from pathlib import PurePath

import yaml
from pydantic import ValidationError

from knowledge.errors import PageInvalidError, PostmortemInvalidError
from knowledge.page import Page
from knowledge.postmortem import Postmortem

_FENCE = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


def read_page(text: str, *, path: PurePath, family: str) -> Page:
    """Read and validate one page; its id is the file's name, its family the folder.

    Raises:
        PageInvalidError: the message names the file and every field that does not fit.
    """
    where = str(path)
    data, body = _split(text.replace("\r\n", "\n"), where)
    if "id" in data and data["id"] != path.stem:
        raise PageInvalidError(where, f"id {data['id']!r} differs from the file's name")
    try:
        ours = {"id": path.stem, "family": family, "badge": "", "body": body}
        return Page.model_validate({**data, **ours})
    except ValidationError as error:
        raise PageInvalidError(where, _explain(error)) from error


def read_postmortem(text: str, *, path: PurePath) -> Postmortem:
    """Read and validate one postmortem; its id is the file's name.

    Raises:
        PostmortemInvalidError: the message names the file and every field that does not fit.
    """
    try:
        data, body = _split(text.replace("\r\n", "\n"), str(path))
        if data.get("id", path.stem) != path.stem:
            raise PostmortemInvalidError(path.name, "its id differs from the file's name")
        return Postmortem.model_validate({**data, "id": path.stem, "body": body})
    except PageInvalidError as error:
        raise PostmortemInvalidError(path.name, error.why) from error
    except ValidationError as error:
        raise PostmortemInvalidError(path.name, _explain(error)) from error


def _split(text: str, where: str) -> tuple[dict[str, object], str]:
    fence = _FENCE.match(text)
    if fence is None:
        raise PageInvalidError(where, "no front matter between two lines of ---")
    try:
        data = yaml.load(fence.group(1), Loader=yaml.CSafeLoader)
    except yaml.YAMLError as error:
        raise PageInvalidError(where, f"broken YAML: {' '.join(str(error).split())}") from error
    if not isinstance(data, dict):
        raise PageInvalidError(where, "the front matter is not a mapping")
    return data, text[fence.end() :].strip()


def _explain(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}"
        for problem in error.errors(include_url=False)
    )
