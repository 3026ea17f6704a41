"""Matches: the path of an action, the life of a match, views, records and their verification.

Knows the games only through the registry's Protocols and the world only through ``ports``.
"""
