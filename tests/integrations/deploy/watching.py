"""Watches a folder by inotify: what a program opened, read, wrote or made below it."""

import ctypes
import ctypes.util
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
_ALL_EVENTS = 0x00000FFF
_HEAD = struct.Struct("iIII")


def events_below(folder: Path, act: Callable[[], T]) -> tuple[T, list[int]]:
    """Do something and give its result with the masks of what happened in a folder meanwhile."""
    libc = ctypes.CDLL(ctypes.util.find_library("c"), use_errno=True)
    descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        for place in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
            assert libc.inotify_add_watch(descriptor, os.fsencode(place), _ALL_EVENTS) >= 0
        return act(), _masks(descriptor)
    finally:
        os.close(descriptor)


def _masks(descriptor: int) -> list[int]:
    try:
        told = os.read(descriptor, 1 << 16)
    except BlockingIOError:
        return []
    masks, at = [], 0
    while at < len(told):
        _, mask, _, length = _HEAD.unpack_from(told, at)
        masks.append(mask)
        at += _HEAD.size + length
    return masks
