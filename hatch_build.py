"""Part of the build of wheels: kernels are compiled for any processor of this kind, and packed in.

Whoever installs this wheel never waits for a compiler. The wheel is for one version of Python and one platform.
Where kernels cannot be compiled, or with `./dev build --pure`, the wheel is one for all platforms, and kernels are
compiled when they are first used.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Set to anything, it asks for the wheel for all platforms.
PURE = "SUDARE_PURE_WHEEL"


class CompiledKernels(BuildHookInterface):  # type: ignore[misc]
    """Compiles kernels before a wheel is packed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile kernels, unless the sources are installed where they lie: then ./dev does it."""
        if version == "editable" or os.environ.get(PURE):
            return
        sources = Path(self.root, "src")
        folder = sources / "sudare" / "kernels" / "compiled"
        shutil.rmtree(folder, ignore_errors=True)
        environment = {**os.environ, "PYTHONPATH": str(sources), "SUDARE_CACHE_DIR": str(folder)}
        environment |= {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
        done = subprocess.run([sys.executable, "-m", "sudare.kernels.ahead"], env=environment)
        if done.returncode:
            self.app.display_warning("kernels were not compiled; they will be when they are first used")
            return
        build_data.update(pure_python=False, infer_tag=True)
        build_data["artifacts"].append("src/sudare/kernels/compiled/*")

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Leave the sources as they were."""
        shutil.rmtree(Path(self.root, "src", "sudare", "kernels", "compiled"), ignore_errors=True)
