"""The command line: finds its commands through entry points and imports only the one it runs."""

import ast
import gc
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Never

import typer
from typer import _click
from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    from integrations.cli.fault import CommandFault

GROUP = "firstfault.commands"
"""Packages add commands by registering an entry point here."""
DEBUG = "--debug"
_EXAMPLES = """Finds the first fault, not the last error, in GPU clusters.

\b
  firstfault demo                              the Astra outage, end to end
  firstfault diagnose node7.log events.json    any log files, folders or bundles
  firstfault diagnose --since 2h --job llm     the running cluster
  firstfault doctor                            what works here, and what to do where not
"""


class LazyCommand(TyperCommand):
    """Stands for a command that was not imported: its module's docstring is its help."""

    entry: EntryPoint

    def get_short_help_str(self, limit: int = 45) -> str:  # noqa: ARG002 -- the base class's signature
        """Return the first line of the module's docstring, read without importing it."""
        return _first_line(self.entry.module)


class LazyCommands(TyperGroup):
    """The commands of all installed packages, in the order in which they are registered."""

    chosen: _click.Command | None = None
    """The one that runs."""

    def list_commands(self, ctx: _click.Context) -> list[str]:
        """Return the names."""
        self._fill()
        return super().list_commands(ctx)

    def get_command(self, ctx: _click.Context, cmd_name: str) -> _click.Command | None:
        """Return a stand-in, enough for the list of commands."""
        self._fill()
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: _click.Context, args: list[str]
    ) -> tuple[str | None, _click.Command | None, list[str]]:
        """Import the command that is about to run."""
        name, command, rest = super().resolve_command(ctx, args)
        if isinstance(command, LazyCommand):
            command = _load(command.entry)
        self.chosen = command
        return name, command, rest

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: _click.Context | None = None,
        **extra: object,
    ) -> _click.Context:
        """Read the command line; say so where Ctrl-C ends it."""
        with _telling_of_interrupts(tuple(args)):
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: _click.Context) -> object:
        """Run the command; say so where Ctrl-C ends it before it could say anything itself."""
        with _telling_of_interrupts(ctx.obj or ()):
            return super().invoke(ctx)

    def _fill(self) -> None:
        for entry in _registered():
            if entry.name not in self.commands:
                stand_in = LazyCommand(entry.name, callback=None)
                stand_in.entry = entry
                self.commands[entry.name] = stand_in


@contextmanager
def _telling_of_interrupts(arguments: Sequence[str]) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(f"firstfault: {_in_language('interrupted', arguments)}", err=True)
        raise


app = typer.Typer(
    cls=LazyCommands,
    help=_EXAMPLES,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _print_version(wanted: bool) -> None:  # noqa: FBT001 -- the framework calls it so
    if wanted:
        from assistant.investigate import product_version  # noqa: PLC0415 -- only here

        typer.echo(f"firstfault {product_version()}")
        raise typer.Exit


@app.callback()
def _root(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    debug: Annotated[
        bool, typer.Option(DEBUG, help="Show the traceback of an internal error.")
    ] = False,
) -> None:
    """Take the options that stand before the command."""
    # `call` takes --debug wherever it stands; here it is only listed.
    del version, debug


def run() -> Never:
    """Run the command line of this process and exit by the contract."""
    arguments = sys.argv[1:]
    # A run makes much that stays until its end; looking for cyclic garbage often only costs.
    gc.set_threshold(400_000, 20, 100)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # text streams
    try:
        code = call(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone; nothing may be written any more, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    if code in (124, 130):
        # A probe that hangs must not hold the exit of a run that was told to stop.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    gc.freeze()  # The collection at exit would look at everything once more, and for nothing.
    sys.exit(code)


def call(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; errors are told, never raised."""
    from integrations.cli.fault import INTERRUPTED  # noqa: PLC0415 -- `--help` needs none of it

    arguments, debug = take_debug(arguments)
    commands = typer.main.get_command(app)
    try:
        code = commands.main(
            args=list(arguments), prog_name="firstfault", standalone_mode=False, obj=arguments
        )
    except (typer.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 -- the outermost loop: nobody shall read a traceback
        code = _fail(error, arguments, debug=debug)
        # A command may have a code of its own for every failure, as monitoring systems want it.
        return int(getattr(getattr(commands, "chosen", None), "failure_code", code))
    finally:
        _warn_of_unknown_variables()
    return code if isinstance(code, int) else 0


def _warn_of_unknown_variables() -> None:
    """Say which variables have our prefix and mean nothing: a slip of the pen would go unseen."""
    if "assistant.settings" not in sys.modules:
        return  # the command read no settings
    from assistant.settings import unknown_variables  # noqa: PLC0415 -- it is loaded

    for name in unknown_variables(os.environ):
        typer.echo(f"firstfault: {name} is no setting; it has no effect", err=True)


def _fail(error: Exception, arguments: Sequence[str], *, debug: bool) -> int:
    """Tell what went wrong; what nobody foresaw is a bug."""
    from integrations.cli.fault import (  # noqa: PLC0415 -- only for errors
        FORESEEN,
        CommandFault,
        InternalFault,
        UsageFault,
        explain,
    )

    match error:
        case _click.exceptions.NoArgsIsHelpError():
            typer.echo(error.format_message())
            return UsageFault.exit_code
        case _click.exceptions.UsageError():
            hint = f"Try `{error.ctx.command_path} --help`." if error.ctx else ""
            message = error.format_message().replace("Value error, ", "")
            return tell(UsageFault(message, hint), arguments)
        case CommandFault():
            return tell(error, arguments)
        case _ if isinstance(error, FORESEEN):
            return tell(explain(error), arguments)
    if debug or _debugs():
        import traceback  # noqa: PLC0415 -- only for a bug

        traceback.print_exception(error)
    return tell(InternalFault(error), arguments)


def take_debug(arguments: Sequence[str]) -> tuple[Sequence[str], bool]:
    """Take ``--debug`` out of a command line, wherever it stands before ``--``."""
    words = list(arguments)
    end = words.index("--") if "--" in words else len(words)
    kept = [word for word in words[:end] if word != DEBUG]
    return [*kept, *words[end:]], len(kept) < end


def _debugs() -> bool:
    from integrations.bootstrap import read_surroundings  # noqa: PLC0415 -- only for a bug

    return read_surroundings().variables.get("FIRSTFAULT_DEBUG", "") not in ("", "0")


def tell(fault: "CommandFault", arguments: Sequence[str]) -> int:
    """Tell a fault in the form that was asked for and return its exit code."""
    from integrations.rendering.escaping import make_visible  # noqa: PLC0415 -- only for errors

    if wants_json(arguments):
        typer.echo(json.dumps(fault.document(), ensure_ascii=False, indent=2))
    else:
        message, hint = (_in_language(text, arguments) for text in (fault.message, fault.hint))
        typer.echo(make_visible(f"firstfault: {message}"), err=True)
        if hint:
            typer.echo(make_visible(f"  {hint}"), err=True)
    return fault.exit_code


def _in_language(text: str, arguments: Sequence[str]) -> str:
    """Say an error in Chinese where a flag, a variable or the locale asks for it."""
    pairs = zip(arguments, [*arguments[1:], ""], strict=True)
    flags = [value for name, value in pairs if name == "--lang"]
    flags += [word.partition("=")[2] for word in arguments if word.startswith("--lang=")]
    names = ("FIRSTFAULT_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
    wanted = next(filter(None, [*flags, *(os.environ.get(name, "") for name in names)]), "")
    if not wanted.lower().startswith("zh"):
        return text
    from integrations.wording.errors import say_in_chinese  # noqa: PLC0415 -- only for errors

    return say_in_chinese(text)


def wants_json(arguments: Sequence[str]) -> bool:
    """Tell whether ``-o json`` stands on a command line that may be too broken to parse."""
    pairs = zip(arguments, [*arguments[1:], ""], strict=True)
    apart = any(name in ("-o", "--output") and value == "json" for name, value in pairs)
    return apart or any(word in ("-ojson", "--output=json", "-o=json") for word in arguments)


@cache
def _registered() -> Sequence[EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=GROUP):
        if found.setdefault(entry.name, entry).value != entry.value:
            raise RuntimeError(
                f"two commands are called {entry.name!r}: {found[entry.name].value} and "
                f"{entry.value}; uninstall one of the packages",
            )
    return tuple(found.values())


def _load(entry: EntryPoint) -> _click.Command:
    loaded = entry.load()
    command = typer.main.get_command(loaded)
    command.name = entry.name
    return command


def _first_line(module: str) -> str:
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return ""
    tree = ast.parse(Path(spec.origin).read_text("utf-8"))
    return (ast.get_docstring(tree) or "").partition("\n")[0]


if __name__ == "__main__":
    run()
