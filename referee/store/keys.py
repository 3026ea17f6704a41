"""Every key that the referee keeps in Redis. ``docs/storage.md`` has the same table.

============================  =======  ====================================  ================
key, after the namespace      type     holds                                 lives
============================  =======  ====================================  ================
``{<match id>}:match``        hash     version, head and state of a match    by ``Keeping``
``{<match id>}:events``       list     events; version v is at index v - 1   as its match
``{<match id>}:requests``     hash     request key: version, fingerprint     as its match
``{<match id>}:published``    channel  version:event, as it is committed     -
``request:<key>``             string   match id, fingerprint of a creation   one day
``index:<state>:<game>``      zset     ids of public matches, all score 0    kept by the sweep
``index:sweep``               string   lock of the sweep                     one sweep
``due``                       zset     match ids; score: when to look, ms    kept by the sweep
``{pulse}:last``              string   last time when a process served, ms   for ever
``{pulse}:outages``           zset     ``start:end``, ms; score: end         90 days
``token-key``                 string   key that signs seat tokens            for ever
``barrier``                   string   what durable batches end with         for ever
============================  =======  ====================================  ================

The braces are Redis Cluster's hash tag: all keys of one match live on one node, so that one script
may touch them.
"""

from __future__ import annotations

from dataclasses import dataclass

from referee.match.model import MatchId, MatchState

DAY_MS = 86_400_000
CREATE_REQUEST_TTL_MS = DAY_MS
OUTAGES_KEPT_MS = 90 * DAY_MS


@dataclass(frozen=True, slots=True)
class Keys:
    """Names of keys under one namespace."""

    namespace: str = "referee"

    def match(self, match_id: MatchId) -> str:
        """The match itself."""
        return f"{self.namespace}:{{{match_id}}}:match"

    def events(self, match_id: MatchId) -> str:
        """Its events."""
        return f"{self.namespace}:{{{match_id}}}:events"

    def requests(self, match_id: MatchId) -> str:
        """The requests that became its events."""
        return f"{self.namespace}:{{{match_id}}}:requests"

    def published(self, match_id: MatchId) -> str:
        """The channel on which its events are published."""
        return f"{self.namespace}:{{{match_id}}}:published"

    def request(self, key: str) -> str:
        """A request for a new match."""
        return f"{self.namespace}:request:{key}"

    def index(self, state: MatchState, game: str) -> str:
        """Public matches in a state, of one game or, for an empty id, of all."""
        return f"{self.namespace}:index:{state.value}:{game or '*'}"

    @property
    def sweep_lock(self) -> str:
        """Held by the process that sweeps."""
        return f"{self.namespace}:index:sweep"

    @property
    def due(self) -> str:
        """When to look at which match."""
        return f"{self.namespace}:due"

    @property
    def pulse(self) -> str:
        """The last time when a process served."""
        return f"{self.namespace}:{{pulse}}:last"

    @property
    def outages(self) -> str:
        """When none did."""
        return f"{self.namespace}:{{pulse}}:outages"

    @property
    def token_key(self) -> str:
        """The key that signs seat tokens."""
        return f"{self.namespace}:token-key"

    @property
    def barrier(self) -> str:
        """Written after each batch whose commits have to be durable; its value means nothing."""
        return f"{self.namespace}:barrier"

    @property
    def control(self) -> str:
        """A channel on which nothing is ever said; it keeps a subscription open."""
        return f"{self.namespace}:control"

    @property
    def every_match(self) -> str:
        """Pattern of all matches' keys."""
        return f"{self.namespace}:{{*}}:match"

    def match_id_of(self, match_key: str) -> MatchId:
        """The id in a match's key, or in the name of its channel."""
        return MatchId(match_key.split("{", 1)[1].split("}", 1)[0])
