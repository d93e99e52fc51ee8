"""Parses untrusted XML: fetches nothing, resolves no entity, accepts no document type."""

from __future__ import annotations

from pathlib import Path

from lxml import etree

from autourdf_ros.errors import InputError


def parse_xml(text: bytes, where: Path | str, *, long_texts: bool = False) -> etree._Element:
    """Parse XML without its comments, within libxml2's bounds: 256 levels, texts of 10 MB.

    Args:
        text: the XML.
        where: names the file or topic in errors.
        long_texts: whether texts may be longer, and levels more: meshes list their vertices in one.

    Returns:
        The root element.

    Raises:
        InputError: the text is no XML, or declares a document type, which only hostile XML needs.
    """
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        huge_tree=long_texts,
    )
    try:
        root = etree.fromstring(text, parser)
    except (etree.XMLSyntaxError, LookupError) as error:  # LookupError: an unknown encoding
        reason = error.msg if isinstance(error, etree.XMLSyntaxError) else error
        raise InputError(f"{where}: is no XML: {reason}") from error
    if root.getroottree().docinfo.doctype or root.getroottree().docinfo.internalDTD is not None:
        raise InputError(f"{where}: declares a document type; accepted is XML without <!DOCTYPE>")
    return root


def read_xml(path: Path, *, long_texts: bool = False) -> etree._Element:
    """Parse a file by `parse_xml`. Raise InputError also where it cannot be read."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    return parse_xml(text, path, long_texts=long_texts)
