"""Where results of jobs lie: each whole or not at all, on any store, whoever writes at once.

A result is first written under a name of its own, and then made known by a small record that
exactly one writer can create. What was begun and never made known is nobody's result.
"""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from autourdf_ros.errors import InputError
from autourdf_ros.files.durable_files import replace_text, sync, sync_tree
from autourdf_ros.fleet.jobs.places import file_system, is_url, placed

RECORDS, TROUBLES, RESULTS, LOGS = "jobs", "troubles", "results", "logs"


class ResultStore:
    """A folder of results, local or remote.

    Attributes:
        place: An absolute path or a URL.
    """

    def __init__(self, place: str) -> None:
        """Open it; nothing is made.

        Raises:
            InputError: It is no place where results can be written.
        """
        self.place = place
        if place.startswith("http"):
            raise InputError(f"{place}: results cannot be written there; accepted: path or s3://")
        self._system, self._root = file_system(place)
        self._is_local = not is_url(place)

    @classmethod
    def at(cls, text: str) -> ResultStore:
        """Return the store that a command line names."""
        return cls(placed(text, str(Path.cwd()), "--out"))

    def address(self, *parts: str) -> str:
        """Return what the file system calls a file of the store."""
        return "/".join((self._root.rstrip("/"), *parts))

    def records(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Return the records of those jobs that are done, by key."""
        return self._read_all(RECORDS, keys)

    def troubles(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Return what is known of those jobs that failed or are set aside, by key."""
        return self._read_all(TROUBLES, keys)

    def record(self, key: str) -> dict[str, Any] | None:
        """Return the record of one job; None where it is not done."""
        text = self._read(self.address(RECORDS, f"{key}.json"))
        return None if text is None else json.loads(text)

    def publish(self, key: str, folder: Path, record: Mapping[str, Any]) -> dict[str, Any]:
        """Write a result, and make it known if no other writer has.

        Args:
            key: Of the job.
            folder: With the result's files.
            record: What is known of it; `folder` is added.

        Returns:
            The record that stands: this one, or that of the writer that came first.
        """
        name = f"{record['name']}-{key[:8]}-{uuid.uuid4().hex[:8]}"
        self._put_folder(folder, self.address(RESULTS, name))
        whole = {**record, "folder": f"{RESULTS}/{name}"}
        if not self._create(self.address(RECORDS, f"{key}.json"), json.dumps(whole, indent=1)):
            self._system.rm(self.address(RESULTS, name), recursive=True)
            return self.record(key) or whole
        self._forget(TROUBLES, key)
        return whole

    def note_trouble(self, key: str, trouble: Mapping[str, Any]) -> None:
        """Write why a job is not done; a later one replaces it."""
        self.write_text(json.dumps(trouble, indent=1), TROUBLES, f"{key}.json")

    def forget_trouble(self, key: str) -> None:
        """Forget why a job is not done: it is tried again."""
        self._forget(TROUBLES, key)

    def write_log(self, key: str, run: str, attempt: str, text: str) -> None:
        """Write the log of one attempt, or more of it."""
        self.write_text(text, LOGS, key, f"{run}.{attempt}.log")

    def logs(self, key: str, run: str) -> dict[str, str]:
        """Return the logs of a job's attempts in one run, by attempt."""
        folder = self.address(LOGS, key)
        self._system.invalidate_cache()
        try:
            names = [at.rpartition("/")[2] for at in self._system.ls(folder, detail=False)]
        except FileNotFoundError:
            return {}
        own = [name for name in names if name.startswith(f"{run}.") and name.endswith(".log")]
        texts = {name: self._read(f"{folder}/{name}") or "" for name in sorted(own)}
        return {name.split(".")[1]: text for name, text in texts.items()}

    def write_text(self, text: str, *parts: str) -> None:
        """Write a file whole or not at all; an earlier one is replaced."""
        at = self.address(*parts)
        if self._is_local:
            Path(at).parent.mkdir(parents=True, exist_ok=True)
            replace_text(Path(at), text)
        else:
            self._system.pipe_file(at, text.encode())

    def read_text(self, *parts: str) -> str | None:
        """Return what a file holds; None where there is none."""
        return self._read(self.address(*parts))

    def check_writable(self) -> None:
        """Write and remove a file.

        Raises:
            InputError: That fails: no job should begin whose result is lost.
        """
        name = f".{uuid.uuid4().hex}.partial"
        try:
            self.write_text("", name)
            self._system.rm(self.address(name))
        except OSError as error:
            raise InputError(f"{self.place}: cannot be written: {error}") from error

    def _put_folder(self, folder: Path, address: str) -> None:
        files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        if self._is_local:
            shutil.copytree(folder, address)
            sync_tree(Path(address))
            sync(Path(address).parent)
        else:
            there = [f"{address}/{path.relative_to(folder).as_posix()}" for path in files]
            self._system.put([str(path) for path in files], there)

    def _create(self, address: str, text: str) -> bool:
        """Write a file if there is none; return whether it was this call that did."""
        if not self._is_local:
            try:
                self._system.pipe_file(address, text.encode(), mode="create")
            except FileExistsError:
                return False
            return True
        path = Path(address)
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}.{uuid.uuid4().hex}.partial")
        replace_text(beside, text)
        try:
            os.link(beside, path)
        except FileExistsError:
            return False
        finally:
            beside.unlink()
        sync(path.parent)
        return True

    def _forget(self, *parts: str) -> None:
        try:
            self._system.rm(self.address(parts[0], f"{parts[1]}.json"))
        except FileNotFoundError:
            return

    def _read(self, address: str) -> str | None:
        try:
            content: bytes = self._system.cat_file(address)
        except FileNotFoundError:
            return None
        return content.decode(errors="replace")

    def _read_all(self, folder: str, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Return the content of JSON files of a folder: it is listed once, then they are read."""
        self._system.invalidate_cache()
        try:
            found = self._system.ls(self.address(folder), detail=False)
        except FileNotFoundError:
            return {}
        there = {at.rpartition("/")[2] for at in found}
        wanted = {
            self.address(folder, f"{key}.json"): key for key in keys if f"{key}.json" in there
        }
        if not wanted:
            return {}
        contents = self._system.cat(list(wanted))
        return {wanted[at]: json.loads(text) for at, text in contents.items()}
