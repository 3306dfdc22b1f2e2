"""Badges in the reader's language: whose something is, and whether anybody approved it."""

from integrations.wording.words import Words

_BETWEEN = " · "


def say_badge(badge: str, words: Words) -> str:
    """Say a badge; its source and date stay as they are."""
    parts = (_said(part, words) for part in badge.split(_BETWEEN))
    return _BETWEEN.join(parts)


def _said(part: str, words: Words) -> str:
    name, by, who = part.partition(" by ")
    key = f"badge.{name.replace(' ', '_')}"
    if by and key == "badge.approved":
        return words("badge.approved_by", who=who)
    return words.table.get(key, part)
