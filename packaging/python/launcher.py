"""Starts the program that this package installs as a script: for `uvx`, which runs the command named as the package."""

import os
import subprocess
import sys
import sysconfig


def program():
    """Returns the path of the program: among the scripts of this environment, of the user, or of a `pip --target`."""
    name = "sscg.exe" if os.name == "nt" else "sscg"
    directories = [
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", scheme=sysconfig.get_preferred_scheme("user")),
        os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin"),
    ]
    for directory in directories:
        path = os.path.join(directory, name)
        if os.path.isfile(path):
            return path
    sys.exit("error: the program sscg is not installed\nhint: install this package again")


def main():
    command = [program(), *sys.argv[1:]]
    if os.name == "nt":
        try:
            sys.exit(subprocess.call(command))
        except KeyboardInterrupt:
            sys.exit(130)
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
